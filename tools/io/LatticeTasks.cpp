// SPDX-License-Identifier: Apache-2.0
#include "io/LatticeTasks.hpp"

#include "io/NamedRecord.hpp"
#include "program/Errors.hpp"

#include <kindred/memory/AtomicFile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace Kindred::Tools {

namespace {

/// The fields of a line except `"name"`.
enum class Field : std::uint8_t { work, dimensions, size, from, to, blocked, out };
constexpr std::array<std::string_view, 7> field_names{"do", "dimensions", "size", "from",
                                                      "to", "blocked",    "out"};
constexpr std::string_view name_of(Field field) {
  return field_names[static_cast<std::size_t>(field)];
}

/// A node as written, before its shape is known.
using NodeText = std::string;

class TaskRecord final : public NamedRecord {
 public:
  explicit TaskRecord(std::vector<LatticeLine>& lines) : m_lines(lines) {}

 private:
  void begin_record() override {
    m_seen = {};
    m_depth = 0;
    m_work.clear();
    m_dimensions = 4;
    m_size = 10;
    m_from.clear();
    m_to.clear();
    m_out.clear();
    m_blocked.clear();
  }
  bool other_field(std::string_view key) override {
    const auto found = std::ranges::find(field_names, key);
    if (found == field_names.end()) {
      throw RecordError(fmt::format("there is no field {}; there are \"name\", \"{}\"",
                                    in_quotes(key), fmt::join(field_names, "\", \"")));
    }
    m_field = static_cast<Field>(found - field_names.begin());
    bool& seen = m_seen[static_cast<std::size_t>(m_field)];
    if (seen) throw RecordError(fmt::format("\"{}\" is given twice", key));
    seen = true;
    return true;
  }
  void begin_other_array() override {
    if (m_field != Field::blocked)
      throw RecordError(fmt::format("\"{}\" must not be an array", name_of(m_field)));
    if (++m_depth > 2) throw RecordError("\"blocked\" has an array in the two ends of an edge");
    if (m_depth == 2) m_blocked.emplace_back();
  }
  void end_other_array() override {
    if (m_depth-- == 2 && m_blocked.back().size() != 2)
      throw RecordError(fmt::format("\"blocked\" has an edge of {} nodes; it has two ends",
                                    m_blocked.back().size()));
  }
  void other_value(const JsonValue& value) override {
    switch (m_field) {
      case Field::work:
        m_work = text_of(value);
        return;
      case Field::out:
        m_out = text_of(value);
        return;
      case Field::dimensions:
        m_dimensions = count_of(value);
        return;
      case Field::size:
        m_size = count_of(value);
        return;
      case Field::from:
        m_from = node_of(value);
        return;
      case Field::to:
        m_to = node_of(value);
        return;
      case Field::blocked:
        if (m_depth == 0)
          throw RecordError("\"blocked\" must be an array, but is " + value.shown());
        if (m_depth == 1) m_blocked.emplace_back();
        m_blocked.back().push_back(node_of(value));
        return;
    }
  }
  std::string text_of(const JsonValue& value) const {
    if (value.kind != JsonValue::Kind::string || value.text.empty())
      throw RecordError(fmt::format("\"{}\" must be a string that is not empty, but is {}",
                                    name_of(m_field), value.shown()));
    return std::string(value.text);
  }
  std::uint32_t count_of(const JsonValue& value) const {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (value.kind != JsonValue::Kind::integer || value.negative || value.magnitude > most)
      throw RecordError(
          fmt::format("\"{}\" is {}; it must be a count", name_of(m_field), value.shown()));
    return static_cast<std::uint32_t>(value.magnitude);
  }
  NodeText node_of(const JsonValue& value) const {
    if (value.kind == JsonValue::Kind::string) return NodeText(value.text);
    if (value.kind != JsonValue::Kind::integer)
      throw RecordError(
          fmt::format("\"{}\" has {}, which is not a node: a node is an index, or coordinates in a "
                      "string such as \"0,0,1,0\"",
                      name_of(m_field), value.shown()));
    return value.shown();
  }

