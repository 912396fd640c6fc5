// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/impl/CandidateTeams.hpp>
#include <kindred/core/vector/special/CandidateChunks.hpp>

#include <algorithm>
#include <bit>

namespace Kindred {

namespace {

std::uint32_t parts(std::size_t whole, std::size_t part) {
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, quotient_up(whole, part)));
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
    const bool merges = !Impl::uses_candidate_teams<ExecutionSpace>() || plan.chunks == 1 ||
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
  if (!Impl::uses_candidate_teams<ExecutionSpace>()) return true;
  if (shape.top > Impl::candidate_chunk_max) return false;
  bool aligned = false;
  Impl::with_element(rows, [&](const auto& elements) { aligned = elements.is_aligned(); });
  const CandidatePlan plan = candidate_plan(exec_space, shape);
  return aligned &&
         (plan.chunks == 1 || std::size_t{plan.chunks} * plan.keep <= Impl::candidate_merge_max);
}

namespace {

template <class Term, class ExecutionSpace, class Element>
void launch(const ExecutionSpace& exec_space,
            const Impl::CandidateRanking<ExecutionSpace, Element, Impl::PreparedLists>& ranking,
            std::size_t queries) {
  const char* rank_label = "Kindred::Vector::rank_candidates::rank";
  if constexpr (Special::is_compiled<Special::Form::candidate_chunks, ExecutionSpace>) {
    if (!Impl::uses_candidate_teams<ExecutionSpace>()) {
      Launch::for_each_index<Launch::Dynamic>(exec_space, rank_label, queries * ranking.plan.chunks,
                                              Impl::CandidateChunk<Element, Term>{ranking});
      if (ranking.plan.chunks == 1) return;
      return Launch::for_each_index<Launch::Dynamic>(
          exec_space, "Kindred::Vector::rank_candidates::merge", queries,
          Impl::CandidateMerge<Element>{ranking});
    }
  }
  Impl::launch_teams<Term>(exec_space, rank_label, ranking, queries);
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
  Impl::check_plan<ExecutionSpace>(arguments, plan, queries.count, top, workspace, arrived);
  Impl::check_ranked_rows(arguments, metric, rows, check.rows, filter, queries.count);
  Impl::check_queries(arguments, queries, rows.dimension);
  arguments.has("offsets", offsets, Impl::extent_sum(queries.count, 1));
  arguments.is_aligned("candidates", candidates);
  arguments.has("best", best, Impl::extent_of(queries.count, top));
  if (queries.count == 0 || top == 0) return;
  const auto best_count = static_cast<std::uint32_t>(top);
  const Impl::PreparedLists lists{offsets.data(),       candidates.data(), queries.values.data(),
                                  queries.norms.data(), best.data(),       best_count};
  const auto chunk_bits = static_cast<std::uint32_t>(std::countr_zero(plan.chunk));
  Impl::with_element(rows, [&]<class Element>(const Impl::ElementRows<Element>& elements) {
    const Impl::CandidateRanking<ExecutionSpace, Element, Impl::PreparedLists> ranking{
        metric,     elements,   filter,           lists,          plan,
        chunk_bits, best_count, workspace.data(), arrived.data(), check};
    Impl::with_term(metric,
                    [&]<class Term>(Term) { launch<Term>(exec_space, ranking, queries.count); });
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(fits_one_launch);
KINDRED_INSTANTIATE_FOR_SPACES(candidate_plan);
KINDRED_INSTANTIATE_FOR_SPACES(rank_candidates);

}  // namespace Kindred
