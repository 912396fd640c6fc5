// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_PATTERN_CATALOGUE_HPP
#define KINDRED_MATCHER_PATTERNS_PATTERN_CATALOGUE_HPP

#include "PatternBlock.hpp"
#include "common/HashTable.hpp"

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

/// \brief A validated catalogue as stored in a file.
struct CatalogueColumns {
  PatternColumns rows;
  /// Of the rows, ascending; empty means that row r is pattern r.
  std::span<const std::uint64_t> indices;
  std::uint64_t size = 0;  ///< patterns ever learned; larger than all indices
  std::span<std::uint64_t> name_slots, name_slot_ends;    ///< a `HashTable`
  std::span<std::uint64_t> event_slots, event_slot_ends;  ///< a `HashTable`
  std::span<const std::uint64_t> patterns_with;  ///< per symbol: number of patterns that contain it
  std::span<const std::uint64_t> symbol_frequency;  ///< per symbol: how often it was learned
};

/// \brief A reference to a pattern of a catalogue. It keeps the block alive; the last row of a
/// block may only be read while nobody adds to the catalogue.
struct PatternRow {
  std::shared_ptr<const PatternBlock> block;
  std::size_t row = 0;

  Ragged<Symbol> events() const;
  std::optional<std::string_view> name() const noexcept { return block->name(row); }
};

/// A block and the number of its run of indices.
struct NumberedBlock {
  std::uint64_t number = 0;
  std::shared_ptr<PatternBlock> block;
};

/// \brief A snapshot of the patterns of a catalogue from one index on. Patterns that are forgotten
/// later stay readable.
struct CatalogueCut {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;                 ///< patterns ever learned
  std::vector<std::uint64_t> indices;    ///< of the existing patterns, ascending
  std::vector<std::uint64_t> frequency;  ///< per index
  std::vector<NumberedBlock> blocks;     ///< that contain the patterns; must not be changed

  /// Where pattern `indices[i]` is; \see PatternRow
  struct Place {
    const PatternBlock* block;
    std::size_t row;
  };
  Place place(std::size_t i) const noexcept;
};

/// \brief Events, name and frequency of every pattern by its index; patterns are found by name and
/// by events. The catalogue is independent of the tiers that are searched.
///
/// The patterns are in blocks, one per run of indices. A block is compacted once half of its
/// patterns are forgotten, so the cost of forgetting is amortised and memory is proportional to the
/// existing patterns. Not synchronised. A call that throws changes nothing.
class PatternCatalogue {
 public:
  PatternCatalogue() = default;
  /// \param columns must outlive this object; modified in place
  explicit PatternCatalogue(const CatalogueColumns& columns);

  /// Number of patterns ever learned; also the next index.
  std::uint64_t size() const noexcept { return m_size; }
  std::uint64_t live() const noexcept { return m_live; }
  /// Σ frequency.
  std::uint64_t total_frequency() const noexcept { return m_total_frequency; }
  /// Per symbol, the number of patterns that contain it; a symbol beyond the end is in none.
  std::span<const std::uint64_t> patterns_with() const noexcept { return m_patterns_with; }
  /// Per symbol, how often it was learned: Σ occurrences · frequency of the patterns.
  std::span<const std::uint64_t> symbol_frequency() const noexcept { return m_symbol_frequency; }

  /// The pattern with that name, or with those events.
  std::optional<std::uint64_t> find(std::string_view name) const;
  std::optional<std::uint64_t> find(RaggedSpan<Symbol> events) const;

  /// Whether a pattern of \p length symbols may be learned \p times more without any sum of
  /// frequencies, of patterns or of a symbol, exceeding 2^63.
  bool can_count(std::uint64_t length, std::uint64_t times) const noexcept;
  /// Adds a pattern that must not exist. Returns its index.
  std::uint64_t add(RaggedSpan<Symbol> events, std::optional<std::string_view> name,
                    std::uint64_t frequency);
  /// Makes \p index, which is at least `size()`, the next index: the patterns before it were
  /// forgotten.
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
  /// \param index of an existing pattern
  PatternRow row(std::uint64_t index) const;
  std::size_t length(std::uint64_t index) const;
  /// Appends the symbols of all events of an existing pattern.
  void append_symbols(std::uint64_t index, std::vector<Symbol>& out) const;

  /// The indices in [\p begin, \p end) of existing patterns, ascending.
  std::vector<std::uint64_t> live_in(std::uint64_t begin, std::uint64_t end) const;
  /// Number of symbols of all existing patterns.
  std::uint64_t symbols() const noexcept;
  CatalogueCut cut(std::uint64_t begin) const;
  const HashTable& name_table() const noexcept { return m_by_name; }
  const HashTable& event_table() const noexcept { return m_by_events; }

 private:
  struct Place {
    PatternBlock* block = nullptr;  ///< null if the pattern does not exist
    std::size_t row = 0;
  };
  /// Calls `visit(index, block, row)` for the existing patterns in [\p begin, \p end).
  template <class Visit>
  void for_each(std::uint64_t begin, std::uint64_t end, const Visit& visit) const;
  /// Also finds a forgotten pattern whose row still exists.
  Place place(std::uint64_t index) const noexcept;
  /// The last block, to which the pattern with index `size()` can be added.
  PatternBlock& block_to_grow();
  /// Adds \p patterns to the pattern count of every distinct symbol of a pattern, and \p times to
  /// the frequency of every occurrence; both may be negative, modulo 2^64.
  void count_symbols(const Place& at, std::uint64_t patterns, std::uint64_t times) noexcept;

  std::vector<NumberedBlock> m_blocks;  ///< by number; blocks without existing patterns are removed
  std::uint64_t m_size = 0;
  HashTable m_by_name;
  HashTable m_by_events;
  std::vector<std::uint64_t> m_patterns_with;
  std::vector<std::uint64_t> m_symbol_frequency;
  std::vector<Symbol> m_sorted;              ///< scratch memory of `count_symbols`
  std::uint64_t m_events_hash = 0;           ///< of the pattern to be forgotten
  std::optional<std::uint64_t> m_name_hash;  ///< likewise
  std::uint64_t m_live = 0;
  std::uint64_t m_total_frequency = 0;
  std::uint64_t m_occurrences = 0;  ///< of all symbols: Σ length · frequency
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_PATTERN_CATALOGUE_HPP
