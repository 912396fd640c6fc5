// SPDX-License-Identifier: Apache-2.0
#include "io/ShellText.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace Kindred::Tools {

std::string shell_text(const std::vector<std::string>& arguments) {
  std::string out;
  for (const std::string& argument : arguments) {
    if (!out.empty()) out += ' ';
    const bool is_plain =
        !argument.empty() && std::all_of(argument.begin(), argument.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 ||
                 std::string_view("-_./:=,+@%").find(static_cast<char>(c)) !=
                     std::string_view::npos;
        });
    if (is_plain) {
      out += argument;
      continue;
    }
    out += '\'';
    for (const char c : argument) out += c == '\'' ? "'\\''" : std::string(1, c);
    out += '\'';
  }
  return out;
}

}  // namespace Kindred::Tools
