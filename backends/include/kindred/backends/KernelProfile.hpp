// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_KERNEL_PROFILE_HPP
#define KINDRED_BACKENDS_KERNEL_PROFILE_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Kindred {

/// \brief What one kernel took, by label and by where it ran.
struct KernelTime {
  std::string label;    ///< `Kindred::Class::method::kernel`
  bool device = false;  ///< on the GPU, else on the host
  std::uint64_t count = 0;
  double seconds = 0;  ///< of all its runs
  double longest = 0;  ///< seconds of the longest run
};

/// \brief Times every kernel that Kokkos launches in this process while it lives.
///
/// Make it after the context, and make and destroy it while no other thread launches. It listens
/// through Kokkos Tools and passes on to the callbacks that were set before. While it lives every
/// device kernel is fenced, before and after, so that the times are real and nothing overlaps: it
/// is for reports, not for production. Several may live at once. Thread-safe.
class KernelProfile {
 public:
  KernelProfile();
  ~KernelProfile();
  KernelProfile(const KernelProfile&) = delete;
  KernelProfile& operator=(const KernelProfile&) = delete;

  /// The kernels so far, most seconds first, then by label.
  std::vector<KernelTime> kernels() const;
  /// Forgets them.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_KERNEL_PROFILE_HPP
