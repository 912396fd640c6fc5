// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_ROUNDED_COPY_HPP
#define KINDRED_MATCHER_VECTOR_ROUNDED_COPY_HPP

#include "GemmSearch.hpp"
#include "VectorStore.hpp"

namespace Kindred::Impl {

/// \brief The rounded copy of a segment's rows, with which a GEMM search on a device need not round
/// them. Empty on hosts, whose tiles stay in a cache, for rows of int8, which are smaller, for rows
/// that do not fit into tiles, and where memory is short.
template <class ExecutionSpace>
RoundedRows<ExecutionSpace, Arch::Float16> rounded_copy(const ExecutionSpace& exec_space,
                                                        const VectorStore& store,
                                                        const VectorSegment& segment,
                                                        MemoryResource& memory) {
  if constexpr (Arch::is_device<ExecutionSpace>) {
    using tiles_type = typename TilesOf<ExecutionSpace>::type;
    const std::uint64_t dimension = store.dimension();
    const bool keeps = store.quantized_copy() != QuantizedCopy::never &&
                       store.element() != DataType::int8 &&
                       GemmSearch<ExecutionSpace>::queries_max(dimension, 1, 0, 0) > 0;
    if (!keeps) return {};
    const auto order = TileOrder<ExecutionSpace>::of(segment.size());
    return segment.rounded(exec_space, memory, tiles_type::rounded_layout(dimension),
                           tiles_type::rounded_positions(dimension, order.positions()));
  }
  return {};
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_ROUNDED_COPY_HPP
