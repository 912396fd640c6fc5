// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/lattice/LatticeAdjacency.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred {

namespace Impl {

/// Writes the row of one node per thread; used on a device.
template <class ExecutionSpace>
struct LatticeNodeRow {
  LatticeGrid grid;
  ArrayView<std::uint64_t, ExecutionSpace> offsets;
  ArrayView<std::uint32_t, ExecutionSpace> ends;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t node) const {
    std::uint64_t place = grid.row_begin(node);
    offsets(node) = place;
    if (node == grid.nodes) return;
    for (std::uint32_t i = 0; i < grid.dimensions; ++i)
      if (grid.coordinate(node, i) > 0)
        ends(place++) = static_cast<std::uint32_t>(node - grid.strides[i]);
    for (std::uint32_t i = grid.dimensions; i-- > 0;)
      if (grid.coordinate(node, i) + 1 < grid.size)
        ends(place++) = static_cast<std::uint32_t>(node + grid.strides[i]);
  }
};

/// \brief Writes the rows of adjacent lines of the last dimension, by a host thread.
///
/// Within a line all rows have the same differences from their node, so that a row is computed by
/// adding a few vectors. What is written beyond the end of a row is overwritten by the next row of
/// the line.
struct LatticeLineRows {
  static constexpr std::uint32_t step = 8;
  static constexpr std::uint32_t differences_max =
      (2 * LatticeShape::dimensions_max + step - 1) / step * step;

  LatticeGrid grid;
  std::uint64_t* offsets;
  std::uint32_t* ends;
  std::uint64_t lines;
  std::uint64_t lines_each;

  void operator()(std::size_t work_item) const {
    const std::uint64_t first = work_item * lines_each;
    const std::uint64_t last = first + lines_each < lines ? first + lines_each : lines;
    const std::uint32_t outer = grid.dimensions - 1;
    std::uint32_t coordinates[LatticeShape::dimensions_max] = {};
    for (std::uint32_t i = 0; i < outer; ++i)
      coordinates[i] = grid.coordinate(first * grid.size, i);
    std::uint64_t place = grid.row_begin(first * grid.size);
    for (std::uint64_t line = first; line < last; ++line) {
      place = fill_line(static_cast<std::uint32_t>(line * grid.size), coordinates, outer, place);
      for (std::uint32_t i = outer; i-- > 0;) {
        if (++coordinates[i] < grid.size) break;
        coordinates[i] = 0;
      }
    }
    if (last == lines) offsets[grid.nodes] = place;
  }

 private:
  /// Returns where the next line begins.
  std::uint64_t fill_line(std::uint32_t node, const std::uint32_t* coordinates, std::uint32_t outer,
                          std::uint64_t place) const {
    std::uint32_t differences[differences_max] = {};  // modulo 2³²
    std::uint32_t below = 0;
    for (std::uint32_t i = 0; i < outer; ++i)
      if (coordinates[i] > 0)
        differences[below++] = 0U - static_cast<std::uint32_t>(grid.strides[i]);
    std::uint32_t count = below;
    differences[count++] = 0U - 1U;
    differences[count++] = 1;
    for (std::uint32_t i = outer; i-- > 0;)
      if (coordinates[i] + 1 < grid.size)
        differences[count++] = static_cast<std::uint32_t>(grid.strides[i]);
    const std::uint64_t line_end = place + std::uint64_t{grid.size} * count - 2;
    const auto fill_end = [&](std::uint32_t skipped) {
      offsets[node] = place;
      for (std::uint32_t i = 0; i < count; ++i)
        if (i != skipped) ends[place++] = node + differences[i];
      ++node;
    };
    fill_end(below);
    const std::uint32_t padded = (count + step - 1) / step * step;
    for (std::uint32_t at = 1; at + 1 < grid.size; ++at, ++node) {
      offsets[node] = place;
      std::uint32_t* row = ends + place;
      if (place + padded <= line_end) {
        for (std::uint32_t i = 0; i < padded; i += step)
          for (std::uint32_t j = 0; j < step; ++j) row[i + j] = node + differences[i + j];
      } else {
        for (std::uint32_t i = 0; i < count; ++i) row[i] = node + differences[i];
      }
      place += count;
    }
    fill_end(below + 1);
    return place;
  }
};

}  // namespace Impl

template <class ExecutionSpace>
void fill_lattice_adjacency(const ExecutionSpace& exec_space, const LatticeGrid& grid,
                            const ArrayView<std::uint64_t, ExecutionSpace>& offsets,
                            const ArrayView<std::uint32_t, ExecutionSpace>& ends) {
  const Impl::ArgumentCheck check("fill_lattice_adjacency");
  check.is_at_most("grid.nodes", grid.nodes, std::uint64_t{1} << 32U);
  check.has("offsets", offsets, Impl::extent_sum(grid.nodes, 1));
  check.has("ends", ends, grid.row_begin(grid.nodes));
  const char* label = "Kindred::Lattice::rows";
  if constexpr (Arch::is_device<ExecutionSpace>) {
    Launch::for_each_index(exec_space, label, grid.nodes + 1,
                           Impl::LatticeNodeRow<ExecutionSpace>{grid, offsets, ends});
  } else {
    constexpr std::uint64_t nodes_each = 8192;
    const std::uint64_t lines = grid.nodes / grid.size;
    const std::uint64_t lines_each = std::max<std::uint64_t>(nodes_each / grid.size, 1);
    Launch::for_each_index<Launch::Coarse>(
        exec_space, label, (lines + lines_each - 1) / lines_each,
        Impl::LatticeLineRows{grid, offsets.data(), ends.data(), lines, lines_each});
  }
}

#define KINDRED_INSTANTIATE(SPACE) \
  template decltype(fill_lattice_adjacency<SPACE>) fill_lattice_adjacency<SPACE>;
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
