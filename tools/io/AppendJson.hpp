// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_APPEND_JSON_HPP
#define KINDRED_TOOLS_IO_APPEND_JSON_HPP

#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// \brief Appends \p number as JSON with the fewest digits that restore it, in the format of
/// Python's `repr`.
///
/// The text depends only on the bits of the number, not on the version of a library. NaN is written
/// as `null`, infinities as `1e999` and `-1e999`, which JSON parsers read as infinities.
void append_json(std::string& out, double number);
/// Appends a float32 with the fewest digits that restore it.
void append_json(std::string& out, float number);

template <std::integral Number>
void append_json(std::string& out, Number number) {
  out += std::to_string(number);
}

/// Appends \p text, valid UTF-8, as a JSON string.
void append_json(std::string& out, std::string_view text);
/// Appends a JSON string, or `null` without a name.
void append_name(std::string& out, std::optional<std::string_view> name);

/// Appends `"key": `, after a comma unless it is the first field of its object.
void append_key(std::string& out, std::string_view key);
/// The same with the value.
template <class Value>
void append_field(std::string& out, std::string_view key, const Value& value) {
  append_key(out, key);
  append_json(out, value);
}
/// Begins an answer line: `{"query": ` and the name, or the index of a query without a name.
void append_query(std::string& out, std::optional<std::string_view> name, std::size_t index,
                  const char* what = "query");

/// Appends `[…, …]` with what `put(at)` appends for each number from \p first to \p end, without
/// the latter; or for each iterator.
template <class At, class Put>
void append_list(std::string& out, At first, At end, const Put& put) {
  out += '[';
  for (At at = first; at != end; ++at) {
    if (at != first) out += ", ";
    put(at);
  }
  out += ']';
}
/// The same with what `put(item)` appends for each of \p items.
template <class Items, class Put>
void append_list(std::string& out, const Items& items, const Put& put) {
  append_list(out, std::begin(items), std::end(items), [&](auto at) { put(*at); });
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_APPEND_JSON_HPP
