// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_CONCURRENCY_HPP
#define KINDRED_CORE_ARCH_CONCURRENCY_HPP

namespace Kindred::Arch {

/// \brief The number of threads of \p exec_space. In a Kokkos built with deprecated code the member
/// function is static and, even when called on an instance, returns that of the default instance.
template <class ExecutionSpace>
int concurrency(const ExecutionSpace& exec_space) {
  if constexpr (requires { ExecutionSpace::concurrency(exec_space); })
    return ExecutionSpace::concurrency(exec_space);
  else
    return exec_space.concurrency();
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_CONCURRENCY_HPP
