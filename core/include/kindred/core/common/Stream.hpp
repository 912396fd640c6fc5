// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_STREAM_HPP
#define KINDRED_CORE_COMMON_STREAM_HPP

#include <kindred/core/common/Public.hpp>

namespace KINDRED_PUBLIC Kindred {

/// \brief A queue of work on a device that belongs to the caller. A call that is given one is
/// ordered by it and does not fence.
class Stream {
 public:
  /// \param stream a `cudaStream_t`; null is the default stream of CUDA, as for the runtime
  static Stream cuda(void* stream) noexcept { return Stream(stream); }

  /// The `cudaStream_t`.
  void* handle() const noexcept { return m_handle; }

  friend bool operator==(const Stream&, const Stream&) = default;

 private:
  explicit Stream(void* handle) noexcept : m_handle(handle) {}
  void* m_handle;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_STREAM_HPP
