// SPDX-License-Identifier: Apache-2.0
#include "StoredPatterns.hpp"

#include "storage/SectionChecks.hpp"
#include "symbols/StoredVocabulary.hpp"

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

namespace Kindred::Impl {

namespace {

constexpr std::uint64_t frequency_limit = std::uint64_t{1} << 63U;

/// The rows of a commit: the columns that occur in every commit.
struct Rows {
  explicit Rows(const SectionChecks& checks) {
    const auto text = checks.section<std::uint8_t>("name.text");
    columns.symbol_ends = checks.section<std::uint64_t>("pattern.ends");
    columns.borders = checks.section<std::uint32_t>("event.ends");
    columns.border_ends = checks.section<std::uint64_t>("pattern.events", size());
    columns.name_text = {reinterpret_cast<const char*>(text.data()), text.size()};
    columns.name_ends = checks.section<std::uint64_t>("name.ends", size());
    columns.frequency = checks.section<std::uint64_t>("frequency", size());
    if (checks.has("pattern.index"))
      indices = checks.section<std::uint64_t>("pattern.index", size() + 1);
  }

  std::uint64_t size() const noexcept { return columns.symbol_ends.size(); }
  /// Index of a row. \param first the next index before the commit
  std::uint64_t index(std::uint64_t row, std::uint64_t first) const noexcept {
    return indices.empty() ? first + row : indices[row];
  }
  /// The next index after the commit.
  std::uint64_t end(std::uint64_t first) const noexcept { return index(size(), first); }

  /// Reads the symbols, which are `narrow` or `wide`, and checks everything.
  template <class SymbolType>
  void check(const SectionChecks& checks, std::span<const SymbolType> PatternColumns::*symbols_of,
             const char* name, std::uint64_t vocabulary, std::uint64_t first) {
    const std::span<const SymbolType> symbols = columns.*symbols_of =
                                                    checks.section<SymbolType>(name);
    checks.below(name, symbols, std::min<std::uint64_t>(vocabulary, unknown_symbol));
    if (!indices.empty()) {
      checks.below<std::uint64_t>("pattern.index", indices, HashTable::index_max);
      checks.all<std::uint64_t>(
          "pattern.index", indices.size(), "indices do not ascend from those of earlier commits",
          [&](std::size_t i) { return indices[i] >= (i == 0 ? first : indices[i - 1] + 1); });
    }
    const auto name_ends = columns.name_ends;
    checks.ends("pattern.ends", columns.symbol_ends, symbols.size(), pattern_length_max + 1);
    checks.ends("pattern.events", columns.border_ends, columns.borders.size());
    checks.all<std::uint64_t>("pattern.events", size(), "the events do not partition the symbols",
                              [&](std::size_t i) { return events_fit(i); });
    checks.all<std::uint64_t>("name.ends", size(), "ends decrease, or an unnamed pattern has text",
                              [&](std::size_t i) {
                                const std::uint64_t begin = i == 0 ? 0 : name_ends[i - 1] >> 1U;
                                const std::uint64_t end = name_ends[i] >> 1U;
                                return end >= begin && ((name_ends[i] & 1U) != 0 || end == begin);
                              });
    const std::uint64_t last = name_ends.empty() ? 0 : name_ends.back() >> 1U;
    if (last != columns.name_text.size())
      checks.refuse<std::uint64_t>("name.ends", 0, "the last end is not the length of the text");
    checks.below<std::uint64_t>("frequency", columns.frequency, frequency_limit);
  }

  PatternColumns columns;
  std::span<const std::uint64_t> indices;  ///< of the rows, then the next index; empty if none is
                                           ///< missing

