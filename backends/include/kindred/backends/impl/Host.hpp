// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_HOST_HPP
#define KINDRED_BACKENDS_IMPL_HOST_HPP

#include <cstdint>
#include <string>

namespace Kindred::Impl {

/// Bytes this process may use: of the machine, or of its control group where that allows less.
struct HostMemory {
  std::uint64_t total = 0;
  std::uint64_t free = 0;
};

/// \param root what stands before `/proc` and `/sys`: for tests
HostMemory query_host_memory(const std::string& root = {});

/// Processors' worth of time a second that the control group allows, rounded up; 0: any.
/// \param root what stands before `/proc` and `/sys`: for tests
int processor_quota(const std::string& root = {});

/// As `/proc/cpuinfo` has it.
std::string processor_name();

/// \brief Keeps the calling thread to part \p part of \p parts equal parts of the processors that
/// this process may use. Nothing happens where there are fewer processors than parts, or the system
/// has no such call.
void keep_thread_to_part(int part, int parts) noexcept;

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_HOST_HPP
