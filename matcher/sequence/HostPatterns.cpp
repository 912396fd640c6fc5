// SPDX-License-Identifier: Apache-2.0
#include "HostPatterns.hpp"

#include "kit/Hash.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/CheckOffsets.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <utility>

namespace Kindred::Impl {

namespace {

constexpr std::uint64_t length_limit = std::uint64_t{1} << 31U;

/// Returns the largest symbol. \throws InvalidArgument for an `unknown_symbol`
Symbol checked_largest(const Context& context, RaggedSpan<Symbol> patterns,
                       std::span<const Symbol> symbols) {
  constexpr double symbol_nanoseconds = 0.5;
  std::atomic<Symbol> largest{0};
  host_workers(context, Space::openmp)
      .for_each_range(symbols.size(), symbol_nanoseconds, [&](std::size_t begin, std::size_t end) {
        Symbol here = 0;
        for (std::size_t i = begin; i < end; ++i) here = std::max(here, symbols[i]);
        for (Symbol known = largest; known < here && !largest.compare_exchange_weak(known, here);) {
        }
      });
  const Symbol found = largest;
  if (found != unknown_symbol) return found;
  for (std::size_t row = 0; row < patterns.rows(); ++row) {
    const auto pattern = patterns[row];
    const auto bad = std::find(pattern.begin(), pattern.end(), unknown_symbol);
    KINDRED_THROW_IF(bad != pattern.end(),
                     "pattern " + std::to_string(row) + ", symbol " +
                         std::to_string(bad - pattern.begin()) +
                         " is unknown_symbol; symbols of patterns must be below it");
  }
  return found;
}

/// The patterns sorted by length; patterns of equal length stay in input order.
std::vector<std::uint32_t> by_length(RaggedSpan<Symbol> patterns) {
  std::vector<std::uint32_t> order(patterns.rows());
  std::uint64_t longest = 0;
  for (std::size_t row = 0; row < order.size(); ++row) {
    longest = std::max<std::uint64_t>(longest, patterns.length(row));
  }
  if (longest > (1U << 16U) + 4 * order.size()) {
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return patterns.length(a) < patterns.length(b);
    });
    return order;
  }
  std::vector<std::uint32_t> next(longest + 2, 0);  // per length: position of its next pattern
  for (std::size_t row = 0; row < order.size(); ++row) ++next[patterns.length(row) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::uint32_t row = 0; row < order.size(); ++row) order[next[patterns.length(row)]++] = row;
  return order;
}

std::uint32_t tile_count(std::size_t patterns) {
  return static_cast<std::uint32_t>(quotient_up(patterns, tile_patterns));
}

/// The begin of every tile, including padding, and the end of the last one.
std::vector<std::uint64_t> tile_offsets(RaggedSpan<Symbol> patterns,
                                        const std::vector<std::uint32_t>& order) {
  std::vector<std::uint64_t> offsets{0};
  const std::uint32_t unused = unused_slots(order.size());
  for (std::uint32_t t = 0; t < tile_count(order.size()); ++t) {
    const std::size_t last = (t + 1ULL) * tile_patterns - unused - 1;
    offsets.push_back(offsets.back() + patterns.length(order[last]) * tile_patterns);
  }
  return offsets;
}

}  // namespace

/// Intermediate results that the constructors pass on.
struct HostPatterns::Plan {
  Plan(const Context& context, RaggedSpan<Symbol> given) : patterns(given) {
    check_rows(patterns, "pattern");
    KINDRED_THROW_IF(
        patterns.rows() >= no_pattern - tile_patterns,
        std::to_string(patterns.rows()) + " patterns; fewer than 2^32 - 33 fit one matcher");
    if (patterns.rows() > 0) symbols = patterns.values.first(patterns.offsets.back());
    largest = checked_largest(context, patterns, symbols);
    order = by_length(patterns);
    offsets = tile_offsets(patterns, order);
  }

  RaggedSpan<Symbol> patterns;
  std::span<const Symbol> symbols;
  Symbol largest = 0;
  std::vector<std::uint32_t> order;    ///< used slot → pattern
  std::vector<std::uint64_t> offsets;  ///< of tiles
};

void check_rows(RaggedSpan<Symbol> rows, const char* what) {
  check_offsets(rows, what, "symbols");
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    KINDRED_THROW_IF(rows.length(row) >= length_limit,
                     std::string(what) + " " + std::to_string(row) + " has " +
                         std::to_string(rows.length(row)) + " symbols; the limit is 2^31 - 1");
  }
}

HostPatterns::HostPatterns(Context& context, RaggedSpan<Symbol> patterns)
    : HostPatterns(context, Plan(context, patterns)) {}

HostPatterns::HostPatterns(Context& context, const Plan& plan)
    : symbols(context, plan.symbols, plan.largest),
      slot_of(plan.order.size()),
      tiles(context.memory(Space::serial), plan.offsets.back(), tile_count(plan.order.size()),
            symbols.size()),
      symbol_count(plan.symbols.size()) {
  if (!plan.order.empty()) {
    longest = static_cast<std::uint32_t>(plan.patterns.length(plan.order.back()));
  }
  std::copy(plan.offsets.begin(), plan.offsets.end(), tiles.offsets.data());
  with_symbol_type(tiles.view(), [&](auto symbol) {
    using symbol_type = decltype(symbol);
    symbol_type* out = tiles.symbols<symbol_type>();
    const double tile_nanoseconds = 2.0 * static_cast<double>(symbol_count) / tiles.tiles;
    host_workers(context, Space::openmp)
        .for_each_item(tiles.tiles, 1, tile_nanoseconds,
                       [&](std::size_t, std::size_t tile) { fill(plan, tile, out); });
  });
}

