// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_LANE_VALUES_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_LANE_VALUES_HPP

/// \file
/// A special form for hosts: 2.1 × on `peers/matrix-levenshtein-8`, 2026-11-30, Zen 4. \see
/// SpecialForms.hpp

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/WordLanes.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/sequence/LaneValues.hpp>
#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/core/sequence/impl/ColumnState.hpp>
#include <kindred/core/sequence/impl/PairValuesKernel.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace Kindred::Impl {

/// \brief The patterns of a group: one lane of `Words` words of type \p Word each, in several
/// registers, since a recurrence waits for its own results.
/// \tparam WordsMax the number of words if `is_fixed`, else the largest one
template <ShortRecurrence recurrence, class Word, unsigned WordsMax, bool is_fixed = true>
struct LaneShape {
  using word_type = Word;
  using Lanes = Arch::WordLanes<Word>;
  static constexpr bool edits = recurrence != ShortRecurrence::lcs;
  static constexpr bool swaps = recurrence == ShortRecurrence::osa;
  static constexpr unsigned words_max = WordsMax;
  static constexpr bool has_fixed_words = is_fixed;
  static constexpr unsigned registers = !is_fixed || swaps || WordsMax > 2 ? 2
                                        : WordsMax > 1                     ? 3
                                                                           : 4;
  static constexpr unsigned patterns = registers * Lanes::size;
  static constexpr bool has_carry_bit = !edits && WordsMax > 1;
  /// Symbols per word.
  static constexpr unsigned symbols = 8 * sizeof(Word) - (has_carry_bit ? 1 : 0);
  using State = ColumnState<recurrence, Lanes, has_carry_bit>;
  /// A mask without symbols.
  static constexpr Word no_symbols =
      has_carry_bit ? static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1)) : Word{0};

  /// The words of a row of masks: of every word, of every register, one per pattern.
  static constexpr unsigned row_words(unsigned words) { return words * patterns; }
};

/// \brief Hyyrö's recurrences for the patterns of a group, with the symbols of a query as rows.
/// \see ShortColumns, which has the symbols of the patterns as rows
template <class Shape>
class LaneColumns {
  using Word = typename Shape::word_type;
  using Lanes = typename Shape::Lanes;
  static constexpr unsigned registers = Shape::registers;

 public:
  explicit LaneColumns(unsigned words) : m_words(words) {
    if constexpr (Shape::has_fixed_words) {
      KINDRED_UNROLL
      for (unsigned i = 0; i < Shape::words_max * registers; ++i) m_states[i].reset();
    } else {
      for (unsigned i = 0; i < words * registers; ++i) m_states[i].reset();
    }
  }

  /// Advances by a symbol. \param masks its row of the table
  [[gnu::always_inline]] void step(const Word* masks) {
    ColumnCarry<Lanes> carry[registers];
    if constexpr (Shape::has_fixed_words) {
      KINDRED_UNROLL
      for (unsigned w = 0; w < Shape::words_max; ++w) {
        KINDRED_UNROLL
        for (unsigned r = 0; r < registers; ++r)
          step(w * registers + r, masks, carry[r], w == 0, w + 1 == Shape::words_max);
      }
    } else {
      KINDRED_UNROLL
      for (unsigned r = 0; r < registers; ++r) step(r, masks, carry[r], true, false);
      for (unsigned w = 1; w < m_words; ++w) {
        KINDRED_UNROLL
        for (unsigned r = 0; r < registers; ++r)
          step(w * registers + r, masks, carry[r], false, false);
      }
    }
  }

