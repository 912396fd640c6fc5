// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_FRONTIER_HPP
#define KINDRED_CORE_GRAPH_IMPL_FRONTIER_HPP

#include <kindred/core/arch/launch/KernelCancel.hpp>
#include <kindred/core/arch/launch/ThreadGroup.hpp>
#include <kindred/core/graph/Frontier.hpp>
#include <kindred/core/graph/impl/FrontierGroup.hpp>
#include <kindred/core/graph/impl/HopUpdate.hpp>

namespace Kindred::Impl {

template <class ExecutionSpace>
struct FrontierLaunch;

/// Numbers of rows of each kind up to some point of a query.
struct FrontierEnds {
  std::uint32_t rows = 0;
  std::uint32_t long_rows = 0;
  std::uint32_t blocks = 0;
};

/// \brief One query, processed by one group.
///
/// Step 0 places the sources, step h sums the rows that step h − 1 found. As soon as a node passes
/// something on, its out-edges are visited to find the rows of the next step, so that the group
/// synchronises once per hop. Step h reads from `passed[(h − 1) % 3]`, writes to `passed[h % 3]`
/// and clears `passed[(h + 1) % 3]`; it counts what it finds in `found[(h + 1) % 3]` and clears
/// `found[(h + 2) % 3]` meanwhile, so that no thread counts where another one still reads. A single
/// loop over work items does all of this, since a device stalls on code that it has not executed
/// yet.
template <class ExecutionSpace>
class FrontierWalk {
 public:
  using group_type = FrontierGroup<ExecutionSpace>;
  using memory_space = typename ExecutionSpace::memory_space;
  using launch_type = FrontierLaunch<ExecutionSpace>;

  KOKKOS_INLINE_FUNCTION FrontierWalk(const launch_type& launch, group_type& group)
      : m_launch(launch), m_group(group), m_control(launch.state.control(group.index())) {
    const FrontierState<ExecutionSpace>& state = launch.state;
    const std::size_t slot = group.index();
    const std::size_t nodes = state.shape.nodes;
    m_value = state.value.data() + slot * nodes;
    m_tier = state.tier.data() + slot * nodes;
    m_passed = state.passed.data() + slot * 3 * nodes;
    m_mark = state.mark.data() + slot * nodes;
    m_rows = state.rows.data() + slot * launch.sizes.rows;
    m_long_rows = state.long_rows.data() + slot * launch.sizes.long_rows;
    m_blocks = state.blocks.data() + slot * launch.sizes.blocks;
    m_partial = state.partial.data() + slot * launch.sizes.blocks;
    m_hubs = state.hubs.data() + slot * launch.sizes.hubs;
  }

  KOKKOS_INLINE_FUNCTION void run(std::size_t query) {
    const FrontierQuery requested = m_launch.queries.query(query);
    m_first_stamp = next_stamp();
    const bool is_done = spread(requested);
    // One team ranks a few nodes faster than it could synchronise with the others; meanwhile those
    // clear what it does not read.
    const bool is_alone = entries() <= group_type::alone_max;
    const unsigned others = m_group.teams() - 1;
    if (is_alone && m_group.team() != 0) return clear_passed(m_group.team() - 1, others);
    if (is_done) m_group.rank(*this, m_launch, query, is_alone);
    clear(is_alone, others > 0);
    if (m_group.is_leader()) m_launch.queries.done(query) = is_done ? 1 : 0;
  }

  /// Number of rows that the query has reached so far, including its sources.
  KOKKOS_INLINE_FUNCTION std::uint32_t entries() const {
    return m_end.rows + m_end.long_rows + m_end.blocks;
  }
  /// The key of entry \p i, or `rank_none` if it cannot be a result or another entry has the same
  /// node.
  KOKKOS_INLINE_FUNCTION Rank key(std::uint32_t i) const {
    const FrontierRow row = group_type::read(entry(i));
    if ((row.place & is_first) == 0) return rank_none;
    const float value = group_type::read(m_value + row.node);
    return value != 0.0F ? rank_descending(value, row.node) : rank_none;
  }

