// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "MessageOf.hpp"
#include "RaggedRows.hpp"
#include "SequenceSupport.hpp"
#include "Support.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace QueryArraysTest {

using namespace Kindred;
using namespace Kindred::Testing;

TEST(QueryArrays, GiveTheResultsOfTheRowsThatTheyHold) {
  auto random = generator("QueryArrays.GiveTheResults");
  std::vector<std::vector<Symbol>> patterns;
  for (std::size_t i = 0; i < 100; ++i) patterns.push_back(random_sequence(random, 20, 9));
  const SequenceMatcher matcher(context(), ragged(patterns));
  for (const std::size_t count : edge_sizes) {
    std::vector<std::vector<Symbol>> queries;
    for (std::size_t q = 0; q < count; ++q)
      queries.push_back(random_sequence(random, random() % 30, 9));
    const Ragged<Symbol> rows = ragged(queries);
    const std::vector<std::int64_t> offsets(rows.offsets.begin(), rows.offsets.end());
    const MatchOptions requested = options(Measure::lcs, 0.3, 4);
    const MatchResults expected = matcher.match(rows, requested);
    const MatchResults found =
        matcher.match({std::span(rows.values), std::span(offsets)}, requested);
    EXPECT_EQ(found.matches.offsets, expected.matches.offsets);
    EXPECT_EQ(found.matches.values, expected.matches.values);
  }
}

TEST(QueryArrays, OfOtherTypesShapesAndMemoriesAreRefused) {
  const SequenceMatcher matcher(context(), ragged<Symbol>({{1, 2}}));
  const std::vector<Symbol> symbols{1, 2, 3, 4};
  const std::vector<std::int64_t> offsets{0, 4};
  const std::vector<std::int64_t> negative{0, -1};
  const std::vector<std::int64_t> beyond{0, 5};
  const std::vector<std::int32_t> narrow{0, 4};
  const std::vector<std::int64_t> square{2, 2};
  const std::vector<std::int64_t> half{2};
  const std::vector<std::int64_t> two{2};
  const auto refuse = [&](const ConstArray& values, const ConstArray& ends, const char* message) {
    EXPECT_THAT(message_of<InvalidArgument>([&] {
                  matcher.match({values, ends});
                }),
                testing::HasSubstr(message));
  };
  refuse(std::span(narrow), std::span(offsets), "symbols is int32 [2]");
  refuse(std::span(symbols), std::span(narrow), "offsets is int32 [2]");
  refuse(std::span(symbols), std::span(negative), "offsets[1] is -1");
  refuse(std::span(symbols), std::span(beyond), "query offset 1 is 5");
  refuse(ConstArray(symbols.data(), DataType::uint32, square), std::span(offsets), "symbols is");
  refuse(ConstArray(symbols.data(), DataType::uint32, half, two), std::span(offsets),
         "must be consecutive");
  const std::vector<std::int64_t> four{4};
  refuse(ConstArray(symbols.data(), DataType::uint32, four, {}, ArrayMemory::device),
         std::span(offsets), "copy it");
}

}  // namespace QueryArraysTest