  /// \brief Writes what every pattern matches: of an edit distance, the larger length minus it.
  /// \param valid the symbols of the patterns, as a row of masks \param lengths of the patterns
  /// \param query symbols of the query
  void count(const Word* valid, const std::uint16_t* lengths, std::uint32_t query,
             std::uint16_t* matched) const {
    alignas(Lanes) Word words[Shape::patterns];
    if constexpr (!Shape::edits) {
      for (unsigned w = 0; w < m_words; ++w) {
        KINDRED_UNROLL
        for (unsigned r = 0; r < registers; ++r) {
          const unsigned i = w * registers + r;
          Lanes found = ~m_states[i].state;
          if constexpr (Shape::has_carry_bit) found = found & Lanes::load(valid + i * Lanes::size);
          found.store(words + r * Lanes::size);
        }
        for (unsigned l = 0; l < Shape::patterns; ++l)
          matched[l] = static_cast<std::uint16_t>((w == 0 ? 0 : matched[l]) + bits(words[l]));
      }
    } else {
      // The distance is the length of the query, and what the column rises.
      const auto most = static_cast<std::uint16_t>(std::min<std::uint32_t>(query, 0xFFFFU));
      for (unsigned l = 0; l < Shape::patterns; ++l)
        matched[l] = static_cast<std::uint16_t>(std::max(lengths[l], most) - most);
      for (unsigned w = 0; w < m_words; ++w) {
        alignas(Lanes) Word falls[Shape::patterns];
        KINDRED_UNROLL
        for (unsigned r = 0; r < registers; ++r) {
          const unsigned i = w * registers + r;
          const Lanes own = Lanes::load(valid + i * Lanes::size);
          (m_states[i].state & own).store(words + r * Lanes::size);
          (m_states[i].falls & own).store(falls + r * Lanes::size);
        }
        for (unsigned l = 0; l < Shape::patterns; ++l)
          matched[l] = static_cast<std::uint16_t>(matched[l] - bits(words[l]) + bits(falls[l]));
      }
    }
  }

 private:
  [[gnu::always_inline]] void step(unsigned i, const Word* masks, ColumnCarry<Lanes>& carry,
                                   bool is_first, bool is_last) {
    m_states[i].step(Lanes::load(masks + i * Lanes::size), carry, is_first, is_last);
  }

  /// The number of bits of a word, by operations that the compiler applies to whole registers.
  static std::uint16_t bits(Word word) {
    if constexpr (sizeof(Word) == 8) {
      return static_cast<std::uint16_t>(std::popcount(word));
    } else {
      constexpr auto all = static_cast<Word>(~Word{0});
      word = static_cast<Word>(word - ((word >> 1U) & (all / 3)));
      word = static_cast<Word>((word & (all / 5)) + ((word >> 2U) & (all / 5)));
      word = static_cast<Word>((word + (word >> 4U)) & (all / 17));
      if constexpr (sizeof(Word) == 4) word = static_cast<Word>(word + (word >> 16U));
      if constexpr (sizeof(Word) >= 2) word = static_cast<Word>((word + (word >> 8U)) & 0xFFU);
      return word;
    }
  }

  unsigned m_words;
  // In registers only because the loops over them are unrolled.
  typename Shape::State m_states[Shape::words_max * registers];
};

/// Patterns of a block, of which the counts of some queries fit the L2 cache.
inline constexpr std::uint32_t lane_block = 512;
/// Queries that are compared with one table of masks.
inline constexpr std::uint32_t lane_queries_max = 256;
/// Words of a pattern.
inline constexpr unsigned lane_words_max = 16;
/// Counts of a row: those of a block, behind which a group may write.
inline constexpr std::uint32_t lane_row = lane_block + 128;

/// \brief The widths of lanes, by which the patterns of a block are sorted: 0 to 3 for one word of
/// 8, 16, 32 and 64 bits; then w + 2 for w words of 64 bits.
template <ShortRecurrence recurrence>
struct LaneClasses {
  static constexpr unsigned count = lane_words_max + 3;
  static constexpr unsigned long_symbols =
      LaneShape<recurrence, std::uint64_t, lane_words_max, false>::symbols;
  static constexpr std::uint32_t longest = long_symbols * lane_words_max;

