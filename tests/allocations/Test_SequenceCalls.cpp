// SPDX-License-Identifier: Apache-2.0
#include "Generator.hpp"
#include "PublicCalls.hpp"

namespace SequenceCallsTest {

using namespace Kindred;
using namespace Testing;

/// Words of three letters, joined by spaces.
std::vector<std::string> texts(const char* name, std::size_t count) {
  auto random = Testing::generator(name);
  std::vector<std::string> out(count);
  for (std::string& text : out) {
    for (std::size_t word = 0; word <= random() % 5; ++word) {
      if (word > 0) text += ' ';
      for (int i = 0; i < 3; ++i) text += static_cast<char>('a' + random() % 4);
    }
  }
  return out;
}

const std::vector<std::string> pattern_texts = texts("patterns of failing allocations", 60);
const std::vector<std::string> query_texts = texts("queries of failing allocations", 4);
const std::vector<std::string_view> patterns = views(pattern_texts);
const std::vector<std::string_view> queries = views(query_texts);

const TypedCalls expect([] { return SequenceMatcher(shared_context(), std::span(patterns)); });

TEST(OutOfMemory, OfAMatcherThatIsMadeIsTyped) {
  const Ragged<Symbol> symbols = code_points(patterns);
  expect_typed("SequenceMatcher(symbols)",
               [&] { return SequenceMatcher(shared_context(), RaggedSpan<Symbol>(symbols)); });
  expect_typed("SequenceMatcher(texts)",
               [] { return SequenceMatcher(shared_context(), std::span(patterns)); });
}

TEST(OutOfMemory, OfAMatchIsTyped) {
  const Ragged<Symbol> symbols = code_points(queries);
  std::vector<float> out(queries.size() * patterns.size());
  for (const Space space : host_spaces()) {
    for (const Measure measure : all_measures) {
      SCOPED_TRACE(std::string(to_string(measure)) + " on " + std::string(to_string(space)));
      const MatchOptions options{.measure = measure, .threshold = 0.3, .space = space};
      expect("match", [&](auto& matcher) { return matcher.match(std::span(queries), options); });
      const PairOptions pairs{.measure = measure, .space = space};
      expect("scores", out,
             [&](auto& matcher) { matcher.score_all(std::span(queries), out, pairs); });
    }
  }
  const MatchOptions with_blocks{.blocks = true, .postings = PostingsUse::always};
  expect("match with blocks and postings",
         [&](auto& matcher) { return matcher.match(symbols, with_blocks); });
  const std::vector<std::uint64_t> candidates{1, 2, 3, 5, 8, 13, 21, 34, 55};
  const MatchOptions of_candidates{
      .blocks = true, .postings = PostingsUse::never, .space = Space::serial, .filter = candidates};
  const SequenceMatcher matcher(shared_context(), std::span(patterns));
  expect_typed("match of candidates", [&] { return matcher.match(symbols, of_candidates); });
  const std::vector<std::int64_t> offsets(symbols.offsets.begin(), symbols.offsets.end());
  const ConstArray values(symbols.values);
  const ConstArray rows(offsets);
  expect_typed("match of arrays", [&] { return matcher.match({values, rows}); });
  expect_written("scores of arrays", out, [&] { matcher.score_all({values, rows}, out); });
  expect_written("scores of symbols", out, [&] { matcher.score_all(symbols, out); });
  expect_typed("patterns", [&] { return matcher.patterns(); });
  expect_typed("bytes", [&] { return matcher.bytes(Space::serial); });
}

TEST(OutOfMemory, OfClustersIsTyped) {
  const std::vector<SimilarPair> pairs{{1, 0, 0.9}, {2, 1, 0.95}, {4, 3, 0.99}};
  for (const Linkage linkage : {Linkage::single, Linkage::complete}) {
    for (const Space space : host_spaces()) {
      for (const Measure measure : {Measure::levenshtein, Measure::token_set}) {
        const ClusterOptions options{.linkage = linkage,
                                     .matching = {.measure = measure, .space = space}};
        expect("cluster", [&](auto& matcher) { return matcher.cluster(options); });
      }
    }
    expect_typed(
        "cluster_pairs", [&] { return Copies<std::vector<SimilarPair>>(pairs); },
        [&](auto& copies) { return cluster_pairs(6, copies.take(), linkage); });
  }
  const MatchOptions options{.threshold = 0.5};
  expect("match_self", [&](auto& matcher) {
    std::uint64_t sum = 0;
    matcher.match_self(options, [&](std::size_t first, const MatchResults& results) {
      sum += first + results.matches.values.size();
    });
    return sum;
  });
}

TEST(OutOfMemory, OfPreparedQueriesAndSimilaritiesIsTyped) {
  const std::string query = "abc abd xyz and something that is longer than a word of 64 bits is";
  const std::string pattern = "abd xyz abc and some other thing that is longer than 64 bits are";
  const std::vector<Symbol> query_symbols(query.begin(), query.end());
  const std::vector<Symbol> symbols(pattern.begin(), pattern.end());
  const std::vector<TextSpan> spans(
      3, TextSpan{pattern.data(), static_cast<std::uint32_t>(pattern.size()), 1});
  std::vector<std::uint32_t> counts(spans.size());
  std::vector<double> results(spans.size());
  for (const Measure measure : all_measures) {
    SCOPED_TRACE(to_string(measure));
    expect_typed("PreparedQuery of text", [&] { return PreparedQuery(measure, query); });
    const auto make = [&] { return PreparedQuery(measure, std::span(query_symbols)); };
    expect_typed("PreparedQuery", make);
    const TypedCalls prepared(make);
    prepared("matched of texts", counts, [&](auto& made) { made.matched(spans, counts); });
    prepared("similarities", results, [&](auto& made) { made.similarities(spans, results); });
    const bool has_blocks = measure == Measure::lcs || measure == Measure::difflib;
    if (has_blocks) prepared("blocks", [&](auto& made) { return made.blocks(symbols); });
    // The same of symbols and of texts.
    const auto expect_both = [&](const auto& of_pattern, const auto& of_query) {
      prepared("similarity", [&](auto& made) { return made.similarity(of_pattern, 0.1); });
      prepared("matched", [&](auto& made) { return made.matched(of_pattern); });
      expect_typed("free similarity", [&] { return similarity(measure, of_pattern, of_query); });
      expect_typed("free matched", [&] { return matched(measure, of_pattern, of_query); });
      if (has_blocks)
        expect_typed("free blocks", [&] { return blocks(measure, of_pattern, of_query); });
    };
    expect_both(symbols, query_symbols);
    expect_both(pattern, query);
  }
}

TEST(OutOfMemory, OfAVocabularyIsTypedAndLeavesItAsItWas) {
  Ragged<char> ragged;
  std::vector<std::string> numbered;
  for (std::size_t i = 0; i < 700; ++i) {
    numbered.push_back("a text that is longer than a short string, " + std::to_string(i));
    ragged.push_row(numbered.back());
  }
  const std::vector<std::string_view> given = views(numbered);
  const TypedCalls vocabularies([&] {
    Vocabulary vocabulary;
    vocabulary.add_all(std::span(given).first(150));
    return vocabulary;
  });
  const std::string_view long_text(ragged.values.data(), 20'000);
  expect_typed("Vocabulary", [] { return Vocabulary(); });
  expect_typed("Vocabulary(texts)", [&] { return Vocabulary(RaggedSpan<char>(ragged)); });
  vocabularies("add", [](auto& vocabulary) { return vocabulary.add("another text"); });
  vocabularies("add a long text", [&](auto& vocabulary) { return vocabulary.add(long_text); });
  vocabularies("add_all", [&](auto& vocabulary) { vocabulary.add_all(given); });
  vocabularies("add_sorted", [&](auto& vocabulary) { vocabulary.add_sorted(given); });
  const std::vector<Symbol> symbols{0, 4, 8};
  vocabularies("decode", [&](auto& vocabulary) { return vocabulary.decode(symbols); });
  vocabularies("texts", [](auto& vocabulary) { return vocabulary.texts(); });
  vocabularies.files([](const auto& from) { return Vocabulary::load(from); });
}

TEST(OutOfMemory, OfCodePointsIsTyped) {
  expect_typed("append_code_points", [] {
    std::vector<Symbol> out;
    append_code_points(patterns[0], out);
    return out;
  });
  expect_typed("code_points", [] { return code_points(patterns); });
  expect_typed("joined_code_points", [] { return joined_code_points(patterns); });
}

}  // namespace SequenceCallsTest
