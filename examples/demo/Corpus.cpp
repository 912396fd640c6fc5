// SPDX-License-Identifier: Apache-2.0
#include "Corpus.hpp"

#include "GlossWords.hpp"

#include <utility>

namespace Kindred::Tools {
namespace {

Ragged<Symbol> definition_symbols(const WordNet& net, Vocabulary& words) {
  Ragged<Symbol> patterns;
  for (const Synset& synset : net.synsets) {
    for (const std::string& word : content_words(definition(synset.gloss)))
      patterns.values.push_back(words.add(word));
    patterns.close_row();
  }
  return patterns;
}

RaggedSpan<Symbol> first_rows(const Ragged<Symbol>& rows, std::size_t count) {
  return {std::span(rows.offsets).first(count + 1), rows.values};
}

std::vector<Edge> edges_within(const std::vector<Edge>& edges, std::size_t count) {
  std::vector<Edge> within;
  for (const Edge& edge : edges) {
    if (edge.from < count && edge.to < count) within.push_back(edge);
  }
  return within;
}

}  // namespace

Corpus::Corpus(WordNet wordnet)
    : net(std::move(wordnet)),
      patterns(definition_symbols(net, words)),
      edges(heaviest_edges(net)),
      indexing(patterns, words),
      vectors(indexing.embed(patterns)) {}

std::vector<Symbol> Corpus::symbols(std::string_view text) const {
  std::vector<Symbol> found;
  for (const std::string& word : content_words(text)) found.push_back(words.find(word));
  return found;
}

Engines::Engines(Context& context, const Corpus& corpus, std::size_t count)
    : matcher(context, first_rows(corpus.patterns, count)),
      index(context, std::span(corpus.vectors).first(count * corpus.indexing.dimension()),
            corpus.indexing.dimension()),
      graph(context, {count, edges_within(corpus.edges, count)}) {}

}  // namespace Kindred::Tools
