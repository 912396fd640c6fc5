// SPDX-License-Identifier: Apache-2.0
#include <kindred/memory/SpaceResource.hpp>

#include <new>

namespace Kindred::Impl {

namespace {

// What Kokkos guarantees for its own allocations.
constexpr std::align_val_t host_alignment{64};

auto handle_of_host() { return Kokkos::Tools::make_space_handle(Kokkos::HostSpace::name()); }

}  // namespace

void* allocate_on_host(std::size_t bytes, const std::string& label) noexcept {
  void* const data = ::operator new(bytes, host_alignment, std::nothrow);
  if (data != nullptr && Kokkos::Tools::profileLibraryLoaded())
    Kokkos::Tools::allocateData(handle_of_host(), label, data, bytes);
  return data;
}

void free_on_host(void* data, std::size_t bytes) noexcept {
  if (Kokkos::Tools::profileLibraryLoaded())
    Kokkos::Tools::deallocateData(handle_of_host(), {}, data, bytes);
  ::operator delete(data, host_alignment);
}

}  // namespace Kindred::Impl
