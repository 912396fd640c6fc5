// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_SPECIAL_SMALL_FRONTIER_HPP
#define KINDRED_CORE_GRAPH_SPECIAL_SMALL_FRONTIER_HPP

/// \file
/// A special form for CUDA from Hopper on: 1.4 × on `spread-1k`, 2026-11-30, H200. \see
/// SpecialForms.hpp

#include <kindred/core/arch/launch/TeamCluster.hpp>
#include <kindred/core/graph/impl/HopUpdate.hpp>
#include <kindred/core/graph/special/SmallFrontierMemory.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>

namespace Kindred::Impl {

/// \brief One query, processed by one cluster in the shared memory of its teams.
///
/// Step 0 places the sources, step h sums the rows that step h − 1 found. When a node passes
/// something on, the team that owns it visits its out-edges in the same step and sends each target
/// to the inbox of the target's own team, so that teams synchronise once per hop. Then every team
/// lists the rows that it was sent, and copies what all teams have passed on to its own table. A
/// term whose source is not in that table is ±0, which does not change the sum of any lane.
template <class ExecutionSpace>
struct SmallFrontierLaunch {
  using cluster_type = Arch::TeamCluster<ExecutionSpace>;
  using warp_type = typename cluster_type::warp_type;
  using Memory = SmallFrontierMemory<ExecutionSpace>;

  SmallSide in;
  SmallSide out;
  FrontierQueries<ExecutionSpace> queries;

  using view_type = cluster_type;
  static constexpr unsigned threads_max = cluster_type::team_threads;
  static constexpr unsigned teams_at_once = 1;
  static constexpr int architecture_min = 90;  // clusters

