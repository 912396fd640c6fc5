// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_ANSWER_HPP
#define KINDRED_TOOLS_IO_ANSWER_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// Appends a JSON string, or `null` for no name.
void append_name(std::string& out, std::optional<std::string_view> name);
/// Begins an answer line: `{"query": ` and the name, or the index of a query that has none.
void append_query(std::string& out, std::optional<std::string_view> name, std::size_t index);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_ANSWER_HPP
