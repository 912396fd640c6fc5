// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/PatternSettings.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "SettingsFromVariables.hpp"

namespace PatternSettingsTest {

using namespace Kindred;
using Testing::Variables;

PatternSettings read(const Variables& variables) {
  return Testing::read_settings<PatternSettings>(variables);
}
std::string refusal(const Variables& variables) {
  return Testing::refusal_of<PatternSettings>(variables);
}

template <class Change>
std::string refusal_of(const Change& change) {
  PatternSettings settings;
  change(settings);
  try {
    settings.validate();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(PatternSettings, DefaultsAreValid) { EXPECT_NO_THROW(PatternSettings().validate()); }

TEST(PatternSettings, AllFifteenAreReadFromTheEnvironment) {
  const Variables values{{"ENABLED", "no"},
                         {"FALLBACK", "off"},
                         {"MIN_COMPUTE", "8.6"},
                         {"MAX_PATTERN_LENGTH", "512"},
                         {"MEMORY_FRACTION", "0.5"},
                         {"GROWTH_FRACTION", "0.25"},
                         {"THREADS_PER_BLOCK", "128"},
                         {"MAX_PATTERNS", "77"},
                         {"SYNC_THRESHOLD", "10"},
                         {"SYNC_INTERVAL", "1.5"},
                         {"BACKGROUND_SYNC", "0"},
                         {"LOG_MEMORY", "False"},
                         {"LOG_TIMING", "YES"},
                         {"SHARED_MEMORY", "false"},
                         {"EARLY_TERM", "false"}};
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
    EXPECT_EQ(settings.threads_per_block, 128U);
    EXPECT_EQ(settings.max_bulk_patterns, 77U);
    EXPECT_EQ(settings.sync_threshold, 10U);
    EXPECT_EQ(settings.sync_interval_seconds, 1.5);
    EXPECT_FALSE(settings.background_sync);
    EXPECT_FALSE(settings.log_memory_usage);
    EXPECT_TRUE(settings.log_kernel_timing);
    EXPECT_FALSE(settings.use_shared_memory);
    EXPECT_FALSE(settings.early_termination);
  }
}

TEST(PatternSettings, KindredsNameTakesPrecedenceOverKatos) {
  EXPECT_EQ(
      read({{"KATO_GPU_SYNC_THRESHOLD", "5"}, {"KINDRED_SYNC_THRESHOLD", "6"}}).sync_threshold, 6U);
}

TEST(PatternSettings, AMalformedValueNamesItsVariableAndText) {
  for (const Variables& variables :
       {Variables{{"KINDRED_ENABLED", "maybe"}}, Variables{{"KINDRED_ENABLED", ""}},
        Variables{{"KATO_GPU_MEMORY_FRACTION", "0.6x"}},
        Variables{{"KINDRED_SYNC_THRESHOLD", "-1"}}, Variables{{"KINDRED_SYNC_THRESHOLD", "1e3"}},
        Variables{{"KINDRED_MAX_PATTERNS", " 7"}},
        Variables{{"KINDRED_THREADS_PER_BLOCK", "99999999999"}}}) {
    const auto& [name, text] = *variables.begin();
    EXPECT_THAT(refusal(variables),
                testing::AllOf(testing::HasSubstr(name), testing::HasSubstr("'" + text + "'")));
  }
}

TEST(PatternSettings, InvalidValuesAreRejected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, 1.1, -0.5, nan}) {
    EXPECT_THAT(refusal_of([&](auto& s) { s.memory_fraction = bad; }),
                testing::HasSubstr("memory_fraction is"));
  }
  for (const double bad : {1.1, -0.5, nan}) {
    EXPECT_THAT(refusal_of([&](auto& s) { s.growth_fraction = bad; }),
                testing::HasSubstr("growth_fraction is"));
  }
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    EXPECT_THAT(refusal_of([&](auto& s) { s.sync_interval_seconds = bad; }),
                testing::HasSubstr("sync_interval_seconds is"));
  }
  for (const std::uint32_t bad : {0U, 31U, 33U, 1056U}) {
    EXPECT_THAT(refusal_of([&](auto& s) { s.threads_per_block = bad; }),
                testing::HasSubstr("threads_per_block is " + std::to_string(bad)));
  }
  for (const double bad : {2.9, nan}) {
    EXPECT_THAT(refusal_of([&](auto& s) { s.min_compute_capability = bad; }),
                testing::HasSubstr("min_compute_capability is"));
  }
  EXPECT_THAT(refusal_of([](auto& s) { s.sync_threshold = 0; }),
              testing::HasSubstr("sync_threshold is 0"));
}

}  // namespace PatternSettingsTest
