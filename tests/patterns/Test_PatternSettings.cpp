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
  const auto refuse = [&](const char* words, auto PatternSettings::*field,
                          std::initializer_list<double> values) {
    for (const double value : values) {
      const auto call = [field, value] {
        PatternSettings settings;
        settings.*field = static_cast<std::decay_t<decltype(settings.*field)>>(value);
        settings.validate();
      };
      calls.push_back({call, words});
    }
  };
  refuse("memory_fraction is", &PatternSettings::memory_fraction, {0.0, 1.1, -0.5, nan});
  refuse("growth_fraction is", &PatternSettings::growth_fraction, {1.1, -0.5, nan});
  refuse("sync_interval_seconds is", &PatternSettings::sync_interval_seconds,
         {0.0, -1.0, nan, infinity});
  refuse("min_compute_capability is", &PatternSettings::min_compute_capability, {2.9, nan});
  refuse("sync_threshold is 0", &PatternSettings::sync_threshold, {0.0});
  Testing::expect_refused(calls);
}

}  // namespace PatternSettingsTest