  KOKKOS_INLINE_FUNCTION void operator()(const cluster_type& cluster, std::byte* scratch) const {
    Memory& memory = *reinterpret_cast<Memory*>(scratch);
    const FrontierQuery requested = queries.query(cluster.index());
    clear(cluster, memory);
    cluster.barrier();  // the memory of a team that has not started does not exist
    place_sources(cluster, memory, requested);
    HopParameters parameters = requested.parameters;
    NodeUpdate update;
    std::uint32_t hop = 1;
    for (; hop <= parameters.hops; ++hop) {
      finish_step(cluster, memory, hop & 1U);
      const std::uint32_t passed = passed_by_all(cluster, memory, hop & 1U);
      if (passed > Memory::front_most) return give_up(cluster);
      if (passed == 0) break;
      receive(cluster, memory, hop & 1U);
      parameters.hop = hop;
      parameters.decay = queries.decay(requested, hop);
      update.set(parameters);
      cluster.team_barrier();
      sum_rows(cluster, memory, update, hop & 1U);
    }
    rank(cluster, memory, hop & 1U);
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFFU;
  static constexpr std::uint32_t listed = 0x80000000U;
  static constexpr std::uint32_t over = 1U << 20U;
  static constexpr unsigned lanes = cluster_type::lanes;
  static constexpr unsigned row_lanes = Memory::row_lanes;
  static constexpr unsigned team_threads = cluster_type::team_threads;
  static constexpr unsigned team_rows = team_threads / row_lanes;
  // nodes with more edges are processed by the whole team
  static constexpr std::uint32_t hub_edges = lanes > 1 ? 256 : none;

  KOKKOS_INLINE_FUNCTION static std::uint32_t least(std::uint32_t a, std::uint32_t b) {
    return a < b ? a : b;
  }

  // ---- Slots of nodes ----

  KOKKOS_INLINE_FUNCTION static unsigned team_of(const cluster_type& cluster, std::uint32_t node) {
    return node * 0x9E3779B1U >> 28U & (cluster.teams() - 1);
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t front_place(std::uint32_t node) {
    static_assert(Memory::front_places == 1U << 12U);
    return node * 0x9E3779B1U >> 20U;
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t filter_bit(std::uint32_t node) {
    static_assert(Memory::filter_words * 32 == 1U << 16U);
    return node * 0x9E3779B1U >> 16U;
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t next_front(std::uint32_t place) {
    return (place + 1) & (Memory::front_places - 1);
  }

  /// The slot of a node of this team.
  KOKKOS_INLINE_FUNCTION static std::uint32_t place_of(Memory& memory, std::uint32_t node) {
    static_assert(Memory::node_places == 1U << 12U);
    std::uint32_t place = node * 0x85EBCA6BU >> 20U;
    while (true) {
      const std::uint32_t had = cluster_type::compare_and_swap(&memory.node_key[place], none, node);
      if (had == none) {
        memory.node_value[place] = 0.0F;
        memory.reached[cluster_type::add(&memory.node_count, 1)] =
            static_cast<std::uint16_t>(place);
      }
      if (had == none || had == node) return place;
      place = (place + 1) & (Memory::node_places - 1);
    }
  }

  // ---- Steps ----

  KOKKOS_INLINE_FUNCTION void clear(const cluster_type& cluster, Memory& memory) const {
    clear_front(cluster, memory);
    fill(cluster, memory.node_key, Memory::node_places, none);
    fill(cluster, memory.node_state, Memory::node_places, tier_untouched);
    if (cluster.thread() < Memory::teams) memory.sent[cluster.thread()] = 0;
    if (cluster.thread() == 0) {
      clear_counts(memory);
      memory.node_count = memory.is_over = 0;
    }
  }
  /// Those of a step.
  KOKKOS_INLINE_FUNCTION static void clear_counts(Memory& memory) {
    memory.passed = memory.row_count = memory.long_count = memory.piece_count = 0;
    memory.term_count = memory.hub_count = 0;
  }
  KOKKOS_INLINE_FUNCTION static void clear_front(const cluster_type& cluster, Memory& memory) {
    fill(cluster, memory.filter, Memory::filter_words, 0);
    fill(cluster, memory.front.table.node, Memory::front_places, none);
  }
  KOKKOS_INLINE_FUNCTION static void fill(const cluster_type& cluster, std::uint32_t* words,
                                          std::uint32_t count, std::uint32_t value) {
    using Words = typename Memory::Words;
    auto* to = reinterpret_cast<Words*>(words);
    for (std::uint32_t i = cluster.thread(); i < count / 4; i += team_threads)
      to[i] = Words{{value, value, value, value}};
  }

  KOKKOS_INLINE_FUNCTION void place_sources(const cluster_type& cluster, Memory& memory,
                                            const FrontierQuery& requested) const {
    for (std::uint32_t i = cluster.thread(); i < requested.sources; i += team_threads) {
      const Activation source = queries.source(requested, i);
      if (team_of(cluster, source.node) != cluster.team()) continue;
      if (memory.node_count >= Memory::node_most) {
        memory.is_over = 1;
        break;
      }
      const std::uint32_t place = place_of(memory, source.node);
      memory.node_value[place] = source.value;
      if (source.value > 0.0F) memory.node_state[place] = 0;
      if (source.value != 0.0F && requested.parameters.hops > 0)
        pass(memory, 1, source.node, source.value, out.row(source.node).ends);
    }
  }

  /// Records what \p node passes on for the step of parity \p next.
  KOKKOS_INLINE_FUNCTION static void pass(Memory& memory, unsigned next, std::uint32_t node,
                                          float value, const SmallEnds& row) {
    const std::uint32_t place = cluster_type::add(&memory.passed, 1);
    if (place >= Memory::passes_most) {
      memory.is_over = 1;
      return;
    }
    memory.passes[next][place] = {node, value};
    memory.out_rows[place] = row;
    if (row.count <= hub_edges) return;
    const std::uint32_t at = cluster_type::add(&memory.hub_count, 1);
    if (at < Memory::hubs_most)
      memory.hub_rows[at] = row;
    else
      memory.is_over = 1;
  }

  /// Sends what the team found for the step of parity \p next; ends when all teams have done so.
  KOKKOS_INLINE_FUNCTION void finish_step(const cluster_type& cluster, Memory& memory,
                                          unsigned next) const {
    cluster.team_barrier();
    send_targets(cluster, memory, next);
    clear_front(cluster, memory);
    cluster.team_barrier();
    if (cluster.warp() == 0) {
      for (unsigned team = cluster.lane(); team < cluster.teams(); team += lanes) {
        const typename Memory::Message messages{memory.sent[team],
                                                memory.passed + (memory.is_over != 0 ? over : 0)};
        cluster.store(&memory.messages[next][cluster.team()], team, messages);
        memory.sent[team] = 0;
      }
      cluster.warp_barrier();
      if (cluster.lane() == 0) clear_counts(memory);
    }
    cluster.barrier();
  }

  /// Sends the targets of out-edges to their teams: each row group of lanes visits the edges of one
  /// node, then the whole team those of nodes that have many.
  KOKKOS_INLINE_FUNCTION void send_targets(const cluster_type& cluster, Memory& memory,
                                           unsigned next) const {
    constexpr unsigned depth = lanes > 1 ? 4 : 1;
    const unsigned rounds = memory.hub_count > 0 ? 2 : 1;
    for (unsigned round = 0; round < rounds; ++round) {
      const bool of_hubs = round > 0;
      const SmallEnds* rows = of_hubs ? memory.hub_rows : memory.out_rows;
      const std::uint32_t count = of_hubs ? least(memory.hub_count, Memory::hubs_most)
                                          : least(memory.passed, Memory::passes_most);
      const unsigned of = of_hubs ? team_threads : row_lanes;
      const unsigned own = cluster.thread() & (of - 1);
      for (std::uint32_t i = of_hubs ? 0 : cluster.thread() / row_lanes; i < count;
           i += of_hubs ? 1 : team_rows) {
        const SmallEnds row = rows[i];
        if (of_hubs != (row.count > hub_edges)) continue;
        for (std::uint32_t first = own; first < row.count; first += depth * of) {
          std::uint32_t target[depth];
          KINDRED_UNROLL
          for (unsigned j = 0; j < depth; ++j)
            target[j] = first + j * of < row.count ? row.nodes[first + j * of] : 0;
          KINDRED_UNROLL
          for (unsigned j = 0; j < depth; ++j)
            if (first + j * of < row.count) send(cluster, memory, next, target[j]);
        }
      }
    }
  }
  KOKKOS_INLINE_FUNCTION static void send(const cluster_type& cluster, Memory& memory,
                                          unsigned next, std::uint32_t target) {
    const unsigned team = team_of(cluster, target);
    const std::uint32_t place = cluster_type::add(&memory.sent[team], 1);
    if (place < Memory::inbox_capacity)
      cluster.store(&memory.inbox[next].from[cluster.team()][place], team, target);
    else
      memory.is_over = 1;
  }

  /// How many nodes pass something on to the step, over all teams; more than fit if a team has
  /// overflowed.
  KOKKOS_INLINE_FUNCTION static std::uint32_t passed_by_all(const cluster_type& cluster,
                                                            const Memory& memory, unsigned parity) {
    std::uint32_t passes = 0;
    for (unsigned team = cluster.lane(); team < cluster.teams(); team += lanes)
      passes += memory.messages[parity][team].passes;
    return warp_type::sum(passes);
  }
  KOKKOS_INLINE_FUNCTION void give_up(const cluster_type& cluster) const {
    if (cluster.team() == 0 && cluster.thread() == 0) queries.done(cluster.index()) = 0;
  }

  /// Reads what all teams sent for a step.
  KOKKOS_INLINE_FUNCTION void receive(const cluster_type& cluster, Memory& memory,
                                      unsigned parity) const {
    constexpr unsigned warps = cluster_type::warps();
    const unsigned helpers = warps > cluster.teams() ? warps / cluster.teams() : 1;  // per team
    const unsigned own = cluster.warp() / cluster.teams() * lanes + cluster.lane();
    for (unsigned team = cluster.warp() & (cluster.teams() - 1); team < cluster.teams();
         team += warps) {
      const typename Memory::Message messages = memory.messages[parity][team];
      for (std::uint32_t i = own; i < messages.passes; i += helpers * lanes) {
        const auto pass = cluster.load(&memory.passes[parity][i], team);
        std::uint32_t place = front_place(pass.node);
        while (cluster_type::compare_and_swap(&memory.front.table.node[place], none, pass.node) !=
               none)
          place = next_front(place);
        memory.front.table.value[place] = pass.value;
        cluster_type::atomic_or(&memory.filter[filter_bit(pass.node) / 32],
                                1U << filter_bit(pass.node) % 32);
      }
      for (std::uint32_t i = own; i < messages.targets; i += helpers * lanes) {
        if (memory.node_count >= Memory::node_most) {
          memory.is_over = 1;
          break;
        }
        typename Memory::Found row;
        row.node = memory.inbox[parity].from[team][i];
        row.in = in.row(row.node);
        row.out = out.row(row.node).ends;
        row.place = place_of(memory, row.node);
        if ((cluster_type::atomic_or(&memory.node_state[row.place], listed) & listed) != 0)
          continue;
        const std::uint32_t at = cluster_type::add(&memory.row_count, 1);
        if (at < Memory::rows_most)
          memory.rows.found[at] = row;
        else
          memory.is_over = 1;
      }
    }
  }

  // ---- Sums ----

  /// Whether \p node may have passed something on.
  KOKKOS_INLINE_FUNCTION static bool may_pass(const Memory& memory, std::uint32_t node) {
    const std::uint32_t bit = filter_bit(node);
    return (memory.filter[bit / 32] >> bit % 32 & 1U) != 0;
  }
  /// The value that it passed on.
  KOKKOS_INLINE_FUNCTION static float value_of(const Memory& memory, std::uint32_t node) {
    std::uint32_t place = front_place(node);
    while (memory.front.table.node[place] != node) {
      if (memory.front.table.node[place] == none) return 0.0F;
      place = next_front(place);
    }
    return memory.front.table.value[place];
  }

  /// The reproducible sum of a row of one block, computed by a unit.
  KOKKOS_INLINE_FUNCTION static double block_sum(const cluster_type& cluster, const Memory& memory,
                                                 const SmallRow& row) {
    if constexpr (lanes > 1) {
      constexpr unsigned depth = 4;  // reads in flight
      double sum = 0.0;
      for (std::uint32_t first = cluster.lane(); first < row.ends.count; first += depth * 32) {
        std::uint32_t source[depth];
        float weight[depth];
        KINDRED_UNROLL
        for (unsigned j = 0; j < depth; ++j) {
          const bool is_edge = first + j * 32 < row.ends.count;
          source[j] = is_edge ? row.ends.nodes[first + j * 32] : 0;
          weight[j] = is_edge ? row.weights[first + j * 32] : 0.0F;
        }
        std::uint32_t passing = 0;
        KINDRED_UNROLL
        for (unsigned j = 0; j < depth; ++j)
          if (first + j * 32 < row.ends.count && may_pass(memory, source[j])) passing |= 1U << j;
        for (; passing != 0; passing &= passing - 1) {
          const auto next = static_cast<unsigned>(Kokkos::countr_zero(passing));
          std::uint32_t node = source[0];
          float own = weight[0];
          KINDRED_UNROLL
          for (unsigned j = 1; j < depth; ++j) {
            node = j == next ? source[j] : node;
            own = j == next ? weight[j] : own;
          }
          add_term(sum, value_of(memory, node), own);
        }
      }
      return warp_type::sum(sum);
    } else {
      return all_lanes<double>(row.ends.count, [&](double& to, std::uint32_t i) {
        const std::uint32_t node = row.ends.nodes[i];
        if (may_pass(memory, node)) add_term(to, value_of(memory, node), row.weights[i]);
      });
    }
  }
  KOKKOS_INLINE_FUNCTION static double row_sum(const cluster_type& cluster, const Memory& memory,
                                               const SmallRow& row) {
    if constexpr (lanes > 1) {
      return block_sum(cluster, memory, row);
    } else {
      return sum_of_blocks(row.ends.count, [&](std::uint64_t begin, std::uint32_t length) {
        return block_sum(cluster, memory, {{row.ends.nodes + begin, length}, row.weights + begin});
      });
    }
  }

  /// Each unit sums a row; then each thread applies one sum.
  KOKKOS_INLINE_FUNCTION static void sum_rows(const cluster_type& cluster, Memory& memory,
                                              const NodeUpdate& update, unsigned parity) {
    typename Memory::Sums& sums = memory.inbox[parity].sums;
    const std::uint32_t rows = least(memory.row_count, Memory::rows_most);
    for (std::uint32_t i = cluster.warp(); i < rows; i += cluster_type::warps()) {
      const SmallRow row = memory.rows.found[i].in;
      if (row.ends.count > Memory::row_max) {
        if (cluster.lane() == 0) list_long(memory, i, row.ends.count);
        continue;
      }
      const double sum = row_sum(cluster, memory, row);
      if (cluster.lane() == 0) sums.of_rows[i] = sum;
    }
    cluster.team_barrier();
    if constexpr (lanes > 1) {
      if (memory.long_count > 0) {
        sum_long_rows(cluster, memory, sums);
        cluster.team_barrier();
      }
    }
    for (std::uint32_t i = cluster.thread(); i < rows; i += team_threads)
      take(memory, update, parity ^ 1U, memory.rows.found[i], sums.of_rows[i]);
  }

  /// Applies the sum of a node.
  KOKKOS_INLINE_FUNCTION static void take(Memory& memory, const NodeUpdate& update, unsigned next,
                                          const typename Memory::Found& row, double sum) {
    float value = memory.node_value[row.place];
    auto tier = static_cast<std::uint8_t>(memory.node_state[row.place]);
    const float passed = update.take(&value, &tier, sum);
    memory.node_value[row.place] = value;
    memory.node_state[row.place] = tier;
    if (passed != 0.0F && !update.is_last) pass(memory, next, row.node, passed, row.out);
  }

  KOKKOS_INLINE_FUNCTION static void list_long(Memory& memory, std::uint32_t found,
                                               std::uint32_t count) {
    constexpr std::uint32_t most = Memory::pieces_most;
    constexpr std::uint32_t length = Memory::piece_rounds * 32;
    const std::uint32_t pieces = count / length + (count % length != 0 ? 1 : 0);
    const std::uint32_t at = cluster_type::add(&memory.long_count, 1);
    const std::uint32_t first =
        cluster_type::add(&memory.piece_count, pieces <= most ? pieces : most + 1);
    if (at >= Memory::long_most || pieces > most || first + pieces > most) {
      memory.is_over = 1;
      return;
    }
    memory.long_rows[at] = {found, first};
    for (std::uint32_t i = first; i < first + pieces; ++i)
      memory.piece_rows[i] = static_cast<std::uint16_t>(at);
  }

  /// Units find the terms of pieces of rows, then add up those of each row.
  KOKKOS_INLINE_FUNCTION static void sum_long_rows(const cluster_type& cluster, Memory& memory,
                                                   typename Memory::Sums& sums) {
    if (memory.long_count > Memory::long_most || memory.piece_count > Memory::pieces_most) return;
    for (std::uint32_t piece = cluster.warp(); piece < memory.piece_count;
         piece += cluster_type::warps())
      find_terms(cluster, memory, sums, piece);
    cluster.team_barrier();
    for (std::uint32_t i = cluster.warp(); i < memory.long_count; i += cluster_type::warps()) {
      const typename Memory::LongRow row = memory.long_rows[i];
      const double sum =
          long_sum(cluster, sums, row.first_piece, memory.rows.found[row.found].in.ends.count);
      if (cluster.lane() == 0) sums.of_rows[row.found] = sum;
    }
  }

  KOKKOS_INLINE_FUNCTION static void find_terms(const cluster_type& cluster, Memory& memory,
                                                typename Memory::Sums& to, std::uint32_t piece) {
    constexpr std::uint32_t rounds = Memory::piece_rounds;
    const typename Memory::LongRow of = memory.long_rows[memory.piece_rows[piece]];
    const SmallRow row = memory.rows.found[of.found].in;
    const std::uint32_t first = (piece - of.first_piece) * rounds * 32 + cluster.lane();
    std::uint32_t source[rounds];
    KINDRED_UNROLL
    for (unsigned j = 0; j < rounds; ++j)
      source[j] = first + j * 32 < row.ends.count ? row.ends.nodes[first + j * 32] : 0;
    std::uint32_t passing = 0;
    KINDRED_UNROLL
    for (unsigned j = 0; j < rounds; ++j)
      if (first + j * 32 < row.ends.count && may_pass(memory, source[j])) passing |= 1U << j;
    for (unsigned j = 0; j < rounds; ++j) {
      std::uint32_t lanes_of = warp_type::ballot((passing >> j & 1U) != 0);
      std::uint32_t at = 0;
      if (lanes_of != 0) {
        const std::uint32_t i = first + j * 32;
        const float value = (passing >> j & 1U) != 0 ? value_of(memory, row.ends.nodes[i]) : 0.0F;
        lanes_of = warp_type::ballot(value != 0.0F);
        const auto count = static_cast<std::uint32_t>(Kokkos::popcount(lanes_of));
        if (cluster.lane() == 0) at = cluster_type::add(&memory.term_count, count);
        at = warp_type::of_lane(at, 0);
        if (at + count > Memory::terms_most) {
          memory.is_over = 1;
          lanes_of = 0;
        }
        const std::uint32_t before = lanes_of & ((1U << cluster.lane()) - 1);
        if ((lanes_of >> cluster.lane() & 1U) != 0)
          to.products[at + static_cast<std::uint32_t>(Kokkos::popcount(before))] =
              static_cast<double>(value) * static_cast<double>(row.weights[i]);
      }
      if (cluster.lane() == 0) {
        to.lanes[piece * rounds + j] = lanes_of;
        to.first[piece * rounds + j] = static_cast<std::uint16_t>(at);
      }
    }
  }

  /// Every lane adds its terms of a block in order; with many blocks, lane b then has the sum of
  /// block b, and the tree over the lanes is the tree over the blocks.
  KOKKOS_INLINE_FUNCTION static double long_sum(const cluster_type& cluster,
                                                const typename Memory::Sums& terms,
                                                std::uint32_t first_piece, std::uint32_t count) {
    constexpr std::uint32_t block_rounds = reproducible_block / 32;
    static_assert(Memory::pieces_most * Memory::piece_rounds <= 32 * block_rounds);
    const std::uint32_t rounds = count / 32 + (count % 32 != 0 ? 1 : 0);
    const std::uint32_t begin = first_piece * Memory::piece_rounds;
    const std::uint32_t before = (1U << cluster.lane()) - 1;
    double of_blocks = 0.0;
    double sum = 0.0;
    for (std::uint32_t first = 0; first < rounds; first += lanes) {
      const std::uint32_t round = first + cluster.lane();
      const std::uint32_t own = round < rounds ? terms.lanes[begin + round] : 0;
      const std::uint32_t own_first = round < rounds ? terms.first[begin + round] : 0;
      for (std::uint32_t left = warp_type::ballot(own != 0); left != 0; left &= left - 1) {
        const auto from = static_cast<unsigned>(Kokkos::countr_zero(left));
        const std::uint32_t of = warp_type::of_lane(own, from);
        const std::uint32_t at = warp_type::of_lane(own_first, from);
        if ((of >> cluster.lane() & 1U) != 0)
          sum += terms.products[at + static_cast<std::uint32_t>(Kokkos::popcount(of & before))];
      }
      const std::uint32_t next = first + lanes;
      if (next % block_rounds == 0 || next >= rounds) {
        sum = warp_type::sum(sum);
        if (cluster.lane() == first / block_rounds) of_blocks = sum;
        sum = 0.0;
      }
    }
    return rounds > block_rounds ? warp_type::sum(of_blocks) : warp_type::of_lane(of_blocks, 0);
  }

  // ---- Ranks ----

  /// The best nodes of every team go to inbox \p parity of the first team, which ranks them.
  KOKKOS_INLINE_FUNCTION void rank(const cluster_type& cluster, Memory& memory,
                                   unsigned parity) const {
    const std::uint32_t top = queries.top;
    Rank* gathered = memory.inbox[parity].keys;
    for (unsigned round = 0; round < 2; ++round) {
      if (cluster.thread() == 0) memory.counting.count = 0;
      cluster.team_barrier();
      const std::uint32_t places = round == 0 ? memory.node_count : cluster.teams() * top;
      for (std::uint32_t i = cluster.thread(); i < places; i += team_threads) {
        const Rank key = round == 0 ? key_of(memory, memory.reached[i]) : gathered[i];
        if (key != rank_none) memory.front.keys[cluster_type::add(&memory.counting.count, 1)] = key;
      }
      cluster.team_barrier();
      BestByCounting<cluster_type>::choose(cluster, memory.counting, memory.front.keys,
                                           memory.rows.keys, top, memory.chosen);
      if (round > 0) break;
      for (std::uint32_t i = cluster.thread(); i < top; i += team_threads)
        cluster.store(gathered + cluster.team() * top + i, 0, memory.chosen[i]);
      if (cluster.thread() == 0)
        cluster.store(&memory.messages[parity][cluster.team()], 0, {0, memory.is_over});
      cluster.barrier();
      if (cluster.team() != 0) return;
    }
    for (std::uint32_t i = cluster.thread(); i < top; i += team_threads)
      queries.ranks(cluster.index() * top + i) = memory.chosen[i];
    if (cluster.warp() == 0) {
      const std::uint32_t overs = passed_by_all(cluster, memory, parity);
      if (cluster.lane() == 0) queries.done(cluster.index()) = overs != 0 ? 0 : 1;
    }
  }
  KOKKOS_INLINE_FUNCTION static Rank key_of(const Memory& memory, std::uint32_t place) {
    const float value = memory.node_value[place];
    return value != 0.0F ? rank_descending(value, memory.node_key[place]) : rank_none;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_SPECIAL_SMALL_FRONTIER_HPP
