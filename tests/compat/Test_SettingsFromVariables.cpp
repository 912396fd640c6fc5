// SPDX-License-Identifier: Apache-2.0
// The settings that KATO and the lattices have read from the environment.
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "RefusedCalls.hpp"
#include "compat/KatoSettings.hpp"
#include "compat/LatticeSettings.hpp"

namespace SettingsFromVariablesTest {

using namespace Kindred;
using namespace Kindred::Testing;
using Compat::LatticeSettings;
using Variables = std::map<std::string, std::string>;

/// An environment that holds only \p variables.
auto source_of(const Variables& variables) {
  return [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

/// \p values with \p prefix before each name.
Variables prefixed(const std::string& prefix, const Variables& values) {
  Variables variables;
  for (const auto& [name, value] : values) variables[prefix + name] = value;
  return variables;
}

/// Expects that \p read refuses the variables, with each of \p words.
template <class Read>
void expect_refusal(const Read& read, const Variables& variables,
                    const std::vector<std::string>& words) {
  for (const std::string& word : words) expect_refused({{[&] { read(variables); }, word}});
}

PatternSettings read_kato(const Variables& variables) {
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
    const PatternSettings settings = read_kato(prefixed(prefix, values));
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
      read_kato({{"KATO_GPU_SYNC_THRESHOLD", "5"}, {"KINDRED_SYNC_THRESHOLD", "6"}}).sync_threshold,
      6U)
      << "Kindred's name takes precedence";
}

TEST(KatoSettings, MalformedAndInvalidValuesAreRejected) {
  expect_refusal(read_kato, {{"KATO_GPU_MEMORY_FRACTION", "1.1"}},
                 {"memory_fraction is 1.1; it must be in (0, 1]"});
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"KINDRED_ENABLED", "maybe"},
                                                        {"KINDRED_ENABLED", ""},
                                                        {"KATO_GPU_MEMORY_FRACTION", "0.6x"},
                                                        {"KINDRED_SYNC_THRESHOLD", "-1"},
                                                        {"KINDRED_SYNC_THRESHOLD", "1e3"},
                                                        {"KINDRED_MAX_PATTERNS", " 7"}})
    expect_refusal(read_kato, {{name, text}}, {name, "'" + text + "'"});
}

LatticeSettings read_lattice(const Variables& variables) {
  return LatticeSettings::from_environment(source_of(variables));
}

TEST(LatticeSettings, DefaultsChangeOnlyTheMinimumDeviceMemory) {
  ContextOptions options;
  read_lattice({}).apply_to(options);
  EXPECT_EQ(options.threads, 0);
  EXPECT_EQ(options.budget_fraction, 0.8);
  EXPECT_EQ(options.device_memory_min, 512U << 20U);
  EXPECT_EQ(options.device_budget_max, ContextOptions().device_budget_max);
  EXPECT_FALSE(options.dispatcher.device_items_min);
  EXPECT_FALSE(options.dispatcher.device_items_from);
  EXPECT_TRUE(std::isinf(options.dispatcher.probe_loss_max));
}

TEST(LatticeSettings, EachIsReadByBothNamesAndTakesEffect) {
  const Variables values{{"GPU_THRESHOLD_ELEMENTS", "20"},
                         {"GPU_OPTIMAL_THRESHOLD", "200"},
                         {"GPU_ROUTING_OVERHEAD_TOLERANCE_MS", "0.5"},
                         {"GPU_MIN_GPU_MEMORY_MB", "1024"},
                         {"GPU_MAX_GPU_MEMORY_MB", "4096"},
                         {"GPU_MEMORY_SAFETY_MARGIN", "0.75"},
                         {"LATTICE_MIN_DIMENSIONS", "2"},
                         {"LATTICE_MAX_DIMENSIONS", "6"},
                         {"LATTICE_DEFAULT_DIMENSIONS", "3"},
                         {"LATTICE_MIN_LATTICE_SIZE", "3"},
                         {"LATTICE_MAX_LATTICE_SIZE", "7"},
                         {"LATTICE_DEFAULT_LATTICE_SIZE", "5"},
                         {"LATTICE_PARALLEL_CORES", "2"}};
  for (const char* prefix : {"KINDRED_", ""}) {
    const LatticeSettings settings = read_lattice(prefixed(prefix, values));
    ContextOptions options;
    settings.apply_to(options);
    EXPECT_EQ(options.dispatcher.device_items_min, 20U);
    EXPECT_EQ(options.dispatcher.device_items_from, 200U);
    EXPECT_DOUBLE_EQ(options.dispatcher.probe_loss_max, 0.5e-3);
    EXPECT_EQ(options.device_memory_min, std::uint64_t{1} << 30U);
    EXPECT_EQ(options.device_budget_max, std::uint64_t{4} << 30U);
    EXPECT_EQ(options.budget_fraction, 0.75);
    EXPECT_EQ(options.threads, 2);
    EXPECT_EQ(settings.dimensions(), 3U);
    EXPECT_EQ(settings.size(), 5U);
    EXPECT_NO_THROW(settings.check(2, 3));
    EXPECT_NO_THROW(settings.check(6, 7));
    for (const auto& [dimensions, size] : {std::pair(1U, 3U), {7, 3}, {2, 2}, {2, 8}})
      EXPECT_THROW(settings.check(dimensions, size), InvalidArgument);
    Variables without_routing = values;
    without_routing["GPU_ENABLE_SMART_ROUTING"] = "false";
    read_lattice(prefixed(prefix, without_routing)).apply_to(options);
    EXPECT_FALSE(options.dispatcher.device_items_min);
    EXPECT_EQ(options.dispatcher.device_items_from, 0U);
  }
}

