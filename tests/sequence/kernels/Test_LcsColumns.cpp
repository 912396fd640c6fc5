// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/impl/LcsColumns.hpp>
#include <kindred/core/sequence/impl/RowPlaces.hpp>
#include <kindred/core/sequence/special/ByteColumns.hpp>

#include <type_traits>

#include "QueryColumnsSupport.hpp"

namespace LcsColumnsTest {

using namespace Kindred;
using namespace Kindred::Testing;
using Impl::pack_lanes;
using Impl::pack_margin;

using Scalar = Impl::RowPlaces<Arch::ScalarBytes64>;

constexpr Impl::Ahead nowhere{{"", ""}, 0};

/// Counts after every few rows, and the intermediate carries, of runs of linked columns.
template <class Columns>
std::vector<std::uint64_t> trace(std::mt19937_64 generator, std::size_t length,
                                 unsigned vocabulary) {
  const auto codes = random_codes(generator, length, vocabulary);
  const auto columns = columns_of(codes);
  std::vector<Columns> state(columns.size());
  for (Columns& run : state) run.reset();
  std::vector<std::uint64_t> result;
  for (int block = 0; block < 8; ++block) {
    const auto rows = static_cast<unsigned>(1 + generator() % 40);
    alignas(64) std::uint8_t rows_codes[pack_lanes * (40 + 2 * pack_margin)];
    alignas(64) std::uint8_t places[pack_lanes * (40 + 2 * pack_margin)];
    std::fill_n(rows_codes, sizeof(rows_codes), no_code);
    std::fill_n(places, sizeof(places), no_code);
    std::uint64_t links[40 + 2 * pack_margin] = {};
    const std::size_t first = std::size_t{pack_lanes} * pack_margin;
    for (unsigned i = 0; i < pack_lanes * rows; ++i) {
      rows_codes[first + i] = generator() % 4 == 0 ? no_code : codes[generator() % codes.size()];
    }
    for (unsigned r = 0; r < rows; ++r) links[pack_margin + r] = generator() & generator();
    const bool linked = columns.size() > 1 || generator() % 2 == 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Scalar::recode(columns[c].place, rows_codes + first, rows, places + first);
      state[c].advance(columns[c], 0, columns[c].plane_count(), places + first, rows,
                       linked ? links + pack_margin : nullptr, nowhere);
      if (linked && columns[c].symbols % plane_symbols == 0) {
        result.insert(result.end(), links + pack_margin, links + pack_margin + rows);
      }
      for (const unsigned symbols : {1U, 7U, 8U, 9U, 63U, 64U, 65U, columns[c].symbols}) {
        Impl::LaneCounts counts{};
        state[c].add_matched(std::min(symbols, columns[c].symbols), counts);
        result.insert(result.end(), counts.lane, counts.lane + pack_lanes);
      }
    }
  }
  return result;
}

/// Every form that this processor can execute.
template <class Function>
void for_each_form(const Function& function) {
  function(Impl::WordColumns());
  function(Impl::ByteColumns<Arch::ScalarBytes64>());
  if (Arch::Bytes64::is_usable()) function(Impl::ByteColumns<Arch::Bytes64>());
}
/// The same of what finds the places of symbols.
template <class Function>
void for_each_places(const Function& function) {
  function(Scalar());
  if (Arch::Bytes64::is_usable()) function(Impl::RowPlaces<Arch::Bytes64>());
}

TEST(LcsColumns, AllFormsAreEqual) {
  for_each_query(
      "columns", {1, 8, 9, 63, 64, 65, 80, 96, 97, 128, 200, 256}, {1, 5, 62, 63, 64, 65, 128, 255},
      [](const std::mt19937_64& random, std::size_t length, unsigned vocabulary) {
        const auto expected = trace<Impl::WordColumns>(random, length, vocabulary);
        for_each_form([&](const auto& form) {
          EXPECT_EQ(trace<std::decay_t<decltype(form)>>(random, length, vocabulary), expected);
        });
      });
}