 private:
  static constexpr std::uint64_t of_delta = std::uint64_t{1} << 63;
  static constexpr std::uint64_t is_first = std::uint64_t{1} << 62;
  static constexpr unsigned lanes = group_type::lanes;
  static constexpr unsigned depth = group_type::walk_depth;
  static constexpr unsigned row_lanes = lanes / group_type::short_rows;
  static constexpr std::uint32_t none = 0xFFFFFFFFU;

  /// A node, held by a lane, whose out-edges must be visited.
  struct Passing {
    bool wants = false;
    FrontierOut out;
  };

  KOKKOS_INLINE_FUNCTION std::size_t nodes() const { return m_launch.state.shape.nodes; }
  KOKKOS_INLINE_FUNCTION std::uint64_t budget() const { return m_launch.state.shape.budget; }
  KOKKOS_INLINE_FUNCTION unsigned thread() const { return m_group.warp() * lanes + m_group.lane(); }
  KOKKOS_INLINE_FUNCTION unsigned threads() const { return m_group.warps() * lanes; }

  KOKKOS_INLINE_FUNCTION std::uint32_t next_stamp() {
    const std::uint32_t stamp = group_type::read(&m_control.stamp);
    if (stamp <= 0x7FFFFFFFU) return stamp + 1;
    // This happens so rarely that all nodes may be visited.
    for (std::size_t node = thread(); node < nodes(); node += threads()) m_mark[node] = 0;
    m_group.barrier();
    return 1;
  }

  /// Returns false if the budget was exceeded.
  KOKKOS_INLINE_FUNCTION bool spread(const FrontierQuery& requested) {
    m_stamp = m_first_stamp;
    if (requested.sources > budget() / FrontierShape::row_steps) {
      m_group.barrier();  // all have read which query this is
      return false;
    }
    FrontierEnds before_last;     // where the rows of step h − 2 begin
    FrontierEnds last;            // and end
    FrontierEnds begin;           // those of step h
    FrontierControl::Found work;  // of this step
    std::uint64_t spent = 0;
    m_end.rows = requested.sources;
    HopParameters parameters = requested.parameters;
    parameters.hop = 0;
    bool of_hubs = false;  // visits the edges of the hubs that the last step found
    while (true) {
      const std::uint32_t hop = parameters.hop;
      if (!of_hubs) {
        m_found = &m_control.found[(hop + 1) % 3];
        ++m_stamp;
        m_x = m_passed + (hop + 2) % 3 * nodes();
        m_next = m_passed + hop % 3 * nodes();
        m_is_last = hop >= parameters.hops;
        if (hop > 0) {
          parameters.decay = m_launch.queries.decay(requested, hop);
          m_update.set(parameters);
          if (m_group.is_leader()) m_control.found[(hop + 2) % 3] = {};
        }
      }
      const std::uint32_t short_rows = m_end.rows - begin.rows;
      const std::uint32_t long_rows = m_end.long_rows - begin.long_rows;
      const unsigned warps = m_group.warps();
      std::uint64_t items = long_rows + quotient_up(short_rows, group_type::short_rows);
      if (hop == 0) items = requested.sources;
      if (of_hubs) items = std::uint64_t{work.hubs} * warps;
      const std::uint32_t blocks = of_hubs ? 0 : work.blocks;
      // The first teams process the blocks, the last ones start with the rest.
      std::uint32_t block = m_group.team();
      std::uint64_t item = warps - 1 - m_group.warp();
      while (block < blocks || item < items) {
        Passing passing;
        std::uint64_t first = 0;
        std::uint64_t step = depth * lanes;
        if (block < blocks) {
          passing = sum_block(begin.blocks + block);
          block += m_group.teams();
        } else {
          if (of_hubs) {
            passing.out = group_type::read(m_hubs + item / warps);
            passing.wants = m_group.lane() == 0;
            first = m_group.warp() * step;
            step *= warps;
          } else if (hop == 0) {
            passing = place_source(requested, static_cast<std::uint32_t>(item));
          } else {
            passing = sum_rows(item, long_rows, begin);
          }
          item += warps;
        }
        if (!m_is_last) walk(passing, first, step);
      }
      if (!of_hubs && hop > 1) {
        float* old = m_passed + (hop + 1) % 3 * nodes();
        for_entries(before_last, last, thread(), threads(),
                    [=](const FrontierRow& row) { old[row.node] = 0.0F; });
      }
      finish_step(of_hubs ? &m_found->hub_steps : &m_found->steps);
      if (m_is_last) return true;
      work = group_type::read(m_found);
      if (!of_hubs && work.hubs > 0 && spent + work.steps <= budget()) {
        of_hubs = true;
        continue;
      }
      of_hubs = false;
      spent += work.steps + work.hub_steps;
      const bool is_over = spent > budget();
      if (is_over || (work.rows == 0 && work.blocks == 0)) {
        m_group.barrier();  // all have read `work`
        return !is_over;
      }
      before_last = last;
      last = begin;
      begin = m_end;
      m_end.rows += static_cast<std::uint32_t>(work.rows);
      m_end.long_rows += static_cast<std::uint32_t>(work.rows >> 32U);
      m_end.blocks += work.blocks;
      ++parameters.hop;
    }
  }

