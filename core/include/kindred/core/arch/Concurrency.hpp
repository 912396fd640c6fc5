// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_CONCURRENCY_HPP
#define KINDRED_CORE_ARCH_CONCURRENCY_HPP

namespace Kindred::Arch {

/// \brief Threads of \p exec_space. In a Kokkos with deprecated code its member function is static
/// and, called on an instance, answers for the default one.
template <class ExecutionSpace>
int concurrency(const ExecutionSpace& exec_space) {
  if constexpr (requires { ExecutionSpace::concurrency(exec_space); })
    return ExecutionSpace::concurrency(exec_space);
  else
    return exec_space.concurrency();
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_CONCURRENCY_HPP
