// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SectionFileKind.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "SectionFormat.hpp"

#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace KINDRED_PUBLIC Kindred {

std::optional<std::string> section_file_kind(const std::string& path) try {
  std::error_code none;  // reading from a pipe here would lose data
  if (!std::filesystem::is_regular_file(path, none)) return {};
  std::array<char, sizeof(Impl::SectionHeader)> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  const auto header = std::bit_cast<Impl::SectionHeader>(begin);
  if (header.magic != Impl::section_magic) return {};
  return std::string(file ? Impl::text_of(header.kind) : "");
} catch (...) {
  Impl::rethrow_translated("Kindred::section_file_kind");
}

}  // namespace Kindred