  /// Completes the work of all threads before they need each other's results.
  KOKKOS_INLINE_FUNCTION void finish_step(std::uint64_t* to) {
    const std::uint64_t steps = group_type::warp_type::sum(m_steps);
    if (m_group.lane() == 0 && steps > 0) group_type::add(to, steps);
    m_steps = 0;
    m_group.barrier();
  }

  KOKKOS_INLINE_FUNCTION FrontierOut out_of(std::uint32_t node) {
    const RowPlace<memory_space> row = row_of(m_launch.out.built, m_launch.out.delta, node);
    return {row.begin | (row.part == &m_launch.out.delta ? of_delta : 0), row.count};
  }

  KOKKOS_INLINE_FUNCTION Passing place_source(const FrontierQuery& requested, std::uint32_t i) {
    Passing passing;
    if (m_group.lane() != 0) return passing;
    const Activation source = m_launch.queries.source(requested, i);
    const bool first = group_type::raise(m_mark + source.node, m_first_stamp) < m_first_stamp;
    FrontierRow row;
    row.place = first ? is_first : 0;
    row.node = source.node;
    m_rows[i] = row;
    m_value[source.node] = source.value;
    if (source.value > 0.0F) m_tier[source.node] = 0;
    m_next[source.node] = source.value;
    passing.wants = source.value != 0.0F;
    passing.out = out_of(source.node);
    return passing;
  }

  /// The state of a node before its sum is applied, loaded early.
  struct NodeState {
    float value = 0.0F;
    std::uint8_t tier = 0;
  };
  KOKKOS_INLINE_FUNCTION NodeState state_of(bool is_target, std::uint32_t node) const {
    NodeState state;
    if (!is_target) return state;
    state.value = group_type::read(m_value + node);
    state.tier = group_type::read(m_tier + node);
    return state;
  }
  KOKKOS_INLINE_FUNCTION Passing take(const FrontierRow& row, NodeState state, double sum) {
    Passing passing;
    const float passed = m_update.take(&state.value, &state.tier, sum);
    m_value[row.node] = state.value;
    m_tier[row.node] = state.tier;
    m_next[row.node] = passed;
    passing.wants = passed != 0.0F;
    if (lanes > 1) {
      passing.out = row.out;
    } else if (passing.wants && !m_is_last) {
      passing.out = out_of(row.node);
    }
    return passing;
  }

  /// The sums of work item \p item of the step: long rows first, then short ones.
  KOKKOS_INLINE_FUNCTION Passing sum_rows(std::uint64_t item, std::uint32_t long_rows,
                                          const FrontierEnds& begin) {
    const bool is_long = item < long_rows;
    std::uint64_t i = begin.long_rows + item;
    bool has_row = true;
    if (!is_long) {
      i = begin.rows + (item - long_rows) * group_type::short_rows + m_group.lane() / row_lanes;
      has_row = i < m_end.rows;
    }
    FrontierRow row;
    if (has_row) row = group_type::read((is_long ? m_long_rows : m_rows) + i);
    has_row = has_row && m_group.lane() % (is_long ? lanes : row_lanes) == 0;
    const NodeState state = state_of(has_row, row.node);
    const Edges edges = edges_of(row);
    const double sum = is_long
                           ? m_group.block_sum(edges.sources, edges.weights, row.count, m_x)
                           : group_type::short_sum(edges.sources, edges.weights, row.count, m_x);
    return has_row ? take(row, state, sum) : Passing{};
  }

