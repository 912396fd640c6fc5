// SPDX-License-Identifier: Apache-2.0
// A query and 64 patterns at a time, compared with the oracle of every pair.
#include <kindred/core/sequence/special/CommonEndColumns.hpp>
#include <kindred/core/sequence/special/EditColumns.hpp>
#include <kindred/core/sequence/special/JaroWinklerColumns.hpp>

#include "QueryColumnsSupport.hpp"

namespace MeasureColumnsTest {

using namespace Kindred;
using namespace Kindred::Impl;
using namespace Kindred::Testing;
using Codes = std::vector<std::uint8_t>;

/// A query, and patterns of one lane each, whose symbols are codes of the query or unknown.
struct Lanes {
  Codes query;
  std::vector<Codes> patterns;  ///< of as many codes as there are rows, whatever their lengths
  std::uint32_t rows = 0;
  std::uint32_t lengths[pack_lanes] = {};

  std::vector<Symbol> symbols() const { return symbols_of(query, query.size()); }
  std::vector<Symbol> symbols(unsigned lane) const {
    return symbols_of(patterns[lane], lengths[lane]);
  }
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
    own = static_cast<std::uint32_t>(rows - random() % std::min(rows, spread));
    Codes& pattern = lanes.patterns.emplace_back();
    for (std::uint32_t row = 0; row < rows; ++row) {
      const bool near = random() % 3 > 0 && row < length;
      const bool unknown = random() % 6 == 0 || (!anything && row >= own);
      pattern.push_back(unknown ? no_code : lanes.query[near ? row : random() % length]);
    }
  }
  return lanes;
}

/// Calls `expect(found)` for what `count(form)` returns for every form that can be executed.
template <class Count, class Expect>
void for_each_form(const Count& count, const Expect& expect) {
  expect(count(std::type_identity<Arch::ScalarBytes64>()));
  if (Arch::Bytes64::is_usable()) expect(count(std::type_identity<Arch::Bytes64>()));
}

template <class Bytes>
Codes common_ends(const Lanes& lanes, SequenceEnd end) {
  const auto columns = columns_of(lanes.query);
  EXPECT_EQ(columns.size(), 1U);
  Codes places;
  alignas(64) std::uint8_t counts[pack_lanes];
  CommonEndColumns<Bytes>::count(
      end, columns[0],
      [&](std::uint32_t row, std::uint32_t rows) {
        places.resize(std::size_t{pack_lanes} * rows);
        lanes.place(columns[0], row, rows, places.data());
        return places.data();
      },
      lanes.rows, lanes.lengths, counts);
  return {counts, counts + pack_lanes};
}

TEST(CommonEndColumns, EqualTheComparisonOfEveryPair) {
  for (const SequenceEnd end : {SequenceEnd::prefix, SequenceEnd::postfix}) {
    const bool forward = end == SequenceEnd::prefix;
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
            for_each_form(
                [&](auto form) { return common_ends<typename decltype(form)::type>(lanes, end); },
                [&](const Codes& found) {
                  for (unsigned lane = 0; lane < pack_lanes; ++lane) {
                    const auto pattern = lanes.symbols(lane);
                    ASSERT_EQ(found[lane],
                              forward ? Reference::prefix_similarity(pattern, lanes.symbols())
                                      : Reference::postfix_similarity(pattern, lanes.symbols()))
                        << "lane " << lane;
                  }
                });
          }
        });
  }
}

template <class Bytes>
std::vector<double> jaro_winkler(const Lanes& lanes) {
  const auto columns = columns_of(lanes.query);
  EXPECT_EQ(columns.size(), 1U);
  alignas(64) std::uint8_t places[pack_lanes * pack_rows];
  lanes.place(columns[0], 0, lanes.rows, places);
  JaroWinklerCounts counts;
  JaroWinklerColumns<Bytes>::count(columns[0], places, lanes.rows, lanes.lengths, counts);
  std::vector<double> values;
  for (unsigned l = 0; l < pack_lanes; ++l) {
    values.push_back(
        jaro_winkler_similarity(counts.common[l], counts.out_of_order[l], lanes.lengths[l],
                                static_cast<std::uint32_t>(lanes.query.size()), counts.prefix[l]));
  }
  return values;
}

TEST(JaroWinklerColumns, EqualTheScoreOfEveryPair) {
  for_each_query(
      "jaro-winkler columns: ", {1, 2, 7, 8, 9, 20, 63, 64, 65, 95, 96}, {1, 3, 26, 63, 64},
      [](std::mt19937_64& random, std::size_t length, unsigned vocabulary) {
        for (int i = 0; i < 4; ++i) {
          const auto rows = static_cast<std::uint32_t>(1 + random() % pack_rows);
          const Lanes lanes =
              lanes_of(random, length, vocabulary, rows, random() % 2 == 0 ? 1 : rows, false);
          for_each_form(
              [&](auto form) { return jaro_winkler<typename decltype(form)::type>(lanes); },
              [&](const std::vector<double>& found) {
                for (unsigned lane = 0; lane < pack_lanes; ++lane) {
                  ASSERT_EQ(found[lane], Reference::jaro_winkler_similarity(lanes.symbols(lane),
                                                                            lanes.symbols()))
                      << "lane " << lane;
                }
              });
        }
      });
}

/// The distance of every pattern, from its height above that of no query.
template <EditKind kind, class Bytes>
std::vector<std::uint32_t> distances(const Lanes& lanes) {
  const auto columns = columns_of(lanes.query);
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

template <EditKind kind>
void expect_distances(const std::string& name) {
  for_each_query(
      name, {1, 8, 9, 63, 64, 65, 96, 97, 128, 200, 256}, {1, 5, 63, 64, 65, 200},
      [](std::mt19937_64& random, std::size_t length, unsigned vocabulary) {
        const auto rows = static_cast<std::uint32_t>(1 + random() % 300);
        const Lanes lanes = lanes_of(random, length, vocabulary, rows, 9, true);
        std::vector<std::uint32_t> expected;
        for (unsigned lane = 0; lane < pack_lanes; ++lane) {
          const auto pattern = lanes.symbols(lane);
          expected.push_back(kind == EditKind::osa
                                 ? Reference::osa_distance(pattern, lanes.symbols())
                                 : Reference::levenshtein_distance(pattern, lanes.symbols()));
        }
        for_each_form(
            [&](auto form) { return distances<kind, typename decltype(form)::type>(lanes); },
            [&](const std::vector<std::uint32_t>& found) { EXPECT_EQ(found, expected); });
      });
}

TEST(EditColumns, EqualTheDistanceOfEveryPair) {
  expect_distances<EditKind::levenshtein>("edit columns: levenshtein");
  expect_distances<EditKind::osa>("edit columns: osa");
}

}  // namespace MeasureColumnsTest
