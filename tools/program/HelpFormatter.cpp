// SPDX-License-Identifier: Apache-2.0
#include "program/HelpFormatter.hpp"

#include "program/Color.hpp"

#include <unistd.h>

#include <sstream>

namespace Kindred::Tools {

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::istringstream lines(CLI::Formatter::make_help(app, std::move(name), mode));
  std::string help;
  for (std::string line; std::getline(lines, line);) {
    const bool is_heading = !line.empty() && line.front() != ' ' && line.back() == ':';
    const std::string usage = "Usage:";
    if (is_heading) {
      help += heading(line, STDOUT_FILENO);
    } else if (line.rfind(usage, 0) == 0) {
      help += heading(usage, STDOUT_FILENO) + line.substr(usage.size());
    } else {
      help += line;
    }
    help += '\n';
  }
  return help;
}

}  // namespace Kindred::Tools
