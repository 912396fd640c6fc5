// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_SHORT_VALUES_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_SHORT_VALUES_HPP

/// \file
/// A special form for AVX2: 4.3 × on `peers/matrix-levenshtein-8-4`, 2026-11-30, Zen 4. \see
/// SpecialForms.hpp

#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/core/sequence/impl/PairScoresKernel.hpp>
#include <kindred/core/sequence/impl/PairValuesKernel.hpp>
#include <kindred/core/sequence/special/ShortColumns.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Patterns that are scanned together: two tiles.
inline constexpr unsigned short_lanes = 64;

/// \brief The places of the symbols of the patterns, for a host thread.
///
/// A place is the code of the symbol, or the symbol itself if the vocabulary is so small that all
/// have places: then nothing is translated.
template <class Bytes>
class ShortPlaces {
 public:
  /// Fills \p query with the masks of query \p q.
  ShortPlaces(const PatternTiles<HostSpace>& tiles, const QueryTables<HostSpace>& queries,
              std::uint32_t q, ShortQuery& query)
      : m_tiles(&tiles) {
    query.clear(queries.lengths(q));
    std::fill_n(m_none, sizeof(m_none), no_code);
    const std::uint32_t at = queries.first_segment(q);
    if (at == queries.first_segment(q + 1)) return;
    const QuerySegment& segment = queries.segments(at);
    m_codes = queries.codes.data() + at * queries.code_stride;
    m_translates = tiles.bytes.size() == 0 || tiles.vocabulary > small_vocabulary;
    if (m_translates)
      std::fill_n(m_none, sizeof(m_none), static_cast<std::uint8_t>(tiles.vocabulary));
    const std::uint32_t places = m_translates ? segment.codes : tiles.vocabulary;
    for (std::uint32_t place = 0; place < places; ++place) {
      const auto code = m_translates ? static_cast<std::uint8_t>(place) : m_codes[place];
      for (std::uint32_t w = 0; w < segment.words; ++w)
        query.add(place, w, queries.words(segment.first_word + w).mask(code));
    }
  }

  static constexpr std::uint32_t rows_max = 64;

  /// The places of \p rows ≤ `rows_max` rows of two tiles, from \p row on. \param own_rows of each
  /// tile; a tile ends at the first or the last of these rows, if at all
  ShortTextRows find(const std::array<std::uint32_t, 2>& own,
                     const std::array<std::uint32_t, 2>& own_rows, std::uint32_t row,
                     std::uint32_t rows) {
    if (m_tiles->narrow.size() > 0) return look_up<std::uint16_t>(own, own_rows, row, rows);
    if (m_tiles->wide.size() > 0) return look_up<std::uint32_t>(own, own_rows, row, rows);
    ShortTextRows from;
    from.row_bytes = tile_patterns;
    for (unsigned t = 0; t < 2; ++t) {
      from.at[t] = row < own_rows[t] ? m_tiles->bytes.data() + m_tiles->offsets(own[t]) +
                                           tile_patterns * std::size_t{row}
                                     : m_none;
    }
    if (!m_translates) return from;
    const unsigned groups = m_tiles->vocabulary / group_places + 1;
    std::uint8_t* out = m_places;
    for (std::uint32_t r = 0; r < rows; ++r, from.next(), out += short_lanes) {
      const Bytes symbols = Bytes::load(from.at[0], from.at[1]);
      Bytes places = Bytes::lookup(m_codes, symbols.in_group(0));
      for (unsigned g = 1; g < groups; ++g)
        places = places | Bytes::lookup(m_codes + group_places * g, symbols.in_group(g));
      places.store(out);
    }
    return {{m_places, m_places + tile_patterns}, short_lanes};
  }

 private:
  static constexpr std::uint32_t small_vocabulary = 2 * group_places;

  template <class SymbolType>
  ShortTextRows look_up(const std::array<std::uint32_t, 2>& own,
                        const std::array<std::uint32_t, 2>& own_rows, std::uint32_t row,
                        std::uint32_t rows) {
    for (unsigned t = 0; t < 2; ++t) {
      const SymbolType* symbols = m_tiles->template symbols<SymbolType>() +
                                  m_tiles->offsets(own[t]) + tile_patterns * std::size_t{row};
      std::uint8_t* out = m_places + tile_patterns * t;
      const bool inside = row < own_rows[t] && m_codes != nullptr;
      for (std::uint32_t r = 0; r < rows; ++r, symbols += tile_patterns, out += short_lanes) {
        for (unsigned l = 0; l < tile_patterns; ++l)
          out[l] = inside ? m_codes[symbols[l]] : no_code;
      }
    }
    return {{m_places, m_places + tile_patterns}, short_lanes};
  }

