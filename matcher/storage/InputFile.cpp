// SPDX-License-Identifier: Apache-2.0
#include "InputFile.hpp"

#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace Kindred::Impl {

InputFile::InputFile(std::string path)
    : m_path(std::move(path)), m_file(open_existing(m_path, Access::read)) {
  m_size = file_size(m_file.get(), m_path);
}

void InputFile::read(std::uint64_t offset, void* out, std::uint64_t bytes) const {
  constexpr std::uint64_t piece = std::uint64_t{1} << 30U;  // Linux reads less than 2 GiB per call
  auto* next = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t count =
        ::pread(m_file.get(), next, std::min(piece, bytes), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw Error(m_path + ": reading failed at byte " + std::to_string(offset) + ": " +
                  std::strerror(errno));
    if (count == 0) corrupt(offset, "the file ends here");
    next += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::uint64_t>(count);
  }
}

void InputFile::corrupt(std::uint64_t at, const std::string& why) const {
  throw CorruptFile(m_path, at, why);
}

void InputFile::refuse(std::uint64_t at, const std::string& why) const {
  throw InvalidArgument(m_path + ": byte " + std::to_string(at) + ": " + why);
}

}  // namespace Kindred::Impl
