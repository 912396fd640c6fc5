// SPDX-License-Identifier: Apache-2.0
#include "program/ManPage.hpp"

#include "program/UsageMessage.hpp"

#include <kindred/Version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace Kindred::Tools {

namespace {

/// \p text without characters that the language of manual pages interprets.
std::string escaped(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '-') out += '\\';
    out += c == '\\' ? "\\e" : std::string(1, c);
    line_begins = c == '\n';
  }
  return out;
}

void append_options(std::string& out, const CLI::App& command) {
  const auto to = std::back_inserter(out);
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    std::string names;
    for (const std::string& name : spellings(*option))
      names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
    if (option->get_positional()) names = "\\fI" + escaped(option->get_name(true)) + "\\fR";
    const std::string type = option->get_positional() || option->get_expected_min() == 0
                                 ? std::string()
                                 : " \\fI" + escaped(option->get_type_name()) + "\\fR";
    fmt::format_to(to, ".TP\n{}{}\n{}{}\n", names, type, escaped(option->get_description()),
                   option->get_required() ? " (required)" : "");
  }
}

/// The usage of \p command with the options that it requires.
std::string synopsis(const CLI::App& command) {
  std::string out = program_name(command);
  if (const std::string name = typed_name(command); !name.empty()) out += " " + name;
  if (!command_names(command).empty()) return out + " COMMAND";
  for (const CLI::Option* option : listed_options(command)) {
    if (!option->get_required()) continue;
    out += option->get_positional()
               ? " " + option->get_name(true)
               : " --" + option->get_lnames().front() + " " + option->get_type_name();
  }
  return out + " [FLAGS]";
}

}  // namespace

std::string man_page_name(const CLI::App& command) {
  std::string name = typed_name(command);
  std::replace(name.begin(), name.end(), ' ', '-');
  return program_name(command) + (name.empty() ? "" : "-" + name);
}

std::string man_page(const CLI::App& command) {
  const std::string name = man_page_name(command);
  const bool is_root = command.get_parent() == nullptr;
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  std::string about = command.get_description();
  about = about.substr(0, about.find('\n'));
  std::string out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, ".TH {} 1 \"\" \"Kindred {}\" \"Kindred\"\n", escaped(upper),
                 KINDRED_VERSION_STRING);
  fmt::format_to(to, ".SH NAME\n{} \\- {}\n", escaped(name), escaped(about));
  fmt::format_to(to, ".SH SYNOPSIS\n\\fB{}\\fR\n", escaped(synopsis(command)));
  fmt::format_to(to, ".SH DESCRIPTION\n{}\n", escaped(command.get_description()));
  const auto nested = commands_of(command);
  if (!nested.empty()) out += ".SH COMMANDS\n";
  for (const CLI::App* each : nested) {
    fmt::format_to(to, ".TP\n\\fB{}\\fR(1)\n{}\n", escaped(man_page_name(*each)),
                   escaped(each->get_description()));
  }
  out += ".SH FLAGS\n";
  append_options(out, command);
  if (!is_root) {
    out += ".SH SEE ALSO\nThe flags of every command are in \\fBkindred\\fR(1).\n";
  } else {
    out +=
        ".SH EXIT STATUS\n0 ok, 1 error at run time, 2 wrong usage, 3 a file that cannot be read "
        "or invalid data, 4 out of memory.\n";
  }
  return out;
}

}  // namespace Kindred::Tools