  static unsigned of(std::uint32_t length) {
    if (length <= 32) return length <= 8 ? 0 : length <= 16 ? 1 : 2;
    return length <= 64 ? 3 : quotient_up(length, long_symbols) + 2;
  }
  static unsigned words(unsigned of_class) { return of_class < 4 ? 1 : of_class - 2; }
  /// Calls `function(shape)` with the shape of a class.
  template <class Function>
  static auto with_shape(unsigned of_class, const Function& function) {
    switch (of_class) {
      case 0:
        return function(LaneShape<recurrence, std::uint8_t, 1>());
      case 1:
        return function(LaneShape<recurrence, std::uint16_t, 1>());
      case 2:
        return function(LaneShape<recurrence, std::uint32_t, 1>());
      case 3:
        return function(LaneShape<recurrence, std::uint64_t, 1>());
      case 4:
        return function(LaneShape<recurrence, std::uint64_t, 2>());
      case 5:
        return function(LaneShape<recurrence, std::uint64_t, 3>());
      case 6:
        return function(LaneShape<recurrence, std::uint64_t, 4>());
      default:
        return function(LaneShape<recurrence, std::uint64_t, lane_words_max, false>());
    }
  }
};

/// \brief The memory of a thread: parts of its workspace.
struct LaneWorkspace {
  std::byte* masks;        ///< the table of a group
  std::uint32_t* rows;     ///< symbol → where its row begins, in words; 0 without one
  std::uint32_t* symbols;  ///< that have a row
  std::uint16_t* counts;   ///< `lane_queries_max × lane_row`

  static constexpr std::size_t alignment = 64;
  /// Bytes of the masks of the largest group. \param longest symbols of a pattern
  template <ShortRecurrence recurrence>
  static std::size_t mask_bytes(std::uint32_t vocabulary, std::uint32_t longest,
                                std::size_t& rows_max) {
    using classes = LaneClasses<recurrence>;
    std::size_t bytes = 0;
    rows_max = 1;
    for (unsigned c = 0; c <= classes::of(longest); ++c) {
      classes::with_shape(c, [&](auto shape) {
        using Shape = decltype(shape);
        const std::size_t symbol_count =
            std::size_t{Shape::patterns} * Shape::symbols * classes::words(c);
        const std::size_t row_count = std::min<std::size_t>(symbol_count, vocabulary) + 1;
        rows_max = std::max(rows_max, row_count);
        bytes = std::max(bytes, row_count * Shape::row_words(classes::words(c)) *
                                    sizeof(typename Shape::word_type));
      });
    }
    return aligned(bytes);
  }
  template <ShortRecurrence recurrence>
  static std::size_t bytes(std::uint32_t vocabulary, std::uint32_t longest) {
    std::size_t rows_max = 0;
    const std::size_t of_masks = mask_bytes<recurrence>(vocabulary, longest, rows_max);
    return of_masks + aligned(4 * (std::size_t{vocabulary} + 1)) + aligned(4 * rows_max) +
           aligned(2 * std::size_t{lane_queries_max} * lane_row);
  }
  /// Parts of \p memory, of which no symbol has a row.
  template <ShortRecurrence recurrence>
  static LaneWorkspace of(std::byte* memory, std::uint32_t vocabulary, std::uint32_t longest) {
    std::size_t rows = 0;
    LaneWorkspace out;
    out.masks = memory;
    memory += mask_bytes<recurrence>(vocabulary, longest, rows);
    out.rows = reinterpret_cast<std::uint32_t*>(memory);
    std::fill_n(out.rows, std::size_t{vocabulary} + 1, 0U);
    memory += aligned(4 * (std::size_t{vocabulary} + 1));
    out.symbols = reinterpret_cast<std::uint32_t*>(memory);
    memory += aligned(4 * rows);
    out.counts = reinterpret_cast<std::uint16_t*>(memory);
    return out;
  }

 private:
  static constexpr std::size_t aligned(std::size_t bytes) {
    return quotient_up(bytes, alignment) * alignment;
  }
};

/// \brief Consecutive patterns, sorted by the width of their lanes.
struct LaneBlock {
  std::uint32_t first;
  std::uint32_t patterns;
  bool is_ordered;                                     ///< place i is pattern i
  std::array<std::uint16_t, lane_block> pattern_at;    ///< place → pattern of the block
  std::array<std::uint16_t, lane_block> place_of;      ///< the reverse
  std::array<std::uint32_t, lane_block> lengths;       ///< per pattern
  std::array<std::uint16_t, lane_row> length_at;       ///< place → length; 0 behind the last one
  std::array<std::uint32_t, lane_words_max + 4> ends;  ///< per class: the place behind its last one

