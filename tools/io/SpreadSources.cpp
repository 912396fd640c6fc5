// SPDX-License-Identifier: Apache-2.0
#include "io/SpreadSources.hpp"

#include "io/JsonLines.hpp"
#include "io/SpreadText.hpp"

#include <fmt/format.h>

#include <array>

namespace Kindred::Tools {

namespace {

/// The fields of a line that set an option of its query, and what they must be.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> settings{
    {{"hops", "a whole number in [0, 10000]"},
     {"decay", "a text like \"exponential:0.7\""},
     {"threshold", "a number ≥ 0"},
     {"kinds", "an array of whole numbers in [0, 255]"}}};
static_assert(hops_max == 10000);

/// Sets the option of a field. Returns the value that is not what it must be; null if there is
/// none.
const JsonValue* set(std::string_view field, const JsonValue& value, SpreadQuery& query) {
  if (field == "hops") {
    if (!value.is_count(hops_max)) return &value;
    query.hops = static_cast<std::uint32_t>(value.magnitude);
  } else if (field == "threshold") {
    if (!value.is_number() || !(value.real >= 0)) return &value;
    query.threshold = value.real;
  } else if (field == "kinds") {
    if (value.kind != JsonKind::array) return &value;
    query.kinds.reset();
    for (const JsonValue& kind : value) {
      if (!kind.is_count(query.kinds.size() - 1)) return &kind;
      query.kinds.set(kind.magnitude);
    }
  } else if (value.kind == JsonKind::string) {
    try {
      query.decay = parse_decay(value.text);
    } catch (const RecordError& error) {
      throw RecordError(std::string("\"decay\": ") + error.what());
    }
  } else {
    return &value;
  }
  return nullptr;
}

/// The options that a line sets, over \p defaults; empty if it sets none.
std::optional<SpreadQuery> query_of(const JsonRecord& record,
                                    const std::optional<SpreadQuery>& defaults) {
  std::optional<SpreadQuery> query;
  for (const auto& [field, form] : settings) {
    const JsonValue* const value = record.find(field);
    if (value == nullptr) continue;
    if (!defaults) throw RecordError(fmt::format("\"{}\" is not of the mode pagerank", field));
    if (!query) query = defaults;
    if (const JsonValue* const wrong = set(field, *value, *query)) {
      throw RecordError(fmt::format("\"{}\" must be {}, but {} {}", field, form,
                                    wrong == value ? "is" : "has", wrong->shown()));
    }
  }
  return query;
}

[[noreturn]] void malformed(const std::string& what) {
  throw RecordError("\"sources\" must be an array of pairs [\"node\", activation], but has " +
                    what);
}

std::uint32_t node_of(const JsonValue& value, const NodeNames& nodes) {
  if (value.kind != JsonKind::string) malformed(value.shown() + " as a node");
  if (const auto node = nodes.find(value.text)) return *node;
  throw RecordError(fmt::format("the node {} is not in the graph, which has {} nodes",
                                value.shown(), nodes.size()));
}

}  // namespace

SpreadSources read_spread_sources(const std::string& path, const NodeNames& nodes,
                                  WeightRange range, const std::optional<SpreadQuery>& defaults,
                                  const ReadProgress& progress) {
  SpreadSources out;
  std::vector<std::string_view> fields{"name", "sources"};
  for (const auto& [field, form] : settings) fields.push_back(field);
  read_json_lines(path, fields, progress, [&](const JsonRecord& record) {
    const JsonValue& pairs = record.at("sources");
    if (pairs.kind != JsonKind::array) malformed(pairs.shown());
    for (const JsonValue& pair : pairs) {
      if (pair.kind != JsonKind::array) malformed(pair.shown());
      Activation source;
      std::size_t count = 0;
      for (const JsonValue& value : pair) {
        if (value.kind == JsonKind::array) malformed("an array in a pair");
        if (count == 0) source.node = node_of(value, nodes);
        if (count == 1) {
          if (!value.is_number()) malformed(value.shown() + " as an activation");
          source.value = float_in(range, value.real, value.shown(), "activation");
        }
        ++count;
      }
      if (count != 2) malformed(fmt::format("a pair of {}", count));
      out.activations.values.push_back(source);
    }
    const std::optional<SpreadQuery> query = query_of(record, defaults);
    if (query && out.queries.empty()) out.queries.assign(out.activations.rows(), *defaults);
    if (query || !out.queries.empty()) out.queries.push_back(query.value_or(*defaults));
    out.activations.close_row();
    out.names.push(record.name());
  });
  return out;
}

}  // namespace Kindred::Tools
