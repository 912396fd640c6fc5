// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_TEXT_ROWS_HPP
#define KINDRED_TESTS_SUPPORT_TEXT_ROWS_HPP

#include <kindred/core/common/Ragged.hpp>

#include <string>

namespace Kindred::Testing {

/// \p texts as rows of characters.
inline Ragged<char> text_rows(const std::vector<std::string>& texts) {
  Ragged<char> rows;
  for (const std::string& text : texts) rows.push_row(text);
  return rows;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_TEXT_ROWS_HPP
