// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/Reduce.hpp>

#include <kindred/core/bulk/impl/ReduceKernels.hpp>
#include <kindred/core/common/Range.hpp>

namespace Kindred {

namespace {

/// Number of partial results of an item from which on a device team combines them.
constexpr std::uint64_t team_partials = 64;

template <class Join, class ExecutionSpace, class T>
void end(const ExecutionSpace& exec_space, const BulkPlan& plan, Reduction reduction,
         const ArrayView<const BulkItem<T>, ExecutionSpace>& items,
         const ArrayView<double, ExecutionSpace>& partials,
         const ArrayView<double, ExecutionSpace>& results) {
  constexpr const char* label = "Kindred::Bulk::reduce::ends";
  if constexpr (Arch::is_device<ExecutionSpace>) {
    if (plan.chunks >= team_partials * items.size()) {
      using kernel_type = Impl::EndReductions<ExecutionSpace, T, Join, true>;
      Kokkos::parallel_for(
          label,
          Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<kernel_type::team, 1>>(
              exec_space, static_cast<int>(items.size()), kernel_type::team, 1),
          kernel_type{reduction, items.data(), partials.data(), results.data()});
      return;
    }
  }
  Kokkos::parallel_for(label, Impl::range(exec_space, items.size()),
                       Impl::EndReductions<ExecutionSpace, T, Join, false>{
                           reduction, items.data(), partials.data(), results.data()});
}

}  // namespace

template <class ExecutionSpace, class T>
void reduce(const ExecutionSpace& exec_space, const BulkPlan& plan, Reduction reduction,
            const ArrayView<const BulkItem<T>, ExecutionSpace>& items,
            const ArrayView<const double, ExecutionSpace>& means,
            const ArrayView<double, ExecutionSpace>& partials,
            const ArrayView<double, ExecutionSpace>& results) {
  const auto count = static_cast<std::uint32_t>(items.size());
  if (count == 0) return;
  const auto blocks = [&](const char* label, const auto& body) {
    Impl::for_each_block(exec_space, label, plan.chunks, body);
  };
  switch (reduction) {
    case Reduction::sum:
    case Reduction::mean:
      blocks("Kindred::Bulk::reduce::sums", Impl::SumBlocks<ExecutionSpace, T, false>{
                                                items.data(), count, nullptr, partials.data()});
      break;
    case Reduction::deviation:
      blocks("Kindred::Bulk::reduce::squares",
             Impl::SumBlocks<ExecutionSpace, T, true>{items.data(), count, means.data(),
                                                      partials.data()});
      break;
    case Reduction::min:
      blocks("Kindred::Bulk::reduce::least",
             Impl::ExtremeBlocks<ExecutionSpace, T, true>{items.data(), count, partials.data()});
      return end<Impl::ExtremePartials<true>>(exec_space, plan, reduction, items, partials,
                                              results);
    case Reduction::max:
      blocks("Kindred::Bulk::reduce::greatest",
             Impl::ExtremeBlocks<ExecutionSpace, T, false>{items.data(), count, partials.data()});
      return end<Impl::ExtremePartials<false>>(exec_space, plan, reduction, items, partials,
                                               results);
  }
  end<Impl::AddPartials>(exec_space, plan, reduction, items, partials, results);
}

#define KINDRED_INSTANTIATE_FOR(SPACE, T)                                                   \
  template void reduce<SPACE, T>(                                                           \
      const SPACE&, const BulkPlan&, Reduction, const ArrayView<const BulkItem<T>, SPACE>&, \
      const ArrayView<const double, SPACE>&, const ArrayView<double, SPACE>&,               \
      const ArrayView<double, SPACE>&);
#define KINDRED_INSTANTIATE(SPACE)      \
  KINDRED_INSTANTIATE_FOR(SPACE, float) \
  KINDRED_INSTANTIATE_FOR(SPACE, double)
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE
#undef KINDRED_INSTANTIATE_FOR

}  // namespace Kindred
