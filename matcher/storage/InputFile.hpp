// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_INPUT_FILE_HPP
#define KINDRED_MATCHER_STORAGE_INPUT_FILE_HPP

#include "FileDescriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace Kindred::Impl {

/// \brief A file written by another program. Reads at any offset; thread-safe.
class InputFile {
 public:
  /// \throws NotFound if the file does not exist; InvalidArgument if it is not a regular file or
  /// cannot be opened
  explicit InputFile(std::string path);

  const std::string& path() const noexcept { return m_path; }
  /// Size when the file was opened.
  std::uint64_t size() const noexcept { return m_size; }
  /// \throws CorruptFile if the file ends before \p bytes bytes are read; Error if it cannot be
  /// read
  void read(std::uint64_t offset, void* out, std::uint64_t bytes) const;

  /// The file contradicts itself. \throws CorruptFile, always
  [[noreturn]] void corrupt(std::uint64_t at, const std::string& why) const;
  /// The file is well-formed but not supported. \throws InvalidArgument, always
  [[noreturn]] void refuse(std::uint64_t at, const std::string& why) const;

 private:
  std::string m_path;
  FileDescriptor m_file;
  std::uint64_t m_size = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_INPUT_FILE_HPP
