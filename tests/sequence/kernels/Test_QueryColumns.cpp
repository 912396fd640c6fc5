// SPDX-License-Identifier: Apache-2.0
// A query and 64 patterns at a time, in every form, compared with each other and with the oracle.
#include <kindred/core/sequence/QueryColumns.hpp>
#include <kindred/core/sequence/SymbolHash.hpp>
#include <kindred/core/sequence/impl/LcsColumns.hpp>
#include <kindred/core/sequence/impl/RowPlaces.hpp>
#include <kindred/core/sequence/impl/SequencePack.hpp>
#include <kindred/core/sequence/special/ByteColumns.hpp>
#include <kindred/core/sequence/special/CommonEndColumns.hpp>
#include <kindred/core/sequence/special/EditColumns.hpp>
#include <kindred/core/sequence/special/JaroWinklerColumns.hpp>

#include <set>
#include <type_traits>

#include "SequenceSupport.hpp"

namespace QueryColumnsTest {

using namespace Kindred;
using namespace Kindred::Impl;
using namespace Kindred::Testing;
using Codes = std::vector<std::uint8_t>;

/// A query of \p length symbols from \p vocabulary codes, numbered by first appearance, some
/// unknown.
Codes random_codes(std::mt19937_64& generator, std::size_t length, unsigned vocabulary) {
  Codes code_of(vocabulary, no_code);
  Codes codes;
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

/// The number of known symbols among \p codes.
std::uint32_t distinct(const Codes& codes) {
  std::set<std::uint8_t> seen(codes.begin(), codes.end());
  seen.erase(no_code);
  return static_cast<std::uint32_t>(seen.size());
}

/// The columns of a query of one segment.
std::vector<QueryColumns> columns_of(const Codes& codes) {
  std::vector<QueryColumns> columns;
  append_columns(columns, codes, distinct(codes));
  return columns;
}

/// The symbols of the first \p length of \p codes, for the oracle.
Symbols symbols_of(const Codes& codes, std::size_t length) {
  Symbols symbols(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(length));
  std::replace(symbols.begin(), symbols.end(), Symbol{no_code}, unknown_symbol);
  return symbols;
}

/// Calls `check(generator, length, vocabulary)` for queries of all lengths and vocabularies.
template <class Check>
void for_each_query(const std::string& name, const std::vector<std::size_t>& lengths,
                    const std::vector<unsigned>& vocabularies, const Check& check) {
  for (const std::size_t length : lengths) {
    for (const unsigned vocabulary : vocabularies) {
      SCOPED_TRACE(std::to_string(length) + " of " + std::to_string(vocabulary));
      auto random = generator(name + std::to_string(1000 * length + vocabulary));
      check(random, length, vocabulary);
    }
  }
}

/// Calls \p function with the \p Form of every instruction set that this processor has.
template <template <class> class Form, class Function>
void for_each_bytes(const Function& function) {
  function(Form<Arch::ScalarBytes64>());
  if (Arch::Bytes64::is_usable()) function(Form<Arch::Bytes64>());
}

constexpr Ahead nowhere{{"", ""}, 0};

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
    for (unsigned i = 0; i < pack_lanes * rows; ++i)
      rows_codes[first + i] = generator() % 4 == 0 ? no_code : codes[generator() % codes.size()];
    for (unsigned r = 0; r < rows; ++r) links[pack_margin + r] = generator() & generator();
    const bool linked = columns.size() > 1 || generator() % 2 == 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      RowPlaces<Arch::ScalarBytes64>::recode(columns[c].place, rows_codes + first, rows,
                                             places + first);
      state[c].advance(columns[c], 0, columns[c].plane_count(), places + first, rows,
                       linked ? links + pack_margin : nullptr, nowhere);
      if (linked && columns[c].symbols % plane_symbols == 0)
        result.insert(result.end(), links + pack_margin, links + pack_margin + rows);
      for (const unsigned symbols : {1U, 7U, 8U, 9U, 63U, 64U, 65U, columns[c].symbols}) {
        LaneCounts counts{};
        state[c].add_matched(std::min(symbols, columns[c].symbols), counts);
        result.insert(result.end(), counts.lane, counts.lane + pack_lanes);
      }
    }
  }
  return result;
}