 private:
  /// The ends of the events increase strictly from above 0 to the length: no event is empty.
  bool events_fit(std::size_t i) const {
    const auto& ends = columns.symbol_ends;
    std::uint64_t before = 0;
    for (std::uint64_t b = i == 0 ? 0 : columns.border_ends[i - 1]; b < columns.border_ends[i];
         ++b) {
      if (columns.borders[b] <= before) return false;
      before = columns.borders[b];
    }
    return before == ends[i] - (i == 0 ? 0 : ends[i - 1]);
  }
};

/// Number of symbols that the patterns of a commit may use.
std::uint64_t vocabulary_at(std::span<const SectionChecks> commits, std::size_t commit) {
  std::uint64_t size = 0;
  for (std::size_t c = 0; c <= commit; ++c)
    size += commits[c].section<std::uint64_t>("vocabulary.ends").size();
  return size;
}

/// Checks that the `HashTable` can be searched and grown.
void check_table(const SectionChecks& checks, const char* name,
                 std::span<const std::uint64_t> slots, std::span<const std::uint64_t> part_ends) {
  checks.count(name, part_ends, HashTable::part_count);
  checks.ends(name, part_ends, slots.size());
  checks.all<std::uint64_t>(
      name, part_ends.size(), "the number of slots of a part is not a power of two",
      [&](std::size_t p) {
        const std::uint64_t begin = p == 0 ? 0 : part_ends[p - 1];
        return part_ends[p] == begin || std::has_single_bit(part_ends[p] - begin);
      });
}

PatternCatalogue read_catalogue(const SectionChecks& checks, std::uint64_t vocabulary) {
  CatalogueColumns columns;
  Rows rows(checks);
  if (checks.has("pattern.symbols.u16")) {
    rows.check(checks, &PatternColumns::narrow, "pattern.symbols.u16", vocabulary, 0);
  } else {
    rows.check(checks, &PatternColumns::wide, "pattern.symbols.u32", vocabulary, 0);
  }
  columns.rows = rows.columns;
  columns.size = rows.end(0);
  if (!rows.indices.empty()) columns.indices = rows.indices.first(rows.size());
  columns.name_slots = checks.section<std::uint64_t>("by_name.slots");
  columns.name_slot_ends = checks.section<std::uint64_t>("by_name.ends");
  columns.event_slots = checks.section<std::uint64_t>("by_events.slots");
  columns.event_slot_ends = checks.section<std::uint64_t>("by_events.ends");
  check_table(checks, "by_name.ends", columns.name_slots, columns.name_slot_ends);
  check_table(checks, "by_events.ends", columns.event_slots, columns.event_slot_ends);
  columns.patterns_with = checks.section<std::uint64_t>("symbol.patterns", vocabulary);
  columns.symbol_frequency = checks.section<std::uint64_t>("symbol.frequency", vocabulary);
  return PatternCatalogue(columns);
}

/// Applies a later commit.
void apply_commit(const SectionChecks& checks, std::uint64_t vocabulary,
                  PatternCatalogue& catalogue) {
  Rows rows(checks);
  // The last texts of the vocabulary may be in forgotten patterns alone, which have no row.
  catalogue.prepare_to_count(vocabulary);
  catalogue.count_up_to(vocabulary);
  const std::uint64_t first = catalogue.size();
  rows.check(checks, &PatternColumns::wide, "pattern.symbols.u32", vocabulary, first);
  const auto changed = checks.section<std::uint64_t>("change.patterns");
  const auto frequency = checks.section<std::uint64_t>("change.frequency", changed.size());
  checks.below<std::uint64_t>("change.patterns", changed, catalogue.size());
  checks.below<std::uint64_t>("change.frequency", frequency, frequency_limit);
  // The changes come first, because a forgotten pattern may have been learned again as a new one.
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const std::uint64_t before = catalogue.frequency(changed[i]);
    if (before == 0 && frequency[i] > 0) {
      checks.refuse<std::uint64_t>("change.frequency", i,
                                   "cannot follow the frequency " + std::to_string(before));
    }
    if (frequency[i] == before) continue;
    if (frequency[i] == 0) {
      catalogue.prepare_to_forget(changed[i]);
      catalogue.forget(changed[i]);
    } else {
      catalogue.set_frequency(changed[i], frequency[i]);
    }
  }
  const PatternBlock block(rows.columns, {});
  std::vector<std::uint32_t> words;
  for (std::uint64_t row = 0; row < rows.size(); ++row) {
    look_at(row);
    const PatternKey key = block.key(row, words);
    const auto name = block.name(row);
    if (catalogue.find(key) || (name && catalogue.find(*name)))
      checks.refuse<std::uint64_t>("pattern.ends", row, "the pattern or its name occurs twice");
    catalogue.skip_to(rows.index(row, first));
    const std::uint64_t index =
        catalogue.add(key, name, std::max<std::uint64_t>(block.frequency(row), 1));
    if (block.frequency(row) == 0) {
      catalogue.prepare_to_forget(index);
      catalogue.forget(index);
    }
  }
  catalogue.skip_to(rows.end(first));
}

/// Reads and checks the segment `tiles.<k>`.
class PartReader {
 public:
  PartReader(const SectionChecks& checks, const PatternCatalogue& catalogue, std::size_t k,
             std::uint64_t vocabulary)
      : m_checks(&checks), m_catalogue(&catalogue), m_prefix("tiles." + std::to_string(k) + ".") {
    part.patterns = checks.section<std::uint64_t>(m_prefix + "patterns");
    part.tiles.symbols = checks.section<Symbol>(m_prefix + "dense");
    part.tiles.offsets = checks.section<std::uint64_t>(m_prefix + "offsets");
    part.tiles.lengths = checks.section<std::uint32_t>(m_prefix + "lengths");
    part.tiles.indices = checks.section<std::uint32_t>(m_prefix + "slots");
    check_patterns();
    check_dense(vocabulary);
    check_slots();
    const auto dense = static_cast<std::uint32_t>(part.tiles.symbols.size());
    switch (tile_symbol_bytes(dense)) {
      case 1:
        part.tiles.octets = read_symbols<std::uint8_t>(dense);
        break;
      case 2:
        part.tiles.narrow = read_symbols<std::uint16_t>(dense);
        break;
      default:
        part.tiles.wide = read_symbols<std::uint32_t>(dense);
    }
  }

