// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_START_COPY_HPP
#define KINDRED_CORE_ARCH_START_COPY_HPP

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/arch/launch/ProfiledKernel.hpp>

#include <algorithm>
#include <cstddef>

namespace Kindred::Arch {

/// \brief Starts a copy of \p bytes on \p exec_space between any two memories. Does not fence.
/// \throws DeviceLost, and the other errors of `require`
inline void start_copy(const HostSpace& exec_space, const char*, void* to, const void* from,
                       std::size_t bytes) {
  using Bytes =
      Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using ConstBytes =
      Kokkos::View<const std::byte*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(exec_space, Bytes(static_cast<std::byte*>(to), bytes),
                    ConstBytes(static_cast<const std::byte*>(from), bytes));
}

#if KINDRED_HAS_DEVICE
inline void start_copy(const DeviceSpace& exec_space, const char* label, void* to, const void* from,
                       std::size_t bytes) {
  const bool profiled = Kokkos::Tools::profileLibraryLoaded();
  if (profiled) {
    const auto space = Kokkos::Tools::make_space_handle("Cuda");
    Kokkos::Tools::beginDeepCopy(space, label, to, space, label, from, bytes);
  }
  const cudaError_t status =
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, exec_space.cuda_stream());
  if (profiled) Kokkos::Tools::endDeepCopy();
  require(status, label);
}
#endif

/// \brief Starts to set all elements of \p view to \p value. Does not fence. One thread of a host
/// needs no parallel region, which would wake other threads by a system call.
template <class ExecutionSpace, class View>
void start_fill(const ExecutionSpace& exec_space, const View& view,
                const typename View::non_const_value_type& value) {
  if constexpr (!is_device<ExecutionSpace>) {
    if (concurrency(exec_space) == 1 && view.span_is_contiguous()) {
      run_profiled(exec_space, "Kindred::Arch::start_fill",
                   [&] { std::fill_n(view.data(), view.size(), value); });
      return;
    }
  }
  Kokkos::deep_copy(exec_space, view, value);
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_START_COPY_HPP
