// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_COLUMN_SUMS_HPP
#define KINDRED_CORE_LAYERS_COLUMN_SUMS_HPP

#include <cstdint>

namespace Kindred {

/// \brief How sums over the rows of a matrix are divided: in each of at most 256 segments of
/// adjacent rows the rows are added in order, then the segments by a pairwise tree, in double. The
/// order depends only on the number of rows.
struct ColumnSums {
  std::uint64_t segments = 1;
  std::uint64_t rows = 32;  ///< per segment

  static ColumnSums of(std::uint64_t all_rows) {
    ColumnSums out;
    constexpr std::uint64_t segments_max = 256;
    const std::uint64_t fair = (all_rows + segments_max - 1) / segments_max;
    if (fair > out.rows) out.rows = fair;
    if (all_rows > 0) out.segments = (all_rows + out.rows - 1) / out.rows;
    return out;
  }
};

}  // namespace Kindred

#endif  // KINDRED_CORE_LAYERS_COLUMN_SUMS_HPP
