// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_VECTOR_HOST_COPY_HPP
#define KINDRED_MATCHER_SRC_VECTOR_HOST_COPY_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace Kindred::Impl {

/// `body(begin, end)` for parts of `0 … count`, by the threads of \p host where it is worth them.
/// Fences it.
template <class Body>
void for_each_stretch(const HostSpace& host, std::size_t count, const Body& body) {
  constexpr std::size_t stretch = 1U << 15U;
  if (count <= 2 * stretch) return body(std::size_t{0}, count);
  Kokkos::parallel_for(
      "Kindred::VectorIndex::host",
      Kokkos::RangePolicy<HostSpace, Kokkos::IndexType<std::size_t>>(
          host, 0, (count + stretch - 1) / stretch, Kokkos::ChunkSize(1)),
      [&](const std::size_t i) { body(i * stretch, std::min(count, (i + 1) * stretch)); });
  host.fence("Kindred::VectorIndex::host");
}

/// Copies by the threads of \p host. Fences it.
template <class T>
void copy_in_parallel(const HostSpace& host, std::span<const T> from, T* to) {
  for_each_stretch(host, from.size(), [&](std::size_t begin, std::size_t end) {
    std::copy(from.begin() + static_cast<std::ptrdiff_t>(begin),
              from.begin() + static_cast<std::ptrdiff_t>(end), to + begin);
  });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_VECTOR_HOST_COPY_HPP
