// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_HOST_RESOURCES_HPP
#define KINDRED_BACKENDS_IMPL_HOST_RESOURCES_HPP

#include <cstdint>
#include <string>

namespace Kindred::Impl {

/// Memory in bytes that this process may use: that of the machine, or of its control group or its
/// resource limits (`ulimit -v`, `ulimit -d`) if that is less.
struct HostMemory {
  std::uint64_t total = 0;
  std::uint64_t free = 0;
};

/// \param root prefix of `/proc` and `/sys`, for tests
HostMemory query_host_memory(const std::string& root = {});

/// CPU limit of the control group in processors, rounded up; 0: unlimited.
/// \param root prefix of `/proc` and `/sys`, for tests
int processor_quota(const std::string& root = {});

/// The model name in `/proc/cpuinfo`.
std::string processor_name();

/// \brief Divides the processors that this process may use into \p parts equal parts and binds the
/// calling thread to part \p part. Does nothing if there are fewer processors than parts, or if the
/// system does not support it.
void keep_thread_to_part(int part, int parts) noexcept;

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_HOST_RESOURCES_HPP
