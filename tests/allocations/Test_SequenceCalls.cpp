// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "Generator.hpp"
#include "ResultText.hpp"

#include <random>

namespace SequenceCallsTest {

using namespace Kindred;
using Testing::Copies;
using Testing::expect_out_of_memory;
using Testing::host_spaces;
using Testing::shared_context;
using Testing::TempFolder;
using Testing::Written;

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

const std::vector<std::string>& patterns() {
  static const std::vector<std::string> made = texts("patterns of failing allocations", 60);
  return made;
}
const std::vector<std::string>& queries() {
  static const std::vector<std::string> made = texts("queries of failing allocations", 4);
  return made;
}
std::vector<std::string_view> views(const std::vector<std::string>& given) {
  return {given.begin(), given.end()};
}

SequenceMatcher make_matcher() {
  const std::vector<std::string_view> given = views(patterns());
  return {shared_context(), std::span(given)};
}

TEST(OutOfMemory, OfAMatcherThatIsMadeIsTyped) {
  const std::vector<std::string_view> given = views(patterns());
  const Ragged<Symbol> symbols = code_points(given);
  expect_out_of_memory("SequenceMatcher(symbols)", [&] {
    return SequenceMatcher(shared_context(), RaggedSpan<Symbol>(symbols));
  });
  expect_out_of_memory("SequenceMatcher(texts)",
                       [&] { return SequenceMatcher(shared_context(), std::span(given)); });
}

TEST(OutOfMemory, OfAMatchIsTyped) {
  const std::vector<std::string_view> given = views(queries());
  const Ragged<Symbol> symbols = code_points(given);
  for (const Space space : host_spaces()) {
    for (const Measure measure : all_measures) {
      SCOPED_TRACE(std::string(to_string(measure)) + " on " + std::string(to_string(space)));
      MatchOptions options;
      options.measure = measure;
      options.space = space;
      options.threshold = 0.3;
      expect_out_of_memory("match", make_matcher, [&](SequenceMatcher& matcher) {
        return matcher.match(std::span(given), options);
      });
      PairOptions pairs;
      pairs.measure = measure;
      pairs.space = space;
      std::vector<float> out(given.size() * patterns().size());
      const Array to(std::span<float>{out});
      expect_out_of_memory("scores", make_matcher, [&](SequenceMatcher& matcher) {
        matcher.score_all(std::span(given), to, pairs);
        return std::span(out);
      });
    }
  }
  const SequenceMatcher matcher = make_matcher();
  MatchOptions options;
  options.blocks = true;
  options.postings = PostingsUse::always;
  expect_out_of_memory("match with blocks and postings", make_matcher,
                       [&](SequenceMatcher& fresh) { return fresh.match(symbols, options); });
  options.postings = PostingsUse::never;
  options.space = Space::serial;
  const std::vector<std::uint64_t> candidates{1, 2, 3, 5, 8, 13, 21, 34, 55};
  options.filter = candidates;
  expect_out_of_memory("match of candidates", [&] { return matcher.match(symbols, options); });
  const ConstArray values(std::span<const Symbol>{symbols.values});
  const ConstArray offsets(std::span<const std::uint64_t>{symbols.offsets});
  std::vector<std::int64_t> signed_offsets(symbols.offsets.begin(), symbols.offsets.end());
  const ConstArray rows(std::span<const std::int64_t>{signed_offsets});
  expect_out_of_memory("match of arrays", [&] { return matcher.match({values, rows}); });
  std::vector<float> out(given.size() * patterns().size());
  expect_out_of_memory("scores of arrays", [&] {
    matcher.score_all({values, rows}, Array(std::span<float>{out}));
    return std::span(out);
  });
  expect_out_of_memory("scores of symbols", [&] {
    matcher.score_all(symbols, Array(std::span<float>{out}));
    return std::span(out);
  });
  expect_out_of_memory("patterns", [&] { return matcher.patterns(); });
  expect_out_of_memory("bytes", [&] { return matcher.bytes(Space::serial); });
}

TEST(OutOfMemory, OfClustersIsTyped) {
  for (const Linkage linkage : {Linkage::single, Linkage::complete}) {
    for (const Space space : host_spaces()) {
      for (const Measure measure : {Measure::levenshtein, Measure::token_set}) {
        ClusterOptions options;
        options.linkage = linkage;
        options.matching.measure = measure;
        options.matching.space = space;
        expect_out_of_memory("cluster", make_matcher,
                             [&](SequenceMatcher& matcher) { return matcher.cluster(options); });
      }
    }
  }
  const std::vector<SimilarPair> pairs{{1, 0, 0.9}, {2, 1, 0.95}, {4, 3, 0.99}};
  for (const Linkage linkage : {Linkage::single, Linkage::complete})
    expect_out_of_memory(
        "cluster_pairs", [&] { return Copies<std::vector<SimilarPair>>(pairs); },
        [&](Copies<std::vector<SimilarPair>>& copies) {
          return cluster_pairs(6, copies.take(), linkage);
        });
  MatchOptions options;
  options.threshold = 0.5;
  expect_out_of_memory("match_self", make_matcher, [&](SequenceMatcher& matcher) {
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
  for (const Measure measure : all_measures) {
    SCOPED_TRACE(to_string(measure));
    expect_out_of_memory("PreparedQuery of text", [&] { return PreparedQuery(measure, query); });
    const auto make = [&] { return PreparedQuery(measure, std::span(query_symbols)); };
    expect_out_of_memory("PreparedQuery", make);
    using Query = PreparedQuery;
    expect_out_of_memory("similarity", make,
                         [&](Query& prepared) { return prepared.similarity(symbols, 0.1); });
    expect_out_of_memory("similarity of text", make,
                         [&](Query& prepared) { return prepared.similarity(pattern, 0.1); });
    expect_out_of_memory("matched", make,
                         [&](Query& prepared) { return prepared.matched(symbols); });
    expect_out_of_memory("matched of text", make,
                         [&](Query& prepared) { return prepared.matched(pattern); });
    std::vector<std::uint32_t> counts(spans.size());
    expect_out_of_memory("matched of texts", make, [&](Query& prepared) {
      prepared.matched(spans, counts);
      return std::span(counts);
    });
    std::vector<double> results(spans.size());
    expect_out_of_memory("similarities", make, [&](Query& prepared) {
      prepared.similarities(spans, results);
      return std::span(results);
    });
    expect_out_of_memory("free similarity",
                         [&] { return similarity(measure, symbols, query_symbols); });
    expect_out_of_memory("free similarity of text",
                         [&] { return similarity(measure, pattern, query); });
    expect_out_of_memory("free matched", [&] { return matched(measure, symbols, query_symbols); });
    expect_out_of_memory("free matched of text", [&] { return matched(measure, pattern, query); });
    if (measure != Measure::lcs && measure != Measure::difflib) continue;  // no blocks
    expect_out_of_memory("blocks", make, [&](Query& prepared) { return prepared.blocks(symbols); });
    expect_out_of_memory("free blocks", [&] { return blocks(measure, symbols, query_symbols); });
    expect_out_of_memory("free blocks of text", [&] { return blocks(measure, pattern, query); });
  }
}

TEST(OutOfMemory, OfAVocabularyIsTypedAndLeavesItAsItWas) {
  const TempFolder folder;
  const std::string vocabulary_path = folder / "vocabulary";
  const std::vector<std::string> many = texts("vocabulary of failing allocations", 700);
  std::vector<std::string> numbered;
  for (std::size_t i = 0; i < 700; ++i)
    numbered.push_back("a text that is longer than a short string, " + std::to_string(i));
  const std::vector<std::string_view> given = views(numbered);
  const auto make = [&] {
    Vocabulary vocabulary;
    vocabulary.add_all(std::span(given).first(150));
    return vocabulary;
  };
  Ragged<char> ragged;
  for (const std::string& text : numbered) ragged.push_row(text);
  expect_out_of_memory("Vocabulary", [] { return Vocabulary(); });
  expect_out_of_memory("Vocabulary(texts)", [&] { return Vocabulary(RaggedSpan<char>(ragged)); });
  expect_out_of_memory("add", make,
                       [&](Vocabulary& vocabulary) { return vocabulary.add("another text"); });
  expect_out_of_memory("add a long text", make, [&](Vocabulary& vocabulary) {
    return vocabulary.add(std::string_view(ragged.values.data(), 20'000));
  });
  expect_out_of_memory("add_all", make, [&](Vocabulary& vocabulary) { vocabulary.add_all(given); });
  expect_out_of_memory("add_sorted", make,
                       [&](Vocabulary& vocabulary) { vocabulary.add_sorted(given); });
  const std::vector<Symbol> symbols{0, 4, 8};
  expect_out_of_memory("decode", make,
                       [&](Vocabulary& vocabulary) { return vocabulary.decode(symbols); });
  expect_out_of_memory("texts", make, [](Vocabulary& vocabulary) { return vocabulary.texts(); });
  expect_out_of_memory("to_bytes", make,
                       [](Vocabulary& vocabulary) { return vocabulary.to_bytes(); });
  make().save(vocabulary_path);
  expect_out_of_memory("save", make, [&](Vocabulary& vocabulary) {
    vocabulary.save(vocabulary_path);
    return Written{&folder, "vocabulary"};
  });
  expect_out_of_memory("load", [&] { return Vocabulary::load(vocabulary_path); });
  const std::vector<std::byte> bytes = make().to_bytes();
  expect_out_of_memory("from_bytes", [&] { return Vocabulary::load(bytes); });
}

TEST(OutOfMemory, OfCodePointsIsTyped) {
  const std::vector<std::string_view> given = views(patterns());
  expect_out_of_memory("append_code_points", [&] {
    std::vector<Symbol> out;
    append_code_points(given[0], out);
    return out;
  });
  expect_out_of_memory("code_points", [&] { return code_points(given); });
  expect_out_of_memory("joined_code_points", [&] { return joined_code_points(given); });
}

}  // namespace SequenceCallsTest
