// SPDX-License-Identifier: Apache-2.0
#include "PatternWriter.hpp"

#include "symbols/StoredVocabulary.hpp"

#include <algorithm>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <utility>

namespace Kindred::Impl {

namespace {

/// Number of rows that are read under one lock.
constexpr std::uint64_t run_rows = 4096;

/// \brief Writes a section that consists of what `append(block, row, out)` appends for every row.
template <class T, class Append>
void write_column(SectionWriter& writer, const char* name, const CatalogueCut& rows,
                  SharedMutex& mutex, const Append& append) {
  writer.begin<T>(name);
  std::vector<T> out;
  for (std::size_t begin = 0; begin < rows.indices.size(); begin += run_rows) {
    {
      const std::shared_lock lock(mutex);
      for (std::size_t i = begin; i < std::min(rows.indices.size(), begin + run_rows); ++i) {
        const auto [block, row] = rows.place(i);
        append(*block, row, out);
      }
    }
    writer.put<T>(std::span<const T>(out));
    out.clear();
  }
}

/// If indices are missing, writes the indices of the rows and then the next index.
void write_indices(SectionWriter& writer, const CatalogueCut& rows) {
  if (rows.indices.size() == rows.end - rows.begin) return;
  writer.require_format(section_format_gaps);
  writer.begin<std::uint64_t>("pattern.index");
  writer.put<std::uint64_t>(std::span(rows.indices));
  writer.put<std::uint64_t>(std::span(&rows.end, 1));
}

void write_rows(SectionWriter& writer, const CatalogueCut& rows, bool narrow, SharedMutex& mutex) {
  write_indices(writer, rows);
  const auto column = [&](auto type, const char* name, const auto& append) {
    write_column<decltype(type)>(writer, name, rows, mutex, append);
  };
  if (narrow) {
    column(std::uint16_t{}, "pattern.symbols.u16", [](const auto& block, auto row, auto& out) {
      block.for_each_symbol(row, [&](Symbol s) { out.push_back(static_cast<std::uint16_t>(s)); });
    });
  } else {
    column(Symbol{}, "pattern.symbols.u32",
           [](const auto& block, auto row, auto& out) { block.append_symbols(row, out); });
  }
  // Ends are relative to the first row of the commit.
  std::uint64_t end = 0;
  column(std::uint64_t{}, "pattern.ends",
         [&](const auto& block, auto row, auto& out) { out.push_back(end += block.length(row)); });
  column(std::uint32_t{}, "event.ends", [](const auto& block, auto row, auto& out) {
    const auto borders = block.borders(row);
    out.insert(out.end(), borders.begin(), borders.end());
  });
  end = 0;
  column(std::uint64_t{}, "pattern.events", [&](const auto& block, auto row, auto& out) {
    out.push_back(end += block.borders(row).size());
  });
  column(std::uint8_t{}, "name.text", [](const auto& block, auto row, auto& out) {
    const std::string_view name = block.name(row).value_or("");
    out.insert(out.end(), name.begin(), name.end());
  });
  end = 0;
  column(std::uint64_t{}, "name.ends", [&](const auto& block, auto row, auto& out) {
    const auto name = block.name(row);
    end += name ? name->size() : 0;
    out.push_back(end << 1U | (name ? 1U : 0U));
  });
  writer.write<std::uint64_t>("frequency", rows.frequency);
}

void write_table(SectionWriter& writer, const std::string& name, const HashTable& table) {
  std::vector<std::uint64_t> ends;
  writer.begin<std::uint64_t>(name + ".slots");
  for (std::size_t p = 0; p < HashTable::part_count; ++p) {
    const std::span<const std::uint64_t> slots = table.part(p);
    writer.put<std::uint64_t>(slots);
    ends.push_back((ends.empty() ? 0 : ends.back()) + slots.size());
  }
  writer.write<std::uint64_t>(name + ".ends", ends);
}

void write_part(SectionWriter& writer, const std::string& prefix, const StoredPart& part) {
  const StoredTiles& tiles = part.tiles;
  switch (tile_symbol_bytes(static_cast<std::uint32_t>(tiles.symbols.size()))) {
    case 1:
      writer.write<std::uint8_t>(prefix + "symbols", tiles.octets);
      break;
    case 2:
      writer.write<std::uint16_t>(prefix + "symbols", tiles.narrow);
      break;
    default:
      writer.write<std::uint32_t>(prefix + "symbols", tiles.wide);
  }
  writer.write<std::uint64_t>(prefix + "offsets", tiles.offsets);
  writer.write<std::uint32_t>(prefix + "lengths", tiles.lengths);
  writer.write<std::uint32_t>(prefix + "slots", tiles.indices);
  writer.write<Symbol>(prefix + "dense", tiles.symbols);
  writer.write<std::uint64_t>(prefix + "patterns", part.patterns);
}

}  // namespace

WrittenPatterns write_patterns(SectionWriter& writer, const PatternCut& cut,
                               const Vocabulary& vocabulary, SharedMutex& mutex) {
  WrittenPatterns written;
  written.symbols = write_vocabulary(writer, vocabulary, 0);
  // Symbols added after the snapshot are in none of its patterns.
  for (const auto& [name, counts] : {std::pair{"symbol.patterns", &cut.patterns_with},
                                     std::pair{"symbol.frequency", &cut.symbol_frequency}}) {
    const std::vector<std::uint64_t> none(written.symbols - counts->size(), 0);
    writer.begin<std::uint64_t>(name);
    writer.put<std::uint64_t>(std::span(*counts));
    writer.put<std::uint64_t>(std::span(none));
  }
  write_rows(writer, cut.rows, written.symbols <= std::uint64_t{1} << 16U, mutex);
  write_table(writer, "by_name", cut.by_name);
  write_table(writer, "by_events", cut.by_events);
  writer.write<std::uint64_t>("tiles.end", std::span(&cut.bulk_end, 1));
  for (std::size_t k = 0; k < cut.parts.size(); ++k)
    write_part(writer, "tiles." + std::to_string(k) + ".", cut.parts[k]);
  written.revision = writer.commit();
  return written;
}

WrittenPatterns append_patterns(const std::string& path, const FileRevision& expected,
                                const PatternCut& cut, const Vocabulary& vocabulary,
                                SharedMutex& mutex) {
  SectionWriter writer(path, patterns_kind, expected);
  WrittenPatterns written;
  written.symbols = write_vocabulary(writer, vocabulary, cut.symbols);
  if (cut.has_lower) writer.require_format(section_format_lower);
  writer.write<std::uint64_t>("change.patterns", cut.changed);
  writer.write<std::uint64_t>("change.frequency", cut.changed_frequency);
  write_rows(writer, cut.rows, false, mutex);
  written.revision = writer.commit();
  return written;
}

}  // namespace Kindred::Impl