  template <ShortRecurrence recurrence>
  void sort() {
    using classes = LaneClasses<recurrence>;
    std::array<std::uint32_t, classes::count + 1> begins{};
    for (std::uint32_t i = 0; i < patterns; ++i) ++begins[classes::of(lengths[i]) + 1];
    is_ordered = begins[classes::of(lengths[0]) + 1] == patterns;
    for (unsigned c = 0; c < classes::count; ++c) begins[c + 1] += begins[c];
    std::copy_n(begins.begin() + 1, classes::count, ends.begin());
    for (std::uint32_t i = 0; i < patterns; ++i) {
      const std::uint32_t place = begins[classes::of(lengths[i])]++;
      pattern_at[place] = static_cast<std::uint16_t>(i);
      place_of[i] = static_cast<std::uint16_t>(place);
      length_at[place] = static_cast<std::uint16_t>(lengths[i]);
    }
    std::fill(length_at.begin() + patterns, length_at.end(), std::uint16_t{0});
  }
  /// \brief The class of the group that begins at \p place: the patterns of a class that fill less
  /// than half of a group join those of the next one.
  template <ShortRecurrence recurrence>
  unsigned class_at(std::uint32_t place) const {
    using classes = LaneClasses<recurrence>;
    unsigned c = classes::of(length_at[place]);
    for (unsigned next = c + 1; ends[c] < patterns && next < classes::count; ++next) {
      if (ends[next] == ends[c]) continue;
      const unsigned lanes =
          classes::with_shape(c, [](auto shape) { return unsigned{decltype(shape)::patterns}; });
      if (2 * (ends[c] - place) >= lanes) break;
      c = next;
    }
    return c;
  }
};

/// \brief Patterns that are compared together.
template <class Shape>
struct LaneGroup {
  using Word = typename Shape::word_type;

  const Word* masks;
  const std::uint32_t* rows;  ///< symbol → where its row of masks begins
  unsigned words;
  const Word* valid;
  const std::uint16_t* lengths;

  /// \see LaneColumns::count
  [[gnu::noinline]] void compare(const std::uint32_t* symbols, std::uint32_t count,
                                 std::uint16_t* matched) const {
    const Word* const table = masks;
    const std::uint32_t* const row_of = rows;
    LaneColumns<Shape> columns(Shape::has_fixed_words ? Shape::words_max : words);
    for (std::uint32_t j = 0; j < count; ++j) columns.step(table + row_of[symbols[j]]);
    columns.count(valid, lengths, count, matched);
  }
};

/// \brief What the queries of a call match of the patterns of a block.
template <ShortRecurrence recurrence, class Symbol>
struct LanePairCounts {
  using classes = LaneClasses<recurrence>;

  PatternTiles<HostSpace> tiles;
  LaneQueries queries;
  const std::uint32_t* slot_of;

  /// Writes what query q matches to row q − \p begin of the workspace, in the order of places.
  /// Returns early if the call is cancelled.
  void operator()(const LaneBlock& block, std::uint32_t begin, std::uint32_t end,
                  const LaneWorkspace& workspace, const CancelPoint& point) const {
    for (std::uint32_t place = 0; place < block.patterns;) {
      const unsigned c = block.template class_at<recurrence>(place);
      place += classes::with_shape(c, [&](auto shape) {
        using Shape = decltype(shape);
        const std::uint32_t count = std::min<std::uint32_t>(Shape::patterns, block.ends[c] - place);
        compare<Shape>(block, place, count, classes::words(c), begin, end, workspace, point);
        return count;
      });
      if (point.is_cancelled()) return;
    }
  }

