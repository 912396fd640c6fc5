// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERN_SETTINGS_HPP
#define KINDRED_MATCHER_PATTERN_SETTINGS_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>
#include <optional>

namespace KINDRED_PUBLIC Kindred {

/// \brief How a `PatternMemory` keeps its patterns. Results do not depend on it.
struct PatternSettings {
  bool enabled = true;                   ///< the bulk tier may be on the device
  bool fallback_to_host = true;          ///< run on the host without a usable device; otherwise
                                         ///< constructing the memory is an error
  double min_compute_capability = 7.0;   ///< devices below it are not used; at least 3
  std::uint64_t max_pattern_length = 0;  ///< longer patterns stay on the host, untruncated; 0: no
                                         ///< limit
  double memory_fraction = 0.6;          ///< share of the device's budget for the bulk tier, (0, 1]
  double growth_fraction = 0.2;  ///< part of the bulk tier's share that is kept free for growth,
                                 ///< [0, 1]
  std::optional<std::uint64_t> max_bulk_patterns = {};  ///< limit of the bulk tier
  std::uint64_t sync_threshold = 1000;  ///< number of recent patterns that triggers a sync, ≥ 1
  double sync_interval_seconds = 300;   ///< time between background syncs, above 0, at most 1e9
  bool background_sync = true;          ///< synchronise on a background thread; otherwise in the
                                        ///< call of `learn` that reaches the threshold
  bool log_memory_usage = true;         ///< every sync logs the memory use
  bool log_kernel_timing = false;       ///< every match logs its space and duration

  /// \throws InvalidArgument, naming the setting, its value and the allowed range
  void validate() const;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PATTERN_SETTINGS_HPP
