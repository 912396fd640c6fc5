// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LATTICE_SPECIAL_LATTICE_LINES_HPP
#define KINDRED_CORE_LATTICE_SPECIAL_LATTICE_LINES_HPP

/// \file
/// A special form for hosts: 6.4 × on `peers/lattice-build`, 2026-11-30, Zen 4. \see
/// SpecialForms.hpp

#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/lattice/LatticeGrid.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief Writes the rows of adjacent lines of the last dimension.
///
/// Within a line all rows have the same differences from their node, so that a row is computed by
/// adding a few vectors. What is written beyond the end of a row is overwritten by the next row of
/// the line.
struct LatticeLines {
  static constexpr std::uint32_t step = 8;
  static constexpr std::uint32_t differences_max =
      quotient_up(2 * LatticeShape::dimensions_max, step) * step;

  LatticeGrid grid;
  std::uint64_t* offsets;
  std::uint32_t* ends;
  std::uint64_t lines = grid.nodes / grid.size;
  std::uint64_t lines_each = std::max<std::uint64_t>(8192 / grid.size, 1);

  std::uint64_t work_items() const { return quotient_up(lines, lines_each); }

  void operator()(std::size_t work_item) const {
    const std::uint64_t first = work_item * lines_each;
    const std::uint64_t last = std::min(first + lines_each, lines);
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
    const std::uint32_t padded = quotient_up(count, step) * step;
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

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_LATTICE_SPECIAL_LATTICE_LINES_HPP
