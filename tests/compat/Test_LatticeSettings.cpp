// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "SettingsFromVariables.hpp"
#include "compat/LatticeSettings.hpp"

namespace LatticeSettingsTest {

using namespace Kindred;
using namespace Kindred::Testing;
using Compat::LatticeSettings;

LatticeSettings read(const Variables& variables) {
  return LatticeSettings::from_environment(source_of(variables));
}
/// Calls that read these variables must be refused with each of \p words.
void expect_refusal(const Variables& variables, const std::vector<std::string>& words) {
  for (const std::string& word : words) expect_refused({{[&] { read(variables); }, word}});
}

TEST(LatticeSettings, DefaultsChangeOnlyTheMinimumDeviceMemory) {
  ContextOptions options;
  read({}).apply_to(options);
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
    LatticeSettings settings = read(prefixed(prefix, values));
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
    settings.smart_routing = false;
    settings.apply_to(options);
    EXPECT_FALSE(options.dispatcher.device_items_min);
    EXPECT_EQ(options.dispatcher.device_items_from, 0U);
  }
  EXPECT_FALSE(read({{"KINDRED_GPU_ENABLE_SMART_ROUTING", "false"}}).smart_routing);
  EXPECT_FALSE(read({{"GPU_ENABLE_SMART_ROUTING", "false"}}).smart_routing);
}

TEST(LatticeSettings, TheDocumentedNameTakesPrecedence) {
  EXPECT_EQ(read({{"GPU_GPU_THRESHOLD_ELEMENTS", "30"}}).threshold_elements, 30U);
  EXPECT_EQ(read({{"GPU_GPU_THRESHOLD_ELEMENTS", "30"}, {"GPU_THRESHOLD_ELEMENTS", "40"}})
                .threshold_elements,
            40U);
  EXPECT_EQ(read({{"GPU_THRESHOLD_ELEMENTS", "40"}, {"KINDRED_GPU_THRESHOLD_ELEMENTS", "50"}})
                .threshold_elements,
            50U);
  EXPECT_EQ(read({{"GPU_GPU_OPTIMAL_THRESHOLD", "300"}}).optimal_threshold, 300U);
}

TEST(LatticeSettings, AValueOutOfBoundsNamesVariableValueAndBounds) {
  struct Row {
    const char* name;
    const char* least;  // empty: no bound
    const char* below;
    const char* most;
    const char* above;
  };
  for (const Row& row : {Row{"GPU_THRESHOLD_ELEMENTS", "10", "9", "", ""},
                         Row{"GPU_OPTIMAL_THRESHOLD", "100", "99", "", ""},
                         Row{"GPU_ROUTING_OVERHEAD_TOLERANCE_MS", "0.1", "0.09", "", ""},
                         Row{"GPU_MIN_GPU_MEMORY_MB", "256", "255", "", ""},
                         Row{"GPU_MAX_GPU_MEMORY_MB", "1", "0", "65536", "65537"},
                         Row{"GPU_MEMORY_SAFETY_MARGIN", "0.5", "0.49", "0.95", "0.96"},
                         Row{"LATTICE_MIN_DIMENSIONS", "1", "0", "20", "21"},
                         Row{"LATTICE_MAX_DIMENSIONS", "1", "0", "20", "21"},
                         Row{"LATTICE_DEFAULT_DIMENSIONS", "1", "0", "20", "21"},
                         Row{"LATTICE_MIN_LATTICE_SIZE", "2", "1", "1000", "1001"},
                         Row{"LATTICE_MAX_LATTICE_SIZE", "2", "1", "1000", "1001"},
                         Row{"LATTICE_DEFAULT_LATTICE_SIZE", "2", "1", "1000", "1001"},
                         Row{"LATTICE_PARALLEL_CORES", "1", "0", "512", "513"}}) {
    const std::string name = std::string("KINDRED_") + row.name;
    for (const auto& [bound, beyond] :
         {std::pair(row.least, row.below), std::pair(row.most, row.above)}) {
      if (*bound == '\0') continue;
      EXPECT_NO_THROW(read({{name, bound}})) << name;
      expect_refusal({{name, beyond}}, {name + " is '" + beyond + "'", bound});
    }
    for (const std::string malformed : {"", "x", "7 ", "nan"})
      expect_refusal({{name, malformed}}, {name, "'" + malformed + "'"});
  }
  expect_refusal({{"GPU_ENABLE_SMART_ROUTING", "maybe"}}, {"is 'maybe'"});
}

TEST(LatticeSettings, ContradictoryBoundsAreRejected) {
  expect_refusal({{"LATTICE_MIN_DIMENSIONS", "5"}, {"LATTICE_MAX_DIMENSIONS", "3"}},
                 {"dimensions_max is 3", "dimensions_min, 5"});
  expect_refusal({{"LATTICE_MAX_LATTICE_SIZE", "8"}, {"LATTICE_DEFAULT_LATTICE_SIZE", "9"}},
                 {"size_max is 8", "size_default, 9"});
  expect_refusal({{"GPU_THRESHOLD_ELEMENTS", "1000"}, {"GPU_OPTIMAL_THRESHOLD", "999"}},
                 {"optimal_threshold is 999", "threshold_elements, 1000"});
  EXPECT_EQ(read({{"LATTICE_MAX_DIMENSIONS", "3"}}).dimensions(), 3U);
  EXPECT_EQ(read({{"LATTICE_MIN_LATTICE_SIZE", "30"}}).size(), 30U);
}

TEST(LatticeSettings, VariablesWithoutEffectAreRejected) {
  for (const char* name :
       {"GPU_PREFERRED_BACKEND", "GPU_FALLBACK_BACKENDS", "GPU_CUDA_DEVICE_ID",
        "GPU_AUTO_SELECT_DEVICE", "GPU_MAX_THREADS_PER_BLOCK", "GPU_DEFAULT_BLOCK_SIZE",
        "GPU_ENABLE_GPU_PROFILING", "GPU_GPU_TIMEOUT_SECONDS", "LATTICE_MIN_AUX_MEMORY_MB",
        "LATTICE_MAX_AUX_MEMORY_MB", "LATTICE_DEFAULT_AUX_MEMORY_MB",
        "LATTICE_MAX_PATH_FINDING_TIMEOUT", "LATTICE_DEFAULT_COMPUTATION_TIMEOUT",
        "LATTICE_DEFAULT_PATH_ALGORITHM", "LATTICE_ENABLE_CACHING", "LATTICE_CACHE_TTL_SECONDS"}) {
    expect_refusal({{std::string("KINDRED_") + name, "1"}}, {name, "has no effect"});
    EXPECT_NO_THROW(read({{name, "1"}})) << "the variable belongs to another program";
  }
}

}  // namespace LatticeSettingsTest
