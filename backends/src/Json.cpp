// SPDX-License-Identifier: Apache-2.0
#include "Json.hpp"

#include <kindred/core/common/Utf8.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace Kindred::Impl {

namespace {

/// Builds the value from the events of the parser.
class Sax final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return add({}); }
  bool boolean(bool truth) override { return add(truth); }
  bool number_integer(number_integer_t number) override { return add(number); }
  bool number_unsigned(number_unsigned_t number) override { return add(number); }
  bool number_float(number_float_t number, const string_t& /*text*/) override {
    return add(number);
  }
  bool string(string_t& text) override { return add(std::move(text)); }
  bool binary(binary_t& /*bytes*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(Json::Object()); }
  bool key(string_t& name) override {
    std::get<Json::Object>(m_open.back()->value).emplace_back(std::move(name), Json());
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(Json::Array()); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    return false;
  }

  Json root;

 private:
  Json& place(Json value) {
    if (m_open.empty()) return root = std::move(value);
    auto& parent = m_open.back()->value;
    if (auto* array = std::get_if<Json::Array>(&parent))
      return array->emplace_back(std::move(value));
    return std::get<Json::Object>(parent).back().second = std::move(value);
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (m_open.size() == Json::depth_max) return false;
    m_open.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    m_open.pop_back();
    return true;
  }

  std::vector<Json*> m_open;  ///< each is the last element of the one before
};

class Writer {
 public:
  Writer(std::string& out, int indent) : m_out(out), m_indent(indent) {}

  void operator()(std::nullptr_t) { m_out += "null"; }
  void operator()(bool truth) { m_out += truth ? "true" : "false"; }
  void operator()(std::int64_t number) { digits(number); }
  void operator()(std::uint64_t number) { digits(number); }
  void operator()(double number) {
    if (!std::isfinite(number)) return (*this)(nullptr);
    if (digits(number).find_first_of(".e") == std::string_view::npos) m_out += ".0";
  }
  void operator()(std::string_view text) {
    m_out += '"';
    for (Utf8Character next{}; !text.empty(); text.remove_prefix(next.bytes)) {
      next = first_utf8_character(text);
      if (!next.is_valid) {
        m_out += "\xEF\xBF\xBD";
      } else if (next.bytes > 1) {
        m_out += text.substr(0, next.bytes);
      } else {
        ascii(text[0]);
      }
    }
    m_out += '"';
  }
  void operator()(const Json::Array& array) {
    list('[', array, ']', [&](const Json& element) { std::visit(*this, element.value); });
  }
  void operator()(const Json::Object& object) {
    list('{', object, '}', [&](const auto& member) {
      (*this)(member.first);
      m_out += m_indent < 0 ? ":" : ": ";
      std::visit(*this, member.second.value);
    });
  }

 private:
  /// Appends the shortest digits that read back as \p number.
  std::string_view digits(auto number) {
    std::array<char, 32> buffer{};
    const std::size_t before = m_out.size();
    m_out.append(buffer.data(),
                 std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr);
    return std::string_view(m_out).substr(before);
  }
  void ascii(char letter) {
    constexpr std::string_view hex = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20) {
      m_out.append("\\u00").append({hex[code / 16U], hex[code % 16U]});
    } else {
      if (letter == '"' || letter == '\\') m_out += '\\';
      m_out += letter;
    }
  }
  void list(char begin, const auto& elements, char end, const auto& write) {
    m_out += begin;
    ++m_level;
    for (const auto& element : elements) {
      if (&element != elements.data()) m_out += ',';
      start_line();
      write(element);
    }
    --m_level;
    if (!elements.empty()) start_line();
    m_out += end;
  }
  void start_line() {
    if (m_indent >= 0)
      (m_out += '\n')
          .append(static_cast<std::size_t>(m_indent) * static_cast<std::size_t>(m_level), ' ');
  }

  std::string& m_out;
  int m_indent;
  int m_level = 0;
};

}  // namespace

std::optional<Json> Json::parse(std::string_view text) {
  Sax sax;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &sax)) return std::nullopt;
  return std::move(sax.root);
}

std::string Json::dump(int indent) const {
  std::string out;
  std::visit(Writer(out, indent), value);
  return out;
}

const Json* Json::find(std::string_view key) const noexcept {
  const auto* object = as<Object>();
  if (object == nullptr) return nullptr;
  const auto found = std::find_if(object->rbegin(), object->rend(),
                                  [&](const auto& member) { return member.first == key; });
  return found == object->rend() ? nullptr : &found->second;
}

std::optional<double> Json::number() const noexcept {
  if (const auto* x = as<double>()) return *x;
  if (const auto* n = as<std::uint64_t>()) return static_cast<double>(*n);
  if (const auto* n = as<std::int64_t>()) return static_cast<double>(*n);
  return std::nullopt;
}

}  // namespace Kindred::Impl
