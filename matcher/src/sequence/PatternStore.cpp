// SPDX-License-Identifier: Apache-2.0
#include "PatternStore.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace Kindred::Impl {

namespace {

constexpr std::uint64_t length_limit = std::uint64_t{1} << 31U;

RaggedSpan<Symbol> checked(RaggedSpan<Symbol> patterns) {
  check_rows(patterns, "pattern");
  KINDRED_THROW_IF(
      patterns.rows() >= no_pattern - tile_patterns,
      std::to_string(patterns.rows()) + " patterns; fewer than 2^32 - 33 fit one matcher");
  for (std::size_t row = 0; row < patterns.rows(); ++row) {
    const auto pattern = patterns[row];
    const auto bad = std::find(pattern.begin(), pattern.end(), unknown_symbol);
    KINDRED_THROW_IF(bad != pattern.end(),
                     "pattern " + std::to_string(row) + ", symbol " +
                         std::to_string(bad - pattern.begin()) +
                         " is unknown_symbol; symbols of patterns must be below it");
  }
  return patterns;
}

/// Patterns by length, equal lengths in input order.
std::vector<std::uint32_t> by_length(RaggedSpan<Symbol> patterns) {
  std::vector<std::uint32_t> order(patterns.rows());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return patterns.length(a) < patterns.length(b);
  });
  return order;
}

std::uint32_t tile_count(std::size_t patterns) {
  return static_cast<std::uint32_t>((patterns + tile_patterns - 1) / tile_patterns);
}

/// Symbols of all tiles, padding included.
std::uint64_t tiled_symbols(RaggedSpan<Symbol> patterns, const std::vector<std::uint32_t>& order) {
  std::uint64_t symbols = 0;
  for (std::uint32_t t = 0; t < tile_count(order.size()); ++t) {
    const std::size_t last = std::min<std::size_t>(order.size(), (t + 1ULL) * tile_patterns) - 1;
    symbols += patterns.length(order[last]) * tile_patterns;
  }
  return symbols;
}

template <class SymbolType>
void fill(SymbolType* out, RaggedSpan<Symbol> patterns, const SymbolMap& map,
          const std::vector<std::uint32_t>& order, TileBuffers<HostSpace>& tiles) {
  std::uint64_t offset = 0;
  for (std::uint32_t t = 0; t < tiles.tiles; ++t) {
    const std::size_t first = std::size_t{t} * tile_patterns;
    const std::size_t last = std::min<std::size_t>(order.size(), first + tile_patterns) - 1;
    const std::size_t rows = patterns.length(order[last]);
    tiles.offsets.data()[t] = offset;
    std::fill_n(out + offset, rows * tile_patterns, static_cast<SymbolType>(tiles.vocabulary));
    for (std::size_t lane = 0; lane < tile_patterns; ++lane) {
      const std::size_t slot = first + lane;
      const bool used = slot < order.size();
      tiles.indices.data()[slot] = used ? order[slot] : no_pattern;
      tiles.lengths.data()[slot] =
          used ? static_cast<std::uint32_t>(patterns.length(order[slot])) : 0;
      if (!used) continue;
      SymbolType* column = out + offset + lane;
      for (const Symbol symbol : patterns[order[slot]]) {
        *column = static_cast<SymbolType>(map[symbol]);
        column += tile_patterns;
      }
    }
    offset += rows * tile_patterns;
  }
  tiles.offsets.data()[tiles.tiles] = offset;
}

}  // namespace

void check_rows(RaggedSpan<Symbol> rows, const char* what) {
  for (std::size_t row = 0; row <= rows.rows() && !rows.offsets.empty(); ++row) {
    const std::uint64_t begin = row == 0 ? 0 : rows.offsets[row - 1];
    const std::uint64_t end = rows.offsets[row];
    KINDRED_THROW_IF((row == 0 && end != 0) || end < begin || end > rows.values.size(),
                     std::string(what) + " offset " + std::to_string(row) + " is " +
                         std::to_string(end) + "; offsets start at 0, never fall and end within " +
                         std::to_string(rows.values.size()) + " symbols");
    KINDRED_THROW_IF(end - begin >= length_limit,
                     std::string(what) + " " + std::to_string(row - 1) + " has " +
                         std::to_string(end - begin) + " symbols; the limit is 2^31 - 1");
  }
}

PatternStore::PatternStore(Context& context, RaggedSpan<Symbol> given)
    : PatternStore(context, checked(given), by_length(given)) {}

PatternStore::PatternStore(Context& context, RaggedSpan<Symbol> patterns,
                           const std::vector<std::uint32_t>& order)
    : symbols(patterns.rows() == 0 ? std::span<const Symbol>()
                                   : patterns.values.first(patterns.offsets.back())),
      slot_of(order.size()),
      tiles(context.memory(Space::serial), tiled_symbols(patterns, order), tile_count(order.size()),
            symbols.size()) {
  for (std::uint32_t slot = 0; slot < order.size(); ++slot) {
    slot_of[order[slot]] = slot;
    symbol_count += patterns.length(order[slot]);
  }
  if (!order.empty()) longest = static_cast<std::uint32_t>(patterns.length(order.back()));
  if (TileBuffers<HostSpace>::is_narrow(tiles.vocabulary)) {
    fill(tiles.narrow.data(), patterns, symbols, order, tiles);
  } else {
    fill(tiles.wide.data(), patterns, symbols, order, tiles);
  }
}

std::vector<Symbol> PatternStore::pattern(std::uint32_t slot) const {
  std::vector<Symbol> found(tiles.lengths.data()[slot]);
  std::uint64_t at = tiles.offsets.data()[slot / tile_patterns] + slot % tile_patterns;
  for (Symbol& symbol : found) {
    symbol = tiles.narrow.size() > 0 ? tiles.narrow.data()[at] : tiles.wide.data()[at];
    at += tile_patterns;
  }
  return found;
}

}  // namespace Kindred::Impl
