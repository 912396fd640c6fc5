// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/vector/RanksWithin.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>

namespace Kindred {

namespace {

template <class ExecutionSpace>
struct ListKernel {
  ArrayView<const Rank, ExecutionSpace> ranks;
  ArrayView<const Rank, ExecutionSpace> bounds;
  ArrayView<Rank, ExecutionSpace> lists;
  ArrayView<std::uint64_t, ExecutionSpace> counts;
  std::uint64_t length;

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint64_t at) const {
    const std::uint64_t query = at / length;
    if (bounds(query) < ranks(at)) return;
    lists(query * length + Kokkos::atomic_fetch_add(&counts(query), std::uint64_t{1})) = ranks(at);
  }
};

}  // namespace

template <class ExecutionSpace>
void list_ranks_within(const ExecutionSpace& exec_space,
                       const ArrayView<const Rank, ExecutionSpace>& ranks,
                       const ArrayView<const Rank, ExecutionSpace>& bounds,
                       const ArrayView<Rank, ExecutionSpace>& lists,
                       const ArrayView<std::uint64_t, ExecutionSpace>& counts) {
  const Impl::ArgumentCheck check("list_ranks_within");
  check.is_aligned("ranks", ranks);
  check.is_aligned("bounds", bounds);
  if (ranks.size() != 0) check.is_at_least("the size of bounds", bounds.size(), 1);
  if (bounds.size() != 0) check.is_multiple("the size of ranks", ranks.size(), bounds.size());
  check.has("lists", lists, ranks.size());
  check.has("counts", counts, bounds.size());
  Arch::start_fill(exec_space, counts, std::uint64_t{0});
  if (ranks.size() == 0) return;
  Launch::for_each_index(
      exec_space, "Kindred::Vector::list_ranks_within::list", ranks.size(),
      ListKernel<ExecutionSpace>{ranks, bounds, lists, counts, ranks.size() / bounds.size()});
}

KINDRED_INSTANTIATE_FOR_SPACES(list_ranks_within);

}  // namespace Kindred
