// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_FILE_SOURCE_HPP
#define KINDRED_MATCHER_FILE_SOURCE_HPP

#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief Where the bytes of a file are that a call reads: at a path, or in memory, as `to_bytes`
/// returns them. Refers to memory of the caller. A call copies the bytes in memory; in messages,
/// their path is "the buffer".
struct FileSource {
  // The constructors convert, so that a call takes what the caller has.
  // NOLINTBEGIN(google-explicit-constructor)
  FileSource(const std::string& file) noexcept : path(file) {}
  FileSource(const char* file) noexcept : path(file) {}
  FileSource(std::span<const std::byte> buffer) noexcept : bytes(buffer) {}
  FileSource(const std::vector<std::byte>& buffer) noexcept : bytes(buffer) {}
  // NOLINTEND(google-explicit-constructor)

  std::string_view path = "the buffer";
  std::optional<std::span<const std::byte>> bytes = {};
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_FILE_SOURCE_HPP
