// SPDX-License-Identifier: Apache-2.0
#include "io/JsonLines.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace Kindred::Tools {

namespace {
constexpr std::size_t depth_max = 64;
}

/// Writes the parser's events for one line into a record.
class JsonSax final : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonSax(std::string_view line, JsonRecord& record, const FieldFilter& keeps)
      : m_record(record), m_keeps(keeps) {
    record.m_fields.clear();
    record.m_values.clear();
    record.m_texts.clear();
    record.m_texts.reserve(line.size());  // so that texts stay where they are
  }

  bool null() override { return add({}); }
  bool boolean(bool) override { return add({.kind = JsonKind::boolean}); }
  bool number_integer(number_integer_t number) override {
    return add({.kind = JsonKind::integer,
                .negative = number < 0,
                .real = static_cast<double>(number),
                .magnitude = number < 0 ? 0 - static_cast<std::uint64_t>(number)
                                        : static_cast<std::uint64_t>(number)});
  }
  bool number_unsigned(number_unsigned_t number) override {
    return add(
        {.kind = JsonKind::integer, .real = static_cast<double>(number), .magnitude = number});
  }
  bool number_float(number_float_t number, const string_t& text) override {
    return add({.kind = JsonKind::real, .text = kept(text), .real = number});
  }
  bool string(string_t& text) override {
    return add({.kind = JsonKind::string, .text = kept(text)});
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    if (m_keeps_field) throw RecordError("an object where an array or a value is expected");
    return enter();
  }
  bool key(string_t& name) override {
    if (m_depth > 1) return true;
    m_keeps_field = m_keeps(name);
    if (m_keeps_field) m_record.m_fields.emplace_back(kept(name), m_record.m_values.size());
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override {
    add({.kind = JsonKind::array});
    enter();
    m_arrays[m_depth] = m_record.m_values.size();
    return true;
  }
  bool end_array() override {
    const std::size_t first = m_arrays[m_depth];
    if (m_keeps_field) m_record.m_values[first - 1].inside = m_record.m_values.size() - first;
    return leave();
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: …": JsonLines reports the
    // line itself.
    std::string_view why = json_reason(error.what());
    if (const auto column = why.find("column "); column != why.npos) why.remove_prefix(column);
    if (why.starts_with("column 1:")) refuse_outside();
    throw RecordError(fmt::format("not JSON: {}", why));
  }

 private:
  void refuse_outside() const {
    if (m_depth == 0) throw RecordError("a line must be a JSON object, {\"…\": …}");
  }
  bool enter() {
    if (++m_depth > depth_max)
      throw RecordError(fmt::format("nested deeper than {} levels", depth_max));
    return true;
  }
  bool leave() {
    --m_depth;
    return true;
  }
  std::string_view kept(const std::string& text) {
    if (!m_keeps_field) return {};
    const std::size_t begin = m_record.m_texts.size();
    m_record.m_texts += text;
    return std::string_view(m_record.m_texts).substr(begin);
  }
  bool add(const JsonValue& value) {
    refuse_outside();
    if (m_keeps_field) m_record.m_values.push_back(value);
    return true;
  }

  JsonRecord& m_record;
  const FieldFilter& m_keeps;
  std::size_t m_depth = 0;
  bool m_keeps_field = false;
  std::array<std::size_t, depth_max + 1> m_arrays{};  // place of the first value, by depth
};

std::string_view json_reason(std::string_view what) noexcept {
  const auto end = what.find("] ");
  return end == what.npos ? what : what.substr(end + 2);
}

std::string JsonValue::shown() const {
  switch (kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "a boolean";
    case JsonKind::integer:
      return fmt::format("{}{}", negative ? "-" : "", magnitude);
    case JsonKind::real:
      return std::string(text);
    case JsonKind::string:
      return in_quotes(text);
    case JsonKind::array:
      break;
  }
  return "an array";
}

const JsonValue* JsonRecord::find(std::string_view field) const {
  const JsonValue* found = nullptr;
  for (const auto& [name, place] : m_fields) {
    if (name != field) continue;
    if (found != nullptr) throw RecordError(fmt::format("\"{}\" is given twice", field));
    found = &m_values[place];
  }
  return found;
}

const JsonValue& JsonRecord::at(std::string_view field) const {
  const JsonValue* const found = find(field);
  if (found == nullptr) throw RecordError(fmt::format("\"{}\" is missing", field));
  return *found;
}

std::optional<std::string_view> JsonRecord::name() const {
  const JsonValue* const found = find("name");
  if (found == nullptr || found->kind == JsonKind::null) return {};
  if (found->kind != JsonKind::string)
    throw RecordError("\"name\" must be a string, but is " + found->shown());
  return found->text;
}

JsonLines::JsonLines(const std::string& path, FieldFilter keeps, ReadProgress progress)
    : m_lines(path, std::move(progress)), m_keeps(std::move(keeps)) {}

bool JsonLines::next(const std::function<void(const JsonRecord&)>& read) {
  const auto line = m_lines.next();
  if (!line) return false;
  if (line->find_first_not_of(" \t\r") == line->npos)
    m_lines.fail("an empty line; every line is one JSON object");
  m_lines.located([&] {
    JsonSax sax(*line, m_record, m_keeps);
    nlohmann::json::sax_parse(line->begin(), line->end(), &sax);
    read(m_record);
  });
  return true;
}

void read_json_lines(const std::string& path, const std::vector<std::string_view>& fields,
                     const ReadProgress& progress,
                     const std::function<void(const JsonRecord&)>& read) {
  const auto keeps = [&](std::string_view field) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  JsonLines lines(path, keeps, progress);
  while (lines.next(read)) continue;
}

}  // namespace Kindred::Tools