  StoredPart part;

 private:
  void check_patterns() const {
    const std::string name = m_prefix + "patterns";
    const auto patterns = part.patterns;
    m_checks->below<std::uint64_t>(name, patterns, m_catalogue->size());
    m_checks->all<std::uint64_t>(
        name, patterns.size(), "patterns do not ascend",
        [&](std::size_t i) { return i == 0 || patterns[i] > patterns[i - 1]; });
    if (patterns.empty() || patterns.size() >= no_pattern - tile_patterns)
      m_checks->refuse<std::uint64_t>(name, 0, "a segment cannot have this number of patterns");
  }
  void check_dense(std::uint64_t vocabulary) const {
    const std::string name = m_prefix + "dense";
    m_checks->below<Symbol>(name, part.tiles.symbols,
                            std::min<std::uint64_t>(vocabulary, unknown_symbol));
    std::vector<bool> seen(vocabulary, false);
    for (std::size_t d = 0; d < part.tiles.symbols.size(); ++d) {
      if (seen[part.tiles.symbols[d]]) m_checks->refuse<Symbol>(name, d, "a symbol occurs twice");
      seen[part.tiles.symbols[d]] = true;
    }
  }
  void check_slots() const {
    const StoredTiles& tiles = part.tiles;
    const std::uint64_t used = part.patterns.size();
    const std::uint64_t unused = unused_slots(used);
    const std::uint64_t count = (used + unused) / tile_patterns;
    m_checks->count(m_prefix + "offsets", tiles.offsets, count + 1);
    m_checks->count(m_prefix + "lengths", tiles.lengths, count * tile_patterns);
    m_checks->count(m_prefix + "slots", tiles.indices, count * tile_patterns);
    m_checks->all<std::uint32_t>(m_prefix + "slots", tiles.indices.size(),
                                 "not a pattern of the segment, or its length differs",
                                 [&](std::size_t slot) {
                                   const std::uint32_t index = tiles.indices[slot];
                                   const std::uint32_t length = tiles.lengths[slot];
                                   if (slot < unused) return index == no_pattern && length == 0;
                                   return index < used && is_length(part.patterns[index], length) &&
                                          (slot == 0 || length >= tiles.lengths[slot - 1]);
                                 });
    std::vector<bool> seen(used, false);
    for (std::size_t slot = unused; slot < unused + used; ++slot) {
      if (seen[tiles.indices[slot]])
        m_checks->refuse<std::uint32_t>(m_prefix + "slots", slot, "a pattern occurs twice");
      seen[tiles.indices[slot]] = true;
    }
    // The height of a tile is the length of its last pattern, which is its longest.
    m_checks->all<std::uint64_t>(m_prefix + "offsets", tiles.offsets.size(),
                                 "is not the start of a tile", [&](std::size_t tile) {
                                   if (tile == 0) return tiles.offsets[0] == 0;
                                   const std::size_t last = tile * tile_patterns - 1;
                                   return tiles.offsets[tile] - tiles.offsets[tile - 1] ==
                                          std::uint64_t{tiles.lengths[last]} * tile_patterns;
                                 });
  }
  /// For a forgotten pattern, the length in the tiles may differ from that in the catalogue.
  bool is_length(std::uint64_t index, std::uint32_t length) const {
    return m_catalogue->is_live(index) ? m_catalogue->length(index) == length
                                       : length <= pattern_length_max;
  }
  template <class SymbolType>
  std::span<const SymbolType> read_symbols(std::uint32_t dense) const {
    const std::string name = m_prefix + "symbols";
    const std::span<const SymbolType> symbols =
        m_checks->section<SymbolType>(name, part.tiles.offsets.back());
    m_checks->below(name, symbols, std::uint64_t{dense} + 1);
    return symbols;
  }

