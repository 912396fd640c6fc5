// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_PATH_TRACE_HPP
#define KINDRED_MATCHER_GRAPH_PATH_TRACE_HPP

#include "SpreadingWorkspace.hpp"

#include <kindred/core/graph/GraphRows.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace Kindred::Impl {

/// \brief Finds which edges carried activation to nodes, by spreading once more on one thread of
/// the host and keeping what every hop passed on.
///
/// The best `count` paths to a node at a hop extend the best `count` to its predecessors at the hop
/// before: an edge multiplies all of them alike, and rounding keeps their order.
class PathTrace {
 public:
  using side_type = GraphSide<Kokkos::HostSpace>;

  /// \param in as the rules of \p request see it, until this is gone \param sources each node once
  /// Complexity: as many edges as spreading reads.
  PathTrace(const side_type& in, const side_type& out, std::span<const Activation> sources,
            const SpreadRequest& request);

  /// \brief Appends the best \p count paths to each of \p nodes, a row of `to.strengths` each.
  /// Complexity O(count) an edge that a path may use.
  void append(std::span<const Activation> nodes, std::size_t count, SpreadPaths& to) const;

 private:
  /// A path to a node, by its last edge and the path that this one extends.
  struct Prefix {
    double strength = 0;
    std::uint32_t from = 0;
    std::uint32_t rank = 0;  // of the path to `from`
    float weight = 0;
  };
  using Prefixes = std::unordered_map<std::uint32_t, std::vector<Prefix>>;

  /// The strongest \p count, the first of equal ones first.
  static void keep_best(std::vector<Prefix>& paths, std::size_t count);

  struct Layer {
    std::unordered_map<std::uint32_t, float> passed;  // what a node passes on, if not 0
    std::unordered_set<std::uint32_t> rose;           // the nodes that the hop changed
    float decay = 1;
  };

  double sum(std::uint32_t node, const Layer& before, std::vector<double>& terms) const;
  /// `call(source, weight)` for the edges into \p node whose source passed something on.
  template <class Call>
  void for_carriers(std::uint32_t node, const Layer& before, const Call& call) const;
  std::vector<Prefixes> prefixes(std::span<const Activation> nodes, std::size_t count) const;
  void append_path(const std::vector<Prefixes>& layers, std::size_t hop, std::uint32_t node,
                   std::uint32_t rank, SpreadPaths& to) const;

  const side_type& m_in;
  const side_type& m_out;
  EdgeKinds m_kinds;
  std::vector<Layer> m_layers;  // of the sources, then of every hop
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_PATH_TRACE_HPP
