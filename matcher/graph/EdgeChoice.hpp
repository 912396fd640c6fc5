// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_EDGE_CHOICE_HPP
#define KINDRED_MATCHER_GRAPH_EDGE_CHOICE_HPP

#include "GraphView.hpp"

#include <kindred/core/graph/ModifyWeights.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace Kindred::Impl {

/// How a call selects and modifies the edges of a graph.
struct EdgeRules {
  EdgeKinds kinds = EdgeKinds().set();       ///< kinds to follow
  std::optional<SpreadModifiers> modifiers;  ///< of weights

  bool is_plain() const { return kinds.all() && !modifiers; }
};

/// The edges of a graph as a call on one space sees them.
template <class ExecutionSpace>
class EdgeChoice {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using words_type = ArrayView<const std::uint32_t, ExecutionSpace>;

  explicit EdgeChoice(MemoryResource& memory)
      : m_memory(memory), m_words(memory, "Kindred::SpreadingEngine::kind_queries", 0) {
    release();
  }

  /// \brief One direction of \p graph, modified according to \p rules; valid until the next call.
  /// Modified weights are kept for calls with the same rules. Does not fence. Complexity O(1), or
  /// O(edges).
  /// \param identity of \p graph
  GraphSide<memory_space> side(const ExecutionSpace& exec_space,
                               const GraphView<memory_space>& graph, const GraphIdentity& identity,
                               HopDirection direction, const EdgeRules& rules) {
    GraphSide<memory_space> side = direction == HopDirection::along ? graph.in : graph.out;
    if (!rules.modifiers) return side;
    const bool is_kept = m_modifiers == rules.modifiers && m_direction == direction &&
                         std::ranges::equal(m_identity, identity, [](const auto& a, const auto& b) {
                           return !a.owner_before(b) && !b.owner_before(a);
                         });
    m_modifiers.reset();
    const auto modify = [&](GraphRows<memory_space>& rows, Buffer<float, memory_space>& weights) {
      if (!is_kept) {
        weights.resize_discarding(rows.sources.extent(0));
        modify_weights(exec_space, rows, direction, graph.out, kinds_of(graph), *rules.modifiers,
                       weights.view());
      }
      rows.weights = weights.const_view();
      rows.short_weights = {};
    };
    modify(side.built, m_built);
    modify(side.delta, m_delta);
    m_modifiers = rules.modifiers;
    m_direction = direction;
    std::ranges::copy(identity, m_identity.begin());
    return side;
  }

  /// Bytes of modified weights that are kept.
  std::uint64_t bytes() const { return m_built.bytes() + m_delta.bytes(); }
  /// Releases them.
  void release() {
    m_modifiers.reset();
    m_built = {m_memory, "Kindred::SpreadingEngine::modified_weights", 0};
    m_delta = {m_memory, "Kindred::SpreadingEngine::modified_delta_weights", 0};
  }

  /// \brief The words of `SpreadState::kind_queries`; none if all kinds are followed. Fences \p
  /// exec_space.
  /// \param queries the kinds that each query follows, for at most 32 queries; if empty, all
  /// queries follow the kinds of \p rules
  words_type kind_queries(const ExecutionSpace& exec_space, const EdgeRules& rules,
                          std::span<const EdgeKinds> queries = {}) {
    if (rules.kinds.all()) return words_type();
    std::vector<std::uint32_t> words(rules.kinds.size());
    for (std::size_t kind = 0; kind < words.size(); ++kind) {
      words[kind] = queries.empty() && rules.kinds[kind] ? 0xFFFFFFFFU : 0U;
      for (std::size_t query = 0; query < queries.size(); ++query)
        words[kind] |= (queries[query][kind] ? 1U : 0U) << query;
    }
    m_words.resize_discarding(words.size());
    upload(exec_space, m_words.view(), words.data(), words.size());
    return m_words.const_view();
  }

 private:
  static ArrayView<const std::uint8_t, ExecutionSpace> kinds_of(
      const GraphView<memory_space>& graph) {
    return ArrayView<const std::uint8_t, ExecutionSpace>(graph.node_kinds.data(),
                                                         graph.node_kinds.extent(0));
  }

  MemoryResource& m_memory;
  std::optional<SpreadModifiers> m_modifiers;  // of the cached weights
  HopDirection m_direction = HopDirection::along;
  std::array<std::weak_ptr<const void>, std::tuple_size_v<GraphIdentity>> m_identity;
  Buffer<std::uint32_t, memory_space> m_words;
  Buffer<float, memory_space> m_built;
  Buffer<float, memory_space> m_delta;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_EDGE_CHOICE_HPP
