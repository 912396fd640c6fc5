// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/reference/Reference.hpp>

#include <gmock/gmock.h>

#include "Properties.hpp"
#include "RaggedRows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace SimilarityTest {

using namespace Kindred;
using ::testing::ElementsAre;
using Testing::expect_property;
using Testing::to_vector;
using Sequence = std::vector<Symbol>;

Sequence letters(std::string_view text) { return {text.begin(), text.end()}; }

/// The results of every entry point for a pair.
struct Answer {
  double similarity = 0;
  std::uint32_t matched = 0;
  std::vector<Block> blocks;
};

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Calls every entry point for a pair, and requires that they agree bit for bit. An entry point
/// that returns only results above the cutoff is compared where the pair is one.
Answer agreed(Measure measure, const Sequence& pattern, const Sequence& query, double cutoff,
              bool autojunk) {
  const auto oracle =
      measure == Measure::lcs ? Reference::Matched::lcs : Reference::Matched::difflib;
  Answer answer;
  answer.matched = measure == Measure::lcs ? Reference::lcs(pattern, query)
                                           : Reference::difflib(pattern, query, autojunk);
  answer.blocks = measure == Measure::lcs ? Reference::lcs_blocks(pattern, query)
                                          : Reference::blocks(pattern, query, autojunk);
  std::uint32_t in_blocks = 0;
  for (const Block& block : answer.blocks) in_blocks += block.length;
  EXPECT_EQ(in_blocks, answer.matched);
  const double whole = Reference::similarity(oracle, answer.matched, pattern.size(), query.size());
  answer.similarity = whole >= cutoff ? whole : 0.0;

  EXPECT_EQ(matched(measure, pattern, query, autojunk), answer.matched);
  EXPECT_EQ(bits(similarity(measure, pattern, query, cutoff, autojunk)), bits(answer.similarity));
  EXPECT_EQ(bits(similarity(measure, pattern, query, 0, autojunk)), bits(whole));
  EXPECT_EQ(blocks(measure, pattern, query, autojunk), answer.blocks);

  const PreparedQuery prepared(measure, query, autojunk);
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_EQ(prepared.matched(pattern), answer.matched);
    EXPECT_EQ(bits(prepared.similarity(pattern, cutoff)), bits(answer.similarity));
    EXPECT_EQ(bits(prepared.similarity(pattern)), bits(whole));
    EXPECT_EQ(prepared.blocks(pattern), answer.blocks);
  }

  const bool stored = std::find(pattern.begin(), pattern.end(), unknown_symbol) == pattern.end();
  if (!stored || query.empty()) return answer;
  const SequenceMatcher matcher(Testing::context(), Testing::ragged<Symbol>({pattern}));
  MatchOptions options;
  options.measure = measure;
  options.threshold = cutoff;
  options.autojunk = autojunk;
  options.blocks = true;
  for (const Space space : Testing::spaces()) {
    options.space = space;
    const MatchResults results = matcher.match(Testing::ragged<Symbol>({query}), options);
    EXPECT_EQ(results.matches.values.size(), whole >= cutoff ? 1U : 0U);
    for (const Match& match : results.matches.values) {
      EXPECT_EQ(match.matched, answer.matched);
      EXPECT_EQ(bits(match.similarity), bits(answer.similarity));
      EXPECT_EQ(to_vector(results.blocks[0]), answer.blocks);
    }
  }
  return answer;
}

TEST(Similarity, EveryEntryPointAgreesOnGoldenPairs) {
  struct Case {
    const char* pattern;
    const char* query;
    unsigned lcs, difflib;
  };
  for (const Case& c : {Case{"aba", "bca", 2, 1}, Case{"bca", "aba", 2, 2}, Case{"abc", "ab", 2, 2},
                        Case{"abcd", "bdca", 2, 1}, Case{"abcdef", "abdfec", 4, 3},
                        Case{"abc", "xyz", 0, 0}, Case{"", "a", 0, 0}, Case{"a", "", 0, 0}}) {
    for (const double cutoff : {0.0, 0.5, 2.0 / 3, 1.0}) {
      EXPECT_EQ(agreed(Measure::lcs, letters(c.pattern), letters(c.query), cutoff, false).matched,
                c.lcs);
      EXPECT_EQ(
          agreed(Measure::difflib, letters(c.pattern), letters(c.query), cutoff, false).matched,
          c.difflib);
    }
  }
}