  /// Checks that the fields required by `"do"` are present, and no others.
  void check_fields() const {
    const auto check = [&](Field field, bool required) {
      const bool seen = m_seen[static_cast<std::size_t>(field)];
      if (seen == required || (field == Field::blocked && required)) return;
      throw RecordError(fmt::format("\"{}\" {} \"do\": \"{}\"", name_of(field),
                                    required ? "is missing and required by" : "does not go with",
                                    m_work));
    };
    for (const Field field : {Field::from, Field::to, Field::blocked})
      check(field, m_work == "path");
    check(Field::out, m_work == "build");
  }
  std::uint64_t placed(const NodeText& text, Field field, const LatticeShape& shape) const {
    const auto node = parse_lattice_node(text, shape);
    if (!node)
      throw RecordError(fmt::format("\"{}\": {}", name_of(field), no_lattice_node(text, shape)));
    return *node;
  }
  BlockLists blocks_of(const LatticeShape& shape) const {
    BlockLists blocks;
    for (const std::vector<NodeText>& texts : m_blocked) {
      const std::uint64_t node = placed(texts[0], Field::blocked, shape);
      if (texts.size() == 1) {
        blocks.nodes.push_back(node);
        continue;
      }
      const std::uint64_t end = placed(texts[1], Field::blocked, shape);
      if (!shape.are_neighbours(node, end))
        throw RecordError(
            fmt::format("{} and {} are not neighbours: there is no such edge", node, end));
      blocks.edges.push_back({node, end});
    }
    return blocks;
  }
  std::uint64_t open_end(const NodeText& text, Field field, const LatticeShape& shape,
                         const BlockLists& blocks) const {
    const std::uint64_t node = placed(text, field, shape);
    if (std::ranges::find(blocks.nodes, node) != blocks.nodes.end())
      throw RecordError(fmt::format("\"{}\" is node {}, which is blocked", name_of(field), node));
    return node;
  }

  void end_record(const std::optional<std::string>& name) override {
    constexpr std::array<std::string_view, 4> works{"analyze", "measure", "path", "build"};
    if (m_work.empty()) throw RecordError("\"do\" is missing");
    if (std::ranges::find(works, m_work) == works.end())
      throw RecordError(fmt::format("\"do\" is {}; it must be one of \"{}\"", in_quotes(m_work),
                                    fmt::join(works, "\", \"")));
    check_fields();
    LatticeLine line;
    line.name = name;
    line.work = m_work;
    line.task.dimensions = m_dimensions;
    line.task.size = m_size;
    try {
      const LatticeShape shape(m_dimensions, m_size);
      if (m_work == "path") {
        line.blocks = blocks_of(shape);
        line.task.work = FindLatticePath{{open_end(m_from, Field::from, shape, line.blocks),
                                          open_end(m_to, Field::to, shape, line.blocks)}};
      } else if (m_work == "measure") {
        line.task.work = MeasureLattice{};
      } else if (m_work == "build") {
        const AtomicFile probe(m_out);  // fails before the work
        line.task.work = SaveLattice{m_out};
      }
      constexpr std::uint64_t rows_max = std::numeric_limits<std::uint32_t>::max() - 1;
      if (m_work == "measure" || m_work == "build")
        KINDRED_THROW_IF(shape.nodes() > rows_max, fmt::format("the lattice has {} nodes; a graph "
                                                               "has at most {}",
                                                               shape.nodes(), rows_max));
    } catch (const InvalidArgument& error) {
      throw RecordError(reason_of(error));
    }
    m_lines.push_back(std::move(line));
  }

  std::vector<LatticeLine>& m_lines;
  Field m_field = Field::work;
  std::array<bool, 7> m_seen{};
  int m_depth = 0;
  std::string m_work;
  std::uint32_t m_dimensions = 0;
  std::uint32_t m_size = 0;
  NodeText m_from;
  NodeText m_to;
  std::string m_out;
  std::vector<std::vector<NodeText>> m_blocked;
};

}  // namespace

std::vector<LatticeLine> read_lattice_tasks(const std::string& path, const ReadProgress& progress) {
  std::vector<LatticeLine> lines;
  TaskRecord record(lines);
  JsonLines file(path, progress);
  std::unordered_map<std::string, std::uint64_t> written;
  while (file.next(record)) {
    lines.back().line = file.lines().line();
    const auto* saved = std::get_if<SaveLattice>(&lines.back().task.work);
    if (saved == nullptr) continue;
    const auto [other, is_new] = written.emplace(saved->path, file.lines().line());
    if (!is_new)
      file.lines().fail(fmt::format("\"out\" is {}, which line {} writes", in_quotes(saved->path),
                                    other->second));
  }
  for (LatticeLine& line : lines) line.task.blocks = {line.blocks.nodes, line.blocks.edges};
  return lines;
}

}  // namespace Kindred::Tools