  /// Sums a block by the team; returns what its first unit may pass on. The last team to arrive at
  /// a row adds up its blocks.
  KOKKOS_INLINE_FUNCTION Passing sum_block(std::uint32_t i) {
    const FrontierBlock own = group_type::read(m_blocks + i);
    const bool is_first_warp = m_group.thread() < lanes;
    const bool is_taker = m_group.thread() == 0;
    const NodeState state = state_of(is_taker, own.row.node);
    const Edges edges = edges_of(own.row);
    const std::uint64_t first = own.block * reproducible_block;
    const std::uint32_t count = block_length(first, own.row.count);
    double sum = m_group.team_sum(edges.sources + first, edges.weights + first, count, m_x);
    if (!is_first_warp) return {};
    const std::uint32_t blocks = blocks_of(own.row);
    if (blocks > 1) {
      std::uint32_t arrived = 0;
      if (is_taker) {
        m_partial[i] = sum;
        Kokkos::memory_fence();
        arrived = group_type::add(&m_blocks[i - own.block].arrived, 1U);
        Kokkos::memory_fence();
      }
      if (group_type::warp_type::of_lane(arrived, 0) + 1 != blocks) return {};
      // The tree over the blocks: a lane reduces every 32nd block, then the lanes are reduced.
      const double* partial = m_partial + (i - own.block);
      const unsigned lane = m_group.lane();
      sum = pairwise_tree_sum(quotient_up(blocks, lanes), [=](std::uint64_t j) {
        const std::uint64_t at = j * lanes + lane;
        return at < blocks ? group_type::read(partial + at) : 0.0;
      });
      sum = group_type::warp_type::sum(sum);
    }
    return is_taker ? take(own.row, state, sum) : Passing{};
  }

  /// The location of a row's edges.
  struct Edges {
    const std::uint32_t* sources;
    const float* weights;
  };
  KOKKOS_INLINE_FUNCTION Edges edges_of(const FrontierRow& row) const {
    const std::uint64_t begin = row.place & (is_first - 1);
    const GraphRows<memory_space>& built = m_launch.in.built;
    const GraphRows<memory_space>& delta = m_launch.in.delta;
    const bool changed = (row.place & of_delta) != 0;
    return {(changed ? delta.sources.data() : built.sources.data()) + begin,
            (changed ? delta.weights.data() : built.weights.data()) + begin};
  }

  KOKKOS_INLINE_FUNCTION static std::uint32_t blocks_of(const FrontierRow& row) {
    return static_cast<std::uint32_t>(reproducible_blocks(row.count));
  }
  /// \brief Finds the rows that the out-edges of a unit's nodes reach: every \p step from \p first
  /// on.
  ///
  /// The edges of all its nodes form one list, so that the few edges of several nodes are visited
  /// together.
  KOKKOS_INLINE_FUNCTION void walk(const Passing& passing, std::uint64_t first,
                                   std::uint64_t step) {
    FrontierOut out = passing.out;
    if (!passing.wants) out.count = 0;
    if (out.count > group_type::walk_max && step == depth * lanes) {
      const std::uint32_t i = group_type::add(&m_found->hubs, 1U);
      if (i < m_launch.sizes.hubs) m_hubs[i] = out;
      m_steps += out.count;
      out.count = 0;
    }
    constexpr unsigned together = group_type::short_rows;
    std::uint64_t ends[together];  // where the edges of each node end in the list
    const std::uint32_t* edges[together];
    std::uint64_t count = 0;
    KINDRED_UNROLL
    for (unsigned k = 0; k < together; ++k) {
      const std::uint64_t place = group_type::warp_type::of_lane(out.place, k * row_lanes);
      edges[k] = ((place & of_delta) != 0 ? m_launch.out.delta.sources.data()
                                          : m_launch.out.built.sources.data()) +
                 (place & ~of_delta) - count;
      count += group_type::warp_type::of_lane(out.count, k * row_lanes);
      ends[k] = count;
    }
    for (; first < count; first += step) {
      std::uint32_t target[depth];
      KINDRED_UNROLL
      for (unsigned j = 0; j < depth; ++j) {
        const std::uint64_t i = first + j * lanes + m_group.lane();
        const std::uint32_t* from = edges[0];
        KINDRED_UNROLL
        for (unsigned k = 1; k < together; ++k) from = i < ends[k - 1] ? from : edges[k];
        target[j] = i < count ? from[i] : none;
      }
      reach(target);
      if (lanes == 1 && m_steps > budget()) return;
    }
  }

