// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_FOREIGN_FORMAT_HPP
#define KINDRED_TOOLS_IO_FOREIGN_FORMAT_HPP

#include <string>
#include <string_view>

namespace Kindred::Tools {

/// \brief A format that commands for text do not read, and what to do with such a file. `FILE`
/// stands for its path.
struct ForeignFormat {
  std::string_view name;     ///< with its article
  std::string_view to_text;  ///< where text is expected
  std::string_view to_rows;  ///< where rows of numbers are expected; empty: can be read
};

/// The format of data that begins with \p begin, if it is a known one; otherwise null. \param begin
/// the first 512 bytes, or all of them
const ForeignFormat* foreign_format(std::string_view begin) noexcept;

/// \p advice for the file \p path. In quoted code, `FILE` is left if the path has characters that
/// may have a meaning there.
std::string advice_for(std::string_view advice, const std::string& path);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_FOREIGN_FORMAT_HPP
