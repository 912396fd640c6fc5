// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_MOMENTS_RING_HPP
#define KINDRED_MATCHER_SEED_MOMENTS_RING_HPP

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/seed/ReduceMoments.hpp>
#include <kindred/memory/Buffer.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief The moments of every seed in the last epochs, one slot per epoch, in one memory space.
/// The slot of an epoch without a forward pass is empty.
template <class ExecutionSpace>
class MomentsRing {
 public:
  using view_type = ArrayView<SeedMoments, ExecutionSpace>;

  /// Fences \p exec_space. \throws OutOfMemory
  void bind(const ExecutionSpace& exec_space, MemoryResource& memory, std::uint32_t seeds,
            std::uint32_t slots) {
    m_seeds = seeds;
    m_slots = slots;
    m_ring = Moments(memory, "Kindred::SeedLayer::telemetry", std::size_t{slots} * seeds);
    m_each = Moments(memory, "Kindred::SeedLayer::telemetry_each", slots == 0 ? 0 : seeds);
    m_whole = Moments(memory, "Kindred::SeedLayer::telemetry_whole", slots == 0 ? 0 : 1);
    Arch::start_fill(exec_space, m_ring.view(), SeedMoments());
    Arch::fence(exec_space, "Kindred::SeedLayer::telemetry");
  }
  view_type slot(std::uint32_t slot) const {
    return view_type(m_ring.data() + std::size_t{slot} * m_seeds, m_seeds);
  }
  /// Does not fence. On the host, the kernels must have ended.
  void clear(const ExecutionSpace& exec_space, std::uint32_t which) const {
    if constexpr (Arch::is_device<ExecutionSpace>)
      Arch::start_fill(exec_space, slot(which), SeedMoments());
    else
      clear_here(which);
  }
  /// On the host, where the kernels must have ended.
  void clear_here(std::uint32_t which) const noexcept {
    std::fill_n(slot(which).data(), m_seeds, SeedMoments());
  }
  /// \brief Merges \p epochs slots, starting with \p first_slot, into `each` and `whole`. Does not
  /// fence.
  void reduce(const ExecutionSpace& exec_space, std::uint32_t first_slot, std::uint32_t epochs,
              std::uint32_t first_seed, std::uint32_t seeds, const view_type& into) const {
    reduce_moments(
        exec_space, ArrayView<const SeedMoments, ExecutionSpace>(m_ring.data(), m_ring.size()),
        m_seeds, m_slots, first_slot, epochs, first_seed, view_type(into.data(), seeds), whole());
  }
  view_type each() const { return m_each.view(); }
  view_type whole() const { return m_whole.view(); }

 private:
  using Moments = Buffer<SeedMoments, typename ExecutionSpace::memory_space>;

  std::uint32_t m_seeds = 0;
  std::uint32_t m_slots = 0;
  Moments m_ring;
  Moments m_each;
  Moments m_whole;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_MOMENTS_RING_HPP
