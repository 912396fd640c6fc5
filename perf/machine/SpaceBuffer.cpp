// SPDX-License-Identifier: Apache-2.0
#include "machine/SpaceBuffer.hpp"

#include <Kokkos_Core.hpp>

#include <cstring>
#include <utility>

namespace Kindred::Perf {

namespace {

/// The device in a build that supports one, otherwise the host.
using FastestSpace = Kokkos::DefaultExecutionSpace;
template <class T, class MemorySpace>
using Bytes = Kokkos::View<T*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace

SpaceBuffer::SpaceBuffer(Context& context, Space space, std::size_t size)
    : m_context(&context),
      m_space(space),
      m_data(static_cast<std::byte*>(
          context.memory(space).allocate(size, "Kindred::Perf::SpaceBuffer::bytes"))),
      m_size(size) {}

SpaceBuffer::SpaceBuffer(Context& context, Space space, std::span<const std::byte> bytes)
    : SpaceBuffer(context, space, bytes.size()) {
  if (m_space != Space::cuda) {
    if (!bytes.empty()) std::memcpy(m_data, bytes.data(), bytes.size());
    return;
  }
  const FastestSpace exec_space;
  Kokkos::deep_copy(exec_space, Bytes<std::byte, FastestSpace::memory_space>(m_data, m_size),
                    Bytes<const std::byte, Kokkos::HostSpace>(bytes.data(), bytes.size()));
  exec_space.fence("Kindred::Perf::SpaceBuffer::upload");
}

SpaceBuffer::~SpaceBuffer() {
  if (m_data != nullptr) m_context->memory(m_space).deallocate(m_data, m_size);
}

SpaceBuffer::SpaceBuffer(SpaceBuffer&& other) noexcept
    : m_context(other.m_context),
      m_space(other.m_space),
      m_data(std::exchange(other.m_data, nullptr)),
      m_size(std::exchange(other.m_size, 0)) {}

void SpaceBuffer::download(std::span<std::byte> to) const {
  if (m_space != Space::cuda) {
    if (!to.empty()) std::memcpy(to.data(), m_data, to.size());
    return;
  }
  const FastestSpace exec_space;
  Kokkos::deep_copy(exec_space, Bytes<std::byte, Kokkos::HostSpace>(to.data(), to.size()),
                    Bytes<const std::byte, FastestSpace::memory_space>(m_data, to.size()));
  exec_space.fence("Kindred::Perf::SpaceBuffer::download");
}

}  // namespace Kindred::Perf
