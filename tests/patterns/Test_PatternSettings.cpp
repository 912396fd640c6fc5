// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternSettings.hpp>

#include <limits>

#include "RefusedCalls.hpp"

namespace PatternSettingsTest {

using namespace Kindred;

TEST(PatternSettings, DefaultsAreValidAndOtherValuesAreChecked) {
  EXPECT_NO_THROW(PatternSettings().validate());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Testing::RefusedCall> calls;
  const auto refuse = [&](const char* words, const auto& field, const auto&... bad) {
    (calls.push_back({[field, bad] {
                        PatternSettings settings;
                        settings.*field = bad;
                        settings.validate();
                      },
                      words}),
     ...);
  };
  using S = PatternSettings;
  refuse("memory_fraction is", &S::memory_fraction, 0.0, 1.1, -0.5, nan);
  refuse("growth_fraction is", &S::growth_fraction, 1.1, -0.5, nan);
  refuse("sync_interval_seconds is", &S::sync_interval_seconds, 0.0, -1.0, nan, infinity);
  refuse("min_compute_capability is", &S::min_compute_capability, 2.9, nan);
  refuse("sync_threshold is 0", &S::sync_threshold, 0U);
  Testing::expect_refused(calls);
}

}  // namespace PatternSettingsTest
