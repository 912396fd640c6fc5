// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_PATTERN_CATALOGUE_HPP
#define KINDRED_MATCHER_PATTERNS_PATTERN_CATALOGUE_HPP

#include "PatternBlock.hpp"
#include "PatternKey.hpp"
#include "kit/HashTable.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
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

/// \brief Sums of frequencies, of all patterns and of all symbols, which must not exceed 2^63.
struct FrequencySum {
  std::uint64_t patterns = 0;  ///< Σ frequency
  std::uint64_t symbols = 0;   ///< Σ length · frequency

  /// Adds a pattern of \p length symbols with frequency \p times. Returns false, and changes
  /// nothing, if a sum would become too large.
  bool add(std::uint64_t length, std::uint64_t times) noexcept {
    constexpr std::uint64_t limit = std::uint64_t{1} << 63U;
    if (patterns > limit || symbols > limit || times > limit - patterns) return false;
    if (length > 0 && times > (limit - symbols) / length) return false;
    patterns += times;
    symbols += length * times;
    return true;
  }
  /// The message where `add` returns false. \param what the name of \p times
  static std::string refusal(const char* what, std::uint64_t times) {
    return what + (" is " + std::to_string(times)) +
           ": the frequencies of all patterns, or of all symbols, would exceed 2^63 in total";
  }
};

/// A pattern that is to be added together with others.
struct NewPattern {
  PatternKey key;
  std::uint64_t hash = 0;  ///< of the key
  std::optional<std::string_view> name;
  std::uint64_t name_hash = 0;
  std::uint64_t frequency = 0;
  std::size_t symbols_end = 0;  ///< larger than all symbols
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

  /// The pattern with that name, or with that key.
  std::optional<std::uint64_t> find(std::string_view name) const {
    return find(name, hash_of(name));
  }
  std::optional<std::uint64_t> find(const PatternKey& key) const { return find(key, hash_of(key)); }
  /// The same, given the hash.
  std::optional<std::uint64_t> find(std::string_view name, std::uint64_t hash) const;
  std::optional<std::uint64_t> find(const PatternKey& key, std::uint64_t hash) const;

  /// Extends the counts of symbols to \p symbols symbols.
  void count_up_to(std::size_t symbols) noexcept;
  /// Performs the step of `count_up_to` that can fail.
  void prepare_to_count(std::size_t symbols);

  /// The sums to which the frequencies of more patterns may be added.
  FrequencySum frequency_sum() const noexcept { return {m_total_frequency, m_occurrences}; }
  /// Adds a pattern that must not exist. Returns its index. \param add_texts called before the
  /// change, and may throw, which leaves the catalogue as it is
  std::uint64_t add(
      const PatternKey& key, std::optional<std::string_view> name, std::uint64_t frequency,
      const std::function<void()>& add_texts = [] {});
  /// The blocks that follow the present last one once \p patterns are added; made on \p workers.
  std::vector<NumberedBlock> blocks_of(const HostWorkers& workers,
                                       std::span<const NewPattern> patterns) const;
  /// Performs the steps of `add` for these patterns that can fail. \param blocks number of
  /// `blocks_of` them
  void prepare_to_add(std::span<const NewPattern> patterns, std::size_t blocks);
  /// Adds patterns that must not exist, in the order of their indices. \param blocks from
  /// `blocks_of`, since which nothing was added
  void add(std::span<const NewPattern> patterns, std::vector<NumberedBlock> blocks) noexcept;
  /// Makes \p index, which is at least `size()`, the next index: the patterns before it were
  /// forgotten.
  void skip_to(std::uint64_t index) noexcept { m_size = index; }
  /// \param index of an existing pattern \param frequency at least 1
  void set_frequency(std::uint64_t index, std::uint64_t frequency) noexcept;
  /// Performs the steps of the next call that can fail. \param index of an existing pattern
  void prepare_to_forget(std::uint64_t index);
  void forget(std::uint64_t index) noexcept;
  /// Forgets all patterns; the next index stays.
  void clear() noexcept;

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
  /// Number of patterns that the last block can still get.
  std::size_t space_in_last_block() const noexcept;
  /// Adds \p patterns to the pattern count of every distinct symbol of a pattern, and \p times to
  /// the frequency of every occurrence; both may be negative, modulo 2^64.
  void count_symbols(const Place& at, std::uint64_t patterns, std::uint64_t times) noexcept;
  /// The same for one occurrence. \param mark from `next_mark` for the pattern
  void count_symbol(Symbol symbol, std::uint32_t mark, std::uint64_t patterns,
                    std::uint64_t times) noexcept;
  /// A mark for the next pattern whose symbols are counted.
  std::uint32_t next_mark() noexcept;
  std::vector<NumberedBlock> m_blocks;  ///< by number; blocks without existing patterns are removed
  std::uint64_t m_size = 0;
  HashTable m_by_name;
  HashTable m_by_events;
  std::vector<std::uint64_t> m_patterns_with;
  std::vector<std::uint64_t> m_symbol_frequency;
  /// Per symbol: the mark of the pattern in which `count_symbols` has seen it last.
  std::vector<std::uint32_t> m_seen;
  std::uint32_t m_mark = 0;
  std::uint64_t m_events_hash = 0;           ///< of the pattern to be forgotten
  std::optional<std::uint64_t> m_name_hash;  ///< likewise
  std::uint64_t m_live = 0;
  std::uint64_t m_total_frequency = 0;
  std::uint64_t m_occurrences = 0;  ///< of all symbols: Σ length · frequency
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_PATTERN_CATALOGUE_HPP
