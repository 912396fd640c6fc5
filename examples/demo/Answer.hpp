// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_EXAMPLES_DEMO_ANSWER_HPP
#define KINDRED_EXAMPLES_DEMO_ANSWER_HPP

#include "Corpus.hpp"

#include "report/Report.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Kindred::Tools {

struct AnswerHit {
  std::uint32_t synset = 0;
  double score = 0;
  std::vector<ReportReason>
      reasons;  ///< from the rankings that found it: `match`, `search`, `spread`
};

/// \brief Recalls the synsets that \p query is associated with.
///
/// *match*: longest common subsequence of content words, at least half of the query's. *search*:
/// cosine similarity of the vectors, above the level of chance. *spread*: activation from the four
/// best of both, along WordNet's pointers. The first fifty of each are fused by `fuse_rankings`
/// with the constant 10, which emphasises high ranks, and with weight 2 for *spread*, because the
/// other two use the same words.
/// \throws InvalidArgument if no word of the query occurs in any gloss
std::vector<AnswerHit> answer(const Corpus& corpus, const Engines& engines,
                              const std::string& query, std::size_t top);

}  // namespace Kindred::Tools

#endif  // KINDRED_EXAMPLES_DEMO_ANSWER_HPP