TEST(LcsColumns, AcceptQueriesOfDistinctSymbolsOnly) {
  // 64 positions and no spare one: only the last plane may look up position 63.
  std::vector<std::uint8_t> codes(64);
  for (unsigned j = 0; j < 64; ++j) codes[j] = static_cast<std::uint8_t>(j);
  const auto columns = columns_of(codes);
  ASSERT_EQ(columns.size(), 1U);
  EXPECT_TRUE(columns[0].full);
  alignas(64) std::uint8_t places[pack_lanes * (2 * pack_margin + 64)];
  std::fill_n(places, sizeof(places), no_code);
  // Lane l reads the first l symbols, and no known symbol after them.
  for (unsigned r = 0; r < 64; ++r) {
    for (unsigned l = 0; l < pack_lanes; ++l) {
      if (r < l) places[pack_lanes * (pack_margin + r) + l] = static_cast<std::uint8_t>(r);
    }
  }
  for_each_form([&](auto state) {
    state.reset();
    state.advance(columns[0], 0, 8, places + pack_lanes * pack_margin, 64, nullptr, nowhere);
    Impl::LaneCounts counts{};
    state.add_matched(64, counts);
    for (unsigned l = 0; l < pack_lanes; ++l) EXPECT_EQ(counts.lane[l], l);
  });
}

TEST(LcsColumns, FindPositionsOfSymbolsOf16Bits) {
  auto generator = Testing::generator("hash");
  for (int repeat = 0; repeat < 300; ++repeat) {
    // Symbol numbers are often small and consecutive.
    const std::uint32_t vocabulary = 256U << (repeat % 9);
    std::vector<Symbol> query;
    std::vector<std::uint8_t> codes;
    while (query.size() < 1 + static_cast<std::size_t>(repeat) % 64) {
      const bool small = generator() % 2 == 0;
      const auto symbol = static_cast<Symbol>(generator() % (small ? 80 : vocabulary));
      const auto at =
          static_cast<std::size_t>(std::find(query.begin(), query.end(), symbol) - query.begin());
      codes.push_back(at < query.size() ? codes[at] : static_cast<std::uint8_t>(distinct(codes)));
      query.push_back(symbol);
    }
    codes.back() = no_code;  // unknown
    std::vector<QueryColumns> columns = columns_of(codes);
    ASSERT_EQ(columns.size(), 1U);
    hash_symbols(columns[0], query, codes);
    ASSERT_NE(columns[0].hash.multiplier, 0) << "no hash was found in 64 attempts";
    std::vector<std::uint16_t> symbols(2 * 32 * 3);
    for (auto& symbol : symbols) {
      symbol = static_cast<std::uint16_t>(generator() % 2 == 0 ? query[generator() % query.size()]
                                                               : generator() % 65536);
    }
    for_each_places([&](const auto& form) {
      alignas(64) std::uint8_t places[192];
      form.find_places(columns[0].hash, symbols.data(), symbols.data() + 96, 3, places);
      for (unsigned l = 0; l < 192; ++l) {
        const Symbol symbol = symbols[32 * (l / 64) + l % 32 + (l % 64 < 32 ? 0 : 96)];
        std::uint8_t expected = no_code;
        for (std::size_t j = 0; j < query.size(); ++j) {
          if (query[j] == symbol && codes[j] != no_code) expected = columns[0].place[codes[j]];
        }
        ASSERT_EQ(places[l], expected);
      }
    });
  }
}

TEST(LcsColumns, TranslateTwoRowsInOrder) {
  auto generator = Testing::generator("translate");
  std::uint8_t table[256];
  std::uint8_t first[96];
  std::uint8_t second[96];
  for (auto& code : table) code = static_cast<std::uint8_t>(generator());
  for (auto& symbol : first) symbol = static_cast<std::uint8_t>(generator());
  for (auto& symbol : second) symbol = static_cast<std::uint8_t>(generator());
  for_each_places([&](const auto& form) {
    alignas(64) std::uint8_t codes[192];
    form.translate(table, first, second, 3, codes);
    for (unsigned l = 0; l < 96; ++l) {
      EXPECT_EQ(codes[64 * (l / 32) + l % 32], table[first[l]]);
      EXPECT_EQ(codes[64 * (l / 32) + 32 + l % 32], table[second[l]]);
    }
  });
}

}  // namespace LcsColumnsTest
