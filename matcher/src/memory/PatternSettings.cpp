// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/PatternSettings.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace Kindred {

namespace {

std::string shown(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

void require(bool holds, const char* name, const std::string& value, const char* allowed) {
  KINDRED_THROW_IF(!holds, std::string(name) + " is " + value + "; it must be " + allowed);
}

/// A variable of the environment and the text it was set to.
struct Variable {
  std::string name;
  std::string text;

  [[noreturn]] void fail(const char* wanted) const {
    throw InvalidArgument(name + " is '" + text + "'; it must be " + wanted);
  }
};

bool to_bool(const Variable& variable) {
  std::string text = variable.text;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text == "true" || text == "1" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "0" || text == "no" || text == "off") return false;
  variable.fail("true, 1, yes or on, or false, 0, no or off");
}

template <class Number>
Number to_number(const Variable& variable, const char* wanted) {
  Number number{};
  const char* end = variable.text.data() + variable.text.size();
  const auto result = std::from_chars(variable.text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) variable.fail(wanted);
  return number;
}

void assign(bool& setting, const Variable& variable) { setting = to_bool(variable); }
void assign(double& setting, const Variable& variable) {
  setting = to_number<double>(variable, "a number");
}
void assign(std::uint32_t& setting, const Variable& variable) {
  setting = to_number<std::uint32_t>(variable, "an integer of at least 0");
}
void assign(std::uint64_t& setting, const Variable& variable) {
  setting = to_number<std::uint64_t>(variable, "an integer of at least 0");
}
void assign(std::optional<std::uint64_t>& setting, const Variable& variable) {
  setting = to_number<std::uint64_t>(variable, "an integer of at least 0");
}

std::optional<std::string> of_process(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

void PatternSettings::validate() const {
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
}

PatternSettings PatternSettings::from_environment(
    const std::function<std::optional<std::string>(const std::string&)>& variable) {
  PatternSettings settings;
  const auto read = [&](const char* suffix, auto& setting) {
    for (const char* prefix : {"KINDRED_", "KATO_GPU_"}) {
      const std::string name = std::string(prefix) + suffix;
      const std::optional<std::string> text = variable ? variable(name) : of_process(name);
      if (!text) continue;
      assign(setting, Variable{name, *text});
      return;
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
}

}  // namespace Kindred