  /// Lists the rows of targets that have not been reached before.
  KOKKOS_INLINE_FUNCTION void reach(const std::uint32_t (&target)[depth]) {
    std::uint32_t before[depth];
    KINDRED_UNROLL
    for (unsigned j = 0; j < depth; ++j) {
      before[j] = m_stamp;
      if (target[j] != none) before[j] = group_type::raise(m_mark + target[j], m_stamp);
    }
    FrontierRow row[depth];
    bool is_short[depth];
    bool is_long[depth];
    KINDRED_UNROLL
    for (unsigned j = 0; j < depth; ++j) {
      is_short[j] = is_long[j] = false;
      // A device loads the row before it knows the mark.
      if (target[j] == none || (lanes == 1 && before[j] >= m_stamp)) {
        m_steps += target[j] != none ? 1 : 0;
        continue;
      }
      const RowPlace<memory_space> in = row_of(m_launch.in.built, m_launch.in.delta, target[j]);
      if (lanes > 1) row[j].out = out_of(target[j]);
      if (before[j] >= m_stamp) {
        ++m_steps;
        continue;
      }
      m_steps += FrontierShape::row_steps + in.count;
      row[j].place = in.begin | (in.part == &m_launch.in.delta ? of_delta : 0) |
                     (before[j] < m_first_stamp ? is_first : 0);
      row[j].node = target[j];
      row[j].count = static_cast<std::uint32_t>(in.count);
      is_short[j] = in.count <= group_type::short_max;
      is_long[j] = !is_short[j] && in.count <= group_type::long_max;
      if (in.count > 0xFFFFFFFFU) m_steps = budget() + 1;
      if (!is_short[j] && !is_long[j]) reach_blocks(row[j]);
    }
    unsigned short_place[depth];
    unsigned long_place[depth];
    unsigned shorts = 0;
    unsigned longs = 0;
    KINDRED_UNROLL
    for (unsigned j = 0; j < depth; ++j) {
      unsigned count = 0;
      short_place[j] = shorts + group_type::warp_type::place_of(is_short[j], count);
      shorts += count;
      long_place[j] = longs + group_type::warp_type::place_of(is_long[j], count);
      longs += count;
    }
    if (shorts + longs == 0) return;
    std::uint64_t place = 0;
    if (m_group.lane() == 0)
      place = group_type::add(&m_found->rows, std::uint64_t{longs} << 32U | shorts);
    place = group_type::warp_type::of_lane(place, 0);
    const std::uint64_t first_short = m_end.rows + (place & 0xFFFFFFFFU);
    const std::uint64_t first_long = m_end.long_rows + (place >> 32U);
    KINDRED_UNROLL
    for (unsigned j = 0; j < depth; ++j) {
      const std::uint64_t at_short = first_short + short_place[j];
      const std::uint64_t at_long = first_long + long_place[j];
      if (is_short[j] && at_short < m_launch.sizes.rows) m_rows[at_short] = row[j];
      if (is_long[j] && at_long < m_launch.sizes.long_rows) m_long_rows[at_long] = row[j];
    }
  }

  KOKKOS_INLINE_FUNCTION void reach_blocks(const FrontierRow& row) {
    const std::uint32_t blocks = blocks_of(row);
    const std::uint32_t first = m_end.blocks + group_type::add(&m_found->blocks, blocks);
    FrontierBlock own;
    own.row = row;
    for (own.block = 0; own.block < blocks && first + own.block < m_launch.sizes.blocks;
         ++own.block) {
      m_blocks[first + own.block] = own;
      own.row.place &= ~is_first;  // only the first time
    }
  }

  KOKKOS_INLINE_FUNCTION const FrontierRow* entry(std::uint32_t i) const {
    if (i < m_end.rows) return m_rows + i;
    i -= m_end.rows;
    return i < m_end.long_rows ? m_long_rows + i : &m_blocks[i - m_end.long_rows].row;
  }

