// SPDX-License-Identifier: Apache-2.0
#include "io/AnswerLines.hpp"

#include "io/AppendJson.hpp"
#include "io/TextFolding.hpp"

#include <fmt/format.h>

#include <iterator>

namespace Kindred::Tools {

void append_name(std::string& out, std::optional<std::string_view> name) {
  if (name) {
    append_json(out, *name);
  } else {
    out += "null";
  }
}

void append_query(std::string& out, std::optional<std::string_view> name, std::size_t index,
                  const char* what) {
  out.append("{\"").append(what).append("\": ");
  if (name) {
    append_json(out, *name);
  } else {
    out += std::to_string(index);
  }
}

void append_scored(std::string& out, std::span<const ScoredId> results) {
  out += ", \"results\": ";
  append_list(out, results, [&](const ScoredId& found) {
    fmt::format_to(std::back_inserter(out), "[{}, ", found.id);
    append_json(out, found.score);
    out += ']';
  });
  out += "}\n";
}

void append_match(std::string& out, std::size_t place, std::optional<std::string_view> name,
                  const Match& match) {
  out += place == 0 ? "{\"name\": " : ", {\"name\": ";
  append_name(out, name);
  fmt::format_to(std::back_inserter(out), ", \"index\": {}, \"similarity\": ", match.index);
  append_json(out, match.similarity);
  fmt::format_to(std::back_inserter(out), ", \"matched\": {}", match.matched);
}

void append_distance(std::string& out, double distance, bool is_count) {
  out += ", \"distance\": ";
  if (is_count) {
    fmt::format_to(std::back_inserter(out), "{}", static_cast<std::uint64_t>(distance));
  } else {
    append_json(out, distance);
  }
}

void append_block_list(std::string& out, std::span<const Block> blocks) {
  append_list(out, blocks, [&](const Block& block) {
    fmt::format_to(std::back_inserter(out), "[{}, {}, {}]", block.pattern_begin, block.query_begin,
                   block.length);
  });
}

void append_blocks(std::string& out, std::span<const Block> blocks) {
  out += ", \"blocks\": ";
  append_block_list(out, blocks);
}

void append_error(std::string& out, std::string_view why, std::uint64_t line) {
  out += "{\"error\": ";
  append_json(out, std::string_view(valid_utf8(why)));
  fmt::format_to(std::back_inserter(out), ", \"line\": {}}}\n", line);
}

}  // namespace Kindred::Tools