  const PatternTiles<HostSpace>* m_tiles;
  const std::uint8_t* m_codes = nullptr;
  bool m_translates = false;
  std::uint8_t m_places[short_lanes * rows_max];
  /// Rows of symbols without a code: after the end of the first tile.
  std::uint8_t m_none[tile_patterns * rows_max];
};

/// \brief Scans tiles for one query after the other and writes values of type \p Element.
template <class Element, ShortRecurrence recurrence>
struct ShortValuesKernel {
  using Bytes = Arch::NarrowLookups64;
  using columns_type = ShortColumns<recurrence, Bytes>;

  PatternTiles<HostSpace> tiles;
  QueryTables<HostSpace> queries;
  PairRule rule;

  std::uint32_t pairs() const { return (tiles.tiles + 1) / 2; }

  /// Writes the value of slot s to `out[s - first]`, for the slots of the tile pairs [\p begin, \p
  /// end) but those before \p first.
  void scan(std::uint32_t q, std::uint32_t begin, std::uint32_t end, std::uint32_t first,
            Element* out) const {
    ShortQuery query;
    ShortPlaces<Bytes> places(tiles, queries, q, query);
    Table table;
    for (std::uint32_t pair = begin; pair < end; ++pair) {
      const std::uint32_t slot = pair * short_lanes;
      const std::uint32_t skipped = first > slot ? first - slot : 0;
      const Slots slots{pair, tiles.lengths.data() + slot,
                        std::min(tiles.slots() - slot, short_lanes), skipped,
                        out + (slot + skipped - first)};
      if constexpr (recurrence == ShortRecurrence::jaro_winkler) {
        write_similarities(q, slots, query, places);
      } else {
        write_counts(queries.lengths(q), slots, query, places, table);
      }
    }
  }

 private:
  /// The slots of two tiles, of which the first \p skipped have no values.
  struct Slots {
    std::uint32_t pair;
    const std::uint32_t* lengths;
    std::uint32_t count;
    std::uint32_t skipped;
    Element* values;

    template <class Value>
    void write(const Value& value) const {
      for (std::uint32_t l = skipped; l < count; ++l) values[l - skipped] = value(l);
    }
  };

  /// The values of all counts of patterns of one length.
  struct Table {
    Element value[short_planes_max * plane_symbols + 1];
    std::uint32_t of_length = ~std::uint32_t{0};
    bool is_constant = false;

    void take(const PairRule& of, std::uint32_t length, std::uint32_t query_length) {
      if (length == of_length) return;
      of_length = length;
      const std::uint32_t most = std::min(length, query_length);
      for (std::uint32_t m = 0; m <= most; ++m)
        value[m] = pair_element<Element>(of.of_count(m, length, query_length));
      // More matches never make a value worse.
      is_constant = value[0] == value[most];
    }
  };

  void write_counts(std::uint32_t length, const Slots& slots, const ShortQuery& query,
                    ShortPlaces<Bytes>& places, Table& table) const {
    const std::uint32_t* lengths = slots.lengths;
    const bool is_uniform = lengths[0] == lengths[slots.count - 1];
    if (is_uniform) table.take(rule, lengths[0], length);
    if (is_uniform && table.is_constant)
      return slots.write([value = table.value[0]](std::uint32_t) { return value; });
    alignas(64) std::uint8_t matched[short_lanes] = {};
    const std::uint32_t counted = counted_slots(lengths, slots.count, length);
    if (counted > 0) count(slots.pair, lengths, counted, query, places, matched);
    std::fill_n(matched + counted, short_lanes - counted, std::uint8_t{0});
    if (is_uniform) return slots.write([&](std::uint32_t l) { return table.value[matched[l]]; });
    slots.write([&](std::uint32_t l) {
      return pair_element<Element>(rule.of_count(matched[l], lengths[l], length));
    });
  }

  /// The slots before this one are counted. The others hold patterns so long that their values do
  /// not depend on what they match.
  std::uint32_t counted_slots(const std::uint32_t* lengths, std::uint32_t slots,
                              std::uint32_t query_length) const {
    constexpr std::uint32_t rows_worth_it = 64;
    if (lengths[slots - 1] < lengths[0] + rows_worth_it) return slots;
    const auto is_constant = [&](std::uint32_t length) {
      const std::uint32_t most = std::min(length, query_length);
      return pair_element<Element>(rule.of_count(0, length, query_length)) ==
             pair_element<Element>(rule.of_count(most, length, query_length));
    };
    while (slots > 0 && lengths[slots - 1] > query_length && is_constant(lengths[slots - 1]))
      --slots;
    return slots;
  }

