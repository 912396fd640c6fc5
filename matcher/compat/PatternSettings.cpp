// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/PatternSettings.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "ReadSetting.hpp"

namespace Kindred {

using Impl::require;
using Impl::shown;

void PatternSettings::validate() const try {
  require(min_compute_capability >= 3.0, "min_compute_capability", shown(min_compute_capability),
          "at least 3");
  require(memory_fraction > 0.0 && memory_fraction <= 1.0, "memory_fraction",
          shown(memory_fraction), "in (0, 1]");
  require(growth_fraction >= 0.0 && growth_fraction <= 1.0, "growth_fraction",
          shown(growth_fraction), "in [0, 1]");
  require(threads_per_block > 0 && threads_per_block <= 1024 && threads_per_block % 32 == 0,
          "threads_per_block", std::to_string(threads_per_block),
          "a multiple of 32 from 32 to 1024");
  require(sync_threshold > 0, "sync_threshold", std::to_string(sync_threshold), "at least 1");
  require(sync_interval_seconds > 0.0 && sync_interval_seconds <= 1e9, "sync_interval_seconds",
          shown(sync_interval_seconds), "above 0 and at most 1e9");
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternSettings::validate");
}

PatternSettings PatternSettings::from_environment(
    const std::function<std::optional<std::string>(const std::string&)>& variable) try {
  PatternSettings settings;
  const auto read = [&](const char* suffix, auto& setting) {
    for (const char* prefix : {"KINDRED_", "KATO_GPU_"}) {
      const std::string name = std::string(prefix) + suffix;
      if (Impl::read_setting(variable, name, setting)) return;
    }
  };
  read("ENABLED", settings.enabled);
  read("FALLBACK", settings.fallback_to_host);
  read("MIN_COMPUTE", settings.min_compute_capability);
  read("MAX_PATTERN_LENGTH", settings.max_pattern_length);
  read("MEMORY_FRACTION", settings.memory_fraction);
  read("GROWTH_FRACTION", settings.growth_fraction);
  read("THREADS_PER_BLOCK", settings.threads_per_block);
  read("MAX_PATTERNS", settings.max_bulk_patterns);
  read("SYNC_THRESHOLD", settings.sync_threshold);
  read("SYNC_INTERVAL", settings.sync_interval_seconds);
  read("BACKGROUND_SYNC", settings.background_sync);
  read("LOG_MEMORY", settings.log_memory_usage);
  read("LOG_TIMING", settings.log_kernel_timing);
  read("SHARED_MEMORY", settings.use_shared_memory);
  read("EARLY_TERM", settings.early_termination);
  settings.validate();
  return settings;
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternSettings::from_environment");
}

}  // namespace Kindred
