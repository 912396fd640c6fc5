// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_MACHINE_SPACE_BUFFER_HPP
#define KINDRED_PERF_MACHINE_SPACE_BUFFER_HPP

#include <kindred/backends/Context.hpp>

#include <cstddef>
#include <span>

namespace Kindred::Perf {

/// \brief Bytes in the memory of a space, for calls on resident matrices.
class SpaceBuffer {
 public:
  /// Allocates uninitialised memory. \throws OutOfMemory
  SpaceBuffer(Context& context, Space space, std::size_t size);
  /// Allocates and copies \p bytes. \throws OutOfMemory
  SpaceBuffer(Context& context, Space space, std::span<const std::byte> bytes);
  ~SpaceBuffer();
  SpaceBuffer(SpaceBuffer&& other) noexcept;
  SpaceBuffer& operator=(SpaceBuffer&&) = delete;

  std::span<std::byte> bytes() const { return {m_data, m_size}; }
  /// Copies to the host. Fences.
  void download(std::span<std::byte> to) const;

 private:
  Context* m_context;
  Space m_space;
  std::byte* m_data = nullptr;
  std::size_t m_size = 0;
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_MACHINE_SPACE_BUFFER_HPP
