// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_DISPATCH_RECORD_HPP
#define KINDRED_BACKENDS_DISPATCH_RECORD_HPP

#include <kindred/backends/Operation.hpp>
#include <kindred/backends/Space.hpp>
#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// Why a space was chosen.
enum class Reason : std::uint8_t {
  predicted,   ///< lowest predicted time
  forced,      ///< the caller requested it
  only,        ///< no other space can run it
  hysteresis,  ///< another space is predicted to be faster, but not by enough to switch
  probe,       ///< a space that was not chosen for a while is measured again
  fallback,    ///< the first choice failed, or has failed too often recently
  memory,      ///< the device is predicted to be fastest but lacks memory for the call
  threshold    ///< decided by `Options::device_items_min` or `device_items_from`
};
template <>
inline constexpr auto enum_names<Reason> = std::to_array<std::string_view>(
    {"predicted", "forced", "only", "hysteresis", "probe", "fallback", "memory", "threshold"});

/// \brief A decision and, after the call, its measured time.
struct DispatchRecord {
  Operation operation;
  std::uint64_t items = 0;
  double work = 0;
  std::uint64_t transfer_bytes = 0;
  std::array<double, space_count> predicted{};  ///< seconds; NaN for a space that cannot run it
  Space chosen = Space::serial;
  Reason why = Reason::only;
  double taken = 0;   ///< seconds; 0 before the call
  int threads = 1;    ///< host threads used: chosen by the amount of work on `openmp`, otherwise 1
  double starts = 1;  ///< \see Workload::starts
  std::uint32_t pieces = 0;  ///< \see Workload::pieces
  /// No call of this size or larger had run on \ref chosen before, or this one made something that
  /// later ones use, such as a copy of the data: the time includes it, or allocations and cold
  /// caches, and the dispatcher does not learn from it.
  bool first = false;
};

/// Returns one line of JSON: `{"op", "items", "predicted": {space: seconds}, "chosen", "taken",
/// "why", "threads", "starts", "first"}`.
std::string to_json(const DispatchRecord& record);

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_DISPATCH_RECORD_HPP