TEST(LatticeSettings, TheDocumentedNameTakesPrecedence) {
  Variables variables;
  for (const auto& [name, value] : {std::pair("GPU_GPU_THRESHOLD_ELEMENTS", 30U),
                                    {"GPU_THRESHOLD_ELEMENTS", 40U},
                                    {"KINDRED_GPU_THRESHOLD_ELEMENTS", 50U}}) {
    variables[name] = std::to_string(value);
    EXPECT_EQ(read_lattice(variables).threshold_elements, value);
  }
  EXPECT_EQ(read_lattice({{"GPU_GPU_OPTIMAL_THRESHOLD", "300"}}).optimal_threshold, 300U);
}

TEST(LatticeSettings, AValueOutOfBoundsNamesVariableValueAndBounds) {
  // Bounds, each with a value beyond it.
  using Bounds = std::vector<std::pair<std::string, std::string>>;
  const Bounds of_dimensions{{"1", "0"}, {"20", "21"}};
  const Bounds of_size{{"2", "1"}, {"1000", "1001"}};
  for (const auto& [variable, bounds] : std::map<std::string, Bounds>{
           {"GPU_THRESHOLD_ELEMENTS", {{"10", "9"}}},
           {"GPU_OPTIMAL_THRESHOLD", {{"100", "99"}}},
           {"GPU_ROUTING_OVERHEAD_TOLERANCE_MS", {{"0.1", "0.09"}}},
           {"GPU_MIN_GPU_MEMORY_MB", {{"256", "255"}}},
           {"GPU_MAX_GPU_MEMORY_MB", {{"1", "0"}, {"65536", "65537"}}},
           {"GPU_MEMORY_SAFETY_MARGIN", {{"0.5", "0.49"}, {"0.95", "0.96"}}},
           {"LATTICE_MIN_DIMENSIONS", of_dimensions},
           {"LATTICE_MAX_DIMENSIONS", of_dimensions},
           {"LATTICE_DEFAULT_DIMENSIONS", of_dimensions},
           {"LATTICE_MIN_LATTICE_SIZE", of_size},
           {"LATTICE_MAX_LATTICE_SIZE", of_size},
           {"LATTICE_DEFAULT_LATTICE_SIZE", of_size},
           {"LATTICE_PARALLEL_CORES", {{"1", "0"}, {"512", "513"}}}}) {
    const std::string name = "KINDRED_" + variable;
    for (const auto& [bound, beyond] : bounds) {
      EXPECT_NO_THROW(read_lattice({{name, bound}})) << name;
      expect_refusal(read_lattice, {{name, beyond}}, {name + " is '" + beyond + "'", bound});
    }
    for (const std::string malformed : {"", "x", "7 ", "nan"})
      expect_refusal(read_lattice, {{name, malformed}}, {name, "'" + malformed + "'"});
  }
  expect_refusal(read_lattice, {{"GPU_ENABLE_SMART_ROUTING", "maybe"}}, {"is 'maybe'"});
}

TEST(LatticeSettings, ContradictoryBoundsAreRejected) {
  expect_refusal(read_lattice, {{"LATTICE_MIN_DIMENSIONS", "5"}, {"LATTICE_MAX_DIMENSIONS", "3"}},
                 {"dimensions_max is 3", "dimensions_min, 5"});
  expect_refusal(read_lattice,
                 {{"LATTICE_MAX_LATTICE_SIZE", "8"}, {"LATTICE_DEFAULT_LATTICE_SIZE", "9"}},
                 {"size_max is 8", "size_default, 9"});
  expect_refusal(read_lattice,
                 {{"GPU_THRESHOLD_ELEMENTS", "1000"}, {"GPU_OPTIMAL_THRESHOLD", "999"}},
                 {"optimal_threshold is 999", "threshold_elements, 1000"});
  EXPECT_EQ(read_lattice({{"LATTICE_MAX_DIMENSIONS", "3"}}).dimensions(), 3U);
  EXPECT_EQ(read_lattice({{"LATTICE_MIN_LATTICE_SIZE", "30"}}).size(), 30U);
}

TEST(LatticeSettings, VariablesWithoutEffectAreRejected) {
  for (const char* name :
       {"GPU_PREFERRED_BACKEND", "GPU_FALLBACK_BACKENDS", "GPU_CUDA_DEVICE_ID",
        "GPU_AUTO_SELECT_DEVICE", "GPU_MAX_THREADS_PER_BLOCK", "GPU_DEFAULT_BLOCK_SIZE",
        "GPU_ENABLE_GPU_PROFILING", "GPU_GPU_TIMEOUT_SECONDS", "LATTICE_MIN_AUX_MEMORY_MB",
        "LATTICE_MAX_AUX_MEMORY_MB", "LATTICE_DEFAULT_AUX_MEMORY_MB",
        "LATTICE_MAX_PATH_FINDING_TIMEOUT", "LATTICE_DEFAULT_COMPUTATION_TIMEOUT",
        "LATTICE_DEFAULT_PATH_ALGORITHM", "LATTICE_ENABLE_CACHING", "LATTICE_CACHE_TTL_SECONDS"}) {
    expect_refusal(read_lattice, {{std::string("KINDRED_") + name, "1"}}, {name, "has no effect"});
    EXPECT_NO_THROW(read_lattice({{name, "1"}})) << "the variable belongs to another program";
  }
}

}  // namespace SettingsFromVariablesTest
