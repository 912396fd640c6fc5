// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_CSR_GRAPH_HPP
#define KINDRED_MATCHER_CSR_GRAPH_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/graph/Spreading.hpp>

#include <memory>
#include <optional>

namespace KINDRED_PUBLIC Kindred {

/// \brief Non-owning view of a graph as compressed sparse rows (CSR), as SciPy and cuSPARSE store a
/// matrix.
///
/// Row v has the edges `offsets[v] … offsets[v + 1)`: edge i leads from v to `ends[i]` with the
/// weight `weights[i]`. The input order of the edges is their order in the arrays. The arrays are
/// one-dimensional without gaps.
struct CsrGraph {
  /// int32 or int64 [nodes + 1]: from 0 to the number of edges, not decreasing.
  ConstArray offsets = {};
  ConstArray ends = {};  ///< int32 or uint32 [edges], each below the number of nodes
  /// float32 or bfloat16 [edges], finite. Unset: all weights are 1.
  std::optional<ConstArray> weights = {};
  /// Keeps the arrays: an engine releases it, on any thread, when nothing reads them any more.
  /// Null: the caller keeps them.
  std::shared_ptr<const void> owner = {};
};

/// Options of `hop` over the rows of a caller.
struct CsrHopOptions {
  HopDirection direction = HopDirection::against;  ///< `along` transposes the rows first
  std::optional<Space> space = {};                 ///< overrides the dispatcher's choice
};

/// \brief One sparse matrix–vector product over the rows of a caller, without building a
/// `SpreadingEngine`: `y = W x`, or `y = Wᵀx` along the edges. The same bits as
/// `SpreadingEngine::hop`.
///
/// Against the edges (the direction of the rows) the arrays are used in place: on a host a product
/// of one column reads every edge once, checks it as it is read, and needs no memory per edge, only
/// 4 bytes per node for the results until all edges are checked. Several columns need 8 bytes and a
/// small plan per node. On a device the arrays are copied there. Along the edges the rows are
/// transposed on the host first, which takes 4 bytes per edge, in addition to its weight, and
/// longer than the product: build a `SpreadingEngine` if the graph is used again, or pass the rows
/// of the transpose. Fences the instance it ran on. Thread-safe. Complexity O((nodes + edges) ·
/// columns). \param graph in host memory; the arrays are read and validated during the call only
/// \param x,y float32 [nodes] or [nodes, columns] without gaps, in host memory; y is overwritten
/// completely and must not overlap x
/// \throws InvalidArgument for arrays of another type, shape or memory, invalid rows or a weight
/// that is not finite, or more than 4096 columns; SpaceUnavailable; OutOfMemory; DeviceLost. y is
/// then unchanged, unless the device was lost
DispatchRecord hop(Context& context, const CsrGraph& graph, const ConstArray& x, const Array& y,
                   const CsrHopOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_CSR_GRAPH_HPP
