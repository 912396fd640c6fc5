// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/special/CommonEndColumns.hpp>

#include <gtest/gtest.h>

#include "Generator.hpp"
#include "QueryColumnsSupport.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace CommonEndColumnsTest {

using namespace Kindred;
using Impl::pack_lanes;
using Testing::columns_of;
using Testing::random_codes;

/// A query, and patterns that share an end with it, as codes of the query or unknown.
struct Problem {
  std::vector<std::uint8_t> query;
  std::vector<std::vector<std::uint8_t>> patterns;
  std::vector<std::uint32_t> lengths;
  std::uint32_t rows = 0;
};

Problem problem(std::mt19937_64& generator, SequenceEnd end, std::size_t length,
                unsigned vocabulary) {
  Problem one;
  one.query = random_codes(generator, length, vocabulary);
  const std::size_t shortest = generator() % 100;
  for (unsigned l = 0; l < pack_lanes; ++l) {
    std::vector<std::uint8_t> pattern(shortest + generator() % 5);
    for (std::uint8_t& code : pattern)
      code = generator() % 4 == 0 ? no_code : one.query[generator() % length];
    const std::size_t shared = generator() % (std::min(length, pattern.size()) + 1);
    if (end == SequenceEnd::prefix) {
      std::copy_n(one.query.begin(), shared, pattern.begin());
    } else {
      std::copy_n(one.query.rbegin(), shared, pattern.rbegin());
    }
    one.lengths.push_back(static_cast<std::uint32_t>(pattern.size()));
    one.rows = std::max(one.rows, one.lengths.back());
    one.patterns.push_back(std::move(pattern));
  }
  return one;
}

std::uint8_t expected(const Problem& one, SequenceEnd end, unsigned lane) {
  const auto& pattern = one.patterns[lane];
  const auto equal = [](std::uint8_t a, std::uint8_t b) { return a == b && a != no_code; };
  const auto shorter = static_cast<std::ptrdiff_t>(std::min(pattern.size(), one.query.size()));
  return static_cast<std::uint8_t>(
      end == SequenceEnd::prefix
          ? std::mismatch(pattern.begin(), pattern.begin() + shorter, one.query.begin(), equal)
                    .first -
                pattern.begin()
          : std::mismatch(pattern.rbegin(), pattern.rbegin() + shorter, one.query.rbegin(), equal)
                    .first -
                pattern.rbegin());
}

template <class Bytes>
std::vector<std::uint8_t> by_planes(const Problem& one, SequenceEnd end) {
  const auto columns = columns_of(one.query);
  EXPECT_EQ(columns.size(), 1U);
  std::vector<std::uint8_t> places;
  alignas(64) std::uint8_t counts[pack_lanes];
  Impl::CommonEndColumns<Bytes>::count(
      end, columns[0],
      [&](std::uint32_t row, std::uint32_t rows) {
        places.clear();
        for (std::uint32_t r = row; r < row + rows; ++r) {
          for (const auto& pattern : one.patterns)
            places.push_back(columns[0].place[r < pattern.size() ? pattern[r] : no_code]);
        }
        return places.data();
      },
      one.rows, one.lengths.data(), counts);
  return {counts, counts + pack_lanes};
}

TEST(CommonEndColumns, EqualTheComparisonOfEveryPair) {
  for (const SequenceEnd end : {SequenceEnd::prefix, SequenceEnd::postfix}) {
    for (const std::size_t length : {1U, 7U, 8U, 9U, 20U, 64U, 65U, 96U}) {
      for (const unsigned vocabulary : {1U, 4U, 64U}) {
        auto generator =
            Testing::generator("common end columns: " + std::to_string(1000 * length + vocabulary));
        for (int i = 0; i < 6; ++i) {
          const Problem one = problem(generator, end, length, vocabulary);
          const auto scalar = by_planes<Arch::ScalarBytes64>(one, end);
          for (unsigned lane = 0; lane < pack_lanes; ++lane) {
            ASSERT_EQ(scalar[lane], expected(one, end, lane))
                << length << " of " << vocabulary << ", lane " << lane;
          }
          if (Arch::Bytes64::is_usable()) {
            ASSERT_EQ(by_planes<Arch::Bytes64>(one, end), scalar);
          }
        }
      }
    }
  }
}

}  // namespace CommonEndColumnsTest
