// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "StoredAnswers.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

#include <kindred/backends/Dispatcher.hpp>

#include <algorithm>
#include <filesystem>

namespace StoredFilesTest {

using namespace Kindred;
using nlohmann::json;
using ::testing::HasSubstr;
using Testing::read_all;

/// The folders of tests/storage/stored, each written by the code of a particular commit.
std::vector<std::string> versions() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(KINDRED_TEST_STORED))
    if (entry.is_directory()) out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(StoredFiles, OfEarlierVersionsGiveTheirAnswersOrNameTheConversionCommand) {
  ASSERT_FALSE(versions().empty());
  for (const std::string& folder : versions()) {
    const json expected = json::parse(read_all(folder + "/expected.json"));
    EXPECT_EQ(expected.size(), std::size(Testing::stored_kinds)) << folder;
    for (const Testing::StoredKind& kind : Testing::stored_kinds) {
      const std::string path = folder + "/" + kind.file;
      const std::string before = read_all(path);
      try {
        const json found = kind.answer(Testing::context(), path);
        EXPECT_EQ(found, expected.at(kind.file)) << path << "\n"
                                                 << json::diff(expected.at(kind.file), found);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("convert it with: kindred ")) << path;
      }
      EXPECT_EQ(read_all(path), before) << path;
    }
  }
}

TEST(StoredFiles, AnEarlierProfileIsUsedOrNamesTheCommandThatReplacesIt) {
  ASSERT_FALSE(versions().empty());
  for (const std::string& folder : versions()) {
    Dispatcher::Options options;
    options.machine = "a machine";
    Dispatcher dispatcher(SpaceSet::host(), 2, options);
    try {
      dispatcher.load_profile_json(read_all(folder + "/profile.json"));
      EXPECT_TRUE(dispatcher.calibrated());
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr("kindred calibrate"));
    }
  }
}

}  // namespace StoredFilesTest
