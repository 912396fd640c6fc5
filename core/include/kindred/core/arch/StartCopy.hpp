// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_START_COPY_HPP
#define KINDRED_CORE_ARCH_START_COPY_HPP

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/arch/launch/ProfiledKernel.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace Kindred::Arch {

/// Calls \p copy, which Kokkos does not make, and shows it to the profiling tools.
template <class Copy>
auto copy_profiled(const char* space, const char* label, void* to, const void* from,
                   std::size_t bytes, const Copy& copy) {
  if (!Kokkos::Tools::profileLibraryLoaded()) return copy();
  const auto handle = Kokkos::Tools::make_space_handle(space);
  Kokkos::Tools::beginDeepCopy(handle, label, to, handle, label, from, bytes);
  const auto result = copy();
  Kokkos::Tools::endDeepCopy();
  return result;
}

/// \brief Starts a copy of \p bytes on \p exec_space between any two memories. Does not fence. One
/// thread of a host needs no parallel region, which would wake other threads by a system call.
/// \throws DeviceLost, and the other errors of `require`
inline void start_copy(const HostSpace& exec_space, const char* label, void* to, const void* from,
                       std::size_t bytes) {
  if (bytes == 0) return;
  if (concurrency(exec_space) == 1) {
    copy_profiled("Host", label, to, from, bytes, [&] { return std::memcpy(to, from, bytes); });
    return;
  }
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
  require(copy_profiled("Cuda", label, to, from, bytes,
                        [&] {
                          return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault,
                                                 exec_space.cuda_stream());
                        }),
          label);
}
#endif

/// \brief Starts a copy of \p from to \p to, contiguous Views of as many elements. Does not fence.
/// \throws as for bytes
template <class ExecutionSpace, class To, class From>
requires requires { typename To::value_type; }
void start_copy(const ExecutionSpace& exec_space, const char* label, const To& to,
                const From& from) {
  using value_type = typename From::non_const_value_type;
  static_assert(std::is_same_v<typename To::value_type, value_type>);
  start_copy(exec_space, label, to.data(), from.data(), from.size() * sizeof(value_type));
}

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
