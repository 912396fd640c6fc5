// SPDX-License-Identifier: Apache-2.0
#include "io/LatticeTasks.hpp"

#include "io/JsonLines.hpp"
#include "program/ParseNumber.hpp"

#include <kindred/memory/AtomicFile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

namespace Kindred::Tools {

namespace {

/// The node, or nothing for a text that is none.
std::optional<std::uint64_t> parsed_node(std::string_view text, const LatticeShape& shape) {
  const auto parts = words(text, ",");
  const bool is_index = text.find(',') == text.npos;
  if (!is_index && static_cast<std::uint64_t>(std::ranges::count(text, ',')) + 1 != parts.size())
    return {};  // with an empty coordinate
  if (!is_index && parts.size() != shape.dimensions()) return {};
  std::uint64_t node = 0;
  for (const std::string_view part : parts) {
    const auto number = parse_count(part);
    if (!number || *number >= (is_index ? shape.nodes() : shape.size())) return {};
    node = node * shape.size() + *number;
  }
  return parts.empty() ? std::nullopt : std::optional(node);
}

}  // namespace

std::uint64_t lattice_node(std::string_view text, const LatticeShape& shape) {
  if (const auto node = parsed_node(text, shape)) return *node;
  throw RecordError(fmt::format(
      "{} is not a node: a node is an index in 0 … {} or {} coordinates below {} separated by "
      "commas",
      in_quotes(text), shape.nodes() - 1, shape.dimensions(), shape.size()));
}

void BlockLists::add(const std::vector<std::uint64_t>& block, const LatticeShape& shape) {
  if (block.size() == 1) return nodes.push_back(block[0]);
  if (!shape.are_neighbours(block[0], block[1]))
    throw RecordError(
        fmt::format("{} and {} are not neighbours: there is no such edge", block[0], block[1]));
  edges.push_back({block[0], block[1]});
}

BlockLists read_blocks(const std::string& path, const LatticeShape& shape,
                       const ReadProgress& progress) {
  BlockLists blocks;
  LineReader lines(path, progress);
  while (const auto line = lines.next()) {
    if (line->starts_with('#')) continue;
    lines.located([&] {
      std::vector<std::uint64_t> nodes;
      for (const std::string_view field : words(*line, " \t"))
        nodes.push_back(lattice_node(field, shape));
      if (nodes.size() > 2)
        throw RecordError(
            fmt::format("{} fields; expected a node or the two ends of an edge", nodes.size()));
      if (!nodes.empty()) blocks.add(nodes, shape);
    });
  }
  return blocks;
}

namespace {

constexpr std::array<std::string_view, 8> field_names{"name", "do", "dimensions", "size",
                                                      "from", "to", "blocked",    "out"};

bool is_field(std::string_view field) {
  if (std::ranges::find(field_names, field) != field_names.end()) return true;
  throw RecordError(fmt::format("there is no field {}; there are \"{}\"", in_quotes(field),
                                fmt::join(field_names, "\", \"")));
}

/// The value of a field that is no array; null without it.
const JsonValue* scalar(const JsonRecord& record, std::string_view field) {
  const JsonValue* const value = record.find(field);
  if (value != nullptr && value->kind == JsonKind::array)
    throw RecordError(fmt::format("\"{}\" must not be an array", field));
  return value;
}

std::string text_of(const JsonRecord& record, std::string_view field) {
  const JsonValue* const value = scalar(record, field);
  if (value == nullptr) return {};
  if (value->kind == JsonKind::string && !value->text.empty()) return std::string(value->text);
  throw RecordError(
      fmt::format("\"{}\" must be a string that is not empty, but is {}", field, value->shown()));
}

std::uint32_t count_of(const JsonRecord& record, std::string_view field, std::uint32_t otherwise) {
  const JsonValue* const value = scalar(record, field);
  if (value == nullptr) return otherwise;
  if (value->is_count(std::numeric_limits<std::uint32_t>::max()))
    return static_cast<std::uint32_t>(value->magnitude);
  throw RecordError(fmt::format("\"{}\" is {}; it must be a count", field, value->shown()));
}

std::uint64_t node_of(const JsonValue& value, std::string_view field, const LatticeShape& shape) {
  if (value.kind != JsonKind::string && value.kind != JsonKind::integer)
    throw RecordError(
        fmt::format("\"{}\" has {}, which is not a node: a node is an index, or coordinates in a "
                    "string such as \"0,0,1,0\"",
                    field, value.shown()));
  const std::string text = value.kind == JsonKind::string ? std::string(value.text) : value.shown();
  try {
    return lattice_node(text, shape);
  } catch (const RecordError& error) {
    throw RecordError(fmt::format("\"{}\": {}", field, error.what()));
  }
}

BlockLists blocks_of(const JsonValue& blocked, const LatticeShape& shape) {
  if (blocked.kind != JsonKind::array)
    throw RecordError("\"blocked\" must be an array, but is " + blocked.shown());
  BlockLists blocks;
  for (const JsonValue& block : blocked) {
    if (block.kind != JsonKind::array) {
      blocks.add({node_of(block, "blocked", shape)}, shape);
      continue;
    }
    std::vector<std::uint64_t> ends;
    for (const JsonValue& end : block) {
      if (end.kind == JsonKind::array)
        throw RecordError("\"blocked\" has an array in the two ends of an edge");
      ends.push_back(node_of(end, "blocked", shape));
    }
    if (ends.size() != 2)
      throw RecordError(
          fmt::format("\"blocked\" has an edge of {} nodes; it has two ends", ends.size()));
    blocks.add(ends, shape);
  }
  return blocks;
}

std::uint64_t open_end(const JsonRecord& record, std::string_view field, const LatticeShape& shape,
                       const BlockLists& blocks) {
  const std::uint64_t node = node_of(*scalar(record, field), field, shape);
  if (std::ranges::find(blocks.nodes, node) != blocks.nodes.end())
    throw RecordError(fmt::format("\"{}\" is node {}, which is blocked", field, node));
  return node;
}

/// Checks that the fields required by `"do"` are present, and no others.
void check_fields(const JsonRecord& record, std::string_view work) {
  for (const std::string_view field : {"from", "to", "blocked", "out"}) {
    const bool required = work == (field == "out" ? "build" : "path");
    if ((record.find(field) != nullptr) == required || (field == "blocked" && required)) continue;
    throw RecordError(fmt::format("\"{}\" {} \"do\": \"{}\"", field,
                                  required ? "is missing and required by" : "does not go with",
                                  work));
  }
}

LatticeLine line_of(const JsonRecord& record) {
  constexpr std::array<std::string_view, 4> works{"analyze", "measure", "path", "build"};
  LatticeLine line;
  line.name = record.name();
  line.work = text_of(record, "do");
  if (line.work.empty()) throw RecordError("\"do\" is missing");
  if (std::ranges::find(works, line.work) == works.end())
    throw RecordError(fmt::format("\"do\" is {}; it must be one of \"{}\"", in_quotes(line.work),
                                  fmt::join(works, "\", \"")));
  check_fields(record, line.work);
  line.task.dimensions = count_of(record, "dimensions", 4);
  line.task.size = count_of(record, "size", 10);
  with_errors_as<RecordError>({}, [&] {
    const LatticeShape shape(line.task.dimensions, line.task.size);
    if (line.work == "path") {
      if (const JsonValue* const blocked = record.find("blocked"))
        line.blocks = blocks_of(*blocked, shape);
      line.task.work = FindLatticePath{{open_end(record, "from", shape, line.blocks),
                                        open_end(record, "to", shape, line.blocks)}};
    } else if (line.work == "measure") {
      line.task.work = MeasureLattice{};
    } else if (line.work == "build") {
      const std::string out = text_of(record, "out");
      const AtomicFile probe(out);  // fails before the work
      line.task.work = SaveLattice{out};
    }
    constexpr std::uint64_t rows_max = std::numeric_limits<std::uint32_t>::max() - 1;
    if (line.work == "measure" || line.work == "build")
      KINDRED_THROW_IF(
          shape.nodes() > rows_max,
          fmt::format("the lattice has {} nodes; a graph has at most {}", shape.nodes(), rows_max));
  });
  return line;
}

}  // namespace

std::vector<LatticeLine> read_lattice_tasks(const std::string& path, const ReadProgress& progress) {
  std::vector<LatticeLine> lines;
  JsonLines file(path, is_field, progress);
  std::unordered_map<std::string, std::uint64_t> written;
  const auto read = [&](const JsonRecord& record) {
    LatticeLine line = line_of(record);
    line.line = file.lines().line();
    if (const auto* saved = std::get_if<SaveLattice>(&line.task.work)) {
      const auto [other, is_new] = written.emplace(saved->path, line.line);
      if (!is_new)
        throw RecordError(fmt::format("\"out\" is {}, which line {} writes", in_quotes(saved->path),
                                      other->second));
    }
    lines.push_back(std::move(line));
  };
  while (file.next(read)) continue;
  for (LatticeLine& line : lines) line.task.blocks = {line.blocks.nodes, line.blocks.edges};
  return lines;
}

}  // namespace Kindred::Tools
