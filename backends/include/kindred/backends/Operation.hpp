// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_OPERATION_HPP
#define KINDRED_BACKENDS_OPERATION_HPP

#include <kindred/core/common/Public.hpp>

#include <compare>
#include <cstddef>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief Assumed costs of an operation, used until it is measured.
///
/// The rates of Kindred's own operations were measured on processors released from 2021 to 2023.
struct OperationPrior {
  double thread_rate = 1e9;    ///< work per second on one host thread
  double call_seconds = 5e-6;  ///< fixed cost of a call on the host
  /// Smallest work for which a call with one kernel launch and resident data is faster on a device
  /// than on one host thread. 0: any, and the fixed cost is a quarter of that on the host.
  double device_work_min = device_never;

  /// No call is assumed to be faster on a device; a calibration may show otherwise.
  static constexpr double device_never = 0x1p50;
};

/// \brief Declares an operation. The engine that runs it declares it once, as an `inline constexpr`
/// variable in the namespace `Kindred::Operations`.
struct OperationInfo {
  std::string_view name;       ///< shown in reports, profiles and messages; unique
  std::string_view work_unit;  ///< unit of `Workload::work`, in the plural
  OperationPrior prior;
};

/// Maximum number of operations that a dispatcher or a \ref CallHistory supports.
inline constexpr std::size_t operations_max = 64;

/// \brief Identifies an operation. Cheap to copy; two operations are equal if their names are.
///
/// A dispatcher adds an operation with the first call that names it.
class Operation {
 public:
  /// No operation; a dispatcher rejects it.
  constexpr Operation() noexcept : m_info(&none) {}
  /// \param info must outlive every copy of the operation
  constexpr Operation(const OperationInfo& info) noexcept : m_info(&info) {}
  Operation(const OperationInfo&&) = delete;

  constexpr std::string_view name() const noexcept { return m_info->name; }
  constexpr std::string_view work_unit() const noexcept { return m_info->work_unit; }
  constexpr const OperationPrior& prior() const noexcept { return m_info->prior; }
  /// The declaration. Two libraries can each have a copy of the same declaration.
  constexpr const OperationInfo* info() const noexcept { return m_info; }

  friend constexpr bool operator==(Operation a, Operation b) noexcept {
    return a.m_info == b.m_info || a.name() == b.name();
  }
  /// Compares by name.
  friend constexpr auto operator<=>(Operation a, Operation b) noexcept {
    return a.name() <=> b.name();
  }

 private:
  static constexpr OperationInfo none{};
  const OperationInfo* m_info;
};

constexpr std::string_view to_string(Operation operation) noexcept { return operation.name(); }

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_OPERATION_HPP
