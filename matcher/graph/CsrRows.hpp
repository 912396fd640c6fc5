// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_CSR_ROWS_HPP
#define KINDRED_MATCHER_GRAPH_CSR_ROWS_HPP

#include "EdgeForm.hpp"
#include "OwnedRows.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/matcher/CsrGraph.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// The rows of a caller, validated, on the host.
struct CsrRows {
  /// Without plan. Ends, weights and int64 offsets in host memory are borrowed; int32 offsets are
  /// widened, and arrays on a device are copied.
  HostRows out;
  EdgeForm form;
  std::uint64_t outside_unit = 0;  ///< edges with a weight outside [0, 1]
};

/// \brief Checks the types, shapes and places of the arrays of \p graph, not their elements.
/// \throws InvalidArgument; SpaceUnavailable for arrays on a device that the context does not use
void check_arrays(const Context& context, const CsrGraph& graph);
/// What every end must be below; for signed ends, negative ones are not.
std::uint32_t end_limit(const CsrGraph& graph);

/// \brief Validates every element of \p graph. Arrays on the device of \p context are copied to the
/// host with its instance, which is fenced.
/// \throws InvalidArgument for the first invalid element; SpaceUnavailable; OutOfMemory
CsrRows checked_rows(Context& context, const CsrGraph& graph);

/// \brief The transpose of \p out, without plan: in-edges in (source index, order in \p out).
/// \throws OutOfMemory
HostRows transposed_rows(Context& context, const HostRows& out, EdgeForm form);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_CSR_ROWS_HPP
