// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/vector/RankUnfinished.hpp>

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/launch/LastTeam.hpp>
#include <kindred/core/arch/launch/LaunchShape.hpp>
#include <kindred/core/arch/simd/GroupLanes.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/select/impl/StreamedBest.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/core/vector/impl/ElementRow.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>
#include <kindred/core/vector/impl/VectorTile.hpp>

namespace Kindred {

namespace {

/// An index: a query. The number of unfinished queries, and then these queries.
template <class ExecutionSpace>
struct ListUnfinished {
  TileLists<ExecutionSpace> lists;
  std::uint32_t top;
  std::uint32_t* out;

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint64_t query) const {
    const std::uint32_t count = lists.counts(query);
    const bool lost_rows = count > lists.capacity;
    const bool lacks_rows = count < top && lists.not_numbers(0) != 0;
    if (lost_rows || lacks_rows)
      out[1 + Kokkos::atomic_fetch_add(out, 1U)] = static_cast<std::uint32_t>(query);
  }
};

/// \brief A team: parts of the rows for some queries. The team that finishes the last part of a
/// query merges the parts.
template <class ExecutionSpace, class Element, class Term>
struct RankUnfinished {
  using best_type = Impl::StreamedBest<Rank>;
  using member_type = Launch::Member<ExecutionSpace>;
  using lanes_type = Arch::GroupLanes<ExecutionSpace, false>;
  using shape = Arch::LaunchShape<ExecutionSpace>;
  /// Ranks that are offered between two checks of the space that is left.
  static constexpr std::uint32_t step =
      static_cast<std::uint32_t>(shape::team_size * lanes_type::groups);

  Metric metric;
  Impl::ElementRows<Element> rows;
  std::uint64_t row_count;
  RowFilter<ExecutionSpace> filter;
  const double* queries;
  const double* query_norms;
  const std::uint32_t* unfinished;
  std::uint32_t teams;
  std::uint32_t top;
  std::uint32_t size;  ///< of the keys in scratch
  Rank* best;
  Rank* partial;
  std::uint32_t* arrived;

  std::size_t scratch_bytes() const {
    return best_type::sort::places(size) * sizeof(Rank) + sizeof(std::uint32_t) + 2 * 16;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const std::uint32_t all = unfinished[0];
    if (all == 0) return;
    auto* const keys = static_cast<Rank*>(
        team.team_scratch(0).get_shmem_aligned(best_type::sort::places(size) * sizeof(Rank), 16));
    auto* const counter = static_cast<std::uint32_t*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(std::uint32_t), 16));
    // With several parts per query, a team has one part at most.
    const std::uint32_t parts = all < teams ? teams / all : 1;
    for (std::uint64_t item = static_cast<std::uint64_t>(team.league_rank());
         item < std::uint64_t{all} * parts; item += teams) {
      const std::uint64_t query = unfinished[1 + item / parts];
      const std::uint64_t part = item % parts;
      best_type kept(keys, counter, size, top);
      kept.clear(team);
      scan(team, query, row_count * part / parts, row_count * (part + 1) / parts, kept);
      if (parts == 1) {
        write(team, kept, best + query * top);
        continue;
      }
      write(team, kept, partial + item * top);
      const bool is_last = Arch::is_last_team(team, &arrived[item / parts], parts, counter);
      team.team_barrier();
      if (is_last) {
        kept.clear(team);
        merge(team, partial + item / parts * parts * top, std::uint64_t{parts} * top, kept);
        write(team, kept, best + query * top);
      }
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION static void write(const member_type& team, best_type& kept, Rank* out) {
    kept.write(team, [=](std::uint32_t i, Rank rank) { out[i] = rank; });
  }
  /// Offers the rows from \p begin to \p end.
  KOKKOS_INLINE_FUNCTION void scan(const member_type& team, std::uint64_t query,
                                   std::uint64_t begin, std::uint64_t end, best_type& kept) const {
    const lanes_type lanes(team);
    const auto own =
        std::uint64_t{lanes_type::groups} * static_cast<std::uint64_t>(team.team_rank()) +
        static_cast<std::uint64_t>(lanes.group());
    for (std::uint64_t first = begin; first < end; first += step) {
      // Beyond the last row, the last row is computed again and not offered.
      const bool exists = first + own < end;
      const std::uint64_t row = exists ? first + own : end - 1;
      const Impl::ElementRow<Element> x[1] = {rows[row]};
      const double* const y[1] = {queries + query * rows.dimension};
      double sums[1][1] = {};
      Impl::tile_sums<Term, 1, 1>(lanes, y, x, rows.dimension, sums);
      if (lanes.is_leader() && exists && filter.passes(query, row)) {
        kept.add(Impl::score_rank(metric, sums[0][0], query_norms[query],
                                  metric == Metric::cosine ? rows.norms[row] : 1.0, rows.id(row)));
      }
      kept.end_step(team, step);
    }
  }

  /// Offers \p count ranks that other teams have written.
  KOKKOS_INLINE_FUNCTION void merge(const member_type& team, const volatile Rank* ranks,
                                    std::uint64_t count, best_type& kept) const {
    for (std::uint64_t first = 0; first < count; first += step) {
      const std::uint64_t length = count - first < step ? count - first : step;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, length),
                           [&](std::uint64_t i) { kept.add(ranks[first + i]); });
      kept.end_step(team, step);
    }
  }
};

}  // namespace

