// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/impl/EditState.hpp>
#include <kindred/core/sequence/special/EditColumns.hpp>

#include <gtest/gtest.h>

#include "Generator.hpp"
#include "QueryColumnsSupport.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace EditColumnsTest {

using namespace Kindred;
using Impl::pack_lanes;
using Impl::pack_margin;
using Impl::pack_rows;
using Testing::columns_of;
using Testing::random_codes;

/// A query, and patterns of one lane each, whose symbols are codes of the query or unknown.
struct Problem {
  std::vector<std::uint8_t> query;
  std::vector<std::uint8_t> rows;  ///< 64 codes per row
  std::uint32_t row_count;
  std::uint32_t lengths[pack_lanes];
};

Problem problem(std::mt19937_64& generator, std::size_t length, unsigned vocabulary) {
  Problem one;
  one.query = random_codes(generator, length, vocabulary);
  one.row_count = static_cast<std::uint32_t>(1 + generator() % 300);
  for (std::uint32_t& lane : one.lengths)
    lane = one.row_count - generator() % std::min(one.row_count, 9U);
  for (std::size_t i = 0; i < std::size_t{pack_lanes} * one.row_count; ++i) {
    one.rows.push_back(generator() % 5 == 0 ? no_code : one.query[generator() % one.query.size()]);
  }
  return one;
}

/// The heights of all lanes by `EditState`, a word at a time.
template <EditKind kind>
std::vector<std::int32_t> expected(const Problem& one) {
  const std::size_t words = (one.query.size() + 63) / 64;
  std::vector<std::int32_t> heights(pack_lanes, 0);
  for (unsigned lane = 0; lane < pack_lanes; ++lane) {
    std::vector<Impl::EditState<kind, 1>> states(words);
    for (std::uint32_t row = 0; row < one.lengths[lane]; ++row) {
      const std::uint8_t code = one.rows[std::size_t{pack_lanes} * row + lane];
      Impl::EditCarry carry;
      for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t mask = 0;
        for (std::size_t j = 64 * w; j < std::min<std::size_t>(one.query.size(), 64 * w + 64); ++j)
          mask |= std::uint64_t{code != no_code && one.query[j] == code} << (j % 64);
        states[w].step(&mask, carry);
      }
    }
    for (std::size_t w = 0; w < words; ++w)
      heights[lane] += states[w].height(static_cast<std::uint32_t>(one.query.size() - 64 * w));
  }
  return heights;
}

template <EditKind kind, class Bytes>
std::vector<std::int32_t> by_planes(const Problem& one) {
  const auto columns = columns_of(one.query);
  std::vector<Impl::EditColumns<kind, Bytes>> state(columns.size());
  for (auto& run : state) run.reset();
  const std::uint32_t shortest = *std::min_element(one.lengths, one.lengths + pack_lanes);
  Impl::ActiveRows<Bytes> active;
  Impl::EditLinks links;
  alignas(64) std::uint8_t places[pack_lanes * (pack_rows + 2 * pack_margin)];
  for (std::uint32_t row = 0; row < one.row_count; row += pack_rows) {
    const std::uint32_t rows = std::min(one.row_count - row, pack_rows);
    active.set(one.lengths, shortest, row, rows);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::fill_n(places, sizeof(places), no_code);
      for (unsigned i = 0; i < pack_lanes * rows; ++i) {
        const std::uint8_t code = one.rows[std::size_t{pack_lanes} * row + i];
        places[pack_lanes * pack_margin + i] = columns[c].place[code];
      }
      state[c].advance(columns[c], places + pack_lanes * pack_margin, active, rows, links, c > 0,
                       c + 1 < columns.size());
    }
  }
  std::vector<std::int32_t> heights(pack_lanes, 0);
  for (std::size_t c = 0; c < columns.size(); ++c)
    state[c].add_heights(columns[c].symbols, heights.data());
  return heights;
}

template <EditKind kind>
void expect_equal(const char* name) {
  for (const std::size_t length : {1U, 8U, 9U, 63U, 64U, 65U, 96U, 97U, 128U, 200U, 256U}) {
    for (const unsigned vocabulary : {1U, 5U, 63U, 64U, 65U, 200U}) {
      auto generator =
          Testing::generator(std::string(name) + std::to_string(1000 * length + vocabulary));
      const Problem one = problem(generator, length, vocabulary);
      const auto heights = expected<kind>(one);
      if (Arch::Bytes64::is_usable()) {
        EXPECT_EQ((by_planes<kind, Arch::Bytes64>(one)), heights) << length << " of " << vocabulary;
      }
      EXPECT_EQ((by_planes<kind, Arch::ScalarBytes64>(one)), heights)
          << length << " of " << vocabulary << ", scalar packs";
    }
  }
}

TEST(EditColumns, EqualTheRecurrenceOnWords) {
  expect_equal<EditKind::levenshtein>("edit columns: levenshtein");
  expect_equal<EditKind::osa>("edit columns: osa");
}

}  // namespace EditColumnsTest
