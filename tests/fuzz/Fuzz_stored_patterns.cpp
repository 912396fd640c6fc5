// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a store of patterns: rejected, or read and used within their bounds.
#include "StoredTarget.hpp"
#include "patterns/PatternWriter.hpp"
#include "patterns/StoredPatterns.hpp"
#include "storage/SectionWriter.hpp"

#include <iterator>

using namespace Kindred;
using namespace Kindred::Impl;

namespace {

std::uint64_t add(PatternCatalogue& catalogue, const std::vector<std::vector<Symbol>>& events,
                  std::optional<std::string_view> name, std::uint64_t frequency) {
  Ragged<Symbol> rows;
  for (const auto& event : events) rows.push_row(event);
  return catalogue.add({key_words(rows), rows.rows()}, name, frequency);
}

/// Saves a valid file: three patterns in tiles, one outside of tiles, one appended.
void save_patterns(const std::string& path) {
  Vocabulary vocabulary;
  for (const char* text : {"a", "b", "c"}) vocabulary.add(text);
  PatternCatalogue catalogue;
  add(catalogue, {{0, 1}, {2}}, "first", 1);
  add(catalogue, {{1}}, {}, 3);
  add(catalogue, {{0}, {0}}, "second", 1);
  add(catalogue, {{2}}, {}, 1);
  SharedMutex mutex;

  PatternCut cut;
  cut.rows = catalogue.cut(0);
  cut.by_name = catalogue.name_table();
  cut.by_events = catalogue.event_table();
  cut.patterns_with = {2, 2, 2};
  cut.symbol_frequency = {3, 4, 2};
  std::vector<std::uint8_t> tile(32 * 3, 3);
  const std::uint8_t columns[3][3] = {{1, 3, 3}, {0, 0, 3}, {0, 1, 2}};  // by length
  for (std::size_t lane = 0; lane < 3; ++lane) {
    for (std::size_t row = 0; row < 3; ++row) tile[32 * row + 29 + lane] = columns[lane][row];
  }
  const std::vector<std::uint64_t> offsets{0, tile.size()};
  std::vector<std::uint32_t> lengths(32, 0);
  std::vector<std::uint32_t> slots(32, no_pattern);
  std::copy_n(std::begin({1U, 2U, 3U}), 3, lengths.begin() + 29);
  std::copy_n(std::begin({1U, 2U, 0U}), 3, slots.begin() + 29);
  const std::vector<Symbol> dense{0, 1, 2};
  const std::vector<std::uint64_t> patterns{0, 1, 2};
  cut.parts.push_back({{tile, {}, {}, offsets, lengths, slots, dense, {}}, patterns});
  cut.bulk_end = 3;
  const WrittenPatterns written = [&] {
    SectionWriter writer(path, patterns_kind);
    return write_patterns(writer, cut, vocabulary, mutex);
  }();

  vocabulary.add("d");
  add(catalogue, {{3, 0}}, "third", 2);
  PatternCut more;
  more.rows = catalogue.cut(4);
  more.symbols = written.symbols;
  more.changed = {1, 2};
  more.changed_frequency = {0, 5};
  append_patterns(path, written.revision, more, vocabulary, mutex);
}

/// Reads and changes everything that is possible.
void use_all(StoredPatterns& stored) {
  PatternCatalogue& catalogue = stored.catalogue;
  for (const std::uint64_t index : catalogue.live_in(0, catalogue.size())) {
    const PatternRow pattern = catalogue.row(index);
    const Ragged<Symbol> events = pattern.events();
    const std::vector<std::uint32_t> words = key_words(events);
    for (const Symbol symbol : events.values) stored.vocabulary.text(symbol);
    catalogue.find({words, events.rows()});
    if (const auto name = pattern.name()) catalogue.find(*name);
  }
  const std::uint64_t index = add(catalogue, {{0}, {0}, {0}}, "new", 1);
  catalogue.prepare_to_forget(index);
  catalogue.forget(index);
  for (const StoredPart& part : stored.parts) {
    std::uint64_t sum = 0;
    for (const std::uint8_t symbol : part.tiles.octets)
      sum += part.tiles.symbols.size() + 1 - symbol;
    if (sum > part.tiles.octets.size() * 256) __builtin_trap();
  }
}

}  // namespace

namespace Kindred::Testing {

const std::vector<std::string>& good_files() {
  static const std::vector<std::string> files{file_of(save_patterns)};
  return files;
}

bool is_good(const std::string& path, std::size_t) {
  const StoredPatterns stored = read_patterns(path, 1);
  return stored.catalogue.live() == 4 && stored.forgotten.size() == 1;
}

void use(const std::string& path) {
  StoredPatterns stored = read_patterns(path, 1);
  use_all(stored);
}

}  // namespace Kindred::Testing
