// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/impl/SequencePack.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace HostColumnsTest {

using namespace Kindred;
using Impl::pack_lanes;
using Impl::pack_margin;

constexpr Impl::Ahead nowhere{{"", ""}, 0};

/// A query of \p length symbols from \p vocabulary codes, numbered by first appearance, some
/// unknown.
std::vector<std::uint8_t> random_codes(std::mt19937_64& generator, std::size_t length,
                                       unsigned vocabulary) {
  std::vector<std::uint8_t> code_of(vocabulary, no_code);
  std::vector<std::uint8_t> codes;
  std::uint8_t next = 0;
  for (std::size_t j = 0; j < length; ++j) {
    if (generator() % 16 == 0) {
      codes.push_back(no_code);
      continue;
    }
    std::uint8_t& code = code_of[generator() % vocabulary];
    if (code == no_code) code = next++;
    codes.push_back(code);
  }
  return codes;
}

std::uint32_t distinct(const std::vector<std::uint8_t>& codes) {
  std::set<std::uint8_t> seen(codes.begin(), codes.end());
  seen.erase(no_code);
  return static_cast<std::uint32_t>(seen.size());
}

std::vector<QueryColumns> columns_of(const std::vector<std::uint8_t>& codes) {
  std::vector<QueryColumns> columns;
  append_columns(columns, codes, distinct(codes));
  return columns;
}

TEST(QueryColumns, ContainEverySymbolOnce) {
  auto generator = Testing::generator("query columns");
  for (int repeat = 0; repeat < 500; ++repeat) {
    const auto codes = random_codes(generator, 1 + generator() % 256,
                                    1U + static_cast<unsigned>(generator() % 255));
    const auto columns = columns_of(codes);
    ASSERT_LE(columns.size(), segment_columns);
    std::size_t at = 0;
    for (const QueryColumns& run : columns) {
      ASSERT_LE(run.plane_count(), column_planes);
      if (&run != &columns.back()) {
        ASSERT_EQ(run.symbols % plane_symbols, 0U);
      }
      for (std::size_t j = 0; j < run.symbols; ++j, ++at) {
        for (unsigned code = 0; code < 255; ++code) {
          const std::uint8_t place = run.place[code];
          if (place == no_code) continue;
          ASSERT_LT(place, 64);
          ASSERT_TRUE(!run.codes_are_places || place == code);
          ASSERT_EQ(run.planes[j / 8][place] >> (j % 8) & 1, codes[at] == code ? 1 : 0);
          ASSERT_EQ(run.masks[j / 64][place] >> (j % 64) & 1, codes[at] == code ? 1U : 0U);
        }
        ASSERT_TRUE(codes[at] == no_code || run.place[codes[at]] != no_code);
      }
      for (unsigned b = 0; b < run.plane_count(); ++b) {
        const bool last = b + 1 == run.plane_count();
        ASSERT_TRUE(run.planes[b][63] == 0 || (run.full && last))
            << "no_code maps to this position";
      }
    }
    ASSERT_EQ(at, codes.size());
  }
}

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
      Columns::recode(columns[c].place, rows_codes + first, rows, places + first);
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

TEST(HostColumns, AllFormsAreEqual) {
  for (const std::size_t length : {1U, 8U, 9U, 63U, 64U, 65U, 80U, 96U, 97U, 128U, 200U, 256U}) {
    for (const unsigned vocabulary : {1U, 5U, 62U, 63U, 64U, 65U, 128U, 255U}) {
      const auto generator =
          Testing::generator("columns" + std::to_string(1000 * length + vocabulary));
      const auto expected = trace<Impl::WordColumns>(generator, length, vocabulary);
      EXPECT_EQ(trace<Impl::HostColumns>(generator, length, vocabulary), expected)
          << length << " of " << vocabulary;
      EXPECT_EQ(trace<Impl::ByteColumns<Arch::ScalarBytes64>>(generator, length, vocabulary),
                expected)
          << length << " of " << vocabulary << ", scalar packs";
    }
  }
}

TEST(HostColumns, AcceptQueriesOfDistinctSymbolsOnly) {
  // 64 positions and no spare one: only the last plane may look up position 63.
  std::vector<std::uint8_t> codes(64);
  for (unsigned j = 0; j < 64; ++j) codes[j] = static_cast<std::uint8_t>(j);
  const auto columns = columns_of(codes);
  ASSERT_EQ(columns.size(), 1U);
  EXPECT_TRUE(columns[0].full);
  Impl::HostColumns state;
  state.reset();
  alignas(64) std::uint8_t places[pack_lanes * (2 * pack_margin + 64)];
  std::fill_n(places, sizeof(places), no_code);
  // Lane l reads the first l symbols, and no known symbol after them.
  for (unsigned r = 0; r < 64; ++r) {
    for (unsigned l = 0; l < pack_lanes; ++l) {
      if (r < l) places[pack_lanes * (pack_margin + r) + l] = static_cast<std::uint8_t>(r);
    }
  }
  state.advance(columns[0], 0, 8, places + pack_lanes * pack_margin, 64, nullptr, nowhere);
  Impl::LaneCounts counts{};
  state.add_matched(64, counts);
  for (unsigned l = 0; l < pack_lanes; ++l) EXPECT_EQ(counts.lane[l], l);
}

