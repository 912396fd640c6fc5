// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/impl/CandidateTeams.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>
#include <kindred/core/vector/special/CandidateChunks.hpp>

#include <algorithm>
#include <bit>

namespace Kindred {

namespace {

std::uint32_t parts(std::size_t whole, std::size_t part) {
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, (whole + part - 1) / part));
}

std::uint32_t log2_of(std::uint32_t power) {
  return static_cast<std::uint32_t>(std::countr_zero(power));
}

/// Whether chunks are ranked by teams, of which the last one merges, rather than by threads.
template <class ExecutionSpace>
bool uses_candidate_teams() {
  return !Special::is_used<Special::Form::candidate_chunks, ExecutionSpace>();
}

/// The number of chunks that gives every team or thread work, while the ranks remain few enough to
/// be merged.
template <class ExecutionSpace>
CandidatePlan cut(const CandidateShape& shape, std::size_t work_items, std::size_t smallest) {
  const std::size_t fair = std::max(smallest, shape.queries * shape.longest / work_items);
  CandidatePlan plan;
  plan.chunk = std::min<std::uint32_t>(
      Impl::candidate_chunk_max, static_cast<std::uint32_t>(std::bit_floor(
                                     std::min<std::size_t>(fair, Impl::candidate_chunk_max))));
  while (true) {
    plan.chunks = parts(shape.longest, plan.chunk);
    plan.keep = static_cast<std::uint32_t>(std::min<std::size_t>(plan.chunk, shape.top));
    const bool merges = !uses_candidate_teams<ExecutionSpace>() || plan.chunks == 1 ||
                        std::size_t{plan.chunks} * plan.keep <= Impl::candidate_merge_max;
    if (merges || plan.chunk >= Impl::candidate_chunk_max) return plan;
    plan.chunk *= 2;
  }
}

}  // namespace

template <class ExecutionSpace>
CandidatePlan candidate_plan([[maybe_unused]] const ExecutionSpace& exec_space,
                             const CandidateShape& shape) {
  if constexpr (Arch::is_device<ExecutionSpace>) {
    return cut<ExecutionSpace>(shape, Impl::candidate_teams, 8);
  } else {
    const auto threads = static_cast<std::size_t>(Arch::concurrency(exec_space));
    return cut<ExecutionSpace>(shape, 4 * threads, 64);
  }
}

template <class ExecutionSpace>
bool fits_one_launch(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                     const CandidateShape& shape) {
  if (!uses_candidate_teams<ExecutionSpace>()) return true;
  if (shape.top > Impl::candidate_chunk_max) return false;
  bool aligned = false;
  Impl::with_element(rows, [&](const auto& elements) { aligned = elements.is_aligned(); });
  const CandidatePlan plan = candidate_plan(exec_space, shape);
  return aligned &&
         (plan.chunks == 1 || std::size_t{plan.chunks} * plan.keep <= Impl::candidate_merge_max);
}

