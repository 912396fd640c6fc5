// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "SettingsFromVariables.hpp"
#include "compat/KatoSettings.hpp"

namespace KatoSettingsTest {

using namespace Kindred;
using Testing::Variables;

PatternSettings read(const Variables& variables) {
  return Compat::kato_settings(Testing::source_of(variables));
}
std::string refusal(const Variables& variables) {
  return Testing::refusal_of([&] { read(variables); });
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
    Variables variables;
    for (const auto& [suffix, value] : values) variables[prefix + suffix] = value;
    const PatternSettings settings = read(variables);
    EXPECT_FALSE(settings.enabled);
    EXPECT_FALSE(settings.fallback_to_host);
    EXPECT_EQ(settings.min_compute_capability, 8.6);
    EXPECT_EQ(settings.max_pattern_length, 512U);
    EXPECT_EQ(settings.memory_fraction, 0.5);
    EXPECT_EQ(settings.growth_fraction, 0.25);
    EXPECT_EQ(settings.max_bulk_patterns, 77U);
    EXPECT_EQ(settings.sync_threshold, 10U);
    EXPECT_EQ(settings.sync_interval_seconds, 1.5);
    EXPECT_FALSE(settings.background_sync);
    EXPECT_FALSE(settings.log_memory_usage);
    EXPECT_TRUE(settings.log_kernel_timing);
  }
}

TEST(KatoSettings, KindredsNameTakesPrecedenceOverKatos) {
  EXPECT_EQ(
      read({{"KATO_GPU_SYNC_THRESHOLD", "5"}, {"KINDRED_SYNC_THRESHOLD", "6"}}).sync_threshold, 6U);
}

TEST(KatoSettings, AMalformedValueNamesItsVariableAndText) {
  for (const Variables& variables :
       {Variables{{"KINDRED_ENABLED", "maybe"}}, Variables{{"KINDRED_ENABLED", ""}},
        Variables{{"KATO_GPU_MEMORY_FRACTION", "0.6x"}},
        Variables{{"KINDRED_SYNC_THRESHOLD", "-1"}}, Variables{{"KINDRED_SYNC_THRESHOLD", "1e3"}},
        Variables{{"KINDRED_MAX_PATTERNS", " 7"}}}) {
    const auto& [name, text] = *variables.begin();
    EXPECT_THAT(refusal(variables),
                testing::AllOf(testing::HasSubstr(name), testing::HasSubstr("'" + text + "'")));
  }
}

TEST(KatoSettings, InvalidValuesAreRejected) {
  EXPECT_THAT(refusal({{"KATO_GPU_MEMORY_FRACTION", "1.1"}}),
              testing::HasSubstr("memory_fraction is 1.1; it must be in (0, 1]"));
}

}  // namespace KatoSettingsTest
