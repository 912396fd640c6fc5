// SPDX-License-Identifier: Apache-2.0
#include "io/SpreadSources.hpp"

#include "io/NamedRecord.hpp"
#include "io/SpreadText.hpp"
#include "program/Errors.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace Kindred::Tools {

namespace {

class SourceRecord final : public NamedRecord {
 public:
  SourceRecord(const NodeNames& nodes, WeightRange range,
               const std::optional<SpreadQuery>& defaults, SpreadSources& out)
      : m_nodes(nodes), m_range(range), m_defaults(defaults), m_out(out) {}

 private:
  void begin_record() override {
    m_seen = false;
    m_depth = 0;
    m_query.reset();
  }
  bool other_field(std::string_view key) override {
    m_field = key == "hops"        ? Field::hops
              : key == "decay"     ? Field::decay
              : key == "threshold" ? Field::threshold
              : key == "kinds"     ? Field::kinds
                                   : Field::sources;
    if (m_field != Field::sources) {
      if (!m_defaults) throw RecordError(fmt::format("\"{}\" is not of the mode pagerank", key));
      if (!m_query) m_query = m_defaults;
      return true;
    }
    if (key != "sources") return false;
    if (m_seen) throw RecordError("\"sources\" is given twice");
    m_seen = true;
    return true;
  }
  void begin_other_array() override {
    if (m_field == Field::kinds && m_depth++ == 0) {
      m_query->kinds.reset();
      return;
    }
    if (m_field != Field::sources) throw RecordError(setting_form() + ", but is an array");
    if (++m_depth > 2) malformed("an array in a pair");
    m_values = 0;
  }
  void end_other_array() override {
    if (m_field == Field::kinds) {
      --m_depth;
    } else if (m_depth-- == 2 && m_values != 2) {
      malformed(fmt::format("a pair of {}", m_values));
    }
  }
  void other_value(const JsonValue& value) override {
    if (m_field != Field::sources) return set(value);
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
    if (!m_seen) throw RecordError("\"sources\" is missing");
    if (m_query && m_out.queries.empty())
      m_out.queries.assign(m_out.activations.rows(), *m_defaults);
    if (m_query || !m_out.queries.empty()) m_out.queries.push_back(m_query.value_or(*m_defaults));
    m_out.activations.close_row();
    m_out.names.push(name);
  }

  std::string setting_form() const {
    if (m_field == Field::decay) return "\"decay\" must be a text like \"exponential:0.7\"";
    if (m_field == Field::threshold) return "\"threshold\" must be a number ≥ 0";
    if (m_field == Field::kinds) return "\"kinds\" must be an array of whole numbers in [0, 255]";
    return fmt::format("\"hops\" must be a whole number in [0, {}]", hops_max);
  }
  /// Sets an option of this query.
  void set(const JsonValue& value) {
    using Kind = JsonValue::Kind;
    const bool is_number = value.kind == Kind::integer || value.kind == Kind::real;
    if (m_field == Field::decay && value.kind == Kind::string) {
      try {
        m_query->decay = parse_decay(value.text);
      } catch (const RecordError& error) {
        throw RecordError(std::string("\"decay\": ") + error.what());
      }
    } else if (m_field == Field::threshold && is_number && value.real >= 0) {
      m_query->threshold = value.real;
    } else if (m_field == Field::hops && value.kind == Kind::integer && !value.negative &&
               value.magnitude <= hops_max) {
      m_query->hops = static_cast<std::uint32_t>(value.magnitude);
    } else if (m_field == Field::kinds && m_depth == 1 && value.kind == Kind::integer &&
               !value.negative && value.magnitude < m_query->kinds.size()) {
      m_query->kinds.set(value.magnitude);
    } else {
      throw RecordError(
          fmt::format("{}, but {} {}", setting_form(), m_depth > 0 ? "has" : "is", value.shown()));
    }
  }

  [[noreturn]] static void malformed(const std::string& what) {
    throw RecordError("\"sources\" must be an array of pairs [\"node\", activation], but has " +
                      what);
  }
  void check_range(const JsonValue& value) const {
    if (m_range == WeightRange::unit && !(value.real >= 0 && value.real <= 1)) {
      throw RecordError(
          fmt::format("the activation {} is outside [0, 1], the limits of the mode "
                      "engine (--mode linear takes any)",
                      value.shown()));
    }
    if (m_range == WeightRange::nonnegative && value.real < 0) {
      throw RecordError(fmt::format("the activation {} is below 0, the limit of the mode pagerank",
                                    value.shown()));
    }
    if (!std::isfinite(static_cast<float>(value.real))) {
      throw RecordError(
          fmt::format("the activation {} is beyond float32, whose limit is 3.4e38", value.shown()));
    }
  }

  enum class Field : std::uint8_t { sources, hops, decay, threshold, kinds };

  const NodeNames& m_nodes;
  WeightRange m_range;
  const std::optional<SpreadQuery>& m_defaults;
  Field m_field = Field::sources;
  std::optional<SpreadQuery> m_query;  // empty unless the line sets options
  SpreadSources& m_out;
  bool m_seen = false;
  std::size_t m_depth = 0;
  std::size_t m_values = 0;
  std::uint32_t m_node = 0;
};

}  // namespace

SpreadSources read_spread_sources(const std::string& path, const NodeNames& nodes,
                                  WeightRange range, const std::optional<SpreadQuery>& defaults,
                                  const ReadProgress& progress) {
  SpreadSources sources;
  SourceRecord record(nodes, range, defaults, sources);
  JsonLines lines(path, progress);
  while (lines.next(record)) continue;
  return sources;
}

}  // namespace Kindred::Tools
