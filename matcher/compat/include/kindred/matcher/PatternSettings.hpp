// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERN_SETTINGS_HPP
#define KINDRED_MATCHER_PATTERN_SETTINGS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace Kindred {

/// \brief How a `PatternMemory` keeps its tiers: the fifteen settings of KATO's matcher.
///
/// Each has an environment name, `KINDRED_` and the suffix told here; KATO's own, `KATO_GPU_` and
/// the same suffix, is honoured where Kindred's is not set.
struct PatternSettings {
  bool enabled = true;           ///< ENABLED: the bulk tier may be on the device
  bool fallback_to_host = true;  ///< FALLBACK: without a usable device the host does it; else
                                 ///< making the memory is an error
  double min_compute_capability = 7.0;   ///< MIN_COMPUTE: a device below it is not used
  std::uint64_t max_pattern_length = 0;  ///< MAX_PATTERN_LENGTH: symbols beyond which a pattern
                                         ///< stays on the host, uncut; 0: no bound
  double memory_fraction = 0.6;  ///< MEMORY_FRACTION: of the device's budget, for the bulk tier
  double growth_fraction = 0.2;  ///< GROWTH_FRACTION: of that, kept free for the bulk tier to grow
  std::uint32_t threads_per_block =
      256;  ///< THREADS_PER_BLOCK: checked and told; a kernel's launch
            ///< shape belongs to its space, so it changes nothing
  std::optional<std::uint64_t> max_bulk_patterns;  ///< MAX_PATTERNS: what the bulk tier may hold
  std::uint64_t sync_threshold = 1000;  ///< SYNC_THRESHOLD: recent patterns that start a sync
  double sync_interval_seconds = 300;   ///< SYNC_INTERVAL: between background syncs
  bool background_sync = true;   ///< BACKGROUND_SYNC: a thread of the memory's own syncs; else the
                                 ///< call of `learn` that reaches the threshold does
  bool log_memory_usage = true;  ///< LOG_MEMORY: every sync tells the bytes held
  bool log_kernel_timing = false;  ///< LOG_TIMING: every match tells where it ran and how long
  bool use_shared_memory = true;   ///< SHARED_MEMORY: told; as `threads_per_block`
  bool early_termination = true;   ///< EARLY_TERM: told; scans stop at bounds either way, and no
                                   ///< answer depends on them

  /// \throws InvalidArgument that names the setting, its value and what is allowed
  void validate() const;

  /// \brief The defaults, changed by what the environment says, and validated.
  ///
  /// \param variable the value of a variable or nothing; empty: the process' environment
  /// \throws InvalidArgument for a value that is malformed or not allowed, naming the variable
  static PatternSettings from_environment(
      const std::function<std::optional<std::string>(const std::string&)>& variable = {});
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PATTERN_SETTINGS_HPP
