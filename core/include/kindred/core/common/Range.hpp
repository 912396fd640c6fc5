// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_RANGE_HPP
#define KINDRED_CORE_COMMON_RANGE_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// The policy of a kernel that runs once for each index below \p count, on \p exec_space.
template <class Index = std::uint64_t, class ExecutionSpace>
auto range(const ExecutionSpace& exec_space, std::type_identity_t<Index> count) {
  return Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Index>>(exec_space, 0, count);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_RANGE_HPP
