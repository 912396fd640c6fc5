// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_COLOR_HPP
#define KINDRED_TOOLS_PROGRAM_COLOR_HPP

#include <kindred/core/common/Names.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace Kindred {
namespace Tools {

/// When text is coloured.
enum class ColorChoice : std::uint8_t {
  automatic,  ///< on a terminal that has colours, unless the environment sets NO_COLOR
  always,
  never
};

}  // namespace Tools

template <>
inline constexpr auto enum_names<Tools::ColorChoice> =
    std::to_array<std::string_view>({"auto", "always", "never"});

namespace Tools {

/// Sets the choice for this process.
void choose_color(ColorChoice choice) noexcept;
/// Sets the choice of the last --color among the arguments, so that it also holds for errors in
/// other arguments.
void choose_color_from(int argc, const char* const* argv) noexcept;

/// Whether text for the file descriptor \p output is coloured.
bool is_colored(int output) noexcept;

/// \p text as a heading for the file descriptor \p output.
std::string heading(std::string_view text, int output);

}  // namespace Tools
}  // namespace Kindred

#endif  // KINDRED_TOOLS_PROGRAM_COLOR_HPP
