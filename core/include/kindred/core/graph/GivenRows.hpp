// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_GIVEN_ROWS_HPP
#define KINDRED_CORE_GRAPH_GIVEN_ROWS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/graph/RowPlan.hpp>

#include <cstdint>
#include <span>

namespace Kindred {

/// \brief Rows of a graph in host memory of a caller, none of whose elements was checked.
/// Non-owning.
/// \tparam Offset `std::int32_t` or `std::int64_t`
template <class Offset>
struct GivenRows {
  ArrayView<const Offset, HostSpace> offsets;      ///< rows + 1
  ArrayView<const std::uint32_t, HostSpace> ends;  ///< one per edge
  ArrayView<const float, HostSpace> weights;       ///< one per edge; empty: see `short_weights`
  ArrayView<const std::uint16_t, HostSpace> short_weights;  ///< bfloat16; both empty: all are 1
  std::uint32_t end_limit = 0;                              ///< every valid end is below it
};

/// \brief Finds the long rows, whose work items are the blocks of `RowPlan`; tiles are not planned.
/// Fences \p exec_space. Complexity O(rows).
/// \param plan is replaced
/// \returns false unless the offsets begin with 0, do not decrease and end with the number of edges
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class Offset>
bool plan_long_rows(const HostSpace& exec_space, const GivenRows<Offset>& rows, RowPlan& plan);

/// \brief The product `y = W x` of one column, in one pass that checks every edge before it reads
/// x. The same bits as `hop`. Fences \p exec_space. Complexity O(rows + edges).
/// \param plan from `plan_long_rows`, which returned true \param x `end_limit` values at least
/// \param y one value per row \param partial one value per block of \p plan
/// \returns false if an end is not below the limit, or a weight is not finite; y is then
/// unspecified
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class Offset>
bool hop_given_rows(const HostSpace& exec_space, const GivenRows<Offset>& rows, const RowPlan& plan,
                    std::span<const float> x, std::span<float> y, std::span<double> partial);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_GIVEN_ROWS_HPP
