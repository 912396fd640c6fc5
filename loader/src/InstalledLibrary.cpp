// SPDX-License-Identifier: Apache-2.0
#include <kindred/loader/InstalledLibrary.hpp>

#include <kindred/Version.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace Kindred::Loader {

namespace {

constexpr std::string_view prefix = "cuda-";

/// major × \p of_major + minor × \p of_minor of a text such as 9.0; 0 if it is something else.
int version_number(std::string_view text, int of_major, int of_minor) {
  int major = 0;
  int minor = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return 0;
  const auto second = std::from_chars(first.ptr + 1, end, minor);
  if (second.ec != std::errc() || second.ptr != end) return 0;
  if (major < 1 || major > 999 || minor < 0 || minor > 99) return 0;
  return major * of_major + minor * of_minor;
}

/// The name of the description of a library, such as libkindred.txt for libkindred.so.0: packages
/// of several libraries share the folders.
std::string description_name(std::string_view file) {
  return std::string(file.substr(0, file.find(".so"))) + ".txt";
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string capability_text(int architecture) {
  return std::to_string(architecture / 10) + "." + std::to_string(architecture % 10);
}

std::string cuda_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void describe(InstalledLibrary& library, std::string_view description) {
  std::istringstream lines{std::string(description)};
  std::string version;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view name = std::string_view(line).substr(0, space);
    const std::string_view value = std::string_view(line).substr(std::min(space + 1, line.size()));
    if (name == "kindred") version = value;
    if (name == "architecture") library.architecture = version_number(value, 10, 1);
    if (name == "cuda") library.cuda = version_number(value, 1000, 10);
  }
  if (version.empty() || library.architecture == 0 || library.cuda == 0) {
    library.why_not =
        "its description is missing or incomplete: install the package with CUDA again";
  } else if (version != KINDRED_VERSION_STRING) {
    library.why_not = "it is of Kindred " + version +
                      ", and this is " KINDRED_VERSION_STRING
                      ": install the same version of all packages";
  }
}

std::vector<InstalledLibrary> installed_libraries(const std::string& folder, const char* file) {
  std::vector<InstalledLibrary> libraries;
  std::error_code failed;
  std::filesystem::directory_iterator entry(folder, failed);
  // Incremented by hand: the operator would throw.
  for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    InstalledLibrary library;
    library.name = entry->path().filename().string();
    if (!library.name.starts_with(prefix)) continue;
    library.path = (entry->path() / file).string();
    describe(library, contents(entry->path() / description_name(file)));
    libraries.push_back(std::move(library));
  }
  std::sort(libraries.begin(), libraries.end(),
            [](const InstalledLibrary& left, const InstalledLibrary& right) {
              return left.architecture != right.architecture
                         ? left.architecture > right.architecture
                         : left.name < right.name;
            });
  return libraries;
}

}  // namespace Kindred::Loader
