// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_SEQUENCE_HOST_PARTS_HPP
#define KINDRED_MATCHER_SRC_SEQUENCE_HOST_PARTS_HPP

#include <kindred/backends/impl/Instances.hpp>

#include <algorithm>
#include <cstdint>

namespace Kindred::Impl {

/// Into how many parts `host_parts` cuts \p count items: one for every so many, as far as threads
/// go.
inline std::uint64_t host_part_count(const Context& context, std::uint64_t count,
                                     std::uint64_t least) {
  const auto threads =
      context.is_usable(Space::openmp) ? static_cast<std::uint64_t>(context.threads()) : 1;
  return std::clamp<std::uint64_t>(count / std::max<std::uint64_t>(least, 1), 1, threads);
}

/// \brief Calls `body(part, begin, end)` for consecutive ranges of `[0, count)`, one a host thread,
/// and waits for them. No range but the only one is shorter than \p least.
/// \param label `Kindred::Class::method::kernel`
template <class Body>
void host_parts(const Context& context, const char* label, std::uint64_t count, std::uint64_t least,
                const Body& body) {
  const std::uint64_t parts = host_part_count(context, count, least);
  if (parts == 1) {
    body(std::uint64_t{0}, std::uint64_t{0}, count);
    return;
  }
  const HostSpace& exec_space = host_instance(context, Space::openmp);
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<HostSpace, Kokkos::Schedule<Kokkos::Static>,
                                           Kokkos::IndexType<std::uint64_t>>(exec_space, 0, parts),
                       [&](const std::uint64_t part) {
                         body(part, count * part / parts, count * (part + 1) / parts);
                       });
  exec_space.fence("Kindred::Impl::host_parts");
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_SEQUENCE_HOST_PARTS_HPP
