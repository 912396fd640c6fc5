// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a store of patterns: rejected, or read and used within their bounds.
#include "StoredTarget.hpp"
#include "patterns/StoredPatterns.hpp"

namespace Kindred::Testing {

std::vector<std::string> good_files() { return stored_files({"patterns.knd"}); }

/// Reads and changes everything that is possible.
void use(const std::string& path) {
  Impl::StoredPatterns stored = Impl::read_patterns(path, 1);
  Impl::PatternCatalogue& catalogue = stored.catalogue;
  for (const std::uint64_t index : catalogue.live_in(0, catalogue.size())) {
    const Impl::PatternRow pattern = catalogue.row(index);
    const Ragged<Symbol> events = pattern.events();
    const std::vector<std::uint32_t> words = Impl::key_words(events);
    for (const Symbol symbol : events.values) stored.vocabulary.text(symbol);
    catalogue.find({words, events.rows()});
    if (const auto name = pattern.name()) catalogue.find(*name);
  }
  Ragged<Symbol> rows;
  for (int event = 0; event < 3; ++event) rows.push_row(std::vector<Symbol>{0});
  const std::uint64_t index =
      catalogue.add({Impl::key_words(rows), rows.rows()}, "a new pattern", 1);
  catalogue.prepare_to_forget(index);
  catalogue.forget(index);
  for (const Impl::StoredPart& part : stored.parts) {
    std::uint64_t sum = 0;
    for (const std::uint8_t symbol : part.tiles.octets)
      sum += part.tiles.symbols.size() + 1 - symbol;
    if (sum > part.tiles.octets.size() * 256) __builtin_trap();
  }
}

}  // namespace Kindred::Testing
