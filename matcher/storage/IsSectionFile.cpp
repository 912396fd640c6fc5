// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/IsSectionFile.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "SectionFormat.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace KINDRED_PUBLIC Kindred {

namespace {

/// Reads the first bytes of \p path to \p begin. Returns whether it has as many.
template <std::size_t size>
bool read_begin(const std::string& path, std::array<char, size>& begin) {
  std::error_code none;  // reading from a pipe here would lose data
  if (!std::filesystem::is_regular_file(path, none)) return false;
  std::ifstream file(path, std::ios::binary);
  return static_cast<bool>(file.read(begin.data(), begin.size()));
}

}  // namespace

bool is_section_file(const std::string& path) try {
  std::array<char, Impl::section_magic.size()> begin{};
  return read_begin(path, begin) && begin == Impl::section_magic;
} catch (...) {
  Impl::rethrow_translated("Kindred::is_section_file");
}

std::string section_file_kind(const std::string& path) try {
  std::array<char, sizeof(Impl::SectionHeader)> begin{};
  if (!read_begin(path, begin)) return {};
  const auto header = std::bit_cast<Impl::SectionHeader>(begin);
  if (header.magic != Impl::section_magic) return {};
  return std::string(Impl::text_of(header.kind));
} catch (...) {
  Impl::rethrow_translated("Kindred::section_file_kind");
}

}  // namespace Kindred