template <class Function>
void for_each_columns(const Function& function) {
  function(WordColumns());
  for_each_bytes<ByteColumns>(function);
}

TEST(LcsColumns, AllFormsAreEqual) {
  for_each_query(
      "columns", {1, 8, 9, 63, 64, 65, 80, 96, 97, 128, 200, 256}, {1, 5, 62, 63, 64, 65, 128, 255},
      [](const std::mt19937_64& random, std::size_t length, unsigned vocabulary) {
        const auto expected = trace<WordColumns>(random, length, vocabulary);
        for_each_columns([&](const auto& form) {
          EXPECT_EQ(trace<std::decay_t<decltype(form)>>(random, length, vocabulary), expected);
        });
      });
}

TEST(LcsColumns, AcceptQueriesOfDistinctSymbolsOnly) {
  // 64 positions and no spare one: only the last plane may look up position 63.
  Codes codes(64);
  for (unsigned j = 0; j < 64; ++j) codes[j] = static_cast<std::uint8_t>(j);
  const auto columns = columns_of(codes);
  ASSERT_EQ(columns.size(), 1U);
  EXPECT_TRUE(columns[0].full);
  alignas(64) std::uint8_t places[pack_lanes * (2 * pack_margin + 64)];
  std::fill_n(places, sizeof(places), no_code);
  // Lane l reads the first l symbols, and no known symbol after them.
  for (unsigned r = 0; r < 64; ++r)
    for (unsigned l = 0; l < pack_lanes; ++l)
      if (r < l) places[pack_lanes * (pack_margin + r) + l] = static_cast<std::uint8_t>(r);
  for_each_columns([&](auto state) {
    state.reset();
    state.advance(columns[0], 0, 8, places + pack_lanes * pack_margin, 64, nullptr, nowhere);
    LaneCounts counts{};
    state.add_matched(64, counts);
    for (unsigned l = 0; l < pack_lanes; ++l) EXPECT_EQ(counts.lane[l], l);
  });
}

TEST(LcsColumns, FindPositionsOfSymbolsOf16Bits) {
  auto generator = Testing::generator("hash");
  for (int repeat = 0; repeat < 300; ++repeat) {
    // Symbol numbers are often small and consecutive.
    const std::uint32_t vocabulary = 256U << (repeat % 9);
    Symbols query;
    Codes codes;
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
    for (auto& symbol : symbols)
      symbol = static_cast<std::uint16_t>(generator() % 2 == 0 ? query[generator() % query.size()]
                                                               : generator() % 65536);
    for_each_bytes<RowPlaces>([&](const auto& form) {
      alignas(64) std::uint8_t places[192];
      form.find_places(columns[0].hash, symbols.data(), symbols.data() + 96, 3, places);
      for (unsigned l = 0; l < 192; ++l) {
        const Symbol symbol = symbols[32 * (l / 64) + l % 32 + (l % 64 < 32 ? 0 : 96)];
        std::uint8_t expected = no_code;
        for (std::size_t j = 0; j < query.size(); ++j)
          if (query[j] == symbol && codes[j] != no_code) expected = columns[0].place[codes[j]];
        ASSERT_EQ(places[l], expected);
      }
    });
  }
}

