// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_SPECIAL_SMALL_FRONTIER_MEMORY_HPP
#define KINDRED_CORE_GRAPH_SPECIAL_SMALL_FRONTIER_MEMORY_HPP

#include <kindred/core/arch/launch/TeamCluster.hpp>
#include <kindred/core/graph/Frontier.hpp>
#include <kindred/core/graph/impl/EdgeAccessors.hpp>
#include <kindred/core/select/impl/BestByCounting.hpp>

namespace Kindred::Impl {

/// The edges of a row, by their other ends. Trivial, as a member of unions must be.
struct SmallEnds {
  const std::uint32_t* nodes;
  std::uint32_t count;
};
/// A row of edges as the kernel reads it.
struct SmallRow {
  SmallEnds ends;
  const float* weights;
};

/// Rows of one direction as the kernel reads them.
struct SmallSide {
  PlainEdges built;
  PlainEdges delta;
  bool is_changed;  ///< some row is not in `built`

  /// \see row_of
  KOKKOS_INLINE_FUNCTION SmallRow row(std::uint32_t node) const {
    if (!is_changed || (node < built.rows && !built.is_replaced(node))) return row(built, node);
    const std::size_t place = find_node(delta.row_nodes, delta.rows, node);
    return place < delta.rows ? row(delta, place) : SmallRow{};
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFFU;

  KOKKOS_INLINE_FUNCTION static SmallRow row(const PlainEdges& part, std::size_t place) {
    const std::uint64_t begin = part.offsets[place];
    const std::uint64_t count = part.offsets[place + 1] - begin;
    return {{part.sources + begin, static_cast<std::uint32_t>(count < none ? count : none)},
            part.weights + begin};
  }
};

/// The state that a team of a cluster keeps of a query. Every node belongs to one team.
template <class ExecutionSpace>
struct SmallFrontierMemory {
  using cluster_type = Arch::TeamCluster<ExecutionSpace>;
  static constexpr unsigned teams = cluster_type::teams_max;
  /// Lanes of a unit that sum one row.
  static constexpr unsigned row_lanes = cluster_type::lanes > 1 ? 8 : 1;
  /// Maximum edges of a row that a unit sums.
  static constexpr std::uint32_t row_max = cluster_type::lanes > 1 ? 1024 : ~std::uint32_t{0};
  static constexpr std::uint32_t front_places = 4096, front_most = 3072;  // one in four is free
  static constexpr std::uint32_t filter_words = 2048;
  static constexpr std::uint32_t node_places = 4096;
  static constexpr std::uint32_t node_most =  // each thread may add one more
      node_places - 64 - cluster_type::team_threads;
  static constexpr std::uint32_t inbox_capacity = 8192 / teams;
  static constexpr std::uint32_t passes_most = 8192 / teams;
  static constexpr std::uint32_t long_most = 64, pieces_most = 256, terms_most = 1536;
  static constexpr std::uint32_t rows_most = 1000 * (teams > 1 ? 1 : 4), hubs_most = 32;
  static constexpr std::uint32_t piece_rounds = 8;  ///< in rounds of 32 edges

  struct Pass {
    std::uint32_t node;
    float value;
  };
  /// A row that the step sums.
  struct Found {
    SmallRow in;
    SmallEnds out;
    std::uint32_t place;  ///< of the node
    std::uint32_t node;
  };
  struct LongRow {
    std::uint32_t found;
    std::uint32_t first_piece;
  };
  /// The sums of a step, and the nonzero terms of long rows.
  struct Sums {
    double of_rows[rows_most];
    double products[terms_most];
    /// One per round: bit l is set if lane l has a term.
    std::uint32_t lanes[pieces_most * piece_rounds];
    std::uint16_t first[pieces_most * piece_rounds];  ///< the first term of the round
  };
  /// The messages that each team sent to this one. Free once they have been read.
  union Inbox {
    std::uint32_t from[teams][inbox_capacity];
    Sums sums;
    Rank keys[8192 / 2];
  };
  /// The values passed on last, as a hash table; after the last step, the keys that are ranked.
  union Front {
    struct Table {
      std::uint32_t node[front_places];
      float value[front_places];
    } table;
    Rank keys[node_places];
  };
  /// The rows of a step; after the last step, those of the keys that may be among the best.
  union Rows {
    Found found[rows_most];
    Rank keys[node_places];
  };
  static_assert(sizeof(Front) == sizeof(typename Front::Table), "keys take what is free");
  static_assert(sizeof(Rows) == rows_most * sizeof(Found), "keys take what is free");
  static_assert(teams * small_frontier_top_max <= node_places, "those of all teams are ranked");
  /// The sizes of what a team has for the next step.
  struct Message {
    std::uint32_t targets;  ///< in the inbox of the reader
    std::uint32_t passes;
  };
  struct alignas(16) Words {
    std::uint32_t word[4];
  };

  /// Bloom filter of the nodes that passed something on
  alignas(16) std::uint32_t filter[filter_words];
  Front front;
  /// a hash table of the nodes of this team that were reached
  std::uint32_t node_key[node_places];
  float node_value[node_places];
  std::uint32_t node_state[node_places];  ///< the tier; `listed`
  alignas(16) Inbox inbox[2];
  Pass passes[2][passes_most];
  SmallEnds out_rows[passes_most];  ///< of the nodes that pass something on
  SmallEnds hub_rows[hubs_most];    ///< those that the whole team visits
  Rows rows;
  LongRow long_rows[long_most];
  Rank chosen[small_frontier_top_max];
  typename BestByCounting<cluster_type>::Memory counting;
  Message messages[2][teams];
  std::uint32_t sent[teams];
  std::uint16_t reached[node_places];  ///< slots of nodes
  std::uint16_t piece_rows[pieces_most];
  std::uint32_t passed, row_count, long_count, piece_count, term_count, hub_count, node_count,
      is_over;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_SPECIAL_SMALL_FRONTIER_MEMORY_HPP
