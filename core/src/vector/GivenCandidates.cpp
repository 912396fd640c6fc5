// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/impl/CandidateTeams.hpp>

#include <bit>

namespace Kindred {

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
  Impl::check_plan<ExecutionSpace>(check, plan, queries.count, top, workspace, arrived);
  Impl::check_ranked_rows(check, metric, rows, segment.rows, filter, queries.count);
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
        static_cast<std::uint32_t>(std::countr_zero(plan.chunk)),
        static_cast<std::uint32_t>(top),
        workspace.data(),
        arrived.data()};
    Impl::with_term(metric, [&]<class Term>(Term) {
      Impl::launch_teams<Term>(exec_space, "Kindred::Vector::rank_given_candidates::rank", ranking,
                               queries.count);
    });
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(fits_given_candidates);
KINDRED_INSTANTIATE_FOR_SPACES(rank_given_candidates);

}  // namespace Kindred
