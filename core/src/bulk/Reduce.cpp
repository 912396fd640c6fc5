// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/Reduce.hpp>

#include <kindred/core/bulk/impl/ReduceKernels.hpp>

namespace Kindred {

template <class ExecutionSpace, class T>
void reduce(const ExecutionSpace& exec_space, const BulkPlan& plan, Reduction reduction,
            const BulkItems<T>& items, const ArrayView<const double, ExecutionSpace>& means,
            const ArrayView<double, ExecutionSpace>& partials,
            const ArrayView<double, ExecutionSpace>& results) {
  const Impl::ArgumentCheck check("reduce");
  Impl::check_items(check, plan, items, true, false);
  if (reduction == Reduction::deviation) check.has("means", means, items.count);
  check.has("partials", partials, plan.chunks);
  check.has("results", results, items.count);
  if (items.count == 0) return;
  const auto blocks = [&](const char* label, const auto& body) {
    Impl::for_each_block(exec_space, label, plan.chunks, body);
  };
  const auto end = [&](auto join) {
    Impl::end_reductions<decltype(join)>(exec_space, plan, Impl::EndNumber{reduction}, items,
                                         partials.data(), results.data());
  };
  switch (reduction) {
    case Reduction::sum:
    case Reduction::mean:
      blocks("Kindred::Bulk::reduce::sums",
             Impl::SumBlocks<ExecutionSpace, T, false>{items, nullptr, partials.data()});
      return end(Impl::AddPartials());
    case Reduction::deviation:
      blocks("Kindred::Bulk::reduce::squares",
             Impl::SumBlocks<ExecutionSpace, T, true>{items, means.data(), partials.data()});
      return end(Impl::AddPartials());
    case Reduction::min:
      blocks("Kindred::Bulk::reduce::least",
             Impl::ExtremeBlocks<ExecutionSpace, T, true>{items, partials.data()});
      return end(Impl::ExtremePartials<true>());
    case Reduction::max:
      blocks("Kindred::Bulk::reduce::greatest",
             Impl::ExtremeBlocks<ExecutionSpace, T, false>{items, partials.data()});
      return end(Impl::ExtremePartials<false>());
  }
}

KINDRED_INSTANTIATE_FOR_SPACES(reduce, float);
KINDRED_INSTANTIATE_FOR_SPACES(reduce, double);

}  // namespace Kindred