 private:
  template <class Shape>
  void compare(const LaneBlock& block, std::uint32_t place, std::uint32_t count, unsigned words,
               std::uint32_t begin, std::uint32_t end, const LaneWorkspace& workspace,
               const CancelPoint& point) const {
    using Word = typename Shape::word_type;
    static_assert(Shape::patterns <= lane_row - lane_block);
    alignas(64) Word valid[Shape::row_words(Shape::words_max)];
    auto* const masks = reinterpret_cast<Word*>(workspace.masks);
    const std::uint16_t* const lengths = block.length_at.data() + place;
    fill_valid<Shape>(lengths, count, words, valid);
    const std::uint32_t rows = fill<Shape>(block, place, count, words, masks, workspace);
    std::uint16_t* out = workspace.counts + place;
    for (std::uint32_t q = begin; q < end && !point.is_cancelled(); ++q, out += lane_row) {
      LaneGroup<Shape>{masks, workspace.rows, words, valid, lengths}.compare(
          queries.symbols.data() + queries.begins(q), queries.length(q), out);
    }
    for (std::uint32_t row = 0; row < rows; ++row) workspace.rows[workspace.symbols[row]] = 0;
  }

  /// Writes the row of masks in which every symbol of the patterns occurs.
  template <class Shape>
  static void fill_valid(const std::uint16_t* lengths, std::uint32_t count, unsigned words,
                         typename Shape::word_type* valid) {
    using Word = typename Shape::word_type;
    for (unsigned w = 0; w < words; ++w) {
      for (std::uint32_t l = 0; l < Shape::patterns; ++l) {
        const std::uint32_t before = w * Shape::symbols;
        const std::uint32_t left = l < count && lengths[l] > before ? lengths[l] - before : 0;
        const std::uint32_t unused =
            8 * sizeof(Word) - std::min<std::uint32_t>(left, Shape::symbols);
        valid[w * Shape::patterns + l] =
            left == 0 ? Word{0} : static_cast<Word>(static_cast<Word>(~Word{0}) >> unused);
      }
    }
  }

  /// Makes the table of a group and returns how many symbols have a row.
  template <class Shape>
  std::uint32_t fill(const LaneBlock& block, std::uint32_t place, std::uint32_t count,
                     unsigned words, typename Shape::word_type* masks,
                     const LaneWorkspace& workspace) const {
    using Word = typename Shape::word_type;
    const std::uint32_t row_words = Shape::row_words(words);
    const auto clear = [=](std::uint32_t row) {
      using Lanes = typename Shape::Lanes;
      for (std::uint32_t i = 0; i < row_words; i += Lanes::size)
        Lanes::all(Shape::no_symbols).store(masks + row + i);
    };
    clear(0);
    std::uint32_t* const row_of = workspace.rows;
    std::uint32_t rows = 0;
    for (std::uint32_t l = 0; l < count; ++l) {
      const std::uint32_t slot = slot_of[block.first + block.pattern_at[place + l]];
      const Symbol* symbols = tiles.template slot_symbols<Symbol>(slot);
      std::uint32_t left = block.length_at[place + l];
      for (Word* at = masks + l; left > 0; at += Shape::patterns) {
        const std::uint32_t some = std::min<std::uint32_t>(left, Shape::symbols);
        for (std::uint32_t j = 0; j < some; ++j, symbols += tile_patterns) {
          std::uint32_t row = row_of[*symbols];
          if (row == 0) {
            workspace.symbols[rows++] = *symbols;
            row = rows * row_words;
            row_of[*symbols] = row;
            clear(row);
          }
          at[row] = static_cast<Word>(at[row] | static_cast<Word>(Word{1} << j));
        }
        left -= some;
      }
    }
    return rows;
  }
};

