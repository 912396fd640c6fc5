// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/special/JaroWinklerColumns.hpp>

#include <gtest/gtest.h>

#include "Generator.hpp"
#include "QueryColumnsSupport.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace JaroWinklerColumnsTest {

using namespace Kindred;
using Impl::pack_lanes;
using Impl::pack_margin;
using Impl::pack_rows;
using Testing::columns_of;
using Testing::random_codes;

/// A query, and patterns of one lane each, whose symbols are codes of the query or unknown.
struct Problem {
  std::vector<std::uint8_t> query;
  std::vector<std::uint8_t> rows;  ///< 64 codes per row; `no_code` after the end of a pattern
  unsigned row_count;
  std::uint32_t lengths[pack_lanes];
};

Problem problem(std::mt19937_64& generator, std::size_t length, unsigned vocabulary) {
  Problem one;
  one.query = random_codes(generator, length, vocabulary);
  one.row_count = static_cast<unsigned>(1 + generator() % pack_rows);
  const unsigned spread = generator() % 2 == 0 ? 1 : one.row_count;
  for (std::uint32_t& lane : one.lengths)
    lane = static_cast<std::uint32_t>(one.row_count - generator() % spread);
  for (unsigned row = 0; row < one.row_count; ++row) {
    for (const std::uint32_t lane : one.lengths) {
      const bool near = generator() % 3 > 0 && row < one.query.size();
      const std::size_t at = near ? row : generator() % one.query.size();
      one.rows.push_back(row >= lane || generator() % 6 == 0 ? no_code : one.query[at]);
    }
  }
  return one;
}

double expected(const Problem& one, unsigned lane) {
  struct Masks {
    std::uint8_t find(std::uint32_t code) const { return static_cast<std::uint8_t>(code); }
    std::uint64_t word(std::uint8_t code, std::uint32_t w) const {
      std::uint64_t mask = 0;
      for (std::size_t j = 64 * w; j < std::min<std::size_t>(query.size(), 64 * w + 64); ++j)
        mask |= std::uint64_t{code != no_code && query[j] == code} << (j % 64);
      return mask;
    }
    const std::vector<std::uint8_t>& query;
  };
  Impl::JaroWinklerScore<Impl::NearWords<2>> score(Impl::NearWords<2>{});
  return score(
             [&](std::uint32_t j) {
               return std::uint32_t{one.rows[std::size_t{pack_lanes} * j + lane]};
             },
             one.lengths[lane], Masks{one.query}, static_cast<std::uint32_t>(one.query.size()))
      .similarity;
}

template <class Bytes>
std::vector<double> by_planes(const Problem& one) {
  const auto columns = columns_of(one.query);
  EXPECT_EQ(columns.size(), 1U);
  alignas(64) std::uint8_t places[pack_lanes * pack_rows];
  for (std::size_t i = 0; i < one.rows.size(); ++i) places[i] = columns[0].place[one.rows[i]];
  Impl::JaroWinklerCounts counts;
  Impl::JaroWinklerColumns<Bytes>::count(columns[0], places, one.row_count, one.lengths, counts);
  std::vector<double> values;
  for (unsigned l = 0; l < pack_lanes; ++l) {
    values.push_back(Impl::jaro_winkler_similarity(
        counts.common[l], counts.out_of_order[l], one.lengths[l],
        static_cast<std::uint32_t>(one.query.size()), counts.prefix[l]));
  }
  return values;
}

TEST(JaroWinklerColumns, EqualTheScoreOfEveryPair) {
  for (const std::size_t length : {1U, 2U, 7U, 8U, 9U, 20U, 63U, 64U, 65U, 95U, 96U}) {
    for (const unsigned vocabulary : {1U, 3U, 26U, 63U, 64U}) {
      auto generator =
          Testing::generator("jaro-winkler columns: " + std::to_string(1000 * length + vocabulary));
      for (int i = 0; i < 4; ++i) {
        const Problem one = problem(generator, length, vocabulary);
        const auto scalar = by_planes<Arch::ScalarBytes64>(one);
        for (unsigned lane = 0; lane < pack_lanes; ++lane) {
          ASSERT_EQ(scalar[lane], expected(one, lane))
              << length << " of " << vocabulary << ", lane " << lane;
        }
        if (Arch::Bytes64::is_usable()) {
          ASSERT_EQ(by_planes<Arch::Bytes64>(one), scalar);
        }
      }
    }
  }
}

}  // namespace JaroWinklerColumnsTest
