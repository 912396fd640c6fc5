// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_EXAMPLES_DEMO_CORPUS_HPP
#define KINDRED_EXAMPLES_DEMO_CORPUS_HPP

#include "RandomIndexing.hpp"
#include "wordnet/WordNet.hpp"

#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

/// \brief WordNet in the form that the three engines need: item i of each is synset i.
struct Corpus {
  explicit Corpus(WordNet wordnet);

  WordNet net;
  Vocabulary words;
  Ragged<Symbol> patterns;  ///< content words of the definitions
  std::vector<Edge> edges;  ///< one per ordered pair of synsets, the heaviest of its pointers
  RandomIndexing indexing;
  std::vector<float> vectors;  ///< synsets × `indexing.dimension()`

  std::size_t size() const noexcept { return net.synsets.size(); }
  /// The content words of \p text as symbols, including unknown ones.
  std::vector<Symbol> symbols(std::string_view text) const;
  /// The first word of a synset.
  const std::string& name(std::size_t synset) const { return net.synsets[synset].words.front(); }
};

/// \brief The engines over the first \p count synsets of a corpus.
struct Engines {
  Engines(Context& context, const Corpus& corpus, std::size_t count);

  SequenceMatcher matcher;
  VectorIndex index;
  SpreadingEngine graph;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_EXAMPLES_DEMO_CORPUS_HPP
