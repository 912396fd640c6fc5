// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/PatternSettings.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace PatternSettingsTest {

using namespace Kindred;

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
  for (const double bad : {2.9, nan}) {
    EXPECT_THAT(refusal_of([&](auto& s) { s.min_compute_capability = bad; }),
                testing::HasSubstr("min_compute_capability is"));
  }
  EXPECT_THAT(refusal_of([](auto& s) { s.sync_threshold = 0; }),
              testing::HasSubstr("sync_threshold is 0"));
}

}  // namespace PatternSettingsTest
