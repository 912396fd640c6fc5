// SPDX-License-Identifier: Apache-2.0
#include "SpreadChecks.hpp"

#include "GivenArrays.hpp"
#include "GraphChecks.hpp"

#include <kindred/core/common/Error.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace Kindred::Impl {

namespace {

void check_query(const std::string& which, const std::optional<double>& threshold,
                 const Decay& decay) {
  KINDRED_THROW_IF(threshold && !(*threshold >= 0.0),
                   which + "threshold is " + std::to_string(*threshold) + "; it must be ≥ 0");
  KINDRED_THROW_IF(
      !(decay.parameter >= 0.0) || !(decay.parameter <= std::numeric_limits<float>::max()),
      which + "the decay's parameter is " + std::to_string(decay.parameter) +
          "; it must be ≥ 0 and finite in float32");
}

void check_options(const SpreadOptions& options, std::size_t queries) {
  KINDRED_THROW_IF(options.top == 0, "top is 0; it must be at least 1");
  KINDRED_THROW_IF(
      options.mode == SpreadMode::pagerank && (!options.kinds.all() || options.modifiers ||
                                               options.activations != ActivationPrecision::float32),
      "PageRank does not support a choice of edge kinds, modifiers of weights or "
      "rounded activations");
  KINDRED_THROW_IF(options.trace_paths > 1000, "trace_paths is " +
                                                   std::to_string(options.trace_paths) +
                                                   "; the limit is 1000 paths per result");
  KINDRED_THROW_IF(options.mode == SpreadMode::pagerank && options.trace_paths > 0,
                   "trace_paths is set, but PageRank has no paths to trace");
  check_query("", options.threshold, options.decay);
  if (options.per_query.empty()) return;
  KINDRED_THROW_IF(options.mode == SpreadMode::pagerank,
                   "per_query is set, but PageRank has no hops, decay or threshold");
  KINDRED_THROW_IF(options.per_query.size() != queries,
                   "per_query has " + std::to_string(options.per_query.size()) +
                       " entries; there are " + std::to_string(queries) + " queries");
  for (std::size_t query = 0; query < queries; ++query)
    check_query("query " + std::to_string(query) + ": ", options.per_query[query].threshold,
                options.per_query[query].decay);
}

}  // namespace

void check_modifiers(const std::optional<SpreadModifiers>& modifiers, bool is_engine) {
  if (!modifiers) return;
  const auto check = [&](double factor, const std::string& what) {
    KINDRED_THROW_IF(!(std::abs(factor) <= std::numeric_limits<float>::max()),
                     what + " is " + std::to_string(factor) + "; it must be finite in float32");
    KINDRED_THROW_IF(is_engine && factor < 0.0,
                     what + " is " + std::to_string(factor) +
                         ", which makes weights negative; linear mode accepts any sign");
  };
  for (std::size_t from = 0; from < SpreadModifiers::kinds; ++from) {
    for (std::size_t to = 0; to < SpreadModifiers::kinds; ++to)
      check(modifiers->strengths[from][to],
            "the strength from kind " + std::to_string(from) + " to " + std::to_string(to));
    check(modifiers->fans[from].factor, "the fan factor of kind " + std::to_string(from));
  }
}

void check_sources(const GraphSnapshot& graph, const RaggedSpan<Activation>& sources,
                   SpreadMode mode) {
  for (std::size_t query = 0; query < sources.rows(); ++query) {
    KINDRED_THROW_IF(sources.offsets[query] > sources.offsets[query + 1] ||
                         sources.offsets[query + 1] > sources.values.size(),
                     "the sources of query " + std::to_string(query) + " lie outside the " +
                         std::to_string(sources.values.size()) + " values given");
    for (const Activation& source : sources[query]) {
      const auto which = [&] {
        return "query " + std::to_string(query) + ", source node " + std::to_string(source.node) +
               ": ";
      };
      KINDRED_THROW_IF(source.node >= graph.nodes(),
                       which() + "the graph has " + std::to_string(graph.nodes()) + " nodes");
      KINDRED_THROW_IF(!graph.is_node(source.node), which() + "it was removed");
      KINDRED_THROW_IF(mode == SpreadMode::engine && !is_in_unit_interval(source.value),
                       which() + "activation " + std::to_string(source.value) +
                           " is outside [0, 1]; linear mode accepts any value");
      KINDRED_THROW_IF(!std::isfinite(source.value),
                       which() + "activation " + std::to_string(source.value) + " is not finite");
      KINDRED_THROW_IF(mode == SpreadMode::pagerank && source.value < 0.0F,
                       which() + "activation " + std::to_string(source.value) +
                           " is below 0; PageRank restarts in proportion to activations");
    }
  }
}

void check_spread(const GraphSnapshot& graph, const SpreadOptions& options, std::size_t queries) {
  check_options(options, queries);
  check_modifiers(options.modifiers, options.mode == SpreadMode::engine);
  KINDRED_THROW_IF(
      options.mode == SpreadMode::engine && graph.outside_unit() > 0,
      describe_outside(graph.host()) +
          ", outside [0, 1]; engine mode requires weights in [0, 1], linear mode accepts any");
}

void check_spread_arrays(const SpreadSources& sources, const SpreadOutput& output) {
  const std::array<NamedArray, 3> read{
      {{"offsets", sources.offsets}, {"nodes", sources.nodes}, {"values", sources.values}}};
  const std::array<NamedArray, 2> written{
      {{"output.nodes", output.nodes}, {"output.values", output.values}}};
  require_given(read[0], {DataType::int32, DataType::int64}, {any_extent});
  KINDRED_THROW_IF(sources.offsets.size() == 0,
                   "offsets has no elements; it must have one more than there are queries");
  require_given(read[1], {DataType::int32, DataType::uint32}, {any_extent});
  require_given(read[2], {DataType::float32}, {sources.nodes.extent(0)});
  const std::int64_t queries = sources.offsets.extent(0) - 1;
  require_given(written[0], {DataType::int32, DataType::uint32}, {queries, any_extent});
  KINDRED_THROW_IF(output.nodes.extent(1) == 0,
                   "output.nodes is " + to_string(output.nodes) +
                       "; its rows must have at least one place for a result");
  require_given(written[1], {DataType::float32}, {queries, output.nodes.extent(1)});
  for (const NamedArray& out : written) {
    for (const NamedArray& in : read) require_apart(in, out);
  }
  require_apart(written[0], written[1]);
}

}  // namespace Kindred::Impl
