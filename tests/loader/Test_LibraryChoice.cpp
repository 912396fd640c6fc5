// SPDX-License-Identifier: Apache-2.0
#include "FakeFiles.hpp"
#include "TempFolder.hpp"

#include <kindred/Version.hpp>
#include <kindred/loader/LibraryChoice.hpp>

#include <dlfcn.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace Kindred::Loader;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(LibraryChoice, IsTheNewestThatTheDeviceRuns) {
  for (const int architecture : {80, 86, 87, 89})
    EXPECT_EQ(choose_library(both(), driver(architecture)).path, "/80") << architecture;
  for (const int architecture : {90, 100, 103, 120, 121})
    EXPECT_EQ(choose_library(both(), driver(architecture)).path, "/90") << architecture;
  const LibraryChoice ampere = choose_library(both(), driver(86));
  EXPECT_EQ(ampere.name, "cuda-80");
  EXPECT_EQ(ampere.why,
            "the newest for device 0 (GPU, compute capability 8.6; driver for CUDA 13.0); not "
            "cuda-90: its kernels are for compute capability 9.0 and newer");
  EXPECT_THAT(choose_library(both(), driver(90)).why, Not(HasSubstr("compiles")));
  EXPECT_THAT(choose_library(both(), driver(120)).why,
              HasSubstr("for which the driver compiles the kernels"));
}

TEST(LibraryChoice, IsHostForAnOlderDevice) {
  const LibraryChoice choice = choose_library(both(), driver(75));
  EXPECT_EQ(choice.name, "host");
  EXPECT_EQ(choice.path, "");
  EXPECT_EQ(choice.why,
            "device 0 (GPU, compute capability 7.5) runs none of the libraries: cuda-90: its "
            "kernels are for compute capability 9.0 and newer; cuda-80: its kernels are for "
            "compute capability 8.0 and newer");
}

TEST(LibraryChoice, NeedsADriverForTheMajorVersionOfCuda) {
  EXPECT_EQ(choose_library(both(13010), driver(90, 13000)).name, "cuda-90");
  const LibraryChoice old = choose_library(both(), driver(90, 12080));
  EXPECT_EQ(old.name, "host");
  EXPECT_THAT(old.why, HasSubstr("it needs a driver for CUDA 13.0 or newer, and this one is for "
                                 "CUDA 12.8: update the driver"));
}

TEST(LibraryChoice, NeedsADriverAtLeastAsNewAsThePtxThatItCompiles) {
  const LibraryChoice choice = choose_library(both(13010), driver(120, 13000));
  EXPECT_EQ(choice.name, "host");
  EXPECT_THAT(choice.why, HasSubstr("needs a driver for CUDA 13.1"));
  EXPECT_EQ(choose_library(both(13010), driver(120, 13010)).name, "cuda-90");
  // Another library may be older.
  std::vector<InstalledLibrary> mixed = both(13010);
  mixed[1].cuda = 12040;
  EXPECT_EQ(choose_library(mixed, driver(120, 13000)).name, "cuda-80");
}

TEST(LibraryChoice, SkipsLibrariesThatCannotBeUsed) {
  std::vector<InstalledLibrary> libraries = both();
  libraries[0].why_not = "it is damaged";
  const LibraryChoice choice = choose_library(libraries, driver(90));
  EXPECT_EQ(choice.name, "cuda-80");
  EXPECT_THAT(choice.why, HasSubstr("not cuda-90: it is damaged"));
}

