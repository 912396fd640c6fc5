// SPDX-License-Identifier: Apache-2.0
#include "KatoSettings.hpp"

#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <string>

namespace Kindred::Compat {

PatternSettings kato_settings(const SettingSource& source) try {
  PatternSettings settings;
  const auto read = [&](const char* suffix, auto& setting) {
    for (const char* prefix : {"KINDRED_", "KATO_GPU_"})
      if (read_setting(source, std::string(prefix) + suffix, setting)) return;
  };
  read("ENABLED", settings.enabled);
  read("FALLBACK", settings.fallback_to_host);
  read("MIN_COMPUTE", settings.min_compute_capability);
  read("MAX_PATTERN_LENGTH", settings.max_pattern_length);
  read("MEMORY_FRACTION", settings.memory_fraction);
  read("GROWTH_FRACTION", settings.growth_fraction);
  read("MAX_PATTERNS", settings.max_bulk_patterns);
  read("SYNC_THRESHOLD", settings.sync_threshold);
  read("SYNC_INTERVAL", settings.sync_interval_seconds);
  read("BACKGROUND_SYNC", settings.background_sync);
  read("LOG_MEMORY", settings.log_memory_usage);
  read("LOG_TIMING", settings.log_kernel_timing);
  settings.validate();
  return settings;
} catch (...) {
  Impl::rethrow_translated("Kindred::Compat::kato_settings");
}

}  // namespace Kindred::Compat
