// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>

namespace KINDRED_PUBLIC Kindred {

OutOfMemory::OutOfMemory(std::string space, std::uint64_t bytes, std::string label,
                         const std::string& detail)
    : Error("out of " + space + " memory: " + std::to_string(bytes) + " bytes for " + label + "; " +
            detail),
      m_space(std::move(space)),
      m_bytes(bytes),
      m_label(std::move(label)) {}

CorruptFile::CorruptFile(std::string path, std::uint64_t offset, std::string why)
    : Error(path + ":" + std::to_string(offset) + ": " + why),
      m_path(std::move(path)),
      m_offset(offset),
      m_why(std::move(why)) {}

namespace Impl {

std::string located(const std::string& message, const char* file, int line, const char* function) {
  std::string name(file);
  name = name.substr(name.find_last_of('/') + 1);
  return message + " (" + name + ":" + std::to_string(line) + ", " + function + ")";
}

}  // namespace Impl
}  // namespace Kindred
