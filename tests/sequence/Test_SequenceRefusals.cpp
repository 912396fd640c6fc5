// SPDX-License-Identifier: Apache-2.0
// Calls of matchers and of functions for pairs that must be refused.
#include "SequenceSupport.hpp"
#include "ShapedArray.hpp"

namespace SequenceRefusalsTest {

using namespace Kindred;
using namespace Kindred::Testing;
using Texts = std::vector<std::string_view>;

const std::vector<std::vector<std::uint64_t>> bad_offsets{{1, 2}, {0, 2, 1}, {0, 4}};
constexpr std::string_view bad_text = "ab\xFF";

TEST(SequenceRefusals, OfMatches) {
  const SequenceMatcher matcher(context(), ragged<Symbol>({{1, 2}, {3}}));
  const Ragged<Symbol> query = ragged<Symbol>({{1}});
  const auto match = [&](const MatchOptions& options) {
    return [&matcher, &query, options] { matcher.match(query, options); };
  };
  const auto match_self = [&](const MatchOptions& options) {
    return [&matcher, options] { matcher.match_self(options, {}); };
  };
  const auto cluster = [&](const MatchOptions& options) {
    return [&matcher, options] { matcher.cluster({.matching = options}); };
  };
  const auto made = [](const auto& patterns, Residency residency = Residency::automatic) {
    return [=] { SequenceMatcher(context(), patterns, residency); };
  };
  const std::vector<std::uint64_t> only{0, 2};
  std::vector<RefusedCall> calls{
      {match({.filter = only}), "filter contains index 2; the indices of patterns are below 2"},
      {match_self({.filter = std::span(only).first(1)}), "filter"},
      {cluster({.filter = std::span(only).first(1)}), "filter"},
      {match({.top = 0}), "top"},
      {match_self({.autojunk = true}), "autojunk"},
      {cluster({.threshold = 0.5, .autojunk = true}), "autojunk"},
      {cluster({.threshold = 0.0}), "threshold"},
      {made(ragged<Symbol>({{1, unknown_symbol}})), "pattern 0"}};
  for (const Measure measure : all_measures)
    if (measure != Measure::difflib)
      calls.push_back({match({.measure = measure, .autojunk = true}), "autojunk"});
  for (const double threshold :
       {-0.1, 1.1, not_a_number, std::numeric_limits<double>::infinity()}) {
    calls.push_back({match({.threshold = threshold}), "threshold"});
    calls.push_back({cluster({.threshold = threshold}), "threshold"});
  }
  const Symbols values{1, 2, 3};
  for (const std::vector<std::uint64_t>& offsets : bad_offsets) {
    const RaggedSpan<Symbol> rows{offsets, values};
    calls.push_back({made(rows), "offset"});
    calls.push_back({[rows, &matcher] { matcher.match(rows); }, "offset"});
    calls.push_back({[rows, &matcher] { matcher.score_all(rows, {}); }, "query offset"});
  }
  expect_refused(calls);
  if (!context().is_usable(Space::cuda)) {
    expect_refused<SpaceUnavailable>({{match({.space = Space::cuda}), "cuda"},
                                      {made(query, Residency::both), ""},
                                      {made(query, Residency::device), ""}});
  } else {
    const SequenceMatcher there(context(), ragged<Symbol>({{}}), Residency::device);
    EXPECT_EQ(there.match(query).record.chosen, Space::cuda);
  }
}

TEST(SequenceRefusals, OfQueriesInArrays) {
  const SequenceMatcher matcher(context(), ragged<Symbol>({{1, 2}}));
  const Symbols symbols{1, 2, 3, 4};
  const std::vector<std::int32_t> narrow{0, 4};
  const std::vector<std::int64_t> offsets{0, 4}, negative{0, -1}, beyond{0, 5};
  const auto match = [&](const ConstArray& values, const ConstArray& ends) {
    return [&matcher, values, ends] { matcher.match({values, ends}); };
  };
  constexpr DataType type = DataType::uint32;
  expect_refused(
      {{match(narrow, offsets), "symbols is int32 [2]"},
       {match(symbols, narrow), "offsets is int32 [2]"},
       {match(symbols, negative), "offsets[1] is -1"},
       {match(symbols, beyond), "query offset 1 is 5"},
       {match(shaped(symbols, {2}, type, {2}), offsets), "must be consecutive"},
       {match(shaped(symbols, {2, 2}), offsets), "symbols is"},
       {match(shaped(symbols, {2}, type, {}, ArrayMemory::device), offsets), "copy it"}});
}

TEST(SequenceRefusals, OfScoresWriteNothing) {
  using enum PairValue;
  const SequenceMatcher matcher(context(), ragged<Symbol>({{1, 2}, {3}}));
  const Ragged<Symbol> queries = ragged<Symbol>({{1}, {2}, {3}});
  std::vector<float> out(6, 9);
  std::vector<std::int32_t> whole(6);
  std::vector<std::int64_t> wide(6);
  const auto score = [&](const Kindred::Array& target, const PairOptions& options = {}) {
    return [&matcher, &queries, target, options] { matcher.score_all(queries, target, options); };
  };
  std::vector<RefusedCall> calls{
      {score(std::span(out).first(5)), "it must be float32 [6]"},
      {score(shaped(out, {2, 3})), "it must be float32 [3, 2]"},
      {score(whole), "float32 or float64"},
      {score(whole, {Measure::jaro_winkler, distance}), "float32 or float64"},
      {score(wide, {Measure::osa, distance}), "int32"},
      {score(out, {.autojunk = true}), "autojunk"}};
  const auto refuse = [&](Measure measure, PairValue value, const char* words,
                          std::initializer_list<double> cutoffs) {
    for (const double cutoff : cutoffs)
      calls.push_back({score(out, {measure, value, cutoff}), words});
  };
  refuse(Measure::lcs, similarity, "[0, 1]", {-0.1, 1.1, not_a_number});
  refuse(Measure::token_set, distance, "[0, 1]", {-0.1, 1.1, not_a_number});
  refuse(Measure::lcs, percentage, "[0, 100]", {-0.1, 100.1, not_a_number});
  refuse(Measure::lcs, distance, "whole number", {-1.0, 0.5, 2147483647.0, not_a_number});
  expect_refused(calls);
  EXPECT_EQ(out, std::vector<float>(6, 9));
}

TEST(SequenceRefusals, OfPairs) {
  const Symbols one = letters("a");
  const PreparedQuery prepared(Measure::lcs, one);
  std::vector<RefusedCall> calls{
      {[&] { similarity(Measure::lcs, one, one, 0, true); }, "autojunk"},
      {[&] { matched(Measure::lcs, one, one, true); }, "autojunk"},
      {[&] { blocks(Measure::lcs, one, one, true); }, "autojunk"},
      {[&] { PreparedQuery(Measure::lcs, one, true); }, "autojunk"},
      {[] { PreparedQuery(Measure::token_sort, Symbols{0x200000}); }, ""}};
  for (const double cutoff : {-0.1, 1.5, not_a_number, std::numeric_limits<double>::infinity()}) {
    calls.push_back({[=] { similarity(Measure::lcs, one, one, cutoff); }, "cutoff"});
    calls.push_back({[=, &prepared] { prepared.similarity(one, cutoff); }, "cutoff"});
  }
  expect_refused(calls);
}

TEST(SequenceRefusals, OfInvalidTexts) {
  const PreparedQuery prepared(Measure::difflib, "ab");
  const Texts one_bad{"a", bad_text};
  const Texts good{"ab"};
  const MatchOptions words{.measure = Measure::token_set};
  const SequenceMatcher matcher(context(), Texts{"a"});
  const SequenceMatcher no_texts(context(), ragged<Symbol>({{1, 2, 0x110000}}));
  expect_refused(
      {{[] { similarity(Measure::lcs, bad_text, "a"); },
        "the pattern: not UTF-8: byte 0xff at 2 of the text"},
       {[] { matched(Measure::lcs, "a", bad_text); }, "the query: not UTF-8"},
       {[] { blocks(Measure::lcs, bad_text, bad_text); }, "not UTF-8"},
       {[] { PreparedQuery(Measure::lcs, bad_text); }, "the query: not UTF-8"},
       {[&] { prepared.similarity(bad_text); }, "the pattern: not UTF-8"},
       {[&] { prepared.matched(bad_text); }, "the pattern: not UTF-8"},
       {[&] { prepared.blocks(bad_text); }, "the pattern: not UTF-8"},
       {[&] { SequenceMatcher(context(), one_bad); }, "text 1: not UTF-8: byte 0xff at 2"},
       {[&] { matcher.match(one_bad); }, "text 1: not UTF-8"},
       {[&] { no_texts.match(good, words); }, "symbol 2 of pattern 0 is 1114112"}});
}

}  // namespace SequenceRefusalsTest
