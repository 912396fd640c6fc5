// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SPACE_HPP
#define KINDRED_BACKENDS_SPACE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Kindred {

/// \brief Where work runs: one host thread, all host threads, the GPU. A run-time identity.
enum class Space : std::uint8_t { serial, openmp, cuda };

inline constexpr std::size_t space_count = 3;
inline constexpr std::array<Space, space_count> all_spaces{Space::serial, Space::openmp,
                                                           Space::cuda};

/// `serial`, `openmp`, `cuda`
std::string_view to_string(Space space) noexcept;
/// The space of that name, or nothing.
std::optional<Space> space_from_string(std::string_view name) noexcept;

/// \brief What is known of a space on this machine.
struct SpaceInfo {
  Space space = Space::serial;
  bool compiled = false;
  bool usable = false;
  std::string why_not;              ///< empty when usable
  std::string device;               ///< processor or GPU name
  int device_index = 0;             ///< of the GPU that is used, among those the process sees
  int device_count = 0;             ///< GPUs that the process sees
  int concurrency = 0;              ///< host threads, or multiprocessors
  double compute_capability = 0;    ///< of a CUDA device: 9.0
  double kernels_for = 0;           ///< compute capability that the kernels were compiled for: 8.0
  bool kernels_from_ptx = false;    ///< the driver compiles them for the device at their first use
  std::uint64_t memory_total = 0;   ///< bytes
  std::uint64_t memory_free = 0;    ///< bytes, when the context started
  std::uint64_t memory_budget = 0;  ///< bytes Kindred may use
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_SPACE_HPP
