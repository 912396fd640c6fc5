// SPDX-License-Identifier: Apache-2.0
#include "Properties.hpp"
#include "SequenceOracle.hpp"

namespace SequencePropertiesTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// Patterns and queries over few symbols, so that they match often. Wide symbols do not fit into 16
/// bits; a query may contain unknown symbols.
struct Corpus {
  SymbolRows patterns, queries;
};

Corpus any_corpus() {
  const auto alphabet = *rc::gen::inRange<Symbol>(1, 6);
  const auto pattern = rc::gen::container<Symbols>(rc::gen::inRange<Symbol>(0, alphabet));
  const auto query = rc::gen::container<Symbols>(
      rc::gen::map(rc::gen::inRange<Symbol>(0, alphabet + 1),
                   [=](Symbol symbol) { return symbol == alphabet ? unknown_symbol : symbol; }));
  Corpus corpus{*rc::gen::container<SymbolRows>(pattern),
                *rc::gen::resize(8, rc::gen::container<SymbolRows>(rc::gen::resize(150, query)))};
  const Symbol stride = *rc::gen::element<Symbol>(1, 70000);
  for (SymbolRows* rows : {&corpus.patterns, &corpus.queries})
    for (Symbols& sequence : *rows)
      for (Symbol& symbol : sequence) symbol = symbol == unknown_symbol ? symbol : symbol * stride;
  return corpus;
}

MatchGrid any_call() {
  const auto threshold =
      rc::gen::element(0.0, 0.01, 0.1, 0.3, 1.0 / 3, 0.5, 0.6, 2.0 / 3, 0.75, 1.0);
  return {.measures = {*rc::gen::elementOf(with_blocks)},
          .thresholds = {*threshold},
          .tops = {*rc::gen::element<std::size_t>(1, 3, 10, 1000)},
          .blocks = *rc::gen::arbitrary<bool>(),
          .postings = {PostingsUse::never, PostingsUse::always}};
}

TEST(SequenceProperties, MatchesReference) {
  expect_property("matches and blocks equal the oracle's on every space, through postings or not",
                  [] {
                    const Corpus corpus = any_corpus();
                    expect_matches(corpus.patterns, corpus.queries, any_call());
                  });
}

TEST(SequenceProperties, SelfMatchMatchesBruteForce) {
  expect_property("every pair i < j once, as the oracle scores it, on every space", [] {
    const auto sequences = *rc::gen::container<SymbolRows>(
        *rc::gen::inRange<std::size_t>(0, 20),
        rc::gen::resize(30, rc::gen::container<Symbols>(rc::gen::inRange<Symbol>(0, 4))));
    expect_self_matches(sequences, any_call());
  });
}

TEST(SequenceProperties, PostingsBuiltMeanwhileChangeNoAnswer) {
  auto random = generator("postings on the way");
  const Ragged<Symbol> patterns = ragged(random_sequences(random, 4000, 0, 29, 3000));
  const SequenceMatcher matcher(context(), patterns);
  const SequenceMatcher scanning(context(), patterns);
  const std::uint64_t bytes = matcher.bytes(Space::serial);
  for (std::size_t first = 0; first < 1000; first += 50) {
    Ragged<Symbol> queries;
    for (std::size_t i = first; i < first + 50; ++i) queries.push_row(patterns[i]);
    MatchOptions options{.measure = with_blocks[first / 50 % 2], .threshold = 0.2};
    options.space = Space::serial;
    const MatchResults results = matcher.match(queries, options);
    options.postings = PostingsUse::never;
    EXPECT_EQ(results.matches.values, scanning.match(queries, options).matches.values);
  }
  EXPECT_EQ(matcher.bytes(Space::serial), bytes + 4 * patterns.values.size())
      << "the postings were built and are accounted";
  const MatcherStatistics statistics = scanning.statistics();
  EXPECT_EQ(statistics.host_bytes, bytes);
  EXPECT_EQ(statistics.device_bytes, scanning.bytes(Space::cuda));
  EXPECT_EQ(statistics.patterns, patterns.rows());
  EXPECT_EQ(to_string(scanning.residency()), "automatic");
}

}  // namespace SequencePropertiesTest
