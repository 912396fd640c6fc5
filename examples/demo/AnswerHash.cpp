// SPDX-License-Identifier: Apache-2.0
#include "AnswerHash.hpp"

#include <algorithm>
#include <bit>
#include <concepts>

namespace Kindred::Tools {
namespace {

class Hash {
 public:
  void add(std::integral auto value) {
    m_value = (m_value ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15ULL;
    m_value ^= m_value >> 29U;
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(float value) { add(std::bit_cast<std::uint32_t>(value)); }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  void add(const Match& match) {
    add(match.index);
    add(match.similarity);
    add(match.matched);
  }
  void add(const Block& block) {
    add(block.pattern_begin);
    add(block.query_begin);
    add(block.length);
  }
  void add(const ScoredId& scored) {
    add(scored.id);
    add(scored.score);
  }
  void add(const Activation& activation) {
    add(activation.node);
    add(activation.value);
  }
  template <class T>
  void add(const Ragged<T>& rows) {
    add(rows.offsets);
    add(rows.values);
  }
  std::uint64_t value() const noexcept { return m_value; }

 private:
  std::uint64_t m_value = 14695981039346656037ULL;
};

struct SampleQueries {
  Ragged<Symbol> patterns;
  std::vector<float> vectors;
  Ragged<std::uint64_t> candidates;
  Ragged<Activation> sources;
};

SampleQueries sample_queries(const Corpus& corpus, std::size_t count) {
  SampleQueries requested;
  const std::size_t dimension = corpus.indexing.dimension();
  for (std::size_t query = 0; query < count; ++query) {
    const std::size_t synset = query * corpus.size() / count;
    requested.patterns.push_row(corpus.patterns[synset]);
    const float* row = corpus.vectors.data() + synset * dimension;
    requested.vectors.insert(requested.vectors.end(), row, row + dimension);
    for (std::size_t i = query; i < corpus.size(); i += 97)
      requested.candidates.values.push_back(i);
    requested.candidates.close_row();
    requested.sources.values.push_back({static_cast<std::uint32_t>(synset), 1.0F});
    requested.sources.values.push_back(
        {static_cast<std::uint32_t>((synset + 1) % corpus.size()), 0.5F});
    requested.sources.close_row();
  }
  return requested;
}

}  // namespace

std::vector<AnswerHash> hash_answers(const Context& context, const Corpus& corpus,
                                     const Engines& engines, std::size_t queries) {
  const SampleQueries requested = sample_queries(corpus, queries);
  std::vector<AnswerHash> hashes;
  for (const Space space : all_spaces) {
    if (!context.is_usable(space)) continue;
    Hash hash;
    for (const Measure measure : {Measure::lcs, Measure::difflib}) {
      MatchOptions options;
      options.measure = measure;
      options.blocks = true;
      options.space = space;
      const MatchResults results = engines.matcher.match(requested.patterns, options);
      hash.add(results.matches);
      hash.add(results.blocks);
    }
    for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
      SearchOptions options;
      options.metric = metric;
      options.top = std::min<std::size_t>(10, engines.index.size());
      options.space = space;
      const SearchResults found = engines.index.search(requested.vectors, options);
      hash.add(found.ids);
      hash.add(found.scores);
      hash.add(engines.index.score(requested.vectors, requested.candidates, options).results);
    }
    for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
      SpreadOptions options;
      options.mode = mode;
      options.top = 100;
      options.space = space;
      hash.add(engines.graph.spread(requested.sources, options).activations);
    }
    hashes.push_back({space, hash.value()});
  }
  return hashes;
}

}  // namespace Kindred::Tools
