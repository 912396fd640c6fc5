// SPDX-License-Identifier: Apache-2.0
#include "StoredPatterns.hpp"

#include "storage/SectionChecks.hpp"
#include "symbols/StoredVocabulary.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Ragged.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

namespace Kindred::Impl {

namespace {

constexpr std::uint64_t length_limit = std::uint64_t{1} << 31U;
constexpr std::uint64_t frequency_limit = std::uint64_t{1} << 63U;

/// The rows of a commit: the columns that occur in every commit.
struct Rows {
  explicit Rows(const SectionChecks& checks)
      : symbol_ends(checks.section<std::uint64_t>("pattern.ends")),
        borders(checks.section<std::uint32_t>("event.ends")),
        border_ends(checks.section<std::uint64_t>("pattern.events")),
        name_text(checks.section<std::uint8_t>("name.text")),
        name_ends(checks.section<std::uint64_t>("name.ends")),
        frequency(checks.section<std::uint64_t>("frequency")) {
    if (checks.has("pattern.index")) indices = checks.section<std::uint64_t>("pattern.index");
  }

  std::uint64_t size() const noexcept { return symbol_ends.size(); }
  /// Index of a row. \param first the next index before the commit
  std::uint64_t index(std::uint64_t row, std::uint64_t first) const noexcept {
    return indices.empty() ? first + row : indices[row];
  }
  /// The next index after the commit.
  std::uint64_t end(std::uint64_t first) const noexcept { return index(size(), first); }

  void check(const SectionChecks& checks, std::uint64_t symbols, std::uint64_t first) const {
    if (checks.has("pattern.index")) {
      checks.count<std::uint64_t>("pattern.index", indices, size() + 1);
      checks.below<std::uint64_t>("pattern.index", indices, HashTable::index_max);
      checks.all<std::uint64_t>(
          "pattern.index", indices.size(), "indices do not ascend from those of earlier commits",
          [&](std::size_t i) { return indices[i] >= (i == 0 ? first : indices[i - 1] + 1); });
    }
    checks.count<std::uint64_t>("pattern.events", border_ends, size());
    checks.count<std::uint64_t>("name.ends", name_ends, size());
    checks.count<std::uint64_t>("frequency", frequency, size());
    checks.ends("pattern.ends", symbol_ends, symbols, length_limit);
    checks.ends("pattern.events", border_ends, borders.size());
    checks.all<std::uint64_t>("pattern.events", size(), "the events do not partition the symbols",
                              [&](std::size_t i) { return events_fit(i); });
    checks.all<std::uint64_t>("name.ends", size(), "ends decrease, or an unnamed pattern has text",
                              [&](std::size_t i) {
                                const std::uint64_t begin = i == 0 ? 0 : name_ends[i - 1] >> 1U;
                                const std::uint64_t end = name_ends[i] >> 1U;
                                return end >= begin && ((name_ends[i] & 1U) != 0 || end == begin);
                              });
    const std::uint64_t last = name_ends.empty() ? 0 : name_ends.back() >> 1U;
    if (last != name_text.size())
      checks.refuse<std::uint64_t>("name.ends", 0, "the last end is not the length of the text");
    checks.below<std::uint64_t>("frequency", frequency, frequency_limit);
  }

  RaggedSpan<Symbol> events(std::uint64_t row, std::span<const Symbol> symbols,
                            std::vector<std::uint64_t>& offsets) const {
    offsets.assign(1, 0);
    const std::uint64_t first = row == 0 ? 0 : border_ends[row - 1];
    offsets.insert(offsets.end(), borders.begin() + static_cast<std::ptrdiff_t>(first),
                   borders.begin() + static_cast<std::ptrdiff_t>(border_ends[row]));
    const std::uint64_t begin = row == 0 ? 0 : symbol_ends[row - 1];
    return {offsets, symbols.subspan(begin, symbol_ends[row] - begin)};
  }
  std::optional<std::string_view> name(std::uint64_t row) const {
    if ((name_ends[row] & 1U) == 0) return {};
    const std::uint64_t begin = row == 0 ? 0 : name_ends[row - 1] >> 1U;
    return std::string_view(reinterpret_cast<const char*>(name_text.data()) + begin,
                            (name_ends[row] >> 1U) - begin);
  }

  std::span<std::uint64_t> symbol_ends;
  std::span<std::uint32_t> borders;
  std::span<std::uint64_t> border_ends;
  std::span<std::uint8_t> name_text;
  std::span<std::uint64_t> name_ends;
  std::span<std::uint64_t> frequency;
  std::span<std::uint64_t> indices;  ///< of the rows, then the next index; empty if none is missing

