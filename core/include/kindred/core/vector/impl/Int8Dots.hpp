// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_INT8_DOTS_HPP
#define KINDRED_CORE_VECTOR_IMPL_INT8_DOTS_HPP

#include <kindred/core/vector/impl/Int8Dots_Cuda.hpp>
#include <kindred/core/vector/impl/Int8Dots_Host.hpp>

namespace Kindred::Impl {

/// \brief Dot products of a batch of 32 rows with a few queries, computed by one work item.
///
/// `batch<Ratio, Aligned, Queries>(operands, first, mask, offsets, offset_stride, visit)` calls
/// `visit(r, dots)` once for each of the 32 rows: on the host for all rows in turn, on a device in
/// each lane for its own row, where all lanes of a warp must make the call. Rows whose mask bit is
/// 0 are not read.
/// \tparam Tile maximum number of queries per call
template <class ExecutionSpace, int Tile>
class Int8Dots;

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_INT8_DOTS_HPP
