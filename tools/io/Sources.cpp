// SPDX-License-Identifier: Apache-2.0
#include "io/Sources.hpp"

#include "io/InputError.hpp"
#include "io/NamedRecord.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace Kindred::Tools {

namespace {

class SourceRecord final : public NamedRecord {
 public:
  SourceRecord(const NodeNames& nodes, WeightRange range, Sources& out)
      : m_nodes(nodes), m_range(range), m_out(out) {}

 private:
  void begin_record() override {
    m_seen = false;
    m_depth = 0;
  }
  bool other_field(std::string_view key) override {
    if (key != "sources") return false;
    if (m_seen) throw RecordError("\"sources\" stands twice");
    m_seen = true;
    return true;
  }
  void begin_other_array() override {
    if (++m_depth > 2) malformed("an array in a pair");
    m_values = 0;
  }
  void end_other_array() override {
    if (m_depth-- == 2 && m_values != 2) malformed(fmt::format("a pair of {}", m_values));
  }
  void other_value(const JsonValue& value) override {
    if (m_depth != 2) malformed(value.shown());
    if (m_values == 0) {
      if (value.kind != JsonValue::Kind::string) malformed(value.shown() + " as a node");
      const auto node = m_nodes.find(value.text);
      if (!node) {
        throw RecordError(fmt::format("the node {} is not in the graph, which has {} nodes",
                                      value.shown(), m_nodes.size()));
      }
      m_node = *node;
    } else if (m_values == 1) {
      if (value.kind != JsonValue::Kind::integer && value.kind != JsonValue::Kind::real)
        malformed(value.shown() + " as an activation");
      check_range(value);
      m_out.activations.values.push_back({m_node, static_cast<float>(value.real)});
    }
    ++m_values;
  }
  void end_record(const std::optional<std::string>& name) override {
    if (!m_seen) throw RecordError("\"sources\" is not there");
    m_out.activations.close_row();
    m_out.names.push(name);
  }

  [[noreturn]] static void malformed(const std::string& what) {
    throw RecordError("\"sources\" must be an array of pairs [\"node\", activation] and has " +
                      what);
  }
  void check_range(const JsonValue& value) const {
    if (m_range == WeightRange::unit && !(value.real >= 0 && value.real <= 1)) {
      throw RecordError(
          fmt::format("the activation {} is outside [0, 1], the limits of the mode "
                      "engine (--mode linear takes any)",
                      value.shown()));
    }
    if (!std::isfinite(static_cast<float>(value.real))) {
      throw RecordError(
          fmt::format("the activation {} is beyond float32, whose limit is 3.4e38", value.shown()));
    }
  }

  const NodeNames& m_nodes;
  WeightRange m_range;
  Sources& m_out;
  bool m_seen = false;
  std::size_t m_depth = 0;
  std::size_t m_values = 0;
  std::uint32_t m_node = 0;
};

}  // namespace

Sources read_sources(const std::string& path, const NodeNames& nodes, WeightRange range,
                     const ReadProgress& progress) {
  Sources sources;
  SourceRecord record(nodes, range, sources);
  JsonLines lines(path, progress);
  while (lines.next(record)) continue;
  return sources;
}

}  // namespace Kindred::Tools