TEST(Similarity, TwoEmptySequencesAreSimilarOnlyForDifflib) {
  EXPECT_EQ(agreed(Measure::lcs, {}, {}, 0, false).similarity, 0.0);
  EXPECT_EQ(agreed(Measure::difflib, {}, {}, 0, false).similarity, 1.0);
  EXPECT_EQ(agreed(Measure::difflib, {}, {}, 1, true).similarity, 1.0);
}

TEST(Similarity, EveryEntryPointAgreesAtEdgeLengths) {
  auto generator = Testing::generator("agree");
  for (const std::size_t m : {0, 1, 63, 64, 65, 128, 199, 200, 201, 1000}) {
    for (const std::size_t n : {1, 64, 65, 199, 200, 201, 1100}) {
      const Symbol alphabet = generator() % 2 == 0 ? 5 : 300;
      const Symbol stride = generator() % 2 == 0 ? 1 : 1'000'003;
      Sequence pattern(m);
      Sequence query(n);
      for (Symbol& s : pattern) s = static_cast<Symbol>(generator() % alphabet) * stride;
      for (Symbol& s : query) s = static_cast<Symbol>(generator() % alphabet) * stride;
      for (std::size_t i = 0; i < std::min(m, n); ++i) {
        if (generator() % 4 != 0) pattern[i] = query[i];
      }
      const double cutoff = static_cast<double>(generator() % 11) / 10;
      agreed(Measure::lcs, pattern, query, cutoff, false);
      agreed(Measure::difflib, pattern, query, cutoff, false);
      agreed(Measure::difflib, pattern, query, cutoff, true);
      if (HasFailure()) FAIL() << m << " symbols against " << n << ", cutoff " << cutoff;
    }
  }
}

TEST(Similarity, EveryEntryPointAgreesOnAnyPair) {
  expect_property("the entry points agree", [] {
    const auto symbol = rc::gen::oneOf(rc::gen::inRange<Symbol>(0, 5),
                                       rc::gen::element<Symbol>(4095, 4096, 70000, 4294967294U),
                                       rc::gen::just(unknown_symbol));
    const auto pattern = *rc::gen::container<Sequence>(symbol);
    const auto query = *rc::gen::container<Sequence>(symbol);
    const auto measure = *rc::gen::element(Measure::lcs, Measure::difflib);
    const bool autojunk = measure == Measure::difflib && *rc::gen::arbitrary<bool>();
    const double cutoff = *rc::gen::element(0.0, 0.1, 1.0 / 3, 0.5, 2.0 / 3, 1.0);
    agreed(measure, pattern, query, cutoff, autojunk);
    RC_ASSERT(!::testing::Test::HasFailure());
  });
}

TEST(Similarity, BlocksFollowTheMeasure) {
  const Sequence pattern = letters("abcd");
  const Sequence query = letters("bdca");
  EXPECT_THAT(blocks(Measure::lcs, pattern, query), ElementsAre(Block{1, 0, 1}, Block{3, 1, 1}));
  // Recorded from difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks().
  EXPECT_THAT(blocks(Measure::difflib, pattern, query), ElementsAre(Block{0, 3, 1}));
}

TEST(Similarity, ACutoffIsInclusiveAndValuesBelowItAreZero) {
  for (const Measure measure : {Measure::lcs, Measure::difflib}) {
    const Sequence pattern = letters("abcdefghij");
    const Sequence query = letters("ab");
    EXPECT_EQ(similarity(measure, pattern, query, 1.0 / 3), 1.0 / 3);
    EXPECT_EQ(bits(similarity(measure, pattern, query, std::nextafter(1.0 / 3, 1.0))), bits(0.0));
  }
}

TEST(Similarity, RejectsInvalidArguments) {
  const Sequence one = letters("a");
  const PreparedQuery prepared(Measure::lcs, one);
  for (const double cutoff : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(similarity(Measure::lcs, one, one, cutoff), InvalidArgument);
    EXPECT_THROW(prepared.similarity(one, cutoff), InvalidArgument);
  }
  EXPECT_THROW(similarity(Measure::lcs, one, one, 0, true), InvalidArgument);
  EXPECT_THROW(matched(Measure::lcs, one, one, true), InvalidArgument);
  EXPECT_THROW(blocks(Measure::lcs, one, one, true), InvalidArgument);
  EXPECT_THROW(PreparedQuery(Measure::lcs, one, true), InvalidArgument);
}

}  // namespace SimilarityTest
