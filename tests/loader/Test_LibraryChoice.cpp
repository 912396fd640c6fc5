// SPDX-License-Identifier: Apache-2.0
#include "EnvironmentVariable.hpp"
#include "FakeFiles.hpp"
#include "TempFolder.hpp"

#include <kindred/Version.hpp>
#include <kindred/loader/LibraryChoice.hpp>

#include <dlfcn.h>

#include <gmock/gmock.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace Kindred::Loader;
using ::testing::HasSubstr;

Driver driver(int architecture, int cuda = 13000) {
  Driver found;
  found.cuda = cuda;
  found.device = "GPU";
  found.architecture = architecture;
  return found;
}

std::vector<InstalledLibrary> both(int cuda = 13000) {
  return {{"cuda-90", "/90", "", 90, cuda}, {"cuda-80", "/80", "", 80, cuda}};
}

TEST(LibraryChoice, IsTheNewestThatDriverAndDeviceRun) {
  std::vector<InstalledLibrary> mixed = both(13010);
  mixed[1].cuda = 12040;
  std::vector<InstalledLibrary> damaged = both();
  damaged[0].why_not = "it is damaged";
  Driver none;
  none.why_not = "there is no driver";
  struct Row {
    std::vector<InstalledLibrary> libraries;
    Driver driver;
    const char* name;
    const char* why;
  };
  const std::vector<Row> rows{
      {both(), driver(80), "cuda-80", "not cuda-90"},
      {both(), driver(86), "cuda-80",
       "the newest for device 0 (GPU, compute capability 8.6; driver for CUDA 13.0); not cuda-90: "
       "its kernels are for compute capability 9.0 and newer"},
      {both(), driver(89), "cuda-80", "not cuda-90"},
      {both(), driver(90), "cuda-90", "the newest"},
      {both(), driver(121), "cuda-90", "for which the driver compiles the kernels"},
      {both(), driver(75), "host",
       "device 0 (GPU, compute capability 7.5) runs none of the libraries: cuda-90: its kernels "
       "are for compute capability 9.0 and newer; cuda-80: its kernels are for compute capability "
       "8.0 and newer"},
      // The major version of CUDA, or with PTX that the driver compiles the whole one.
      {both(13010), driver(90, 13000), "cuda-90", ""},
      {both(13010), driver(90, 12080), "host",
       "it needs a driver for CUDA 13.0 or newer, and this one is for CUDA 12.8: update the "
       "driver"},
      {both(13010), driver(120, 13000), "host", "needs a driver for CUDA 13.1"},
      {both(13010), driver(120, 13010), "cuda-90", ""},
      {mixed, driver(120, 13000), "cuda-80", ""},
      {damaged, driver(90), "cuda-80", "not cuda-90: it is damaged"},
      {both(), none, "host", "there is no driver"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.driver.architecture);
    const LibraryChoice choice = choose_library(row.libraries, row.driver);
    EXPECT_EQ(choice.name, row.name);
    EXPECT_EQ(choice.path, row.name == std::string("host") ? "" : "/" + choice.name.substr(5));
    EXPECT_THAT(choice.why, HasSubstr(row.why));
  }
  EXPECT_THAT(choose_library(both(), driver(90)).why, ::testing::Not(HasSubstr("compiles")));
}

TEST(InstalledLibrary, ReadsItsDescription) {
  const std::string own = "kindred " KINDRED_VERSION_STRING "\n";
  InstalledLibrary library;
  describe(library, own + "architecture 12.1\ncuda 13.2\n");
  EXPECT_EQ(library.why_not, "");
  EXPECT_EQ(library.architecture, 121);
  EXPECT_EQ(library.cuda, 13020);
  for (const std::string& text :
       {std::string(), std::string("\n\n "), own, own + "architecture 9.0\n", own + "cuda 13.0",
        own + "architecture 9\ncuda 13.0", own + "architecture 9.0\ncuda thirteen",
        own + "architecture 9.0x\ncuda 13.0", own + "architecture 9.\ncuda 13.0",
        own + "architecture 99999999999.0\ncuda 13.0", own + "architecture -9.0\ncuda 13.0",
        std::string("architecture 9.0\ncuda 13.0\n")}) {
    InstalledLibrary damaged;
    describe(damaged, text);
    EXPECT_THAT(damaged.why_not, HasSubstr("its description is missing or incomplete")) << text;
  }
  InstalledLibrary other;
  describe(other, "kindred 9.8.7\narchitecture 9.0\ncuda 13.0\n");
  EXPECT_THAT(other.why_not,
              HasSubstr("it is of Kindred 9.8.7, and this is " KINDRED_VERSION_STRING));
}

