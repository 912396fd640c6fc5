// SPDX-License-Identifier: Apache-2.0
#include "PatternWriter.hpp"

#include "SectionWriter.hpp"
#include "VocabularyFile.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace Kindred::Impl {

namespace {

/// Rows that are read under one lock.
constexpr std::uint64_t run_rows = 4096;

/// \brief A section with what `append(catalogue, row, out)` makes of every row.
template <class T, class Append>
void write_column(SectionWriter& writer, const char* name, const PatternCut& cut,
                  const CatalogueReader& reader, const Append& append) {
  writer.begin<T>(name);
  std::vector<T> out;
  for (std::uint64_t begin = cut.begin; begin < cut.end; begin += run_rows) {
    reader([&](const PatternCatalogue& catalogue) {
      for (std::uint64_t row = begin; row < std::min(cut.end, begin + run_rows); ++row)
        append(catalogue, row, out);
    });
    writer.put<T>(std::span<const T>(out));
    out.clear();
  }
}

void write_rows(SectionWriter& writer, const PatternCut& cut, bool narrow,
                const CatalogueReader& reader) {
  std::vector<Symbol> symbols;
  if (narrow) {
    write_column<std::uint16_t>(
        writer, "pattern.symbols.u16", cut, reader,
        [&](const PatternCatalogue& catalogue, std::uint64_t row, std::vector<std::uint16_t>& out) {
          symbols.clear();
          catalogue.append_symbols(row, symbols);
          for (const Symbol symbol : symbols) out.push_back(static_cast<std::uint16_t>(symbol));
        });
  } else {
    write_column<Symbol>(writer, "pattern.symbols.u32", cut, reader,
                         [](const PatternCatalogue& catalogue, std::uint64_t row,
                            std::vector<Symbol>& out) { catalogue.append_symbols(row, out); });
  }
  // Ends count from the first row of the commit.
  std::uint64_t end = 0;
  write_column<std::uint64_t>(
      writer, "pattern.ends", cut, reader,
      [&](const PatternCatalogue& catalogue, std::uint64_t row, std::vector<std::uint64_t>& out) {
        out.push_back(end += catalogue.length(row));
      });
  write_column<std::uint32_t>(
      writer, "event.ends", cut, reader,
      [](const PatternCatalogue& catalogue, std::uint64_t row, std::vector<std::uint32_t>& out) {
        const auto& ends = catalogue.border_ends();
        for (std::uint64_t b = row == 0 ? 0 : ends[row - 1]; b < ends[row]; ++b)
          out.push_back(catalogue.borders()[b]);
      });
  end = 0;
  write_column<std::uint64_t>(
      writer, "pattern.events", cut, reader,
      [&](const PatternCatalogue& catalogue, std::uint64_t row, std::vector<std::uint64_t>& out) {
        const auto& ends = catalogue.border_ends();
        out.push_back(end += ends[row] - (row == 0 ? 0 : ends[row - 1]));
      });
  write_column<std::uint8_t>(
      writer, "name.text", cut, reader,
      [](const PatternCatalogue& catalogue, std::uint64_t row, std::vector<std::uint8_t>& out) {
        const auto name = catalogue.name(row);
        if (name) out.insert(out.end(), name->begin(), name->end());
      });
  end = 0;
  write_column<std::uint64_t>(
      writer, "name.ends", cut, reader,
      [&](const PatternCatalogue& catalogue, std::uint64_t row, std::vector<std::uint64_t>& out) {
        const auto name = catalogue.name(row);
        end += name ? name->size() : 0;
        out.push_back(end << 1U | (name ? 1U : 0U));
      });
  writer.write<std::uint64_t>("frequency", cut.frequency);
}

void write_table(SectionWriter& writer, const std::string& name, std::uint64_t rows,
                 const IndexTable& (PatternCatalogue::*table)() const,
                 const CatalogueReader& reader) {
  std::vector<std::uint64_t> ends;
  writer.begin<std::uint64_t>(name + ".slots");
  for (std::size_t p = 0; p < IndexTable::part_count; ++p) {
    std::vector<std::uint64_t> slots;
    reader([&](const PatternCatalogue& catalogue) { slots = (catalogue.*table)().part(p, rows); });
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

WrittenPatterns write_patterns(const std::string& path, const PatternCut& cut,
                               const Vocabulary& vocabulary, const CatalogueReader& reader) {
  SectionWriter writer(path, patterns_kind);
  WrittenPatterns written;
  written.symbols = write_vocabulary(writer, vocabulary, 0);
  // Symbols that came after the cut are in none of its patterns.
  for (const auto& [name, counts] : {std::pair{"symbol.patterns", &cut.patterns_with},
                                     std::pair{"symbol.frequency", &cut.symbol_frequency}}) {
    const std::vector<std::uint64_t> none(written.symbols - counts->size(), 0);
    writer.begin<std::uint64_t>(name);
    writer.put<std::uint64_t>(std::span(*counts));
    writer.put<std::uint64_t>(std::span(none));
  }
  write_rows(writer, cut, written.symbols <= std::uint64_t{1} << 16U, reader);
  write_table(writer, "by_name", cut.end, &PatternCatalogue::name_table, reader);
  write_table(writer, "by_events", cut.end, &PatternCatalogue::event_table, reader);
  writer.write<std::uint64_t>("tiles.end", std::span(&cut.bulk_end, 1));
  for (std::size_t k = 0; k < cut.parts.size(); ++k)
    write_part(writer, "tiles." + std::to_string(k) + ".", cut.parts[k]);
  written.revision = writer.commit();
  return written;
}

WrittenPatterns append_patterns(const std::string& path, const FileRevision& expected,
                                const PatternCut& cut, const Vocabulary& vocabulary,
                                const CatalogueReader& reader) {
  SectionWriter writer(path, patterns_kind, expected);
  WrittenPatterns written;
  written.symbols = write_vocabulary(writer, vocabulary, cut.symbols);
  writer.write<std::uint64_t>("change.patterns", cut.changed);
  writer.write<std::uint64_t>("change.frequency", cut.changed_frequency);
  write_rows(writer, cut, false, reader);
  written.revision = writer.commit();
  return written;
}

}  // namespace Kindred::Impl
