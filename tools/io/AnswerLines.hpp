// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_ANSWER_LINES_HPP
#define KINDRED_TOOLS_IO_ANSWER_LINES_HPP

#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// Appends a JSON string, or `null` without a name.
void append_name(std::string& out, std::optional<std::string_view> name);
/// Begins an answer line: `{"query": ` and the name, or the index of a query without a name.
void append_query(std::string& out, std::optional<std::string_view> name, std::size_t index,
                  const char* what = "query");
/// Begins result \p place of a query: `{"name": …, "index": …, "similarity": …, "matched": …`.
void append_match(std::string& out, std::size_t place, std::optional<std::string_view> name,
                  const Match& match);
/// Appends `, "distance": …`.
/// \param is_count \p distance is a number of edits
void append_distance(std::string& out, double distance, bool is_count);
/// Appends `[[pattern begin, query begin, length], …]`.
void append_block_list(std::string& out, std::span<const Block> blocks);
/// Appends `, "blocks": ` and the list.
void append_blocks(std::string& out, std::span<const Block> blocks);

/// Appends the rows found by a query, `, "results": [[id, score], …]`, and ends the line.
void append_scored(std::string& out, std::span<const ScoredId> results);

/// Appends the line `{"error": …, "line": …}`, in place of an answer. \param why any bytes
void append_error(std::string& out, std::string_view why, std::uint64_t line);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_ANSWER_LINES_HPP
