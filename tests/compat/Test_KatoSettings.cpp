// SPDX-License-Identifier: Apache-2.0
#include "SettingsFromVariables.hpp"
#include "compat/KatoSettings.hpp"

namespace KatoSettingsTest {

using namespace Kindred;
using namespace Kindred::Testing;

PatternSettings read(const Variables& variables) {
  return Compat::kato_settings(source_of(variables));
}

TEST(KatoSettings, ThoseWithAnEffectAreReadAndTheOthersAccepted) {
  const Variables values{{"ENABLED", "no"},
                         {"FALLBACK", "off"},
                         {"MIN_COMPUTE", "8.6"},
                         {"MAX_PATTERN_LENGTH", "512"},
                         {"MEMORY_FRACTION", "0.5"},
                         {"GROWTH_FRACTION", "0.25"},
                         {"MAX_PATTERNS", "77"},
                         {"SYNC_THRESHOLD", "10"},
                         {"SYNC_INTERVAL", "1.5"},
                         {"BACKGROUND_SYNC", "0"},
                         {"LOG_MEMORY", "False"},
                         {"LOG_TIMING", "YES"},
                         {"THREADS_PER_BLOCK", "any"},  // without effect
                         {"SHARED_MEMORY", "any"},
                         {"EARLY_TERM", "any"}};
  for (const char* prefix : {"KINDRED_", "KATO_GPU_"}) {
    const PatternSettings settings = read(prefixed(prefix, values));
    EXPECT_FALSE(settings.enabled || settings.fallback_to_host || settings.background_sync ||
                 settings.log_memory_usage);
    EXPECT_TRUE(settings.log_kernel_timing);
    EXPECT_EQ(settings.min_compute_capability, 8.6);
    EXPECT_EQ(settings.max_pattern_length, 512U);
    EXPECT_EQ(settings.memory_fraction, 0.5);
    EXPECT_EQ(settings.growth_fraction, 0.25);
    EXPECT_EQ(settings.max_bulk_patterns, 77U);
    EXPECT_EQ(settings.sync_threshold, 10U);
    EXPECT_EQ(settings.sync_interval_seconds, 1.5);
  }
  EXPECT_EQ(
      read({{"KATO_GPU_SYNC_THRESHOLD", "5"}, {"KINDRED_SYNC_THRESHOLD", "6"}}).sync_threshold, 6U)
      << "Kindred's name takes precedence";
}

TEST(KatoSettings, MalformedAndInvalidValuesAreRejected) {
  std::vector<RefusedCall> calls{{[] {
                                    read({{"KATO_GPU_MEMORY_FRACTION", "1.1"}});
                                  },
                                  "memory_fraction is 1.1; it must be in (0, 1]"}};
  for (const auto& [name, text] : {std::pair<const char*, std::string>("KINDRED_ENABLED", "maybe"),
                                   {"KINDRED_ENABLED", ""},
                                   {"KATO_GPU_MEMORY_FRACTION", "0.6x"},
                                   {"KINDRED_SYNC_THRESHOLD", "-1"},
                                   {"KINDRED_SYNC_THRESHOLD", "1e3"},
                                   {"KINDRED_MAX_PATTERNS", " 7"}}) {
    const auto call = [name = name, text = text] { read({{name, text}}); };
    calls.push_back({call, name});
    calls.push_back({call, "'" + text + "'"});
  }
  expect_refused(calls);
}

}  // namespace KatoSettingsTest
