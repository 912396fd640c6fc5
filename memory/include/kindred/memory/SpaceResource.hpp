// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_SPACE_RESOURCE_HPP
#define KINDRED_MEMORY_SPACE_RESOURCE_HPP

#include <kindred/core/arch/launch/CurrentDevice.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/HugePages.hpp>
#include <kindred/memory/MemoryResource.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

namespace Kindred {

namespace Impl {

/// \brief Memory of the host, reported to Kokkos Tools; null if there is none. Kokkos' own
/// functions wait for all devices before they free memory of the host, and abort if one is lost.
void* allocate_on_host(std::size_t bytes, const std::string& label) noexcept;
void free_on_host(void* data, std::size_t bytes) noexcept;

}  // namespace Impl

/// \brief The memory of a Kokkos memory space itself: the end of every chain of adaptors.
/// Thread-safe.
///
/// Kokkos must be initialised. It reports that memory ran out by untyped exceptions of several
/// kinds; whatever it throws here is treated as such.
template <class MemorySpace>
class SpaceResource final : public MemoryResource {
 public:
  explicit SpaceResource(const MemorySpace& memory_space = {}) : m_memory_space(memory_space) {}

  void* allocate(std::size_t bytes, const std::string& label) override {
    if (bytes == 0) return nullptr;
    const bool lost = of_device && Arch::device_is_lost();
    if (lost && !accessible)
      throw DeviceLost(label + " was not allocated: the device was lost; restart the program");
    // Memory can no longer be pinned for a lost device; the host can access its own memory as well.
    if (!of_device || lost) {
      void* const data = Impl::allocate_on_host(bytes, label);
      if (data == nullptr) throw_out_of_memory(bytes, label);
      if (!of_device) ask_for_huge_pages(data, bytes);
      return data;
    }
    const Arch::DeviceUse use;
    try {
      const Arch::KeepCurrentDevice keep;
      return m_memory_space.allocate(label.c_str(), bytes);
    } catch (const std::exception&) {
      throw_out_of_memory(bytes, label);
    }
  }
  void deallocate(void* data, std::size_t bytes) noexcept override {
    if (data == nullptr) return;
    if constexpr (of_device) {
      // Kokkos aborts when it frees memory of a lost device or of a process that is ending, or
      // memory that was pinned for it.
      if (Arch::device_is_lost() || !Arch::begin_device_use()) return;
      try {
        const Arch::KeepCurrentDevice keep;
        m_memory_space.deallocate("", data, bytes);
      } catch (const std::exception&) {
        // A device that fails here cannot free the memory.
      }
      Arch::end_device_use();
    } else {
      Impl::free_on_host(data, bytes);
    }
  }
  std::string_view space() const noexcept override { return accessible ? "host" : "cuda"; }

 private:
  [[noreturn]] void throw_out_of_memory(std::size_t bytes, const std::string& label) const {
    throw OutOfMemory(std::string(space()), bytes, label,
                      "the allocator refused it; use smaller batches or another space");
  }

  MemorySpace m_memory_space;

  static constexpr bool of_device = !std::is_same_v<MemorySpace, Kokkos::HostSpace>;
  static constexpr bool accessible =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
};

}  // namespace Kindred

#endif  // KINDRED_MEMORY_SPACE_RESOURCE_HPP
