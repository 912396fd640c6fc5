// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/KeyedVectorIndex.hpp>

#include <algorithm>
#include <numeric>

#include "OneThread.hpp"

namespace KeyedIndexThreadsTest {

using namespace Kindred;
using Testing::one_thread;

/// Every upsert writes one number to the rows of all keys and adds some with the same number, so
/// that rows with two numbers, or another count, are half of a change.
TEST(KeyedIndexThreads, ReadersSeeAnUpsertCompletelyOrNotAtAll) {
  constexpr std::size_t first_keys = 300;
  constexpr std::size_t more_keys = 10;
  constexpr std::uint64_t upserts = 60;
  std::vector<std::uint64_t> keys(first_keys);
  std::iota(keys.begin(), keys.end(), std::uint64_t{0});
  KeyedVectorIndex index(one_thread(), std::span<const std::uint64_t>(keys),
                         {std::vector<float>(first_keys, 0.0F), 1});
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> wrong{0};
  const auto check = [&](std::span<const float> numbers) {
    if (numbers.empty() || std::count(numbers.begin(), numbers.end(), numbers[0]) !=
                               static_cast<std::ptrdiff_t>(numbers.size()))
      ++wrong;
  };
  const auto check_count = [&](std::span<const float> numbers) {
    check(numbers);
    if (numbers.size() != first_keys + static_cast<std::size_t>(numbers[0]) * more_keys) ++wrong;
  };
  const SearchOptions all{.metric = Metric::ip, .top = 10'000};
  const std::vector<float> one{1.0F};
  const auto search = [&] {
    check_count(index.vectors().search(one, all).scores);
    check_count(index.search(one, all).scores);
    if (index.find(std::span<const std::uint64_t>(keys)).size() != first_keys) ++wrong;
    (void)(index.size() + index.key_bytes() + index.to_bytes().size());
    ++calls;
  };
  const auto read = [&] {
    std::vector<float> rows(first_keys);
    index.vectors().rows(keys, rows);  // the ids of the first keys are the keys
    check(rows);
    ++calls;
  };
  Testing::beside({search, read}, [&] {
    std::vector<std::uint64_t> written = keys;
    for (std::uint64_t i = 1; i <= upserts; ++i) {
      for (std::size_t k = 0; k < more_keys; ++k) written.push_back(written.size());
      std::reverse(written.begin(), written.end());
      const std::vector<float> rows(written.size(), static_cast<float>(i));
      const UpsertCounts counts = index.upsert(std::span<const std::uint64_t>(written), {rows, 1});
      EXPECT_EQ(counts.added, more_keys);
      EXPECT_EQ(counts.replaced, written.size() - more_keys);
      const std::uint64_t before = calls;
      while (i % 10 == 0 && calls < before + 4) std::this_thread::yield();
    }
  });
  EXPECT_EQ(wrong, 0U);
  check_count(index.search(one, all).scores);
  EXPECT_EQ(wrong, 0U);
}

}  // namespace KeyedIndexThreadsTest
