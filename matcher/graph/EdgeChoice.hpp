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
      : m_words(memory, "Kindred::SpreadingEngine::kind_queries", 0),
        m_built(memory, "Kindred::SpreadingEngine::modified_weights", 0),
        m_delta(memory, "Kindred::SpreadingEngine::modified_delta_weights", 0) {}

  /// \brief One direction of \p graph, modified according to \p rules; valid until the next call.
  /// Modified weights are kept for calls with the same rules. Does not fence. Complexity O(1), or
  /// O(edges).
  GraphSide<memory_space> side(const ExecutionSpace& exec_space,
                               const GraphView<memory_space>& graph, HopDirection direction,
                               const EdgeRules& rules) {
    GraphSide<memory_space> side = direction == HopDirection::along ? graph.in : graph.out;
    if (!rules.modifiers) return side;
    const bool is_kept = has_weights(graph, direction, rules);
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
    std::ranges::copy(*graph.identity, m_identity.begin());
    return side;
  }

  /// Bytes of modified weights that are kept.
  std::uint64_t bytes() const { return m_built.bytes() + m_delta.bytes(); }

  /// Whether `side` and `kind_queries` change nothing that an earlier call with the same arguments
  /// has left.
  bool has(const GraphView<memory_space>& graph, HopDirection direction,
           const EdgeRules& rules) const {
    return (!rules.modifiers || has_weights(graph, direction, rules)) &&
           (rules.kinds.all() || m_sent == words_of(rules, {}));
  }

  /// \brief The words of `SpreadState::kind_queries`; none if all kinds are followed. Does not
  /// fence; valid until the next call.
  /// \param queries the kinds that each query follows, for at most 32 queries; if empty, all
  /// queries follow the kinds of \p rules
  words_type kind_queries(const ExecutionSpace& exec_space, const EdgeRules& rules,
                          std::span<const EdgeKinds> queries = {}) {
    if (rules.kinds.all()) return words_type();
    std::vector<std::uint32_t> words = words_of(rules, queries);
    if (m_sent == words) return m_words.const_view();
    m_sent.clear();
    m_words.resize_discarding(words.size());
    m_sent.swap(words);
    start_upload(exec_space, m_words.view(), m_sent.data(), m_sent.size());
    return m_words.const_view();
  }

 private:
  bool has_weights(const GraphView<memory_space>& graph, HopDirection direction,
                   const EdgeRules& rules) const {
    return m_modifiers == rules.modifiers && m_direction == direction &&
           std::ranges::equal(m_identity, *graph.identity, [](const auto& a, const auto& b) {
             return !a.owner_before(b) && !b.owner_before(a);
           });
  }
  static std::vector<std::uint32_t> words_of(const EdgeRules& rules,
                                             std::span<const EdgeKinds> queries) {
    std::vector<std::uint32_t> words(rules.kinds.size());
    for (std::size_t kind = 0; kind < words.size(); ++kind) {
      words[kind] = queries.empty() && rules.kinds[kind] ? 0xFFFFFFFFU : 0U;
      for (std::size_t query = 0; query < queries.size(); ++query)
        words[kind] |= (queries[query][kind] ? 1U : 0U) << query;
    }
    return words;
  }
  static ArrayView<const std::uint8_t, ExecutionSpace> kinds_of(
      const GraphView<memory_space>& graph) {
    return ArrayView<const std::uint8_t, ExecutionSpace>(graph.node_kinds.data(),
                                                         graph.node_kinds.extent(0));
  }

  std::optional<SpreadModifiers> m_modifiers;  // of the cached weights
  HopDirection m_direction = HopDirection::along;
  std::array<std::weak_ptr<const void>, std::tuple_size_v<GraphIdentity>> m_identity;
  std::vector<std::uint32_t> m_sent;  // the contents of `m_words`, which may still be copied
  Buffer<std::uint32_t, memory_space> m_words;
  Buffer<float, memory_space> m_built;
  Buffer<float, memory_space> m_delta;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_EDGE_CHOICE_HPP
