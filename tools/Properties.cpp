// SPDX-License-Identifier: Apache-2.0
#include "Properties.hpp"

#include <cctype>

namespace Kindred::Tools {

namespace {

/// \param shown a string, and a boolean as `yes` or `no`; otherwise as JSON
std::string text_of(const Property& property, bool shown) {
  return std::visit(
      [&]<class Value>(const Value& value) -> std::string {
        if constexpr (std::is_same_v<Value, std::string>) {
          if (shown) return value;
          std::string quoted;
          append_json(quoted, std::string_view(value));
          return quoted;
        } else if constexpr (std::is_same_v<Value, bool>) {
          return shown ? (value ? "yes" : "no") : fmt::format("{}", value);
        } else if constexpr (std::is_same_v<Value, double>) {
          std::string number;
          append_json(number, value);
          return number;
        } else {
          return fmt::format("{}", value);
        }
      },
      property.second);
}

}  // namespace

void append_json(std::string& out, const Properties& properties) {
  for (const Property& property : properties) {
    append_key(out, property.first);
    out += text_of(property, false);
  }
}

void append_text(std::string& out, const Properties& properties, int width) {
  for (const Property& property : properties)
    fmt::format_to(std::back_inserter(out), "{:{}} {}\n", property.first, width,
                   text_of(property, true));
}

ReportTable table_of(std::string title, const Properties& properties) {
  ReportTable table{.title = std::move(title),
                    .columns = {{"property", ColumnKind::text}, {"value", ColumnKind::number}}};
  for (const Property& property : properties) {
    std::string value = text_of(property, true);
    if (const auto* count = std::get_if<std::uint64_t>(&property.second))
      value = Html::count(static_cast<double>(*count));
    if (const auto* number = std::get_if<double>(&property.second)) value = Html::score(*number);
    table.add_row({{property.first}, number_cell(std::move(value), not_known)});
  }
  return table;
}

void print_properties(const GlobalOptions& global, const char* kind, const std::string& path,
                      const Properties& properties, int width) {
  std::string out;
  if (global.json) {
    out += '{';
    append_field(out, kind, path);
    append_json(out, properties);
    out += "}\n";
  } else {
    append_text(out, properties, width);
  }
  print(std::move(out));
}

void add_inspections(CLI::App& group, const GlobalOptions& global, const std::string& what,
                     InputKind kind,
                     std::function<InspectedFile(const std::string&, int)> inspect) {
  const auto inspected = [kind, inspect = std::move(inspect)](const GlobalOptions& options,
                                                              const std::string& path) {
    check_kind(path, kind);
    return with_clock("checking " + path, !options.quiet,
                      [&] { return reading_file([&] { return inspect(path, options.threads); }); });
  };
  std::string place = what;
  for (char& letter : place) letter = static_cast<char>(std::toupper(letter));
  const std::string made = group.get_name() + " build";
  add_store_reader(group, place, made, "info", "Describe the contents of a " + what, global,
                   [=](const GlobalOptions& options, const std::string& path) {
                     print_properties(options, what.c_str(), path,
                                      inspected(options, path).properties);
                   });
  add_store_reader(
      group, place, made, "verify",
      "Check every byte of a " + what + "; exit status 3 on any damage", global,
      [=](const GlobalOptions& options, const std::string& path) {
        const InspectedFile file = inspected(options, path);
        if (options.json)
          return print_properties(options, what.c_str(), path,
                                  {{"intact", true}, {"bytes", file.bytes}});
        print(fmt::format("{}: intact, {} in {} bytes\n", path, file.contents, file.bytes));
      });
}

}  // namespace Kindred::Tools
