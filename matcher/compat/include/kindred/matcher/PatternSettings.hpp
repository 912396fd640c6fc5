// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERN_SETTINGS_HPP
#define KINDRED_MATCHER_PATTERN_SETTINGS_HPP

#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace KINDRED_PUBLIC Kindred {

/// \brief Configuration of the tiers of a `PatternMemory`: the fifteen settings of KATO's matcher.
///
/// The environment variable of each is `KINDRED_` followed by the suffix given here; KATO's own
/// variable, `KATO_GPU_` with the same suffix, is used if Kindred's is not set.
struct PatternSettings {
  bool enabled = true;           ///< ENABLED: the bulk tier may be on the device
  bool fallback_to_host = true;  ///< FALLBACK: run on the host without a usable device; otherwise
                                 ///< constructing the memory is an error
  double min_compute_capability = 7.0;  ///< MIN_COMPUTE: devices below it are not used
  std::uint64_t max_pattern_length =
      0;  ///< MAX_PATTERN_LENGTH: longer patterns stay on the host, untruncated; 0: no limit
  double memory_fraction =
      0.6;  ///< MEMORY_FRACTION: share of the device's budget for the bulk tier
  double growth_fraction =
      0.2;  ///< GROWTH_FRACTION: part of the bulk tier's share that is kept free for growth
  std::uint32_t threads_per_block =
      256;  ///< THREADS_PER_BLOCK: validated and reported, but without effect, because each space
            ///< determines the launch shape of its kernels
  std::optional<std::uint64_t> max_bulk_patterns = {};  ///< MAX_PATTERNS: limit of the bulk tier
  std::uint64_t sync_threshold =
      1000;  ///< SYNC_THRESHOLD: number of recent patterns that triggers a sync
  double sync_interval_seconds = 300;  ///< SYNC_INTERVAL: time between background syncs
  bool background_sync = true;   ///< BACKGROUND_SYNC: synchronise on a background thread; otherwise
                                 ///< in the call of `learn` that reaches the threshold
  bool log_memory_usage = true;  ///< LOG_MEMORY: every sync logs the memory use
  bool log_kernel_timing = false;  ///< LOG_TIMING: every match logs its space and duration
  bool use_shared_memory = true;   ///< SHARED_MEMORY: reported only; as `threads_per_block`
  bool early_termination = true;   ///< EARLY_TERM: reported only; scans always use bounds, and
                                   ///< results do not depend on them

  /// \throws InvalidArgument, naming the setting, its value and the allowed range
  void validate() const;

  /// \brief The defaults, overridden by environment variables, and validated.
  ///
  /// \param variable returns the value of a variable, or no value; empty: the environment of the
  /// process
  /// \throws InvalidArgument for a malformed or disallowed value, naming the variable
  static PatternSettings from_environment(
      const std::function<std::optional<std::string>(const std::string&)>& variable = {});
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PATTERN_SETTINGS_HPP
