// SPDX-License-Identifier: Apache-2.0
#include "InputFile.hpp"

#include <kindred/core/common/Error.hpp>

#include <utility>

namespace Kindred::Impl {

InputFile::InputFile(std::string path)
    : m_path(std::move(path)), m_file(open_existing(m_path, Access::read)) {
  m_size = file_size(m_file.get(), m_path);
}

void InputFile::read(std::uint64_t offset, void* out, std::uint64_t bytes) const {
  const std::size_t count = read_at(m_file.get(), offset, out, bytes, m_path);
  if (count < bytes) corrupt(offset + count, "the file ends here");
}

void InputFile::corrupt(std::uint64_t at, const std::string& why) const {
  throw CorruptFile(m_path, at, why);
}

void InputFile::refuse(std::uint64_t at, const std::string& why) const {
  throw InvalidArgument(m_path + ": byte " + std::to_string(at) + ": " + why);
}

}  // namespace Kindred::Impl