  /// Calls `call(row)` for the rows between two points; each thread processes every \p step-th row.
  template <class Call>
  KOKKOS_INLINE_FUNCTION void for_entries(const FrontierEnds& begin, const FrontierEnds& end,
                                          unsigned own, unsigned step, const Call& call) const {
    for (std::uint32_t i = begin.rows + own; i < end.rows; i += step)
      call(group_type::read(m_rows + i));
    for (std::uint32_t i = begin.long_rows + own; i < end.long_rows; i += step)
      call(group_type::read(m_long_rows + i));
    for (std::uint32_t i = begin.blocks + own; i < end.blocks; i += step)
      call(group_type::read(&m_blocks[i].row));
  }

  /// Clears what a ranking does not read, as team \p team of \p teams.
  KOKKOS_INLINE_FUNCTION void clear_passed(unsigned team, unsigned teams) {
    for_entries({}, m_end, team * group_type::team_threads + m_group.thread(),
                teams * group_type::team_threads,
                [&](const FrontierRow& row) { clear_passed(row.node); });
  }
  KOKKOS_INLINE_FUNCTION void clear_passed(std::uint32_t node) {
    for (std::size_t i = 0; i < 3; ++i) m_passed[i * nodes() + node] = 0.0F;
    m_tier[node] = tier_untouched;
  }
  /// Restores the slot to its initial state: by the first team alone, while the others clear what
  /// it did not need for ranking, or by all teams.
  KOKKOS_INLINE_FUNCTION void clear(bool is_alone, bool has_others) {
    const unsigned own = is_alone ? m_group.thread() : thread();
    for_entries({}, m_end, own, is_alone ? group_type::team_threads : threads(),
                [&](const FrontierRow& row) {
                  m_value[row.node] = 0.0F;
                  if (!is_alone || !has_others) clear_passed(row.node);
                });
    if (!m_group.is_leader()) return;
    for (int i = 0; i < 3; ++i) m_control.found[i] = {};
    m_control.stamp = m_stamp;
  }

  const launch_type& m_launch;
  group_type& m_group;
  FrontierControl& m_control;
  NodeUpdate m_update;
  float* m_value;
  std::uint8_t* m_tier;
  float* m_passed;
  std::uint32_t* m_mark;  // the stamp of the last step that reached a node
  FrontierRow* m_rows;
  FrontierRow* m_long_rows;
  FrontierBlock* m_blocks;
  double* m_partial;
  FrontierOut* m_hubs;
  const float* m_x = nullptr;
  float* m_next = nullptr;
  FrontierControl::Found* m_found = nullptr;  // of the current step
  FrontierEnds m_end;                         // end of the rows of the current step
  bool m_is_last = false;
  std::uint32_t m_first_stamp = 0;
  std::uint32_t m_stamp = 0;  // of the step whose rows are being searched
  std::uint64_t m_steps = 0;  // steps of this thread since the last barrier
};

/// A group processes one query after the other in its slot.
template <class ExecutionSpace>
struct FrontierLaunch {
  using group_type = FrontierGroup<ExecutionSpace>;
  using memory_space = typename ExecutionSpace::memory_space;

  GraphSide<memory_space> in;
  GraphSide<memory_space> out;
  FrontierState<ExecutionSpace> state;
  FrontierSizes<ExecutionSpace> sizes;
  FrontierQueries<ExecutionSpace> queries;
  std::size_t groups;
  Arch::KernelCancel<ExecutionSpace> cancel = {};

  using view_type = group_type;
  static constexpr unsigned threads_max = group_type::team_threads;
  static constexpr unsigned teams_at_once = group_type::teams_at_once;

  KOKKOS_INLINE_FUNCTION void operator()(group_type& group, std::byte* scratch) const {
    group.bind_memory(scratch);
    group.bind_barrier(&state.control(group.index()).barrier_cell);
    for (std::size_t i = group.index(); i < queries.count; i = next(group)) {
      if (cancel.is_requested()) return;
      FrontierWalk<ExecutionSpace>(*this, group).run(i);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION std::size_t next(group_type& group) const {
    if (queries.count <= groups) return queries.count;
    FrontierControl& control = state.control(group.index());
    if (group.is_leader()) control.query = Kokkos::atomic_fetch_add(&queries.taken(0), 1U);
    group.barrier();
    return groups + group_type::read(&control.query);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_FRONTIER_HPP