 private:
  /// The ends of the events increase strictly from above 0 to the length: no event is empty.
  bool events_fit(std::size_t i) const {
    const std::uint64_t length = symbol_ends[i] - (i == 0 ? 0 : symbol_ends[i - 1]);
    std::uint64_t before = 0;
    for (std::uint64_t b = i == 0 ? 0 : border_ends[i - 1]; b < border_ends[i]; ++b) {
      if (borders[b] <= before) return false;
      before = borders[b];
    }
    return before == length;
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
  const Rows rows(checks);
  PatternColumns& show = columns.rows;
  if (checks.has("pattern.symbols.u16")) {
    const auto narrow = checks.section<std::uint16_t>("pattern.symbols.u16");
    checks.below<std::uint16_t>("pattern.symbols.u16", narrow, vocabulary);
    show.narrow = narrow;
  } else {
    const auto wide = checks.section<Symbol>("pattern.symbols.u32");
    checks.below<Symbol>("pattern.symbols.u32", wide,
                         std::min<std::uint64_t>(vocabulary, unknown_symbol));
    show.wide = wide;
  }
  rows.check(checks, show.narrow.size() + show.wide.size(), 0);
  show.symbol_ends = rows.symbol_ends;
  show.borders = rows.borders;
  show.border_ends = rows.border_ends;
  show.name_text = {reinterpret_cast<char*>(rows.name_text.data()), rows.name_text.size()};
  show.name_ends = rows.name_ends;
  show.frequency = rows.frequency;
  columns.size = rows.end(0);
  if (!rows.indices.empty()) columns.indices = rows.indices.first(rows.size());
  columns.name_slots = checks.section<std::uint64_t>("by_name.slots");
  columns.name_slot_ends = checks.section<std::uint64_t>("by_name.ends");
  columns.event_slots = checks.section<std::uint64_t>("by_events.slots");
  columns.event_slot_ends = checks.section<std::uint64_t>("by_events.ends");
  check_table(checks, "by_name.ends", columns.name_slots, columns.name_slot_ends);
  check_table(checks, "by_events.ends", columns.event_slots, columns.event_slot_ends);
  const auto patterns_with = checks.section<std::uint64_t>("symbol.patterns");
  checks.count<std::uint64_t>("symbol.patterns", patterns_with, vocabulary);
  columns.patterns_with = patterns_with;
  const auto symbol_frequency = checks.section<std::uint64_t>("symbol.frequency");
  checks.count<std::uint64_t>("symbol.frequency", symbol_frequency, vocabulary);
  columns.symbol_frequency = symbol_frequency;
  return PatternCatalogue(columns);
}

/// Applies a later commit.
void apply_commit(const SectionChecks& checks, std::uint64_t vocabulary,
                  PatternCatalogue& catalogue) {
  const Rows rows(checks);
  const auto symbols = checks.section<Symbol>("pattern.symbols.u32");
  checks.below<Symbol>("pattern.symbols.u32", symbols,
                       std::min<std::uint64_t>(vocabulary, unknown_symbol));
  const std::uint64_t first = catalogue.size();
  rows.check(checks, symbols.size(), first);
  const auto changed = checks.section<std::uint64_t>("change.patterns");
  const auto frequency = checks.section<std::uint64_t>("change.frequency");
  checks.count<std::uint64_t>("change.frequency", frequency, changed.size());
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
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t row = 0; row < rows.size(); ++row) {
    const RaggedSpan<Symbol> events = rows.events(row, symbols, offsets);
    const auto name = rows.name(row);
    if (catalogue.find(events) || (name && catalogue.find(*name)))
      checks.refuse<std::uint64_t>("pattern.ends", row, "the pattern or its name occurs twice");
    catalogue.skip_to(rows.index(row, first));
    const std::uint64_t index =
        catalogue.add(events, name, std::max<std::uint64_t>(rows.frequency[row], 1));
    if (rows.frequency[row] == 0) {
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
                                       : length < length_limit;
  }
  template <class SymbolType>
  std::span<const SymbolType> read_symbols(std::uint32_t dense) const {
    const std::string name = m_prefix + "symbols";
    const std::span<const SymbolType> symbols = m_checks->section<SymbolType>(name);
    m_checks->count(name, symbols, part.tiles.offsets.back());
    m_checks->below(name, symbols, std::uint64_t{dense} + 1);
    return symbols;
  }

  const SectionChecks* m_checks;
  const PatternCatalogue* m_catalogue;
  std::string m_prefix;
};

void read_parts(const SectionChecks& checks, std::uint64_t vocabulary, StoredPatterns& stored) {
  const PatternCatalogue& catalogue = stored.catalogue;
  const auto end = checks.section<std::uint64_t>("tiles.end");
  checks.count<std::uint64_t>("tiles.end", end, 1);
  checks.below<std::uint64_t>("tiles.end", end, catalogue.size() + 1);
  stored.bulk_end = end[0];
  const std::vector<std::uint64_t> live = catalogue.live_in(0, stored.bulk_end);
  std::vector<bool> in_parts(live.size(), false);
  for (std::size_t k = 0; checks.has("tiles." + std::to_string(k) + ".patterns"); ++k) {
    PartReader reader(checks, catalogue, k, vocabulary);
    auto place = live.begin();  // both lists ascend
    for (std::size_t i = 0; i < reader.part.patterns.size(); ++i) {
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

StoredPatterns read_patterns(const std::string& path, int threads) {
  return read_patterns(std::make_shared<const SectionFile>(path, patterns_kind, threads), threads);
}

StoredPatterns read_patterns(std::shared_ptr<const SectionFile> mapped, int threads) {
  StoredPatterns stored;
  stored.file = std::move(mapped);
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