template <class SymbolType>
void HostPatterns::fill(const Plan& plan, std::uint64_t tile, SymbolType* out) {
  const std::uint64_t begin = plan.offsets[tile];
  const std::uint64_t unused = unused_slots(plan.order.size());
  std::fill(out + begin, out + plan.offsets[tile + 1], static_cast<SymbolType>(tiles.vocabulary));
  for (std::uint64_t lane = 0; lane < tile_patterns; ++lane) {
    const std::uint64_t slot = tile * tile_patterns + lane;
    const bool used = slot >= unused;
    const std::uint32_t index = used ? plan.order[slot - unused] : no_pattern;
    tiles.indices.data()[slot] = index;
    tiles.lengths.data()[slot] = used ? static_cast<std::uint32_t>(plan.patterns.length(index)) : 0;
    if (!used) continue;
    slot_of[index] = static_cast<std::uint32_t>(slot);
    std::uint64_t at = begin + lane;
    for (const Symbol symbol : plan.patterns[index]) {
      out[at] = static_cast<SymbolType>(symbols[symbol]);
      at += tile_patterns;
    }
  }
}

HostPatterns::HostPatterns(const StoredTiles& stored)
    : symbols(stored.symbols), tiles(stored), m_owner(stored.owner) {
  const auto used = std::find_if(stored.indices.begin(), stored.indices.end(),
                                 [](std::uint32_t index) { return index != no_pattern; });
  slot_of.resize(static_cast<std::size_t>(stored.indices.end() - used));
  for (auto slot = static_cast<std::uint32_t>(used - stored.indices.begin());
       slot < stored.indices.size(); ++slot) {
    slot_of[stored.indices[slot]] = slot;
    symbol_count += stored.lengths[slot];
  }
  if (!slot_of.empty()) longest = stored.lengths.back();
}

StoredTiles HostPatterns::stored(std::span<const Symbol> by_dense) const {
  const auto all = [](const auto& buffer) { return std::span(buffer.data(), buffer.size()); };
  return {all(tiles.octets),  all(tiles.narrow),  all(tiles.wide), all(tiles.offsets),
          all(tiles.lengths), all(tiles.indices), by_dense,        {}};
}

TileRange HostPatterns::tiles_of(const LengthBound& bound) const {
  const std::uint32_t* const all = tiles.lengths.data();
  const std::uint32_t* const end = all + tiles.lengths.size();
  // The first slots may hold no pattern.
  const std::uint32_t* const patterns = all + unused_slots(slot_of.size());
  const auto first = std::lower_bound(patterns, end, bound.least) - all;
  const auto last = std::upper_bound(patterns, end, bound.most) - all;
  if (first >= last) return {};
  return {static_cast<std::uint32_t>(first / tile_patterns),
          static_cast<std::uint32_t>(quotient_up(last, tile_patterns))};
}

std::uint64_t HostPatterns::patterns_in(const TileRange& range) const {
  if (range.count() == 0) return 0;
  return std::uint64_t{range.count()} * tile_patterns -
         (range.begin == 0 ? unused_slots(slot_of.size()) : 0);
}

std::uint64_t HostPatterns::rows_in(const TileRange& range, std::uint32_t longest) const {
  const auto rows_before = [&](std::uint32_t tile) {
    return tiles.offsets.data()[tile] / tile_patterns;
  };
  if (range.count() == 0) return 0;
  // Only the last tile may contain longer patterns.
  const std::uint64_t last = rows_before(range.end) - rows_before(range.end - 1);
  return rows_before(range.end - 1) - rows_before(range.begin) +
         std::min<std::uint64_t>(last, longest);
}

std::vector<Symbol> HostPatterns::pattern(std::uint32_t slot) const {
  std::vector<Symbol> found(tiles.lengths.data()[slot]);
  std::uint64_t at = tiles.offsets.data()[slot / tile_patterns] + slot % tile_patterns;
  with_symbol_type(tiles.view(), [&](auto type) {
    const auto* dense = tiles.symbols<decltype(type)>();
    for (Symbol& symbol : found) {
      symbol = dense[at];
      at += tile_patterns;
    }
  });
  return found;
}

std::vector<std::uint32_t> HostPatterns::first_equal() const {
  std::vector<std::uint32_t> first(slot_of.size());
  std::iota(first.begin(), first.end(), 0U);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted;  // hash and index
  for (const std::uint32_t index : first) {
    look_at(index);
    const std::vector<Symbol> own = pattern(slot_of[index]);
    if (!own.empty()) sorted.emplace_back(hash64(own.data(), own.size() * sizeof(Symbol)), index);
  }
  std::sort(sorted.begin(), sorted.end());
  // Patterns with the current hash that differ from each other: more than one only by a collision.
  std::vector<std::uint32_t> different;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    look_at(i);
    if (i == 0 || sorted[i].first != sorted[i - 1].first) different.clear();
    const std::uint32_t index = sorted[i].second;
    const auto equal = std::find_if(different.begin(), different.end(), [&](std::uint32_t other) {
      return pattern(slot_of[index]) == pattern(slot_of[other]);
    });
    if (equal == different.end())
      different.push_back(index);
    else
      first[index] = *equal;
  }
  return first;
}

}  // namespace Kindred::Impl
