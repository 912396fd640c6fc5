// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_SPREAD_CHECKS_HPP
#define KINDRED_MATCHER_GRAPH_SPREAD_CHECKS_HPP

#include "GraphSnapshot.hpp"
#include "SpreadingWorkspace.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace Kindred::Impl {

/// Sources of queries on the host: borrowed, or copied from a device. The offsets are not checked.
class HostSources {
 public:
  /// \param sources checked by `check_spread_arrays` \throws OutOfMemory, DeviceLost
  HostSources(Context& context, const SpreadSources& sources);

  std::size_t queries() const { return m_is_short ? m_short.size() - 1 : m_offsets.size() - 1; }
  /// Of all queries.
  std::size_t size() const { return m_nodes.size(); }
  std::uint64_t offset(std::size_t query) const {
    return static_cast<std::uint64_t>(m_is_short ? m_short.data()[query] : m_offsets.data()[query]);
  }
  /// Source \p i of \p query.
  Activation at(std::size_t query, std::size_t i) const {
    const auto place = static_cast<std::int64_t>(offset(query) + i);
    return {m_nodes.data()[place * m_node_step], m_values.data()[place * m_value_step]};
  }

 private:
  bool m_is_short;
  Buffer<std::int64_t, Kokkos::HostSpace> m_offsets;
  Buffer<std::int32_t, Kokkos::HostSpace> m_short;  ///< the offsets, if they are int32
  Buffer<std::uint32_t, Kokkos::HostSpace> m_nodes;
  Buffer<float, Kokkos::HostSpace> m_values;
  std::int64_t m_node_step;  ///< elements from one to the next
  std::int64_t m_value_step;
};

/// \brief Checks the types and shapes of arrays of the caller, and that none overlaps an output.
/// Returns where they lie, \see space_of. \throws InvalidArgument, as all functions of this file;
/// SpaceUnavailable
std::optional<Space> check_spread_arrays(const Context& context, const SpreadSources& sources,
                                         const std::optional<SpreadOutput>& output);
/// Checks all arguments of a spread over \p graph but its arrays.
void check_spread(const GraphSnapshot& graph, const SpreadOptions& options, std::size_t queries);
/// Checks that weights stay finite and, in engine mode, ≥ 0.
void check_modifiers(const std::optional<SpreadModifiers>& modifiers, bool is_engine);
/// Checks the sources of all queries: existing nodes, and activations that \p mode allows.
void check_sources(const GraphSnapshot& graph, const HostSources& sources, SpreadMode mode);

/// Checks the vectors of a hop over \p nodes nodes: float32 [nodes] or [nodes, columns] without
/// gaps, 1 to 4096 columns, without overlap.
HopRequest checked_hop(const ConstArray& x, const Array& y, std::size_t nodes);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_SPREAD_CHECKS_HPP
