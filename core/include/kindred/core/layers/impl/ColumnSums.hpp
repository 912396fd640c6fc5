// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_IMPL_COLUMN_SUMS_HPP
#define KINDRED_CORE_LAYERS_IMPL_COLUMN_SUMS_HPP

#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief How sums over the rows of a matrix are divided: in each of at most 256 segments of
/// adjacent rows the rows are added in order, then the segments by a pairwise tree, in double. The
/// order depends only on the number of rows.
struct ColumnSums {
  std::uint64_t segments = 1;
  std::uint64_t rows = 32;  ///< per segment

  static ColumnSums of(std::uint64_t all_rows) {
    ColumnSums out;
    constexpr std::uint64_t segments_max = 256;
    const std::uint64_t fair = quotient_up(all_rows, segments_max);
    if (fair > out.rows) out.rows = fair;
    if (all_rows > 0) out.segments = quotient_up(all_rows, out.rows);
    return out;
  }
};

/// An index: the rows of one segment of one column.
template <class Sum, class Term>
struct SegmentSums {
  Term term;
  std::uint64_t rows;
  std::uint64_t columns;
  ColumnSums sums;
  Sum* partial;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    const std::uint64_t column = i % columns;
    const std::uint64_t first = i / columns * sums.rows;
    const std::uint64_t last = rows - first < sums.rows ? rows : first + sums.rows;
    Sum sum{};
    for (std::uint64_t row = first; row < last; ++row) sum = sum + term(row, column);
    partial[i] = sum;
  }
};

/// An index: one column.
template <class Sum, class End>
struct SumsOfSegments {
  const Sum* partial;
  std::uint64_t segments;
  std::uint64_t columns;
  End end;

  KOKKOS_FUNCTION void operator()(std::uint64_t column) const {
    end(column, pairwise_tree_sum<Sum>(segments, [&](std::uint64_t segment) {
          return partial[segment * columns + column];
        }));
  }
};

/// \brief `end(column, sum)` for the sum of `term(row, column)` over the rows. Two launches.
/// \param labels of them \param partial one per segment and column
template <class ExecutionSpace, class Sum, class Term, class End>
void sum_columns(const ExecutionSpace& exec_space, const char* const (&labels)[2],
                 std::uint64_t rows, std::uint64_t columns, const Term& term, Sum* partial,
                 const End& end) {
  const ColumnSums sums = ColumnSums::of(rows);
  Launch::for_each_index(exec_space, labels[0], sums.segments * columns,
                         SegmentSums<Sum, Term>{term, rows, columns, sums, partial});
  Launch::for_each_index(exec_space, labels[1], columns,
                         SumsOfSegments<Sum, End>{partial, sums.segments, columns, end});
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_LAYERS_IMPL_COLUMN_SUMS_HPP
