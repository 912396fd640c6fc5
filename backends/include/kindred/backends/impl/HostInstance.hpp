// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_HOST_INSTANCE_HPP
#define KINDRED_BACKENDS_IMPL_HOST_INSTANCE_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <memory>

namespace Kindred::Impl {

/// \brief Owns a new execution-space instance of the host.
///
/// Kokkos waits for all devices before it frees the scratch memory of an instance, and aborts if
/// one is lost. It also allocates, and ends the process if that fails. In both cases the destructor
/// therefore leaves the instance allocated.
class HostInstance {
 public:
  /// \param threads of the instance; 1 in a build without OpenMP
  explicit HostInstance(int threads);
  ~HostInstance();
  HostInstance(const HostInstance&) = delete;
  HostInstance& operator=(const HostInstance&) = delete;

  const HostSpace& get() const noexcept { return *m_exec_space; }

 private:
  std::unique_ptr<HostSpace> m_exec_space;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_HOST_INSTANCE_HPP
