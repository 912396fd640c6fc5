// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/ReduceIntegers.hpp>

#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/bulk/impl/BulkChecks.hpp>
#include <kindred/core/bulk/impl/ReduceIntegerKernels.hpp>

namespace Kindred {

template <class ExecutionSpace, class T>
void reduce_integers(const ExecutionSpace& exec_space, const BulkPlan& plan, Reduction reduction,
                     const BulkItems<T>& items,
                     const ArrayView<WideInteger, ExecutionSpace>& partials,
                     const ArrayView<std::uint64_t, ExecutionSpace>& results) {
  const Impl::ArgumentCheck check("reduce_integers");
  Impl::check_items(check, plan, items, true, false);
  check.has("partials", partials, plan.chunks);
  check.has("results", results, items.count);
  if (items.count == 0) return;
  const auto blocks = [&](const char* label, const auto& body) {
    Impl::for_each_block(exec_space, label, plan.chunks, body);
  };
  const auto end = [&](auto join) {
    Impl::end_reductions<decltype(join)>(exec_space, plan,
                                         Impl::EndInteger<std::is_signed_v<T>>{reduction}, items,
                                         partials.data(), results.data());
  };
  switch (reduction) {
    case Reduction::mean:
      if constexpr (sizeof(T) == 8) {
        blocks("Kindred::Bulk::reduce::exact_sums",
               Impl::ExactSumBlocks<ExecutionSpace, T>{items, partials.data()});
        return end(Impl::AddWide());
      }
      [[fallthrough]];
    case Reduction::sum:
      blocks("Kindred::Bulk::reduce::integer_sums",
             Impl::IntegerSumBlocks<ExecutionSpace, T>{items, partials.data()});
      return end(Impl::AddWide());
    case Reduction::min:
      blocks("Kindred::Bulk::reduce::least_integers",
             Impl::IntegerExtremeBlocks<ExecutionSpace, T, true>{items, partials.data()});
      return end(Impl::ExtremeWide<std::is_signed_v<T>, true>());
    case Reduction::max:
      blocks("Kindred::Bulk::reduce::greatest_integers",
             Impl::IntegerExtremeBlocks<ExecutionSpace, T, false>{items, partials.data()});
      return end(Impl::ExtremeWide<std::is_signed_v<T>, false>());
    case Reduction::deviation:
      return;
  }
}

namespace {

struct StoreResults {
  const std::uint64_t* results;
  DataType type;
  std::size_t bytes;
  void* to;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t i) const {
    store_result(results[i], type, bytes, to, i);
  }
};

}  // namespace

template <class ExecutionSpace>
void store_results(const ExecutionSpace& exec_space,
                   const ArrayView<const std::uint64_t, ExecutionSpace>& results, DataType type,
                   void* to) {
  const Impl::ArgumentCheck check("store_results");
  check.is_aligned("results", results);
  check.is_array("to", to, results.size(), size_of(type));
  if (results.size() == 0) return;
  Kokkos::parallel_for("Kindred::Bulk::reduce::store", Arch::range(exec_space, results.size()),
                       StoreResults{results.data(), type, size_of(type), to});
}

#define KINDRED_INSTANTIATE_FOR(SPACE, T)                            \
  template void reduce_integers<SPACE, T>(                           \
      const SPACE&, const BulkPlan&, Reduction, const BulkItems<T>&, \
      const ArrayView<WideInteger, SPACE>&, const ArrayView<std::uint64_t, SPACE>&);
#define KINDRED_INSTANTIATE(SPACE)                                                               \
  template void store_results<SPACE>(const SPACE&, const ArrayView<const std::uint64_t, SPACE>&, \
                                     DataType, void*);                                           \
  KINDRED_INSTANTIATE_FOR(SPACE, std::int8_t)                                                    \
  KINDRED_INSTANTIATE_FOR(SPACE, std::int16_t)                                                   \
  KINDRED_INSTANTIATE_FOR(SPACE, std::int32_t)                                                   \
  KINDRED_INSTANTIATE_FOR(SPACE, std::int64_t)                                                   \
  KINDRED_INSTANTIATE_FOR(SPACE, std::uint8_t)                                                   \
  KINDRED_INSTANTIATE_FOR(SPACE, std::uint16_t)                                                  \
  KINDRED_INSTANTIATE_FOR(SPACE, std::uint32_t)                                                  \
  KINDRED_INSTANTIATE_FOR(SPACE, std::uint64_t)
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE
#undef KINDRED_INSTANTIATE_FOR

}  // namespace Kindred
