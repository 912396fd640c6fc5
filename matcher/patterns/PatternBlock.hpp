// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_PATTERN_BLOCK_HPP
#define KINDRED_MATCHER_PATTERNS_PATTERN_BLOCK_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

/// \brief The columns of patterns, one row per pattern.
///
/// Of `narrow` and `wide` one holds the symbols. Row i of a ragged column is from end i - 1, or
/// from where the first row begins, to end i.
struct PatternColumns {
  std::span<const std::uint16_t> narrow;
  std::span<const Symbol> wide;
  std::span<const std::uint64_t> symbol_ends;  ///< a pattern: in the symbols
  std::uint64_t first_symbol = 0;
  std::span<const std::uint32_t> borders;      ///< an event: where it ends in its pattern
  std::span<const std::uint64_t> border_ends;  ///< a pattern: in `borders`
  std::uint64_t first_border = 0;
  std::span<const char> name_text;
  std::span<const std::uint64_t> name_ends;  ///< a pattern: in `name_text`, times two, plus one
                                             ///< where there is a name
  std::uint64_t first_name = 0;
  std::span<std::uint64_t> frequency;  ///< 0 where it is forgotten

  /// The rows [\p begin, \p begin + \p count).
  PatternColumns rows(std::size_t begin, std::size_t count) const;
};

/// \brief The patterns whose indices lie in one run of `indices_max`: events, names, frequencies.
///
/// Rows are in memory of a file or in its own. A row is named by its offset: the index without the
/// first of the run. Only the frequencies of rows ever change, and rows are added at the end.
class PatternBlock {
 public:
  static constexpr std::uint64_t indices_max = 4096;

  PatternBlock() = default;
  /// \param columns must outlive this object \param offsets of the rows, ascending; empty: row r
  /// has offset r
  PatternBlock(const PatternColumns& columns, std::vector<std::uint16_t> offsets);
  PatternBlock(const PatternBlock&) = delete;
  PatternBlock& operator=(const PatternBlock&) = delete;

  /// A copy of what is not forgotten, in its own memory. \throws std::bad_alloc
  std::shared_ptr<PatternBlock> compacted() const;

  /// Number of rows, including forgotten ones.
  std::size_t size() const noexcept { return m_columns.frequency.size(); }
  std::size_t live() const noexcept { return m_live; }
  bool is_own() const noexcept { return m_is_own; }

  /// The row of that offset, where there is one.
  std::optional<std::size_t> row_of(std::uint64_t offset) const noexcept;
  std::uint64_t offset_of(std::size_t row) const noexcept {
    return m_offsets.empty() ? row : m_offsets[row];
  }

  /// Makes room for one more row of that many elements, so that `add` cannot fail. Only in its own
  /// memory. \throws std::bad_alloc
  void make_room(std::size_t symbols, std::size_t events, std::size_t name_bytes);
  /// Appends a row.
  void add(std::uint64_t offset, RaggedSpan<Symbol> events, std::optional<std::string_view> name,
           std::uint64_t frequency) noexcept;

  std::uint64_t frequency(std::size_t row) const noexcept { return m_columns.frequency[row]; }
  void raise_frequency(std::size_t row, std::uint64_t times) noexcept {
    m_columns.frequency[row] += times;
  }
  void forget(std::size_t row) noexcept;

  std::size_t length(std::size_t row) const noexcept {
    return m_columns.symbol_ends[row] - symbols_begin(row);
  }
  void append_symbols(std::size_t row, std::vector<Symbol>& out) const;
  std::span<const std::uint32_t> borders(std::size_t row) const noexcept;
  std::optional<std::string_view> name(std::size_t row) const noexcept;
  bool equals(std::size_t row, RaggedSpan<Symbol> events) const noexcept;

 private:
  std::uint64_t symbols_begin(std::size_t row) const noexcept {
    return row == 0 ? m_columns.first_symbol : m_columns.symbol_ends[row - 1];
  }
  Symbol symbol(std::uint64_t at) const noexcept {
    return m_columns.narrow.empty() ? m_columns.wide[at] : m_columns.narrow[at];
  }
  /// Makes the columns show what the block owns.
  void show_own() noexcept;

  PatternColumns m_columns;
  std::vector<std::uint16_t> m_offsets;
  std::size_t m_live = 0;
  bool m_is_own = true;

  std::vector<Symbol> m_symbols;
  std::vector<std::uint64_t> m_symbol_ends;
  std::vector<std::uint32_t> m_borders;
  std::vector<std::uint64_t> m_border_ends;
  std::vector<char> m_name_text;
  std::vector<std::uint64_t> m_name_ends;
  std::vector<std::uint64_t> m_frequency;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_PATTERN_BLOCK_HPP
