// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_SPREAD_CHECKS_HPP
#define KINDRED_MATCHER_GRAPH_SPREAD_CHECKS_HPP

#include "GraphSnapshot.hpp"

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <cstddef>
#include <optional>

namespace Kindred::Impl {

/// \brief Checks all arguments of a spread over \p graph but its sources.
/// \throws InvalidArgument, as all functions of this file
void check_spread(const GraphSnapshot& graph, const SpreadOptions& options, std::size_t queries);
/// Checks that weights stay finite and, in engine mode, ≥ 0.
void check_modifiers(const std::optional<SpreadModifiers>& modifiers, bool is_engine);
/// Checks the sources of all queries: existing nodes, and activations that \p mode allows.
void check_sources(const GraphSnapshot& graph, const RaggedSpan<Activation>& sources,
                   SpreadMode mode);
/// Checks the types and shapes of arrays of the caller, and that none overlaps an output.
void check_spread_arrays(const SpreadSources& sources, const SpreadOutput& output);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_SPREAD_CHECKS_HPP