  void write_similarities(std::uint32_t q, const Slots& slots, const ShortQuery& query,
                          ShortPlaces<Bytes>& places) const {
    const PairTiles own(tiles, slots.pair);
    if (own.rows[1] > pack_rows) return write_pairs(q, slots);
    std::uint8_t rows_places[short_lanes * pack_rows];
    JaroWinklerCounts counts;
    own.for_each_part(0, own.rows[1], places,
                      [&](auto part, std::uint32_t row, std::uint32_t rows) {
                        for (std::uint32_t r = row; r < row + rows; ++r, part.next())
                          Bytes::load(part.at[0], part.at[1]).store(rows_places + short_lanes * r);
                      });
    const JaroWinklerRows<Bytes> jaro(slots.lengths, slots.count, query.symbols);
    with_constant<1U, 2U, short_groups_max>(query.groups, [&](auto groups) {
      count_short_jaro<groups()>(jaro, query, rows_places, own.rows[1], counts);
    });
    double similarities[short_lanes];
    for (std::uint32_t l = 0; l < slots.count; ++l) {
      // A pattern without symbols has none in common.
      similarities[l] =
          jaro_winkler_similarity(counts.common[l], counts.out_of_order[l],
                                  std::max(slots.lengths[l], 1U), query.symbols, counts.prefix[l]);
    }
    slots.write([&](std::uint32_t l) {
      return pair_element<Element>(rule.of_similarity(similarities[l]));
    });
  }

  /// One slot after the other.
  void write_pairs(std::uint32_t q, const Slots& slots) const {
    with_symbol_type(tiles, [&](auto symbol) {
      const PairScoresKernel<HostSpace, decltype(symbol), PairScore::jaro_winkler, near_words_max>
          one{tiles, queries, {}, {}, 0.0, 0, tiles.slots(), 0, 1};
      slots.write([&](std::uint32_t l) {
        return pair_element<Element>(
            rule.of_similarity(one.similarity(q, slots.pair * short_lanes + l, 0)));
      });
    });
  }

  /// Two tiles, or one twice.
  struct PairTiles {
    PairTiles(const PatternTiles<HostSpace>& tiles, std::uint32_t pair)
        : own{2 * pair, std::min(2 * pair + 1, tiles.tiles - 1)} {
      for (unsigned t = 0; t < 2; ++t) {
        rows[t] = static_cast<std::uint32_t>((tiles.offsets(own[t] + 1) - tiles.offsets(own[t])) /
                                             tile_patterns);
      }
    }

    /// Calls `function(places, row, rows)` for consecutive parts of the rows [\p row, \p end).
    template <class Function>
    void for_each_part(std::uint32_t row, std::uint32_t end, ShortPlaces<Bytes>& places,
                       const Function& function) const {
      while (row < end) {
        std::uint32_t some = std::min(end - row, ShortPlaces<Bytes>::rows_max);
        if (row < rows[0]) some = std::min(some, rows[0] - row);
        function(places.find(own, rows, row, some), row, some);
        row += some;
      }
    }

    std::array<std::uint32_t, 2> own;
    std::array<std::uint32_t, 2> rows;
  };

  /// Counts what the patterns of two tiles match.
  void count(std::uint32_t pair, const std::uint32_t* lengths, std::uint32_t slots,
             const ShortQuery& query, ShortPlaces<Bytes>& places, std::uint8_t* matched) const {
    const PairTiles own(tiles, pair);
    columns_type columns(query);
    std::uint32_t row = 0;
    const auto advance_to = [&](std::uint32_t end) {
      own.for_each_part(row, end, places, [&](const auto& part, std::uint32_t, std::uint32_t rows) {
        columns.advance(part, rows);
      });
      row = end;
    };
    if constexpr (!columns_type::edits) {
      // Padding matches nothing.
      advance_to(lengths[slots - 1]);
      columns.count(matched);
    } else {
      // Padding would change a distance: it is read where a pattern ends. Lengths ascend.
      alignas(64) std::uint8_t heights[short_lanes];
      for (std::uint32_t l = 0; l < slots;) {
        const std::uint32_t length = lengths[l];
        advance_to(length);
        columns.count(heights);
        const std::uint32_t more = std::max(length, query.symbols) - length;
        for (; l < slots && lengths[l] == length; ++l)
          matched[l] = static_cast<std::uint8_t>(more - heights[l]);
      }
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_SHORT_VALUES_HPP
