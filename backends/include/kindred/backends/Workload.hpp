// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_WORKLOAD_HPP
#define KINDRED_BACKENDS_WORKLOAD_HPP

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

/// \brief Describes a call to the cost model.
struct Workload {
  Operation operation;
  std::uint64_t items = 0;  ///< patterns × queries, rows × queries, candidates, edges × queries,
                            ///< elements or nodes; shown by `explain`
  double work = 0;  ///< elementary steps: symbols × query words, multiply-adds, or edges or
                    ///< elements read; determines the size class
  std::uint64_t transfer_bytes = 0;     ///< copied to and from the device if it is chosen
  SpaceSet resident = SpaceSet::all();  ///< spaces that can access the data
  bool waits = true;  ///< the call returns after its work has finished; if false, its duration is
                      ///< not used as a measurement
  /// Memory that the call must allocate on a device, in addition to what is already there; 0:
  /// unknown, or the call can do with less.
  std::uint64_t device_bytes = 0;
  double starts = 1;         ///< parallel regions or kernels that run one after the other
  std::uint32_t pieces = 0;  ///< maximum number of threads that can share the work; 0: no limit
  CallHistory* history = nullptr;  ///< of the engine; null: the history of the context
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_WORKLOAD_HPP
