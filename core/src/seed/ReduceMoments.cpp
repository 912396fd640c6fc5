// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/seed/ReduceMoments.hpp>

#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/seed/impl/ReduceMomentsKernels.hpp>
#include <kindred/core/seed/impl/SeedChecks.hpp>

namespace Kindred {

template <class ExecutionSpace>
void reduce_moments(const ExecutionSpace& exec_space,
                    const ArrayView<const SeedMoments, ExecutionSpace>& ring, std::uint32_t seeds,
                    std::uint32_t slots, std::uint32_t first_slot, std::uint32_t epochs,
                    std::uint32_t first_seed, const ArrayView<SeedMoments, ExecutionSpace>& each,
                    const ArrayView<SeedMoments, ExecutionSpace>& whole) {
  const Impl::ArgumentCheck check("reduce_moments");
  check.is_at_least("slots", slots, 1);
  check.has("ring", ring, Impl::extent_of(slots, seeds));
  check.is_at_most("first_seed + the size of each", Impl::extent_sum(first_seed, each.size()),
                   seeds);
  check.is_aligned("each", each);
  check.has("whole", whole, 1);
  const auto count = Arch::index_extent<std::uint32_t>(each.size());
  Launch::for_each_index<Launch::Finishing, std::uint32_t>(
      exec_space, "Kindred::Seed::reduce::epochs", count,
      Impl::ReduceEpochs{ring.data(), seeds, slots, first_slot, epochs, first_seed, each.data()});
  const Impl::ReduceSeeds reduce{each.data(), count, whole.data()};
  constexpr unsigned threads = Arch::is_device<ExecutionSpace> ? reduce.threads_max : 1;
  Arch::launch(
      exec_space,
      {.label = "Kindred::Seed::reduce::seeds", .scratch_bytes = threads * sizeof(SeedMoments)},
      reduce);
}

KINDRED_INSTANTIATE_FOR_SPACES(reduce_moments);

}  // namespace Kindred
