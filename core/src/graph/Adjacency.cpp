// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/Adjacency.hpp>

#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/common/CanonicalBlock.hpp>

#include <algorithm>

namespace Kindred {

namespace {

constexpr std::uint64_t tile_rows = 512;

/// Turns counts at `offsets[v + 1]` into the start of row v there; placing an edge of v moves it
/// on, so that after the last one the offsets are those of the rows.
void starts_from_counts(std::span<std::uint64_t> offsets) {
  std::uint64_t start = 0;
  for (std::size_t v = 1; v < offsets.size(); ++v) {
    const std::uint64_t count = offsets[v];
    offsets[v] = start;
    start += count;
  }
}

}  // namespace

std::uint16_t short_weight(float weight) noexcept {
  return Arch::round_to<Arch::BFloat16>(weight).bits;
}
float widen_weight(std::uint16_t weight) noexcept { return Arch::to_float(Arch::BFloat16{weight}); }

void fill_adjacency(std::span<const Edge> edges, const AdjacencySpan& out, const AdjacencySpan& in,
                    std::span<const std::uint8_t> kinds) {
  std::ranges::fill(out.offsets, 0);
  std::ranges::fill(in.offsets, 0);
  for (const Edge& edge : edges) {
    ++out.offsets[std::size_t{edge.from} + 1];
    ++in.offsets[std::size_t{edge.to} + 1];
  }
  starts_from_counts(out.offsets);
  starts_from_counts(in.offsets);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    const std::uint64_t place = out.offsets[std::size_t{edge.from} + 1]++;
    out.ends[place] = edge.to;
    if (!out.weights.empty()) out.weights[place] = edge.weight;
    if (!out.short_weights.empty()) out.short_weights[place] = short_weight(edge.weight);
    if (!out.kinds.empty()) out.kinds[place] = kinds[i];
  }
  for (std::size_t source = 0; source + 1 < out.offsets.size(); ++source) {
    for (std::uint64_t i = out.offsets[source]; i < out.offsets[source + 1]; ++i) {
      const std::uint64_t place = in.offsets[std::size_t{out.ends[i]} + 1]++;
      in.ends[place] = static_cast<std::uint32_t>(source);
      if (!in.weights.empty()) in.weights[place] = out.weights[i];
      if (!in.short_weights.empty()) in.short_weights[place] = out.short_weights[i];
      if (!in.kinds.empty()) in.kinds[place] = out.kinds[i];
    }
  }
}

RowPlan plan_rows(std::span<const std::uint64_t> offsets, std::uint64_t short_max,
                  std::uint64_t tile_max) {
  RowPlan plan;
  plan.long_first.push_back(0);
  const std::size_t rows = offsets.size() - 1;
  std::size_t first = 0;
  const auto close_tile = [&](std::size_t end) {
    if (first == end) return;
    plan.tiles.push_back(static_cast<std::uint32_t>(first));
    plan.tiles.push_back(static_cast<std::uint32_t>(end));
    first = end;
  };
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t length = offsets[row + 1] - offsets[row];
    if (length > short_max) {
      close_tile(row);
      first = row + 1;
      const std::uint64_t blocks = (length + canonical_block - 1) / canonical_block;
      plan.block_long_row.insert(plan.block_long_row.end(), blocks,
                                 static_cast<std::uint32_t>(plan.long_rows.size()));
      plan.long_rows.push_back(static_cast<std::uint32_t>(row));
      plan.long_first.push_back(plan.long_first.back() + blocks);
    } else if (offsets[row + 1] - offsets[first] > tile_max || row - first == tile_rows) {
      close_tile(row);
    }
  }
  close_tile(rows);
  return plan;
}

}  // namespace Kindred
