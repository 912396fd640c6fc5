// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_MEMORY_PATTERN_CATALOGUE_HPP
#define KINDRED_MATCHER_SRC_MEMORY_PATTERN_CATALOGUE_HPP

#include "Column.hpp"
#include "IndexTable.hpp"

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

/// \brief The columns of a catalogue, a row a pattern ever learned, as a file holds them.
///
/// Of `narrow` and `wide` one holds the symbols; a row added later is always wide.
struct CatalogueColumns {
  std::span<std::uint16_t> narrow;
  std::span<Symbol> wide;
  std::span<std::uint64_t> symbol_ends;  ///< a pattern: in the symbols
  std::span<std::uint32_t> borders;      ///< an event: where it ends in its pattern
  std::span<std::uint64_t> border_ends;  ///< a pattern: in `borders`
  std::span<char> name_text;
  std::span<std::uint64_t> name_ends;  ///< a pattern: in `name_text`, times two, plus one where
                                       ///< there is a name
  std::span<std::uint64_t> frequency;  ///< 0 where it is forgotten
  std::span<std::uint64_t> name_slots, name_slot_ends;    ///< an `IndexTable`
  std::span<std::uint64_t> event_slots, event_slot_ends;  ///< an `IndexTable`
  std::span<const std::uint64_t> patterns_with;           ///< a symbol: patterns that hold it
  std::span<const std::uint64_t> symbol_frequency;        ///< a symbol: how often it was learned
};

/// \brief Every pattern ever learned by its index: events, name, frequency; found by name and by
/// events. Where a pattern is scanned is no matter of this.
///
/// Not synchronised. A call that throws changed nothing.
class PatternCatalogue {
 public:
  PatternCatalogue() = default;
  /// \param columns checked; outlive this, changed in place
  explicit PatternCatalogue(const CatalogueColumns& columns);

  /// Patterns ever learned: the next index.
  std::uint64_t size() const noexcept { return m_frequency.size(); }
  std::uint64_t live() const noexcept { return m_live; }
  /// Σ frequency.
  std::uint64_t total_frequency() const noexcept { return m_total_frequency; }
  /// Patterns that hold a symbol, a symbol; symbols beyond its end are in none.
  std::span<const std::uint64_t> patterns_with() const noexcept { return m_patterns_with; }
  /// How often a symbol was learned, a symbol: Σ occurrences · frequency of the patterns.
  std::span<const std::uint64_t> symbol_frequency() const noexcept { return m_symbol_frequency; }

  /// The pattern of that name, of those events.
  std::optional<std::uint64_t> find(std::string_view name) const;
  std::optional<std::uint64_t> find(RaggedSpan<Symbol> events) const;

  /// Adds a pattern that is not there. Returns its index.
  std::uint64_t add(RaggedSpan<Symbol> events, std::optional<std::string_view> name,
                    std::uint64_t frequency);
  /// Does what can fail of the two below.
  void prepare_to_change(std::uint64_t index);
  void raise_frequency(std::uint64_t index, std::uint64_t times) noexcept;
  void forget(std::uint64_t index) noexcept;

  bool is_live(std::uint64_t index) const noexcept { return m_frequency[index] > 0; }
  std::uint64_t frequency(std::uint64_t index) const noexcept { return m_frequency[index]; }
  std::optional<std::string_view> name(std::uint64_t index) const;
  std::size_t length(std::uint64_t index) const noexcept;
  /// Appends the symbols of a pattern, all events in one.
  void append_symbols(std::uint64_t index, std::vector<Symbol>& out) const;
  Ragged<Symbol> events(std::uint64_t index) const;

  // What a file holds: everything, or the rows from one on.
  const Column<std::uint64_t>& symbol_ends() const noexcept { return m_symbol_ends; }
  const Column<std::uint32_t>& borders() const noexcept { return m_borders; }
  const Column<std::uint64_t>& border_ends() const noexcept { return m_border_ends; }
  const Column<char>& name_text() const noexcept { return m_name_text; }
  const Column<std::uint64_t>& name_ends() const noexcept { return m_name_ends; }
  const Column<std::uint64_t>& frequencies() const noexcept { return m_frequency; }
  const IndexTable& name_table() const noexcept { return m_by_name; }
  const IndexTable& event_table() const noexcept { return m_by_events; }

 private:
  std::uint64_t begin_of(const Column<std::uint64_t>& ends, std::uint64_t index) const noexcept {
    return index == 0 ? 0 : ends[index - 1];
  }
  Symbol symbol(std::uint64_t at) const noexcept {
    return at < m_narrow.size() ? m_narrow[at] : m_wide[at - m_narrow.size()];
  }
  bool equals(std::uint64_t index, RaggedSpan<Symbol> events) const;
  /// Adds \p patterns to the patterns of every different symbol of a pattern, and \p times to the
  /// frequency of every symbol; both may be negative, modulo 2^64.
  void count_symbols(std::uint64_t index, std::uint64_t patterns, std::uint64_t times) noexcept;

  std::span<const std::uint16_t> m_narrow;
  Column<Symbol> m_wide;
  Column<std::uint64_t> m_symbol_ends;
  Column<std::uint32_t> m_borders;
  Column<std::uint64_t> m_border_ends;
  Column<char> m_name_text;
  Column<std::uint64_t> m_name_ends;
  Column<std::uint64_t> m_frequency;
  IndexTable m_by_name;
  IndexTable m_by_events;
  std::vector<std::uint64_t> m_patterns_with;
  std::vector<std::uint64_t> m_symbol_frequency;
  std::vector<Symbol> m_sorted;  ///< of `count_symbols`
  std::uint64_t m_live = 0;
  std::uint64_t m_total_frequency = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_MEMORY_PATTERN_CATALOGUE_HPP