  const SectionChecks* m_checks;
  const PatternCatalogue* m_catalogue;
  std::string m_prefix;
};

void read_parts(const SectionChecks& checks, std::uint64_t vocabulary, StoredPatterns& stored) {
  const PatternCatalogue& catalogue = stored.catalogue;
  const auto end = checks.section<std::uint64_t>("tiles.end", 1);
  checks.below<std::uint64_t>("tiles.end", end, catalogue.size() + 1);
  stored.bulk_end = end[0];
  const std::vector<std::uint64_t> live = catalogue.live_in(0, stored.bulk_end);
  std::vector<bool> in_parts(live.size(), false);
  for (std::size_t k = 0; checks.has("tiles." + std::to_string(k) + ".patterns"); ++k) {
    PartReader reader(checks, catalogue, k, vocabulary);
    auto place = live.begin();  // both lists ascend
    for (std::size_t i = 0; i < reader.part.patterns.size(); ++i) {
      look_at(i);
      const std::uint64_t index = reader.part.patterns[i];
      place = std::find_if(place, live.end(), [&](std::uint64_t other) { return other >= index; });
      const bool is_live = place != live.end() && *place == index;
      const auto at = static_cast<std::size_t>(place - live.begin());
      if (index >= stored.bulk_end || (is_live && in_parts[at])) {
        checks.refuse<std::uint64_t>("tiles." + std::to_string(k) + ".patterns", i,
                                     "the pattern is in two segments, or beyond their end");
      }
      if (is_live) in_parts[at] = true;
    }
    reader.part.tiles.owner = stored.file;
    stored.parts.push_back(reader.part);
  }
  for (std::size_t i = 0; i < live.size(); ++i) {
    if (!in_parts[i])
      checks.refuse<std::uint64_t>("tiles.end", 0,
                                   "pattern " + std::to_string(live[i]) + " is in no segment");
  }
}

}  // namespace

StoredPatterns read_patterns(const FileSource& source, int threads) {
  StoredPatterns stored;
  stored.file = std::make_shared<const SectionFile>(source, patterns_kind, threads);
  const SectionFile& file = *stored.file;
  std::vector<SectionChecks> commits;
  for (std::size_t c = 0; c < file.commits(); ++c) commits.emplace_back(file, c, threads);
  stored.vocabulary = read_vocabulary(file, commits);
  const std::uint64_t vocabulary = vocabulary_at(commits, 0);
  stored.catalogue = read_catalogue(commits[0], vocabulary);
  read_parts(commits[0], vocabulary, stored);
  for (std::size_t c = 1; c < commits.size(); ++c)
    apply_commit(commits[c], vocabulary_at(commits, c), stored.catalogue);
  for (const StoredPart& part : stored.parts) {
    for (const std::uint64_t index : part.patterns) {
      if (!stored.catalogue.is_live(index)) stored.forgotten.push_back(index);
    }
  }
  std::sort(stored.forgotten.begin(), stored.forgotten.end());
  const auto repeated = std::unique(stored.forgotten.begin(), stored.forgotten.end());
  stored.forgotten.erase(repeated, stored.forgotten.end());
  return stored;
}

}  // namespace Kindred::Impl