namespace {

template <class Term, class ExecutionSpace, class Element, class Lists>
void launch_teams(const ExecutionSpace& exec_space, const char* label,
                  const Impl::CandidateRanking<ExecutionSpace, Element, Lists>& ranking,
                  std::size_t queries) {
  const auto launch = [&](const auto& kernel) {
    Launch::for_each_team(
        exec_space, label,
        {.count = queries * ranking.plan.chunks, .scratch_bytes = kernel.scratch_bytes()}, kernel);
  };
  if (ranking.plan.chunks == 1) {
    launch(Impl::CandidateTeam<ExecutionSpace, Element, Lists, Term, false>(ranking));
  } else if (ranking.plan.chunk <= Impl::candidate_short_chunk) {
    launch(Impl::CandidateWarps<ExecutionSpace, Element, Lists, Term>(ranking));
  } else {
    launch(Impl::CandidateTeam<ExecutionSpace, Element, Lists, Term, true>(ranking));
  }
}

template <class Term, class ExecutionSpace, class Element>
void launch(const ExecutionSpace& exec_space,
            const Impl::CandidateRanking<ExecutionSpace, Element, Impl::PreparedLists>& ranking,
            std::size_t queries) {
  const char* rank_label = "Kindred::Vector::rank_candidates::rank";
  if constexpr (Special::is_compiled<Special::Form::candidate_chunks, ExecutionSpace>) {
    if (!uses_candidate_teams<ExecutionSpace>()) {
      Launch::for_each_index<Launch::Dynamic>(exec_space, rank_label, queries * ranking.plan.chunks,
                                              Impl::CandidateChunk<Element, Term>{ranking});
      if (ranking.plan.chunks == 1) return;
      return Launch::for_each_index<Launch::Dynamic>(
          exec_space, "Kindred::Vector::rank_candidates::merge", queries,
          Impl::CandidateMerge<Element>{ranking});
    }
  }
  launch_teams<Term>(exec_space, rank_label, ranking, queries);
}

/// \p plan is one of `candidate_plan`, and the workspace is large enough for it.
template <class ExecutionSpace>
void check_plan(const Impl::ArgumentCheck& check, const CandidatePlan& plan, std::size_t queries,
                std::size_t top, const ArrayView<Rank, ExecutionSpace>& workspace,
                const ArrayView<std::uint32_t, ExecutionSpace>& arrived) {
  if (queries == 0 || top == 0) return;
  check.is_at_least("plan.chunk", plan.chunk, 1);
  check.is_multiple("plan.chunk", plan.chunk, std::bit_floor(plan.chunk));
  check.is_at_least("plan.chunks", plan.chunks, 1);
  check.is_at_least("plan.keep", plan.keep, std::min<std::size_t>(plan.chunk, top));
  if (uses_candidate_teams<ExecutionSpace>())
    check.is_at_most("top", top, Impl::candidate_chunk_max);
  if (plan.chunks == 1) return;
  check.has("workspace", workspace, Impl::extent_of(queries, plan.chunks, plan.keep));
  check.has("arrived", arrived, queries);
}

/// \p rows has \p count rows, which a device can read, and \p filter their bits.
template <class ExecutionSpace>
void check_ranked_rows(const Impl::ArgumentCheck& check, Metric metric,
                       const VectorRows<ExecutionSpace>& rows, std::uint64_t count,
                       const RowFilter<ExecutionSpace>& filter, std::uint64_t queries) {
  if (uses_candidate_teams<ExecutionSpace>()) {
    check.is_multiple("rows.dimension", rows.dimension, 4);
    check.is_multiple("rows.stride", rows.stride, 4);
    check.is_aligned("rows.values", rows.values.data(), 4 * size_of(rows.element));
  }
  Impl::check_rows(check, rows, count);
  Impl::check_norms(check, metric, rows, count);
  Impl::check_filter(check, filter, queries, count);
}

}  // namespace

template <class ExecutionSpace>
void rank_candidates(const ExecutionSpace& exec_space, Metric metric,
                     const VectorRows<ExecutionSpace>& rows,
                     const ArrayView<const std::uint64_t, ExecutionSpace>& offsets,
                     const ArrayView<const std::uint32_t, ExecutionSpace>& candidates,
                     const RowFilter<ExecutionSpace>& filter,
                     const VectorQueries<ExecutionSpace>& queries, const CandidatePlan& plan,
                     std::size_t top, const ArrayView<Rank, ExecutionSpace>& best,
                     const ArrayView<Rank, ExecutionSpace>& workspace,
                     const ArrayView<std::uint32_t, ExecutionSpace>& arrived,
                     const CandidateCheck<ExecutionSpace>& check) {
  const Impl::ArgumentCheck arguments("rank_candidates");
  check_plan<ExecutionSpace>(arguments, plan, queries.count, top, workspace, arrived);
  check_ranked_rows(arguments, metric, rows, check.rows, filter, queries.count);
  Impl::check_queries(arguments, queries, rows.dimension);
  arguments.has("offsets", offsets, Impl::extent_sum(queries.count, 1));
  arguments.is_aligned("candidates", candidates);
  arguments.has("best", best, Impl::extent_of(queries.count, top));
  if (queries.count == 0 || top == 0) return;
  const auto best_count = static_cast<std::uint32_t>(top);
  const Impl::PreparedLists lists{offsets.data(),       candidates.data(), queries.values.data(),
                                  queries.norms.data(), best.data(),       best_count};
  Impl::with_element(rows, [&]<class Element>(const Impl::ElementRows<Element>& elements) {
    const Impl::CandidateRanking<ExecutionSpace, Element, Impl::PreparedLists> ranking{
        metric,     elements,         filter,         lists, plan, log2_of(plan.chunk),
        best_count, workspace.data(), arrived.data(), check};
    Impl::with_term(metric,
                    [&]<class Term>(Term) { launch<Term>(exec_space, ranking, queries.count); });
  });
}