TEST(SymbolHash, FindsEverySymbolAndNoOther) {
  auto generator = Testing::generator("symbol hash");
  std::vector<std::uint32_t> entries(17, 5);  // existing entries are kept
  for (const std::size_t count : {0, 1, 2, 3, 63, 64, 65, 128, 200, 254, 255}) {
    for (const std::uint64_t range :
         {std::uint64_t{300}, std::uint64_t{1} << 16U, std::uint64_t{1} << 32U}) {
      for (const std::uint32_t step : {1U, 256U, 1U << 20U}) {
        std::set<Symbol> chosen;
        for (int tries = 0; chosen.size() < count && tries < 100000; ++tries)
          chosen.insert(static_cast<Symbol>(generator() % range * step));
        const std::vector<Symbol> symbols(chosen.begin(), chosen.end());
        const std::size_t begin = entries.size();
        SymbolHash hash = SymbolHash::build(symbols, entries);
        hash.entries = entries.data() + begin;
        ASSERT_EQ(entries.size() - begin, std::size_t{1} << hash.bits);
        const auto none = static_cast<std::uint32_t>(symbols.size());
        for (std::uint32_t code = 0; code < none; ++code)
          ASSERT_EQ(hash.code(symbols[code], none), code);
        for (int other = 0; other < 5000; ++other) {
          const auto symbol = static_cast<Symbol>(generator() % range * step);
          if (chosen.count(symbol) != 0) continue;
          ASSERT_EQ(hash.code(symbol, none), none) << symbol;
          ASSERT_EQ(hash.code(symbol, 255), 255U) << symbol;
        }
      }
    }
  }
  EXPECT_EQ(entries[16], 5U);
}

TEST(LcsColumns, TranslateTwoRowsInOrder) {
  auto generator = Testing::generator("translate");
  std::uint8_t table[256];
  std::uint8_t first[96];
  std::uint8_t second[96];
  for (auto& code : table) code = static_cast<std::uint8_t>(generator());
  for (auto& symbol : first) symbol = static_cast<std::uint8_t>(generator());
  for (auto& symbol : second) symbol = static_cast<std::uint8_t>(generator());
  for_each_bytes<RowPlaces>([&](const auto& form) {
    alignas(64) std::uint8_t codes[192];
    form.translate(table, first, second, 3, codes);
    for (unsigned l = 0; l < 96; ++l) {
      EXPECT_EQ(codes[64 * (l / 32) + l % 32], table[first[l]]);
      EXPECT_EQ(codes[64 * (l / 32) + 32 + l % 32], table[second[l]]);
    }
  });
}

/// A query, and patterns of one lane each, whose symbols are codes of the query or unknown.
struct Lanes {
  Codes query;
  std::vector<Codes> patterns;  ///< of as many codes as there are rows, whatever their lengths
  std::uint32_t rows = 0;
  std::uint32_t lengths[pack_lanes] = {};

  Symbols symbols() const { return symbols_of(query, query.size()); }
  Symbols symbols(unsigned lane) const { return symbols_of(patterns[lane], lengths[lane]); }
  /// Writes the places of \p count rows from \p row on.
  void place(const QueryColumns& columns, std::uint32_t row, std::uint32_t count,
             std::uint8_t* places) const {
    for (std::uint32_t r = row; r < row + count; ++r)
      for (const Codes& pattern : patterns) *places++ = columns.place[pattern[r]];
  }
};

/// Patterns of \p rows codes that are up to \p spread − 1 shorter; what follows their ends is
/// unknown, or anything.
Lanes lanes_of(std::mt19937_64& random, std::size_t length, unsigned vocabulary, std::uint32_t rows,
               std::uint32_t spread, bool anything) {
  Lanes lanes{random_codes(random, length, vocabulary), {}, rows, {}};
  for (std::uint32_t& own : lanes.lengths) {
    const std::uint64_t noise = random() % 8;
    own = static_cast<std::uint32_t>(rows - random() % std::min(rows, spread));
    Codes& pattern = lanes.patterns.emplace_back();
    for (std::uint32_t row = 0; row < rows; ++row) {
      const bool near = random() % 12 >= noise && row < length;
      const bool unknown = random() % 24 < noise || (!anything && row >= own);
      pattern.push_back(unknown ? no_code : lanes.query[near ? row : random() % length]);
    }
  }
  return lanes;
}

/// Requires what `count(form, lanes, columns)` returns of each lane, in every form.
template <class Count, class Truth>
void expect_lanes(const Lanes& lanes, const Count& count, const Truth& truth) {
  std::vector<double> expected;
  for (unsigned lane = 0; lane < pack_lanes; ++lane)
    expected.push_back(truth(lanes.symbols(lane), lanes.symbols()));
  const auto columns = columns_of(lanes.query);
  for_each_bytes<std::type_identity>(
      [&](auto form) { EXPECT_EQ(count(form, lanes, columns), expected); });
}

