// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_CALL_HISTORY_HPP
#define KINDRED_BACKENDS_CALL_HISTORY_HPP

#include <kindred/backends/Operation.hpp>
#include <kindred/backends/Space.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <atomic>
#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// \brief Records which sizes an engine has already run, per operation and space.
///
/// The first call of a size on a space allocates its workspace and finds cold caches. Thread-safe.
class CallHistory {
 public:
  /// \brief Records a call.
  /// \return true if no call of this size class or a larger one was recorded before
  bool add(Operation operation, Space space, double work) noexcept;

 private:
  struct Entry {
    std::atomic<const OperationInfo*> operation = nullptr;
    /// The largest size class so far plus one; 0 for none.
    std::array<std::atomic<std::uint8_t>, space_count> largest{};
  };
  std::array<Entry, operations_max> m_entries;
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_CALL_HISTORY_HPP
