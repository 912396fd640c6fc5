// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_TEXT_FOLDING_HPP
#define KINDRED_TOOLS_IO_TEXT_FOLDING_HPP

#include <kindred/core/sequence/Symbol.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

/// Normal form of Unicode that texts are converted to.
enum class Normalization : std::uint8_t { none, nfc, nfkc };

/// \brief Differences between texts that are ignored when they are compared.
struct TextFolding {
  bool ignore_case = false;  ///< full case folding, independent of a language
  Normalization normalization = Normalization::none;

  bool active() const noexcept { return ignore_case || normalization != Normalization::none; }
};

/// \brief Appends the code points of \p text after folding.
/// \throws InvalidArgument with the byte offset if \p text is not valid UTF-8; \p out is then
/// unchanged
void append_folded(std::string_view text, const TextFolding& folding, std::vector<Symbol>& out);

/// \p text with U+FFFD in place of each byte that is not part of valid UTF-8.
std::string valid_utf8(std::string_view text);

/// Columns that \p text, valid UTF-8, takes in a terminal.
std::size_t width_of(std::string_view text);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_TEXT_FOLDING_HPP
