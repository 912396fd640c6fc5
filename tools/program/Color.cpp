// SPDX-License-Identifier: Apache-2.0
#include "program/Color.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace Kindred::Tools {

namespace {
ColorChoice chosen_color = ColorChoice::automatic;
}  // namespace

void choose_color(ColorChoice choice) noexcept { chosen_color = choice; }

void choose_color_from(int argc, const char* const* argv) noexcept {
  choose_color(ColorChoice::automatic);
  constexpr std::string_view flag = "--color";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    std::string_view value;
    if (argument == flag && i + 1 < argc) value = argv[i + 1];
    if (argument.starts_with("--color=")) value = argument.substr(flag.size() + 1);
    if (const auto choice = from_string<ColorChoice>(value)) choose_color(*choice);
  }
}

bool is_colored(int output) noexcept {
  if (chosen_color != ColorChoice::automatic) return chosen_color == ColorChoice::always;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb" && ::isatty(output) != 0;
}

std::string heading(std::string_view text, int output) {
  return is_colored(output) ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

}  // namespace Kindred::Tools
