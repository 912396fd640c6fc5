// SPDX-License-Identifier: Apache-2.0
#include "io/JsonLines.hpp"

#include "program/Errors.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace Kindred::Tools {

namespace {

constexpr int depth_max = 64;

/// Passes the parser's events for one line to a record.
class Sax final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Sax(JsonRecord& record) : m_record(record) {}

  bool null() override { return give({}); }
  bool boolean(bool) override { return give({.kind = JsonValue::Kind::boolean}); }
  bool number_integer(number_integer_t number) override {
    return give({.kind = JsonValue::Kind::integer,
                 .real = static_cast<double>(number),
                 .magnitude = number < 0 ? 0 - static_cast<std::uint64_t>(number)
                                         : static_cast<std::uint64_t>(number),
                 .negative = number < 0});
  }
  bool number_unsigned(number_unsigned_t number) override {
    return give({.kind = JsonValue::Kind::integer,
                 .real = static_cast<double>(number),
                 .magnitude = number});
  }
  bool number_float(number_float_t number, const string_t& text) override {
    return give({.kind = JsonValue::Kind::real, .text = text, .real = number});
  }
  bool string(string_t& text) override {
    return give({.kind = JsonValue::Kind::string, .text = text});
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    if (m_depth == 0) {
      ++m_depth;
      m_record.begin();
      return true;
    }
    if (m_expected) throw RecordError("an object where an array or a value is expected");
    return enter();
  }
  bool key(string_t& name) override {
    if (m_depth == 1) m_expected = m_record.field(name);
    return true;
  }
  bool end_object() override {
    if (--m_depth == 0) m_record.end();
    return true;
  }
  bool start_array(std::size_t) override {
    refuse_outside();
    if (m_expected) m_record.begin_array();
    return enter();
  }
  bool end_array() override {
    --m_depth;
    if (m_expected) m_record.end_array();
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: …": JsonLines reports the
    // line itself.
    std::string_view why = error.what();
    if (const auto column = why.find("column "); column != why.npos)
      why.remove_prefix(column);
    else if (const auto end = why.find("] "); end != why.npos)
      why.remove_prefix(end + 2);
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
  bool give(const JsonValue& value) {
    refuse_outside();
    if (m_expected) m_record.value(value);
    return true;
  }

  JsonRecord& m_record;
  int m_depth = 0;
  bool m_expected = false;
};

}  // namespace

std::string_view json_reason(std::string_view what) noexcept {
  const auto end = what.find("] ");
  return end == what.npos ? what : what.substr(end + 2);
}

std::string JsonValue::shown() const {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "a boolean";
    case Kind::integer:
      return fmt::format("{}{}", negative ? "-" : "", magnitude);
    case Kind::real:
      return std::string(text);
    case Kind::string:
      break;
  }
  return in_quotes(text);
}

JsonLines::JsonLines(const std::string& path, ReadProgress progress)
    : m_lines(path, std::move(progress)) {}

bool JsonLines::next(JsonRecord& record) {
  const auto line = m_lines.next();
  if (!line) return false;
  if (line->find_first_not_of(" \t\r") == line->npos)
    m_lines.fail("an empty line; every line is one JSON object");
  try {
    Sax sax(record);
    nlohmann::json::sax_parse(line->begin(), line->end(), &sax);
  } catch (const RecordError& error) {
    m_lines.fail(error.what());
  }
  return true;
}

}  // namespace Kindred::Tools
