// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_SPACE_PROOF_HPP
#define KINDRED_CORE_ARCH_LAUNCH_SPACE_PROOF_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Kindred::Arch {

/// A fault that a test puts into the kernels of `why_results_are_wrong`.
enum class ProofFault : std::uint8_t { none, lost_store, lost_add, wrong_scratch, illegal_access };

/// `lost-store`, `lost-add`, `wrong-scratch`, `illegal-access`; empty for any other name.
std::optional<ProofFault> proof_fault(std::string_view name) noexcept;

/// \brief Runs two small kernels in plain Kokkos, which store through Views of one and two
/// dimensions, add atomically and use the scratch of teams, and compares their results on the host.
/// Fences \p exec_space; takes microseconds.
///
/// A Kokkos that does not fit the compiler loses stores without an error: host and device code
/// then disagree about the layout of a View.
/// \return what is wrong; empty if the results are right
/// \throws DeviceLost, and the other errors of `require`
template <class ExecutionSpace>
std::string why_results_are_wrong(const ExecutionSpace& exec_space,
                                  ProofFault fault = ProofFault::none);

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_SPACE_PROOF_HPP
