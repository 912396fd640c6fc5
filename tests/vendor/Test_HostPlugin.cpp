// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <kindred/Version.hpp>
#include <kindred/backends/vendor/HostGemm.hpp>

#include "GemmData.hpp"
#include "HostPlugin.hpp"
#include "TempFolder.hpp"

#include <algorithm>
#include <cctype>

namespace HostPluginTest {

using namespace Kindred;
using namespace Testing;
using Impl::HostPlugin;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::filesystem::path plugin_file(const std::string& name) {
  return std::filesystem::path(KINDRED_TEST_PLUGINS) / ("libtest_plugin_" + name + ".so");
}

/// `own`, and the vendors' libraries of this build, in lower case.
std::vector<std::string> plugin_names() {
  std::vector<std::string> names;
  std::istringstream list(KINDRED_TEST_PLUGIN_NAMES);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return names;
}

TEST(HostPlugin, MultipliesWithinTheErrorModel) {
  for (const std::string& name : plugin_names()) {
    const HostPlugin plugin = Impl::open_host_plugin(plugin_file(name));
    ASSERT_NE(plugin.library, nullptr) << plugin.why_not;
    EXPECT_NE(plugin.library->version(), "");
    const Impl::HostMultiply::OnThisThread one_thread;
    const auto shape = dense_shape(19, 33, 48, Impl::GemmType::float32);
    if (!plugin.library->why_not(shape.input).empty()) continue;
    const GemmData data(shape);
    std::string why_not;
    const auto product = plugin.library->prepare(shape, why_not);
    ASSERT_NE(product, nullptr) << why_not;
    EXPECT_EQ(data.outside_model(multiplied_by(*product, data)), "") << name;
  }
}

TEST(HostPlugin, ThatCannotBeUsedIsRefused) {
  const auto why_not = [](const std::filesystem::path& file) {
    const HostPlugin plugin = Impl::open_host_plugin(file);
    EXPECT_EQ(plugin.library, nullptr);
    return plugin.why_not;
  };
  const TempFolder folder;
  EXPECT_THAT(why_not(plugin_file("other")),
              HasSubstr("is not of Kindred " KINDRED_VERSION_STRING));
  // The build folder's copy of that library is not where the loader looks.
  EXPECT_EQ(why_not(plugin_file("incomplete")), "libtest_absent.so not found");
  EXPECT_THAT(why_not(folder.write("text.so", std::string(4096, 'x'))),
              HasSubstr("invalid ELF header"));
  EXPECT_THAT(why_not("libm.so.6"), HasSubstr("libm.so.6 is not of Kindred"));
  EXPECT_THAT(why_not("/nonexistent/a.so"), HasSubstr("/nonexistent/a.so not found"));
  const HostPlugin unknown = Impl::find_host_plugin("unknown");
  EXPECT_EQ(unknown.library, nullptr);
  EXPECT_THAT(unknown.why_not, HasSubstr("libkindred_unknown.so not found in /"));
}

TEST(HostPlugin, IsLookedForBesideTheLibraryThatLoadsIt) {
  using std::filesystem::path;
  EXPECT_EQ(Impl::plugin_folders("/opt/k/lib/libkindred.so.0").front(), path("/opt/k/lib/kindred"));
  EXPECT_EQ(Impl::plugin_folders("/usr/lib/glibc-hwcaps/x86-64-v3/libkindred.so.0")[1],
            path("/usr/lib/kindred"));
  EXPECT_EQ(Impl::plugin_folders("/opt/k/lib/kindred/cuda-90/libkindred.so.0")[1],
            path("/opt/k/lib/kindred"));
  const auto of_program = Impl::plugin_folders("/opt/k/bin/kindred");
  EXPECT_EQ(of_program.size(), 2U);
  EXPECT_THAT(of_program.back().string(), ::testing::StartsWith("/opt/k/lib"));
  EXPECT_EQ(of_program.back().filename(), "kindred");
  EXPECT_TRUE(Impl::plugin_folders({}).empty());
}

TEST(VendorLibraries, EveryTypeIsMultipliedByOneLibrary) {
  const std::vector<std::string> names = plugin_names();
  std::vector<std::string> types;
  std::vector<std::string> libraries;
  for (const VendorLibrary& library : vendor_libraries()) {
    if (library.space != "host") continue;
    libraries.push_back(library.name);
    types.insert(types.end(), library.used_for.begin(), library.used_for.end());
    EXPECT_TRUE(library.why_not.empty() || library.used_for.empty()) << library.name;
    EXPECT_TRUE(library.used_for.empty() || !library.version.empty()) << library.name;
    std::string lower = library.name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return static_cast<char>(std::tolower(c)); });
    const bool in_build =
        lower == "kindred" || std::find(names.begin(), names.end(), lower) != names.end();
    EXPECT_EQ(library.why_not == "not compiled in", !in_build) << library.name;
  }
  EXPECT_THAT(libraries, ElementsAre("oneDNN", "OpenBLAS", "Kindred"));
  EXPECT_EQ(std::count(types.begin(), types.end(), "float32"), 1);
  EXPECT_EQ(std::count(types.begin(), types.end(), "float64"), 1);
}

}  // namespace HostPluginTest
