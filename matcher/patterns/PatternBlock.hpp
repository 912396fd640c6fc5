// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_PATTERN_BLOCK_HPP
#define KINDRED_MATCHER_PATTERNS_PATTERN_BLOCK_HPP

#include "PatternKey.hpp"

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
/// The symbols are in `narrow` or in `wide`. Row i of a ragged column extends from end i - 1 (for
/// the first row: from its `first_` member) to end i.
struct PatternColumns {
  std::span<const std::uint16_t> narrow;
  std::span<const Symbol> wide;
  std::span<const std::uint64_t> symbol_ends;  ///< per pattern, in the symbols
  std::uint64_t first_symbol = 0;
  std::span<const std::uint32_t> borders;      ///< per event: its end within its pattern
  std::span<const std::uint64_t> border_ends;  ///< per pattern, in `borders`
  std::uint64_t first_border = 0;
  std::span<const char> name_text;
  /// Per pattern: twice the end in `name_text`, plus one if the pattern has a name.
  std::span<const std::uint64_t> name_ends;
  std::uint64_t first_name = 0;
  std::span<std::uint64_t> frequency;  ///< 0 if forgotten

  /// The rows [\p begin, \p begin + \p count).
  PatternColumns rows(std::size_t begin, std::size_t count) const;
};

/// \brief Events, names and frequencies of the patterns of one run of `indices_max` indices.
///
/// The rows lie in a mapped file or in memory of the block. A row is addressed by its offset: its
/// index minus the first index of the run. Rows are only appended, and only their frequencies
/// change.
class PatternBlock {
 public:
  static constexpr std::uint64_t indices_max = 4096;

  PatternBlock() = default;
  /// \param columns must outlive this object \param offsets of the rows, ascending; empty means
  /// that row r has offset r
  PatternBlock(const PatternColumns& columns, std::vector<std::uint16_t> offsets);
  PatternBlock(const PatternBlock&) = delete;
  PatternBlock& operator=(const PatternBlock&) = delete;

  /// A copy of the rows that are not forgotten, in its own memory. \throws std::bad_alloc
  std::shared_ptr<PatternBlock> compacted() const;

  /// Number of rows, including forgotten ones.
  std::size_t size() const noexcept { return m_columns.frequency.size(); }
  std::size_t live() const noexcept { return m_live; }
  bool is_own() const noexcept { return m_is_own; }

  /// The row with that offset, if it exists.
  std::optional<std::size_t> row_of(std::uint64_t offset) const noexcept;
  std::uint64_t offset_of(std::size_t row) const noexcept {
    return m_offsets.empty() ? row : m_offsets[row];
  }

  /// Reserves space for \p rows more rows with these numbers of elements in total, so that `add`
  /// cannot fail. Only if the block owns its memory. \throws std::bad_alloc
  void make_room(std::size_t rows, std::size_t symbols, std::size_t events, std::size_t name_bytes);
  /// Appends a row.
  void add(std::uint64_t offset, const PatternKey& key, std::optional<std::string_view> name,
           std::uint64_t frequency) noexcept;

  std::uint64_t frequency(std::size_t row) const noexcept { return m_columns.frequency[row]; }
  /// \param frequency at least 1
  void set_frequency(std::size_t row, std::uint64_t frequency) noexcept {
    m_columns.frequency[row] = frequency;
  }
  void forget(std::size_t row) noexcept;

  std::size_t length(std::size_t row) const noexcept {
    return m_columns.symbol_ends[row] - symbols_begin(row);
  }
  void append_symbols(std::size_t row, std::vector<Symbol>& out) const;
  /// Calls `visit(symbol)` for every symbol of a row.
  template <class Visit>
  void for_each_symbol(std::size_t row, const Visit& visit) const {
    for (std::uint64_t at = symbols_begin(row); at < m_columns.symbol_ends[row]; ++at)
      visit(symbol(at));
  }
  std::span<const std::uint32_t> borders(std::size_t row) const noexcept;
  std::optional<std::string_view> name(std::size_t row) const noexcept;
  /// \param words receives the array of the key
  PatternKey key(std::size_t row, std::vector<std::uint32_t>& words) const;
  bool equals(std::size_t row, const PatternKey& key) const noexcept;

 private:
  std::uint64_t symbols_begin(std::size_t row) const noexcept {
    return row == 0 ? m_columns.first_symbol : m_columns.symbol_ends[row - 1];
  }
  Symbol symbol(std::uint64_t at) const noexcept {
    return m_columns.narrow.empty() ? m_columns.wide[at] : m_columns.narrow[at];
  }
  /// Makes the columns refer to the vectors of the block.
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
