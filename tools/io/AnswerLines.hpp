// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_ANSWER_LINES_HPP
#define KINDRED_TOOLS_IO_ANSWER_LINES_HPP

#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// Appends a JSON string, or `null` without a name.
void append_name(std::string& out, std::optional<std::string_view> name);
/// Begins an answer line: `{"query": ` and the name, or the index of a query without a name.
void append_query(std::string& out, std::optional<std::string_view> name, std::size_t index);
/// Begins result \p place of a query: `{"name": …, "index": …, "similarity": …, "matched": …`.
void append_match(std::string& out, std::size_t place, std::optional<std::string_view> name,
                  const Match& match);
/// Appends `, "blocks": [[pattern begin, query begin, length], …]`.
void append_blocks(std::string& out, std::span<const Block> blocks);

/// Appends the rows found by a query, `, "results": [[id, score], …]`, and ends the line.
void append_scored(std::string& out, std::span<const ScoredId> results);

/// \brief Appends the results of a query and ends the line.
/// \param row row of the first result in `results.blocks`; advanced to that of the next query
/// \param name_of returns the name of a pattern by its index
template <class NameOf>
void append_results(std::string& out, const MatchResults& results, std::size_t query,
                    std::size_t& row, const NameOf& name_of) {
  out += ", \"results\": [";
  const auto matches = results.matches[query];
  for (std::size_t k = 0; k < matches.size(); ++k, ++row) {
    append_match(out, k, name_of(matches[k].index), matches[k]);
    if (results.blocks.rows() > 0) append_blocks(out, results.blocks[row]);
    out += '}';
  }
  out += "]}\n";
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_ANSWER_LINES_HPP