TEST(CommonEndColumns, EqualTheComparisonOfEveryPair) {
  for (const SequenceEnd end : {SequenceEnd::prefix, SequenceEnd::postfix}) {
    const bool forward = end == SequenceEnd::prefix;
    const auto count = [&]<class Bytes>(std::type_identity<Bytes>, const Lanes& lanes,
                                        const auto& columns) {
      EXPECT_EQ(columns.size(), 1U);
      Codes places;
      alignas(64) std::uint8_t counts[pack_lanes];
      const auto place = [&](std::uint32_t row, std::uint32_t rows) {
        places.resize(std::size_t{pack_lanes} * rows);
        lanes.place(columns[0], row, rows, places.data());
        return places.data();
      };
      CommonEndColumns<Bytes>::count(end, columns[0], place, lanes.rows, lanes.lengths, counts);
      return std::vector<double>(counts, counts + pack_lanes);
    };
    for_each_query(
        "common end columns: ", {1, 7, 8, 9, 20, 64, 65, 96}, {1, 4, 64},
        [&](std::mt19937_64& random, std::size_t length, unsigned vocabulary) {
          for (int i = 0; i < 6; ++i) {
            const auto rows = static_cast<std::uint32_t>(1 + random() % 104);
            Lanes lanes = lanes_of(random, length, vocabulary, rows, 5, false);
            for (unsigned lane = 0; lane < pack_lanes; ++lane) {
              const std::uint32_t own = lanes.lengths[lane];
              const std::size_t shared = random() % (std::min<std::size_t>(length, own) + 1);
              const auto first = lanes.patterns[lane].begin();
              if (forward) std::copy_n(lanes.query.begin(), shared, first);
              if (!forward)
                std::copy(lanes.query.end() - shared, lanes.query.end(), first + own - shared);
            }
            expect_lanes(lanes, count, [&](const Symbols& pattern, const Symbols& query) {
              return forward ? Reference::prefix_similarity(pattern, query)
                             : Reference::postfix_similarity(pattern, query);
            });
          }
        });
  }
}

TEST(JaroWinklerColumns, EqualTheScoreOfEveryPair) {
  const auto count = []<class Bytes>(std::type_identity<Bytes>, const Lanes& lanes,
                                     const auto& columns) {
    EXPECT_EQ(columns.size(), 1U);
    alignas(64) std::uint8_t places[pack_lanes * pack_rows];
    lanes.place(columns[0], 0, lanes.rows, places);
    JaroWinklerCounts counts;
    JaroWinklerColumns<Bytes>::count(columns[0], places, lanes.rows, lanes.lengths, counts);
    std::vector<double> values;
    for (unsigned l = 0; l < pack_lanes; ++l)
      values.push_back(jaro_winkler_similarity(
          counts.common[l], counts.out_of_order[l], lanes.lengths[l],
          static_cast<std::uint32_t>(lanes.query.size()), counts.prefix[l]));
    return values;
  };
  for_each_query("jaro-winkler columns: ", {1, 2, 7, 8, 9, 20, 63, 64, 65, 95, 96},
                 {1, 3, 26, 63, 64},
                 [&](std::mt19937_64& random, std::size_t length, unsigned vocabulary) {
                   for (int i = 0; i < 4; ++i) {
                     const auto rows = static_cast<std::uint32_t>(1 + random() % pack_rows);
                     const std::uint32_t spread = random() % 2 == 0 ? 1 : rows;
                     expect_lanes(lanes_of(random, length, vocabulary, rows, spread, false), count,
                                  Reference::jaro_winkler_similarity);
                   }
                 });
}