/// \brief The values of all counts of all pairs of lengths, so that no pair divides, if there are
/// few compared with the pairs.
template <class Element>
class PairValueTable {
 public:
  /// \param longest symbols of a pattern
  PairValueTable(const PatternTiles<HostSpace>& tiles, std::uint32_t first_slot,
                 std::uint32_t longest, const LaneQueries& queries, const PairRule& rule) {
    const std::uint64_t patterns = tiles.slots() - first_slot;
    std::vector<std::uint32_t> query_lengths;
    for (std::uint32_t q = 0; q < queries.count(); ++q) query_lengths.push_back(queries.length(q));
    std::sort(query_lengths.begin(), query_lengths.end());
    query_lengths.erase(std::unique(query_lengths.begin(), query_lengths.end()),
                        query_lengths.end());
    std::vector<std::uint32_t> lengths;
    const std::uint32_t* const all = tiles.lengths.data();
    for (const std::uint32_t* at = all + first_slot; at != all + tiles.slots();) {
      lengths.push_back(*at);
      at = std::upper_bound(at, all + tiles.slots(), *at);
    }
    m_stride = std::min(longest, query_lengths.back()) + 1;
    m_query_stride = std::uint64_t{longest + 1} * m_stride;
    const std::uint64_t values = query_lengths.size() * lengths.size() * std::uint64_t{m_stride};
    const std::uint64_t pairs = patterns * queries.count();
    constexpr std::uint64_t pairs_per_value = 32;
    constexpr std::uint64_t most = std::uint64_t{1} << 21U;
    const std::uint64_t size = query_lengths.size() * m_query_stride;
    if (values > pairs / pairs_per_value || size > std::min(most, pairs)) return;
    m_values.resize(size);
    for (std::size_t i = 0; i < query_lengths.size(); ++i) {
      for (const std::uint32_t length : lengths) {
        Element* const out =
            m_values.data() + i * m_query_stride + std::uint64_t{length} * m_stride;
        for (std::uint32_t m = 0; m <= std::min(length, query_lengths[i]); ++m)
          out[m] = pair_element<Element>(rule.of_count(m, length, query_lengths[i]));
      }
    }
    for (std::uint32_t q = 0; q < queries.count(); ++q) {
      const auto at =
          std::lower_bound(query_lengths.begin(), query_lengths.end(), queries.length(q));
      m_begins.push_back(static_cast<std::uint64_t>(at - query_lengths.begin()) * m_query_stride);
    }
  }

  bool is_made() const { return !m_values.empty(); }
  /// The values of query \p q: that of a pattern of length n is at `stride()` · n + count.
  const Element* of_query(std::uint32_t q) const { return m_values.data() + m_begins[q]; }
  std::uint32_t stride() const { return m_stride; }

 private:
  std::uint32_t m_stride = 0;
  std::uint64_t m_query_stride = 0;
  std::vector<Element> m_values;
  std::vector<std::uint64_t> m_begins;  ///< per query
};

/// \brief Writes the values of a block from its counts.
template <class Element>
struct LaneRows {
  const PairValueTable<Element>& table;
  LaneQueries queries;
  PairRule rule;
  PairValues<HostSpace> values;

  void operator()(const LaneBlock& block, std::uint32_t begin, std::uint32_t end,
                  const std::uint16_t* counts) const {
    std::array<std::uint32_t, lane_block> at;
    const std::uint32_t* const lengths = block.lengths.data();
    for (std::uint32_t i = 0; i < block.patterns; ++i) at[i] = lengths[i] * table.stride();
    const bool is_uniform =
        block.is_ordered && std::all_of(lengths, lengths + block.patterns,
                                        [&](std::uint32_t length) { return length == lengths[0]; });
    const std::uint32_t patterns = block.patterns;
    const std::uint16_t* const place_of = block.place_of.data();
    for (std::uint32_t q = begin; q < end; ++q, counts += lane_row) {
      Element* const out = static_cast<Element*>(values.data) + values.rows(q) + block.first;
      if (!table.is_made()) {
        const std::uint32_t length = queries.length(q);
        for (std::uint32_t i = 0; i < patterns; ++i)
          out[i] = pair_element<Element>(rule.of_count(counts[place_of[i]], lengths[i], length));
      } else if (is_uniform) {
        const Element* const of_length = table.of_query(q) + at[0];
        KINDRED_UNROLL
        for (std::uint32_t i = 0; i < patterns; ++i) out[i] = of_length[counts[i]];
      } else {
        const Element* const of_query = table.of_query(q);
        const std::uint32_t* const begins = at.data();
        KINDRED_UNROLL
        for (std::uint32_t i = 0; i < patterns; ++i)
          out[i] = of_query[begins[i] + counts[place_of[i]]];
      }
    }
  }
};

