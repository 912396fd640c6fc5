// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_HELP_FORMATTER_HPP
#define KINDRED_TOOLS_PROGRAM_HELP_FORMATTER_HPP

#include <CLI/CLI.hpp>

#include <string>

namespace Kindred::Tools {

/// The help of a command, with coloured headings where standard output has colours.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_HELP_FORMATTER_HPP
