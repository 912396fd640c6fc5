// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_MACHINE_LIMITS_HPP
#define KINDRED_PERF_MACHINE_LIMITS_HPP

#include <kindred/backends/Context.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// \brief Limits of this machine on a space: the denominators of "percent of limit".
///
/// Rates per second of the fastest repeat; launch times are medians. Bytes count both reads and
/// writes.
struct Limits {
  Space space = Space::serial;
  std::uint64_t array_bytes = 0;  ///< per array; larger than the caches
  double copy = 0;                ///< bytes, b = a
  double read = 0;                ///< bytes, Σ a
  double triad = 0;               ///< bytes, c = a + s·b
  double random_rows = 0;         ///< bytes, rows of 3072 B (768 float32) in random order
  double word_steps = 0;     ///< steps of the bit-parallel LCS recurrence with masks in registers
  double multiply_adds = 0;  ///< fused, double, operands in registers
  double launch = 0;         ///< seconds of an empty kernel and its fence
  double launch_queued = 0;  ///< seconds of an empty kernel when many are launched before one fence
};

struct LimitsOptions {
  std::uint64_t host_bytes = 512ULL << 20U;
  std::uint64_t device_bytes = 2048ULL << 20U;
  int repeats = 7;
};

/// \brief Measures every usable space of \p context. Fences the instances it creates.
std::vector<Limits> measure_limits(const Context& context, const LimitsOptions& options = {});

/// The entry of \p limits for \p space; null if there is none.
const Limits* find_limits(const std::vector<Limits>& limits, Space space);

/// Such as `4.7.0`.
std::string kokkos_version();
/// The output of `Kokkos::print_configuration`.
std::string kokkos_configuration();

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_MACHINE_LIMITS_HPP