TEST(HostColumns, FindPositionsOfSymbolsOf16Bits) {
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
    alignas(64) std::uint8_t places[192];
    alignas(64) std::uint8_t portable[192];
    Impl::HostColumns::find_places(columns[0].hash, symbols.data(), symbols.data() + 96, 3, places);
    Impl::WordColumns::find_places(columns[0].hash, symbols.data(), symbols.data() + 96, 3,
                                   portable);
    for (unsigned l = 0; l < 192; ++l) {
      const Symbol symbol = symbols[32 * (l / 64) + l % 32 + (l % 64 < 32 ? 0 : 96)];
      std::uint8_t expected = no_code;
      for (std::size_t j = 0; j < query.size(); ++j) {
        if (query[j] == symbol && codes[j] != no_code) expected = columns[0].place[codes[j]];
      }
      ASSERT_EQ(places[l], expected);
      ASSERT_EQ(portable[l], expected);
    }
  }
}

TEST(HostColumns, TranslateTwoRowsInOrder) {
  auto generator = Testing::generator("translate");
  std::uint8_t table[256];
  std::uint8_t first[96];
  std::uint8_t second[96];
  for (auto& code : table) code = static_cast<std::uint8_t>(generator());
  for (auto& symbol : first) symbol = static_cast<std::uint8_t>(generator());
  for (auto& symbol : second) symbol = static_cast<std::uint8_t>(generator());
  alignas(64) std::uint8_t codes[192];
  Impl::HostColumns::translate(table, first, second, 3, codes);
  for (unsigned l = 0; l < 96; ++l) {
    EXPECT_EQ(codes[64 * (l / 32) + l % 32], table[first[l]]);
    EXPECT_EQ(codes[64 * (l / 32) + 32 + l % 32], table[second[l]]);
  }
}

std::uint32_t lcs(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  std::vector<std::uint32_t> row(b.size() + 1, 0);
  for (const std::uint8_t symbol : a) {
    std::uint32_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::uint32_t above = row[j + 1];
      row[j + 1] = symbol == b[j] && symbol != no_code ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

struct WorkItem {
  const std::uint8_t* symbols[2];
  std::uint32_t tile_rows[2];
  std::uint32_t rows;
  std::uint32_t slots;
  std::uint64_t* plane;
  std::uint32_t* matched;
  bool chained_in;
  bool chained_out;
};

/// Receives the counts.
struct Sink {
  void leave(const WorkItem& work_item) const {
    std::fill_n(work_item.matched, work_item.slots, 0);
  }
  void finish(const WorkItem& work_item, unsigned lane, std::uint32_t count) const {
    work_item.matched[lane] = count;
  }
};

TEST(SequencePack, CountsExactlyWhatReachesTheRequiredCount) {
  // Patterns that share a varying part of the query, in one or two tiles; counts below `need` may
  // be too small, but never too large.
  auto generator = Testing::generator("need");
  std::uint8_t table[256];
  for (unsigned s = 0; s < 256; ++s) table[s] = static_cast<std::uint8_t>(s);
  unsigned reaching = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::size_t length = 1 + generator() % 256;
    const auto query = random_codes(generator, length, 1U + generator() % (repeat % 2 ? 20 : 255));
    const auto columns = columns_of(query);
    const std::uint32_t slots = repeat % 5 == 0 ? 32 : 64;
    std::vector<std::vector<std::uint8_t>> patterns(slots);
    const std::size_t base = 1 + generator() % 300;
    for (auto& pattern : patterns) {
      // A section of the query, with symbols inserted and removed.
      std::size_t at = generator() % length;
      const auto noise = 1 + generator() % 60;
      const std::size_t expected = base + generator() % 4;
      while (pattern.size() < expected) {
        if (generator() % 64 < noise) {
          pattern.push_back(query[generator() % length]);
        } else {
          pattern.push_back(query[at++ % length]);
        }
        if (generator() % 64 < noise / 2) ++at;
      }
    }
    std::sort(patterns.begin(), patterns.end(),
              [](const auto& a, const auto& b) { return a.size() < b.size(); });
    WorkItem work_item{};
    std::vector<std::uint8_t> tiles[2];
    for (unsigned t = 0; t < slots / 32; ++t) {
      work_item.tile_rows[t] = static_cast<std::uint32_t>(patterns[32 * t + 31].size());
      tiles[t].assign(32 * std::size_t{work_item.tile_rows[t]}, no_code);
      for (unsigned l = 0; l < 32; ++l) {
        const auto& pattern = patterns[32 * t + l];
        for (std::size_t i = 0; i < pattern.size(); ++i) tiles[t][32 * i + l] = pattern[i];
      }
    }
    work_item.symbols[0] = tiles[0].data();
    work_item.symbols[1] = slots == 64 ? tiles[1].data() : tiles[0].data();
    work_item.rows = std::max(work_item.tile_rows[0], work_item.tile_rows[1]);
    work_item.slots = slots;
    std::vector<std::uint32_t> matched(slots);
    work_item.matched = matched.data();
    const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(work_item.rows, length));
    for (const std::uint32_t need : {0U, most / 3, most / 2, most * 3 / 4, most}) {
      Impl::SequencePack<HostSpace>::scan(
          {columns.data(), static_cast<unsigned>(columns.size()), table}, work_item,
          static_cast<std::uint32_t>(length), need, Sink{});
      for (unsigned l = 0; l < slots; ++l) {
        const std::uint32_t expected = lcs(patterns[l], query);
        ASSERT_LE(matched[l], expected) << length << " symbols, need " << need;
        if (expected >= need) {
          ASSERT_EQ(matched[l], expected) << length << " symbols, need " << need;
          reaching += need > 0 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(reaching, 5000U);
}

}  // namespace HostColumnsTest