TEST(LibraryChoice, IsHostWithTheReasonOfTheDriver) {
  Driver none;
  none.why_not = "there is no driver";
  EXPECT_EQ(choose_library(both(), none).why, "there is no driver");
  EXPECT_EQ(choose_library(both(), none).name, "host");
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
  for (const std::string& name :
       std::vector<std::string>{"cuda-80", "cuda-120", "cuda-90", "cuda-bad", "kokkos"}) {
    std::filesystem::create_directories(root / name);
    if (name == "cuda-bad" || name == "kokkos") continue;
    const std::string number = name.substr(5);
    std::ofstream(root / name / "libkindred.txt")
        << "kindred " KINDRED_VERSION_STRING "\ncuda 13.0\narchitecture "
        << number.substr(0, number.size() - 1) << ".0\n";
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

/// Sets a variable of the fake driver until it is destroyed.
class Setting {
 public:
  Setting(const char* variable, const char* value) : m_variable(variable) {
    setenv(variable, value, 1);
  }
  ~Setting() { unsetenv(m_variable); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* m_variable;
};

TEST(Driver, ReportsItsDevice) {
  const Setting architecture("FAKE_ARCHITECTURE", "121");
  const Setting cuda("FAKE_CUDA", "13010");
  const Driver found = query_driver(FAKE_DRIVER, FAKE_MANAGEMENT, "/dev/null");
  EXPECT_EQ(found.why_not, "");
  EXPECT_EQ(found.device, "Fake GPU");
  EXPECT_EQ(found.architecture, 121);
  EXPECT_EQ(found.cuda, 13010);
}

TEST(Driver, ItsManagementAnswersWithoutInitialisingCuda) {
  const Setting unusable("FAKE_INIT", "999");
  const Setting managed("FAKE_MANAGED", "4");
  const Setting architecture("FAKE_ARCHITECTURE", "121");
  const Setting cuda("FAKE_CUDA", "13010");
  const auto expect_answer = [] {
    const Driver found = query_driver(FAKE_DRIVER, FAKE_MANAGEMENT, "/dev/null");
    EXPECT_EQ(found.why_not, "");
    EXPECT_EQ(found.device, "Managed GPU");
    EXPECT_EQ(found.architecture, 121);
    EXPECT_EQ(found.cuda, 13010);
  };
  expect_answer();
  for (const char* visible : {"3", "2,1", "0"}) {
    const Setting some("CUDA_VISIBLE_DEVICES", visible);
    expect_answer();
  }
}

TEST(Driver, CudaIsAskedWhereItsManagementCannotKnow) {
  const Setting managed("FAKE_MANAGED", "2");
  const auto asked = [] { return query_driver(FAKE_DRIVER, FAKE_MANAGEMENT, "/dev/null").device; };
  EXPECT_EQ(asked(), "Managed GPU");
  EXPECT_EQ(query_driver(FAKE_DRIVER, "libkindred_no_such_library.so.1", "/dev/null").device,
            "Fake GPU");
  EXPECT_EQ(query_driver(FAKE_DRIVER, FAKE_LIBRARY, "/dev/null").device, "Fake GPU");
  for (const char* visible : {"", "-1", "2", "GPU-8932f937", "0x1", "1-2"}) {
    const Setting some("CUDA_VISIBLE_DEVICES", visible);
    EXPECT_EQ(asked(), "Fake GPU") << visible;
  }
  EXPECT_EQ(query_driver(FAKE_DRIVER, FAKE_MANAGEMENT, "/nonexistent").device, "Fake GPU");
  {
    const Setting divided("FAKE_MIG", "1");
    EXPECT_EQ(asked(), "Fake GPU");
  }
  {
    const Setting other("FAKE_OTHER", "80");
    EXPECT_EQ(asked(), "Fake GPU") << "the devices differ";
  }
  const Setting none("FAKE_MANAGED", "0");
  EXPECT_EQ(asked(), "Fake GPU");
}

TEST(Driver, MayFindNoDevice) {
  for (const char* variable : {"FAKE_DEVICES", "FAKE_INIT"}) {
    const Setting none(variable, variable == std::string("FAKE_INIT") ? "100" : "0");
    EXPECT_THAT(query_driver(FAKE_DRIVER, FAKE_MANAGEMENT, "/dev/null").why_not,
                HasSubstr("the NVIDIA driver finds no device"));
  }
}

TEST(Driver, MayFail) {
  const auto reason = [](const char* variable, const char* error) {
    const Setting failing(variable, error);
    return query_driver(FAKE_DRIVER, FAKE_MANAGEMENT, "/dev/null").why_not;
  };
  EXPECT_THAT(reason("FAKE_INIT", "803"),
              HasSubstr("does not work: cuInit returns 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)"));
  EXPECT_THAT(reason("FAKE_ATTRIBUTE", "999"), HasSubstr("cuDeviceGetAttribute returns 999"));
}

TEST(Driver, MayBeAbsentOrSomethingElse) {
  EXPECT_THAT(query_driver("libkindred_no_such_driver.so.1").why_not,
              HasSubstr("there is no NVIDIA driver: libkindred_no_such_driver.so.1: cannot open"));
  EXPECT_THAT(query_driver(FAKE_LIBRARY).why_not, HasSubstr("is not a usable NVIDIA driver"));
}

TEST(Driver, IsFoundMissingAtOnce) {
  double fastest = 1;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    (void)query_driver("libkindred_no_such_driver.so.1");
    fastest = std::min(
        fastest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  RecordProperty("microseconds", std::to_string(1e6 * fastest));
  EXPECT_LT(fastest, 1e-3);
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
