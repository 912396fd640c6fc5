// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/IsSectionFile.hpp>

#include "SectionFormat.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace Kindred {

bool is_section_file(const std::string& path) {
  std::error_code none;  // reading from a pipe here would lose data
  if (!std::filesystem::is_regular_file(path, none)) return false;
  std::array<char, Impl::section_magic.size()> begin{};
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), begin.size()) && begin == Impl::section_magic;
}

}  // namespace Kindred
