// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_KOKKOS_EVENTS_HPP
#define KINDRED_TESTS_SUPPORT_KOKKOS_EVENTS_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace Kindred::Testing {

/// Records the events that Kokkos Tools observe during its lifetime. One exists at a time.
class KokkosEvents {
 public:
  std::map<std::string, std::set<std::uint32_t>> kernels;  ///< label to the instances it ran on
  std::set<std::string> allocations;                       ///< labels
  int kernel_count = 0;
  int allocation_count = 0;
  int copy_count = 0;
  int fence_count = 0;

  KokkosEvents() {
    recording = this;
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(on_kernel);
    Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(on_kernel);
    Kokkos::Tools::Experimental::set_begin_parallel_scan_callback(on_kernel);
    Kokkos::Tools::Experimental::set_allocate_data_callback(on_allocation);
    Kokkos::Tools::Experimental::set_begin_deep_copy_callback(
        [](Kokkos_Profiling_SpaceHandle, const char*, const void*, Kokkos_Profiling_SpaceHandle,
           const char*, const void*, std::uint64_t) {
          const std::lock_guard lock(recording->m_mutex);
          ++recording->copy_count;
        });
    Kokkos::Tools::Experimental::set_begin_fence_callback(
        [](const char* label, std::uint32_t, std::uint64_t*) {
          // Kokkos itself fences when it reports certain events to a tool.
          if (std::string_view(label).starts_with("Kokkos::Tools::")) return;
          const std::lock_guard lock(recording->m_mutex);
          ++recording->fence_count;
        });
  }
  ~KokkosEvents() { Kokkos::Tools::Experimental::set_callbacks(m_before); }
  KokkosEvents(const KokkosEvents&) = delete;
  KokkosEvents& operator=(const KokkosEvents&) = delete;

 private:
  static inline KokkosEvents* recording = nullptr;

  static void on_kernel(const char* label, std::uint32_t device, std::uint64_t*) {
    const std::lock_guard lock(recording->m_mutex);
    recording->kernels[label].insert(device);
    ++recording->kernel_count;
  }
  static void on_allocation(Kokkos_Profiling_SpaceHandle, const char* label, const void*,
                            std::uint64_t bytes) {
    if (bytes == 0) return;  // Kokkos reports scratch of 0 bytes for a team that requests none
    const std::lock_guard lock(recording->m_mutex);
    recording->allocations.insert(label);
    ++recording->allocation_count;
  }

  std::mutex m_mutex;
  Kokkos::Tools::Experimental::EventSet m_before = Kokkos::Tools::Experimental::get_callbacks();
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_KOKKOS_EVENTS_HPP