template <class ExecutionSpace>
std::size_t unfinished_teams([[maybe_unused]] const ExecutionSpace& exec_space) {
  if constexpr (Arch::is_device<ExecutionSpace>) {
    return 512;  // some per SM
  } else {
    return 4 * static_cast<std::size_t>(Arch::concurrency(exec_space));
  }
}

template <class ExecutionSpace>
void rank_unfinished(const ExecutionSpace& exec_space, Metric metric,
                     const VectorRows<ExecutionSpace>& rows,
                     const RowFilter<ExecutionSpace>& filter,
                     const VectorQueries<ExecutionSpace>& queries,
                     const TileLists<ExecutionSpace>& lists, std::size_t top,
                     const ArrayView<Rank, ExecutionSpace>& best,
                     const UnfinishedWorkspace<ExecutionSpace>& workspace) {
  const Impl::ArgumentCheck check("rank_unfinished");
  const std::uint64_t team_count = unfinished_teams(exec_space);
  check.is_at_most("top", top, unfinished_top_max);
  Impl::check_rows(check, rows, rows.norms.size());
  Impl::check_filter(check, filter, queries.count, rows.norms.size());
  Impl::check_queries(check, queries, rows.dimension);
  check.has("lists.counts", lists.counts, queries.count);
  check.has("lists.not_numbers", lists.not_numbers, 1);
  check.has("best", best, Impl::extent_of(queries.count, top));
  check.has("workspace.queries", workspace.queries, Impl::extent_sum(queries.count, 1));
  check.has("workspace.partial", workspace.partial, Impl::extent_of(team_count, top));
  check.has("workspace.arrived", workspace.arrived, team_count);
  if (queries.count == 0 || top == 0) return;
  const auto kept = static_cast<std::uint32_t>(top);
  Arch::start_fill(exec_space, Kokkos::subview(workspace.queries, std::pair(0, 1)), 0U);
  Launch::for_each_index(exec_space, "Kindred::Vector::rank_unfinished::list", queries.count,
                         ListUnfinished<ExecutionSpace>{lists, kept, workspace.queries.data()});
  const auto teams = static_cast<std::uint32_t>(team_count);
  Impl::with_element(rows, [&]<class Element>(const Impl::ElementRows<Element>& elements) {
    Impl::with_term(metric, [&]<class Term>(Term) {
      using kernel_type = RankUnfinished<ExecutionSpace, Element, Term>;
      const kernel_type kernel{metric,
                               elements,
                               rows.norms.size(),
                               filter,
                               queries.values.data(),
                               queries.norms.data(),
                               workspace.queries.data(),
                               teams,
                               kept,
                               Impl::StreamedBest<Rank>::size_for(kept, kernel_type::step),
                               best.data(),
                               workspace.partial.data(),
                               workspace.arrived.data()};
      Launch::for_each_team(exec_space, "Kindred::Vector::rank_unfinished::rank",
                            {.count = teams, .scratch_bytes = kernel.scratch_bytes()}, kernel);
    });
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(unfinished_teams);
KINDRED_INSTANTIATE_FOR_SPACES(rank_unfinished);

}  // namespace Kindred
