// SPDX-License-Identifier: Apache-2.0
#include <kindred/memory/SplitAndRetry.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "Support.hpp"

#include <bit>

namespace SplitAndRetryTest {

using namespace Kindred;

struct Outcome {
  std::vector<std::size_t> items;  ///< in the order in which they succeeded
  std::size_t splits = 0;
  bool out_of_memory = false;
};

/// Batches for which `fails(call, count)` holds run out of memory after half of the batch was
/// written.
template <class Fails>
Outcome run(std::size_t total, std::size_t batch, const Fails& fails) {
  Outcome result;
  std::size_t call = 0;
  try {
    result.splits = split_and_retry(total, batch, [&](std::size_t begin, std::size_t count) {
      if (fails(call++, count)) throw OutOfMemory("host", count, "x", "made to fail");
      for (std::size_t i = 0; i < count; ++i) result.items.push_back(begin + i);
    });
  } catch (const OutOfMemory&) {
    result.out_of_memory = true;
  }
  return result;
}

void expect_prefix(const std::vector<std::size_t>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(items[i], i);
}

TEST(SplitAndRetry, CoversEveryItemOnceAtEverySize) {
  for (const std::size_t total : Testing::edge_sizes) {
    for (const std::size_t batch : {0, 1, 2, 3, 7, 64, 1000}) {
      for (std::size_t capacity = 1; capacity <= 130; capacity += 3) {
        const Outcome result =
            run(total, batch, [&](std::size_t, std::size_t count) { return count > capacity; });
        EXPECT_FALSE(result.out_of_memory);
        EXPECT_EQ(result.items.size(), total);
        expect_prefix(result.items);
        EXPECT_LE(result.splits, static_cast<std::size_t>(std::bit_width(batch)));
      }
    }
  }
}

TEST(SplitAndRetry, CoversEveryItemOnceOrReportsThatOneDoesNotFit) {
  const bool held = rc::check([](const std::vector<bool>& failures) {
    const auto total = *rc::gen::inRange<std::size_t>(0, 200);
    const auto batch = *rc::gen::inRange<std::size_t>(0, 300);
    bool one_failed = false;
    const Outcome result = run(total, batch, [&](std::size_t call, std::size_t count) {
      const bool fails = call < failures.size() && failures[call];
      one_failed = one_failed || (fails && count == 1);
      return fails;
    });
    RC_ASSERT(result.out_of_memory == one_failed);
    RC_ASSERT(result.out_of_memory || result.items.size() == total);
    for (std::size_t i = 0; i < result.items.size(); ++i) RC_ASSERT(result.items[i] == i);
  });
  EXPECT_TRUE(held);
}

TEST(SplitAndRetry, PropagatesOtherErrorsWithoutARetry) {
  int calls = 0;
  const auto fail = [&](std::size_t, std::size_t) {
    ++calls;
    throw InvalidArgument("x");
  };
  EXPECT_THROW(split_and_retry(8, 8, fail), InvalidArgument);
  EXPECT_EQ(calls, 1);
}

}  // namespace SplitAndRetryTest
