// SPDX-License-Identifier: Apache-2.0
#include "NpyFile.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace Kindred::Impl {

namespace {

/// Parser of a header: a Python dictionary with three entries.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : m_text(text) {}

  NpyHeader parse() {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::uint64_t>> shape;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !descr) {
        if (peek() == '[') fail("the dtype has fields; it must be a single number such as '<f4'");
        descr = string();
      } else if (key == "fortran_order" && !fortran_order) {
        fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = tuple();
      } else {
        fail("the key " + in_quotes(key) + " occurs twice or is unknown");
      }
      if (!accept(',') && peek() != '}') fail("a comma or } is missing");
    }
    if (!descr || !fortran_order || !shape)
      fail("the keys descr, fortran_order and shape are required");
    skip_space();
    if (!m_text.empty()) fail("text follows the dictionary");
    return {*descr, *fortran_order, *shape};
  }

 private:
  [[noreturn]] static void fail(const std::string& why) {
    throw InvalidArgument("the header is not a .npy header: " + why);
  }
  void skip_space() {
    const auto begin = m_text.find_first_not_of(" \t\n\r");
    m_text.remove_prefix(std::min(begin, m_text.size()));
  }
  char peek() {
    skip_space();
    return m_text.empty() ? '\0' : m_text.front();
  }
  bool accept(char c) {
    if (peek() != c || m_text.empty()) return false;
    m_text.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string(1, c) + " is missing at " + in_quotes(m_text));
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a string is missing at " + in_quotes(m_text));
    const auto end = m_text.find(quote, 1);
    if (end == std::string_view::npos) fail("a string is not terminated");
    std::string out(m_text.substr(1, end - 1));
    m_text.remove_prefix(end + 1);
    return out;
  }
  bool boolean() {
    skip_space();
    const bool value = m_text.starts_with("True");
    const std::string_view name = value ? "True" : "False";
    if (!m_text.starts_with(name)) fail("True or False is missing at " + in_quotes(m_text));
    m_text.remove_prefix(name.size());
    return value;
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> out;
    expect('(');
    while (!accept(')')) {
      std::uint64_t length = 0;
      const auto result = std::from_chars(m_text.data(), m_text.data() + m_text.size(), length);
      if (result.ec != std::errc())
        fail("a length is missing or too large at " + in_quotes(m_text));
      m_text.remove_prefix(static_cast<std::size_t>(result.ptr - m_text.data()));
      out.push_back(length);
      if (!accept(',') && peek() != ')') fail("a comma or ) is missing in the shape");
    }
    return out;
  }

  std::string_view m_text;
};

}  // namespace

std::optional<DataType> NpyHeader::type() const noexcept {
  constexpr std::array<std::pair<std::string_view, DataType>, 12> types{{
      {"|b1", DataType::boolean},
      {"|i1", DataType::int8},
      {"<i2", DataType::int16},
      {"<i4", DataType::int32},
      {"<i8", DataType::int64},
      {"|u1", DataType::uint8},
      {"<u2", DataType::uint16},
      {"<u4", DataType::uint32},
      {"<u8", DataType::uint64},
      {"<f2", DataType::float16},
      {"<f4", DataType::float32},
      {"<f8", DataType::float64},
  }};
  const auto* const found =
      std::ranges::find(types, descr, &std::pair<std::string_view, DataType>::first);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

std::string NpyHeader::shown_shape() const {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out += ", ";
    out += std::to_string(shape[i]);
  }
  return out + (shape.size() == 1 ? ",)" : ")");
}

NpyHeader parse_npy_header(std::string_view text) { return HeaderParser(text).parse(); }

}  // namespace Kindred::Impl
