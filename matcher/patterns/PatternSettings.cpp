// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/PatternSettings.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <array>
#include <charconv>
#include <string>

namespace Kindred {

void PatternSettings::validate() const try {
  const auto require = [](bool holds, const char* name, double value, const char* allowed) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    KINDRED_THROW_IF(!holds, std::string(name) + " is " + std::string(text.data(), end) +
                                 "; it must be " + allowed);
  };
  require(min_compute_capability >= 3.0, "min_compute_capability", min_compute_capability,
          "at least 3");
  require(memory_fraction > 0.0 && memory_fraction <= 1.0, "memory_fraction", memory_fraction,
          "in (0, 1]");
  require(growth_fraction >= 0.0 && growth_fraction <= 1.0, "growth_fraction", growth_fraction,
          "in [0, 1]");
  require(sync_threshold > 0, "sync_threshold", 0, "at least 1");
  require(sync_interval_seconds > 0.0 && sync_interval_seconds <= 1e9, "sync_interval_seconds",
          sync_interval_seconds, "above 0 and at most 1e9");
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternSettings::validate");
}

}  // namespace Kindred