/// The items of a call: a block of patterns and a part of the queries each.
struct LaneItems {
  std::uint32_t blocks;
  std::uint32_t parts;
  std::uint32_t queries;
  std::uint32_t patterns;

  LaneItems(std::uint32_t query_count, std::uint32_t pattern_count, std::uint32_t workers)
      : blocks(quotient_up(pattern_count, lane_block)),
        parts(quotient_up(query_count, lane_queries_max)),
        queries(query_count),
        patterns(pattern_count) {
    // Few blocks are divided further, as far as parts repay their masks.
    const std::uint32_t target = workers > 1 ? quotient_up(4 * workers, blocks) : 1;
    const std::uint32_t most = std::max(query_count / lane_queries_min, 1U);
    parts = std::max(parts, std::min(target, most));
  }
  std::uint32_t count() const { return blocks * parts; }
  std::uint32_t part_begin(std::uint32_t part) const {
    return static_cast<std::uint32_t>(std::uint64_t{queries} * part / parts);
  }
};

/// `LaneRows` of any type, since they are called once per item.
using WriteLaneRows = std::function<void(const LaneBlock&, std::uint32_t begin, std::uint32_t end,
                                         const std::uint16_t* counts)>;

template <ShortRecurrence recurrence>
void scan_lanes(const HostSpace& exec_space, const PatternTiles<HostSpace>& tiles,
                const LaneQueries& queries,
                const ArrayView<const std::uint32_t, HostSpace>& slot_of, const WriteLaneRows& rows,
                std::uint32_t longest, const ArrayView<std::byte, HostSpace>& workspace) {
  const auto patterns = static_cast<std::uint32_t>(slot_of.size());
  const auto workers = static_cast<std::uint32_t>(std::max(Arch::concurrency(exec_space), 1));
  const LaneItems items(queries.count(), patterns, workers);
  const std::size_t own_bytes = LaneWorkspace::bytes<recurrence>(tiles.vocabulary, longest);
  const CancelPoint point;
  const auto scan = [=, &rows](const std::uint32_t worker) {
    const LaneWorkspace own = LaneWorkspace::of<recurrence>(workspace.data() + worker * own_bytes,
                                                            tiles.vocabulary, longest);
    LaneBlock block;
    for (std::uint32_t item = worker; item < items.count(); item += workers) {
      const std::uint32_t part = item % items.parts;
      block.first = item / items.parts * lane_block;
      block.patterns = std::min(patterns - block.first, lane_block);
      for (std::uint32_t i = 0; i < block.patterns; ++i)
        block.lengths[i] = tiles.lengths(slot_of[block.first + i]);
      block.template sort<recurrence>();
      const std::uint32_t begin = items.part_begin(part);
      const std::uint32_t end = items.part_begin(part + 1);
      with_symbol_type(tiles, [&](auto symbol) {
        LanePairCounts<recurrence, decltype(symbol)>{tiles, queries, slot_of.data()}(
            block, begin, end, own, point);
      });
      if (point.is_cancelled()) return;
      rows(block, begin, end, own.counts);
    }
  };
  Launch::for_each_index<Launch::Coarse, std::uint32_t>(
      exec_space, "Kindred::Sequence::lane_pair_values::scan", workers, scan);
}

// Compiled in LaneValues.cpp and LaneDistances.cpp.
extern template decltype(scan_lanes<ShortRecurrence::lcs>) scan_lanes<ShortRecurrence::lcs>;
extern template decltype(scan_lanes<ShortRecurrence::osa>) scan_lanes<ShortRecurrence::osa>;
extern template decltype(scan_lanes<ShortRecurrence::levenshtein>)
    scan_lanes<ShortRecurrence::levenshtein>;

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_LANE_VALUES_HPP