template <class ExecutionSpace>
bool fits_given_candidates(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                           const CandidateShape& shape, const GivenQueries& queries) {
  const bool is_aligned = rows_begin_at(4 * sizeof(float), queries.values, queries.stride);
  return Arch::is_device<ExecutionSpace> && is_aligned && fits_one_launch(exec_space, rows, shape);
}

template <class ExecutionSpace>
void rank_given_candidates(const ExecutionSpace& exec_space, Metric metric,
                           const VectorRows<ExecutionSpace>& rows, const SegmentIds& segment,
                           const IdLists& lists, const RowFilter<ExecutionSpace>& filter,
                           const GivenQueries& queries, const CandidatePlan& plan, std::size_t top,
                           const RankedOutput& out,
                           const ArrayView<Rank, ExecutionSpace>& workspace,
                           const ArrayView<std::uint32_t, ExecutionSpace>& arrived) {
  const Impl::ArgumentCheck check("rank_given_candidates");
  check_plan<ExecutionSpace>(check, plan, queries.count, top, workspace, arrived);
  check_ranked_rows(check, metric, rows, segment.rows, filter, queries.count);
  check.is_at_most("top", top, out.top);
  check.is_array("segment.ids", segment.ids, segment.is_contiguous ? 0 : segment.rows);
  check.is_at_least("lists.queries", lists.queries, queries.count);
  check.is_at_most("lists.length", lists.length, Impl::extent_of(plan.chunks, plan.chunk));
  check.is_array("lists.ids", lists.ids, Impl::extent_of(lists.queries, lists.length));
  check.is_array("queries.values", queries.values, queries.count);
  Impl::check_output(check, out, queries.count);
  if (queries.count == 0 || top == 0) return;
  Impl::with_element(rows, [&]<class Element>(const Impl::ElementRows<Element>& elements) {
    const Impl::CandidateRanking<ExecutionSpace, Element, Impl::GivenLists> ranking{
        metric,
        elements,
        filter,
        {lists, segment, queries.values, queries.stride, out},
        plan,
        log2_of(plan.chunk),
        static_cast<std::uint32_t>(top),
        workspace.data(),
        arrived.data()};
    Impl::with_term(metric, [&]<class Term>(Term) {
      launch_teams<Term>(exec_space, "Kindred::Vector::rank_given_candidates::rank", ranking,
                         queries.count);
    });
  });
}

#define KINDRED_INSTANTIATE(SPACE)                                              \
  template decltype(fits_one_launch<SPACE>) fits_one_launch<SPACE>;             \
  template decltype(candidate_plan<SPACE>) candidate_plan<SPACE>;               \
  template decltype(rank_candidates<SPACE>) rank_candidates<SPACE>;             \
  template decltype(fits_given_candidates<SPACE>) fits_given_candidates<SPACE>; \
  template decltype(rank_given_candidates<SPACE>) rank_given_candidates<SPACE>;
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
