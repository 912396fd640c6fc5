// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_PATH_TRACE_HPP
#define KINDRED_MATCHER_GRAPH_PATH_TRACE_HPP

#include "QueryGroups.hpp"

#include <kindred/core/graph/GraphRows.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace Kindred::Impl {

/// \brief Finds the edges that carried activation to nodes, by repeating the spreading on one host
/// thread and recording what every hop propagated.
///
/// The best `count` paths to a node at a hop extend the best `count` paths to its predecessors at
/// the previous hop: an edge scales all of them by the same factor, and rounding is monotonic.
class PathTrace {
 public:
  using side_type = GraphSide<Kokkos::HostSpace>;

  /// \param in with the rules of \p request applied; must outlive this object \param sources
  /// distinct nodes Complexity: the number of edges that spreading reads.
  PathTrace(const side_type& in, const side_type& out, std::span<const Activation> sources,
            const SpreadRequest& request);

  /// \brief Appends the best \p count paths to each of \p nodes, one row of `to.strengths` per
  /// node. Complexity O(count) per edge that a path may use.
  void append(std::span<const Activation> nodes, std::size_t count, SpreadPaths& to) const;

 private:
  /// A path to a node, as its last edge and the path that it extends.
  struct Prefix {
    double strength = 0;
    std::uint32_t from = 0;
    std::uint32_t rank = 0;  // rank of the path to `from`
    float weight = 0;
  };
  using Prefixes = std::unordered_map<std::uint32_t, std::vector<Prefix>>;

  /// The strongest \p count; ties keep their order.
  static void keep_best(std::vector<Prefix>& paths, std::size_t count);

  struct Layer {
    std::unordered_map<std::uint32_t, float> passed;  // nonzero activations that nodes pass on
    std::unordered_set<std::uint32_t> rose;           // nodes whose activation the hop changed
    float decay = 1;
  };

  double sum(std::uint32_t node, const Layer& before, std::vector<double>& terms) const;
  /// Calls `call(source, weight)` for the edges into \p node whose source passed activation on.
  template <class Call>
  void for_carriers(std::uint32_t node, const Layer& before, const Call& call) const;
  std::vector<Prefixes> prefixes(std::span<const Activation> nodes, std::size_t count) const;
  void append_path(const std::vector<Prefixes>& layers, std::size_t hop, std::uint32_t node,
                   std::uint32_t rank, SpreadPaths& to) const;

  const side_type& m_in;
  const side_type& m_out;
  EdgeKinds m_kinds;
  std::vector<Layer> m_layers;  // first the sources, then one per hop
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_PATH_TRACE_HPP