TEST(InstalledLibrary, AreFoundByFolder) {
  EXPECT_TRUE(installed_libraries("/nonexistent").empty());
  const Kindred::Testing::TempFolder folder;
  const std::filesystem::path root(folder / "kindred");
  for (const char* name : {"cuda-bad", "kokkos"}) std::filesystem::create_directories(root / name);
  for (const int architecture : {80, 120, 90}) {
    const std::filesystem::path made = root / ("cuda-" + std::to_string(architecture));
    std::filesystem::create_directories(made);
    std::ofstream(made / "libkindred.txt")
        << "kindred " KINDRED_VERSION_STRING "\ncuda 13.0\narchitecture " << architecture / 10
        << ".0\n";
  }
  std::string names;
  for (const InstalledLibrary& library : installed_libraries(root.string()))
    names += library.name + (library.why_not.empty() ? " " : "? ");
  EXPECT_EQ(names, "cuda-120 cuda-90 cuda-80 cuda-bad? ");
  EXPECT_EQ(installed_libraries(root.string()).front().path,
            (root / "cuda-120/libkindred.so.0").string());
  // Another library has a description of its own.
  const std::vector<InstalledLibrary> others =
      installed_libraries(root.string(), "libkindred_c.so.0");
  EXPECT_THAT(others.front().why_not, HasSubstr("description is missing"));
  EXPECT_EQ(others.front().path, (root / others.front().name / "libkindred_c.so.0").string());
}

TEST(Driver, IsAskedByItsManagementAndOtherwiseByCuda) {
  struct Row {
    std::vector<std::pair<const char*, const char*>> settings;
    const char* device;  ///< or nothing, and why not
    const char* why_not = "";
    const char* management = FAKE_MANAGEMENT;
    const char* devices = "/dev/null";
  };
  std::vector<Row> rows{
      {{}, "Fake GPU"},
      {{{"FAKE_INIT", "999"}, {"FAKE_MANAGED", "4"}}, "Managed GPU"},
      // Where the management cannot know, CUDA is asked.
      {{{"FAKE_MANAGED", "2"}}, "Fake GPU", "", "libkindred_no_such_library.so.1"},
      {{{"FAKE_MANAGED", "2"}}, "Fake GPU", "", FAKE_LIBRARY},
      {{{"FAKE_MANAGED", "2"}}, "Fake GPU", "", FAKE_MANAGEMENT, "/nonexistent"},
      {{{"FAKE_MANAGED", "2"}, {"FAKE_MIG", "1"}}, "Fake GPU"},
      {{{"FAKE_MANAGED", "2"}, {"FAKE_OTHER", "80"}}, "Fake GPU"},  // the devices differ
      {{{"FAKE_MANAGED", "0"}}, "Fake GPU"},
      {{{"FAKE_DEVICES", "0"}}, "", "the NVIDIA driver finds no device"},
      {{{"FAKE_INIT", "100"}}, "", "the NVIDIA driver finds no device"},
      {{{"FAKE_INIT", "803"}},
       "",
       "does not work: cuInit returns 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)"},
      {{{"FAKE_ATTRIBUTE", "999"}}, "", "cuDeviceGetAttribute returns 999"}};
  for (const char* visible : {"3", "2,1", "0"})
    rows.push_back({{{"FAKE_MANAGED", "4"}, {"CUDA_VISIBLE_DEVICES", visible}}, "Managed GPU"});
  for (const char* visible : {"", "-1", "2", "GPU-8932f937", "0x1", "1-2"})
    rows.push_back({{{"FAKE_MANAGED", "2"}, {"CUDA_VISIBLE_DEVICES", visible}}, "Fake GPU"});
  for (const Row& row : rows) {
    std::deque<Kindred::Testing::EnvironmentVariable> set;
    std::string names;
    set.emplace_back("FAKE_ARCHITECTURE", "121");
    set.emplace_back("FAKE_CUDA", "13010");
    for (const auto& [variable, value] : row.settings) {
      set.emplace_back(variable, value);
      names += std::string(variable) + "=" + value + " ";
    }
    SCOPED_TRACE(names);
    const Driver found = query_driver(FAKE_DRIVER, row.management, row.devices);
    EXPECT_THAT(found.why_not, HasSubstr(row.why_not));
    EXPECT_EQ(found.why_not.empty(), *row.why_not == '\0');
    if (!found.why_not.empty()) continue;
    EXPECT_EQ(found.device, row.device);
    EXPECT_EQ(found.architecture, 121);
    EXPECT_EQ(found.cuda, 13010);
  }
  EXPECT_THAT(query_driver("libkindred_no_such_driver.so.1").why_not,
              HasSubstr("there is no NVIDIA driver: libkindred_no_such_driver.so.1: cannot open"));
  EXPECT_THAT(query_driver(FAKE_LIBRARY).why_not, HasSubstr("is not a usable NVIDIA driver"));
}

TEST(OpenLibrary, OpensWhatItNeedsFirst) {
  const Kindred::Testing::TempFolder folder;
  const std::string needed = folder / "needed.so";
  std::filesystem::copy_file(FAKE_DRIVER, needed);
  const auto is_open = [&] {
    void* const found = dlopen(needed.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    return found != nullptr && dlclose(found) == 0;
  };
  // Not where another library is used.
  EXPECT_EQ(open_library("/nonexistent", "host", "", "", {needed}).name, "host");
  EXPECT_EQ(open_library("/nonexistent", nullptr, FAKE_DRIVER, "", {needed}).name, "host");
  EXPECT_FALSE(is_open());
  const LibraryChoice choice =
      open_library("/nonexistent", FAKE_LIBRARY, "", "", {"/nonexistent/missing.so", needed});
  EXPECT_EQ(choice.path, FAKE_LIBRARY);
  EXPECT_TRUE(is_open());
}

}  // namespace
