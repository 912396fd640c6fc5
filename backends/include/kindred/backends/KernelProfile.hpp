// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_KERNEL_PROFILE_HPP
#define KINDRED_BACKENDS_KERNEL_PROFILE_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief Total time of one kernel, by label and by where it ran.
struct KernelTime {
  std::string label;    ///< `Kindred::Class::method::kernel`
  bool device = false;  ///< ran on the GPU; otherwise on the host
  std::uint64_t count = 0;
  double seconds = 0;  ///< total of all launches
  double longest = 0;  ///< duration of the longest launch in seconds
};

/// \brief Times every kernel that Kokkos launches in this process during the object's lifetime.
///
/// Create it after the context; create and destroy it while no other thread launches kernels. It
/// registers Kokkos Tools callbacks and forwards to those that were set before. During its lifetime
/// every device kernel is fenced before and after, so that times are accurate and nothing overlaps:
/// use it for reports, not in production. Several objects can exist at the same time. Thread-safe.
class KernelProfile {
 public:
  KernelProfile();
  ~KernelProfile();

  /// The kernels recorded so far, sorted by descending total time, then by label.
  std::vector<KernelTime> kernels() const;
  /// Discards what was recorded so far.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_KERNEL_PROFILE_HPP