/// The distance of every pattern, from its height above that of no query.
template <EditKind kind, class Bytes>
std::vector<double> distances(const Lanes& lanes, const std::vector<QueryColumns>& columns) {
  std::vector<EditColumns<kind, Bytes>> state(columns.size());
  for (auto& run : state) run.reset();
  const std::uint32_t shortest = *std::ranges::min_element(lanes.lengths);
  ActiveRows<Bytes> active;
  EditLinks links;
  alignas(64) std::uint8_t places[pack_lanes * (pack_rows + 2 * pack_margin)];
  for (std::uint32_t row = 0; row < lanes.rows; row += pack_rows) {
    const std::uint32_t rows = std::min(lanes.rows - row, pack_rows);
    active.set(lanes.lengths, shortest, row, rows);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::fill_n(places, sizeof(places), no_code);
      lanes.place(columns[c], row, rows, places + pack_lanes * pack_margin);
      state[c].advance(columns[c], places + pack_lanes * pack_margin, active, rows, links, c > 0,
                       c + 1 < columns.size());
    }
  }
  std::vector<std::int32_t> heights(lanes.lengths, lanes.lengths + pack_lanes);
  for (std::size_t c = 0; c < columns.size(); ++c)
    state[c].add_heights(columns[c].symbols, heights.data());
  return {heights.begin(), heights.end()};
}

template <EditKind kind, class Truth>
void expect_distances(const std::string& name, const Truth& truth) {
  for_each_query(name, {1, 8, 9, 63, 64, 65, 96, 97, 128, 200, 256}, {1, 5, 63, 64, 65, 200},
                 [&](std::mt19937_64& random, std::size_t length, unsigned vocabulary) {
                   const auto rows = static_cast<std::uint32_t>(1 + random() % 300);
                   expect_lanes(
                       lanes_of(random, length, vocabulary, rows, 9, true),
                       []<class Bytes>(std::type_identity<Bytes>, const auto&... given) {
                         return distances<kind, Bytes>(given...);
                       },
                       truth);
                 });
}

TEST(EditColumns, EqualTheDistanceOfEveryPair) {
  expect_distances<EditKind::levenshtein>("edit columns: levenshtein",
                                          Reference::levenshtein_distance);
  expect_distances<EditKind::osa>("edit columns: osa", Reference::osa_distance);
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
  template <class Count>
  void finish(const WorkItem& work_item, unsigned first, const Count* found, unsigned slots) const {
    for (unsigned l = 0; l < slots; ++l) finish(work_item, first + l, found[l]);
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
    const auto vocabulary = static_cast<unsigned>(1 + generator() % (repeat % 2 ? 20 : 255));
    const auto rows = static_cast<std::uint32_t>(1 + generator() % 300);
    Lanes lanes = lanes_of(generator, length, vocabulary, rows, 4, true);
    std::ranges::sort(lanes.lengths);
    const auto columns = columns_of(lanes.query);
    const std::uint32_t slots = repeat % 5 == 0 ? 32 : 64;
    WorkItem work_item{};
    Codes tiles[2];
    for (unsigned t = 0; t < slots / 32; ++t) {
      work_item.tile_rows[t] = lanes.lengths[32 * t + 31];
      tiles[t].assign(32 * std::size_t{work_item.tile_rows[t]}, no_code);
      for (unsigned l = 0; l < 32; ++l)
        for (std::uint32_t i = 0; i < lanes.lengths[32 * t + l]; ++i)
          tiles[t][32 * i + l] = lanes.patterns[32 * t + l][i];
    }
    work_item.symbols[0] = tiles[0].data();
    work_item.symbols[1] = slots == 64 ? tiles[1].data() : tiles[0].data();
    work_item.rows = std::max(work_item.tile_rows[0], work_item.tile_rows[1]);
    work_item.slots = slots;
    std::vector<std::uint32_t> matched(slots);
    work_item.matched = matched.data();
    const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(work_item.rows, length));
    for (const std::uint32_t need : {0U, most / 3, most / 2, most * 3 / 4, most}) {
      SequencePack<HostSpace>::scan({columns.data(), static_cast<unsigned>(columns.size()), table},
                                    work_item, static_cast<std::uint32_t>(length), need, Sink{});
      for (unsigned l = 0; l < slots; ++l) {
        const std::uint32_t expected = Reference::lcs(lanes.symbols(l), lanes.symbols());
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

}  // namespace QueryColumnsTest
