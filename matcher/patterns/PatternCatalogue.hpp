// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_PATTERN_CATALOGUE_HPP
#define KINDRED_MATCHER_PATTERNS_PATTERN_CATALOGUE_HPP

#include "IndexTable.hpp"
#include "PatternBlock.hpp"

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

/// \brief A catalogue as a file holds it, checked.
struct CatalogueColumns {
  PatternColumns rows;
  std::span<const std::uint64_t> indices;  ///< of the rows, ascending; empty: row r is pattern r
  std::uint64_t size = 0;                  ///< patterns ever learned, beyond all indices
  std::span<std::uint64_t> name_slots, name_slot_ends;    ///< an `IndexTable`
  std::span<std::uint64_t> event_slots, event_slot_ends;  ///< an `IndexTable`
  std::span<const std::uint64_t> patterns_with;           ///< a symbol: patterns that hold it
  std::span<const std::uint64_t> symbol_frequency;        ///< a symbol: how often it was learned
};

/// \brief A pattern of a catalogue, wherever it lies. The block is kept; its last row may only be
/// read while nobody adds to the catalogue.
struct PatternRow {
  std::shared_ptr<const PatternBlock> block;
  std::size_t row = 0;

  Ragged<Symbol> events() const;
  std::optional<std::string_view> name() const noexcept { return block->name(row); }
};

/// A block, and which run of indices it has.
struct NumberedBlock {
  std::uint64_t number = 0;
  std::shared_ptr<PatternBlock> block;
};

/// \brief The patterns of a catalogue from one index on, at one moment. What is forgotten later
/// stays readable here.
struct CatalogueCut {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;                 ///< patterns ever learned
  std::vector<std::uint64_t> indices;    ///< of those that were there, ascending
  std::vector<std::uint64_t> frequency;  ///< of these
  std::vector<NumberedBlock> blocks;     ///< that hold them; not to be changed

  /// Where the pattern `indices[i]` lies; \see PatternRow
  struct Place {
    const PatternBlock* block;
    std::size_t row;
  };
  Place place(std::size_t i) const noexcept;
};

/// \brief Every pattern by its index: events, name, frequency; found by name and by events. Where a
/// pattern is scanned is no matter of this.
///
/// In blocks of a run of indices each. A block is made anew without what was forgotten once that is
/// half of it, so that forgetting is paid by what was forgotten, and memory is that of what is
/// there. Not synchronised. A call that throws changed nothing.
class PatternCatalogue {
 public:
  PatternCatalogue() = default;
  /// \param columns must outlive this object, changed in place
  explicit PatternCatalogue(const CatalogueColumns& columns);

  /// Number of patterns ever learned; also the next index.
  std::uint64_t size() const noexcept { return m_size; }
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

  /// Whether a pattern of \p length symbols may be learned \p times more: no sum of frequencies, of
  /// patterns or of a symbol, passes 2^63.
  bool can_count(std::uint64_t length, std::uint64_t times) const noexcept;
  /// Adds a pattern that must not exist. Returns its index.
  std::uint64_t add(RaggedSpan<Symbol> events, std::optional<std::string_view> name,
                    std::uint64_t frequency);
  /// Makes \p index, not below `size()`, the next one: those before it were forgotten.
  void skip_to(std::uint64_t index) noexcept { m_size = index; }
  /// Performs the steps of the next call that can fail. \param index of an existing pattern
  void prepare_to_raise(std::uint64_t index);
  void raise_frequency(std::uint64_t index, std::uint64_t times) noexcept;
  /// Performs the steps of the next call that can fail. \param index of an existing pattern
  void prepare_to_forget(std::uint64_t index);
  void forget(std::uint64_t index) noexcept;

  bool is_live(std::uint64_t index) const noexcept { return frequency(index) > 0; }
  /// The frequency; 0 if the pattern was forgotten or never learned.
  std::uint64_t frequency(std::uint64_t index) const noexcept;
  /// Of a pattern that is there.
  PatternRow row(std::uint64_t index) const;
  std::size_t length(std::uint64_t index) const;
  /// Appends the symbols of a pattern that is there, all events in one.
  void append_symbols(std::uint64_t index, std::vector<Symbol>& out) const;

  /// The indices in [\p begin, \p end) of patterns that are there, ascending.
  std::vector<std::uint64_t> live_in(std::uint64_t begin, std::uint64_t end) const;
  /// Of all patterns that are there.
  std::uint64_t symbols() const noexcept;
  CatalogueCut cut(std::uint64_t begin) const;
  const IndexTable& name_table() const noexcept { return m_by_name; }
  const IndexTable& event_table() const noexcept { return m_by_events; }

 private:
  struct Place {
    PatternBlock* block = nullptr;  ///< null: it is not there
    std::size_t row = 0;
  };
  /// Calls `visit(index, block, row)` with the patterns in [\p begin, \p end) that are there.
  template <class Visit>
  void for_each(std::uint64_t begin, std::uint64_t end, const Visit& visit) const;
  /// Also of a pattern that was forgotten and whose row is still there.
  Place place(std::uint64_t index) const noexcept;
  /// The last block, to which `size()` can be added.
  PatternBlock& block_to_grow();
  /// Adds \p patterns to the patterns of every different symbol of a pattern, and \p times to the
  /// frequency of every symbol; both may be negative, modulo 2^64.
  void count_symbols(const Place& at, std::uint64_t patterns, std::uint64_t times) noexcept;

  std::vector<NumberedBlock> m_blocks;  ///< by number; those of which all was forgotten are gone
  std::uint64_t m_size = 0;
  IndexTable m_by_name;
  IndexTable m_by_events;
  std::vector<std::uint64_t> m_patterns_with;
  std::vector<std::uint64_t> m_symbol_frequency;
  std::vector<Symbol> m_sorted;              ///< of `count_symbols`
  std::uint64_t m_events_hash = 0;           ///< of what is to be forgotten
  std::optional<std::uint64_t> m_name_hash;  ///< as well
  std::uint64_t m_live = 0;
  std::uint64_t m_total_frequency = 0;
  std::uint64_t m_occurrences = 0;  ///< of all symbols: Σ length · frequency
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_PATTERN_CATALOGUE_HPP
