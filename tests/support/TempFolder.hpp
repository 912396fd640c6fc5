// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_TEMP_FOLDER_HPP
#define KINDRED_TESTS_SUPPORT_TEMP_FOLDER_HPP

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Testing {

/// A temporary folder of the running test; its destructor removes it.
class TempFolder {
 public:
  TempFolder() {
    static std::atomic<int> made{0};  // a test may have several
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = "kindred-" + std::string(info->test_suite_name()) + "-" + info->name() +
                       "-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
    std::ranges::replace(name, '/', '-');  // those of suites with parameters have slashes
    m_path = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directories(m_path);
  }
  ~TempFolder() { std::filesystem::remove_all(m_path); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(const std::string& name) const { return (m_path / name).string(); }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(*this / name, std::ios::binary) << bytes;
    return *this / name;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(m_path))
      out.push_back(entry.path().filename().string());
    return out;
  }

 private:
  std::filesystem::path m_path;
};

inline std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_TEMP_FOLDER_HPP
