// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_ROW_SUMS_HPP
#define KINDRED_CORE_GRAPH_IMPL_ROW_SUMS_HPP

#include <kindred/core/graph/impl/RowSums_Cuda.hpp>
#include <kindred/core/graph/impl/RowSums_Host.hpp>

namespace Kindred::Impl {

/// \brief Reproducible sums of `x[source] · weight` over rows of edges, as computed by one work
/// item.
///
/// Each node has `Width` values of x (float, bfloat16 or double), one per query, adjacent in
/// memory. A short row has one reproducible block. Each sum of a row that is not replaced is
/// visited once.
template <class ExecutionSpace>
class RowSums;

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_ROW_SUMS_HPP
