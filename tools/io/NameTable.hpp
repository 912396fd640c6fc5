// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_NAME_TABLE_HPP
#define KINDRED_TOOLS_IO_NAME_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

/// \brief The optional names of records, stored contiguously.
class NameTable {
 public:
  void push(std::optional<std::string_view> name) {
    if (name) m_text += *name;
    m_ends.push_back(m_text.size() << 1U | (name ? 1U : 0U));
  }
  std::size_t size() const noexcept { return m_ends.size(); }
  std::optional<std::string_view> operator[](std::size_t row) const {
    if ((m_ends[row] & 1U) == 0) return {};
    const std::uint64_t begin = row == 0 ? 0 : m_ends[row - 1] >> 1U;
    return std::string_view(m_text).substr(begin, (m_ends[row] >> 1U) - begin);
  }
  void clear() {
    m_text.clear();
    m_ends.clear();
  }

 private:
  std::string m_text;
  std::vector<std::uint64_t> m_ends;  // end in the text, times two, plus one if there is a name
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_NAME_TABLE_HPP
