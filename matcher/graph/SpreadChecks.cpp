// SPDX-License-Identifier: Apache-2.0
#include "SpreadChecks.hpp"

#include "GivenArrays.hpp"
#include "GraphChecks.hpp"

#include <kindred/core/common/Error.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace Kindred::Impl {

namespace {

constexpr const char* offsets_label = "Kindred::SpreadingEngine::array_offsets";

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
  // In the other modes they have no effect, but are numbers.
  KINDRED_THROW_IF(std::isnan(options.damping), "damping is NaN; it must be in [0, 1)");
  KINDRED_THROW_IF(std::isnan(options.tolerance), "tolerance is NaN; it must be a number");
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

HostSources::HostSources(Context& context, const SpreadSources& sources)
    : m_is_short(sources.offsets.type() == DataType::int32),
      m_offsets(m_is_short ? Buffer<std::int64_t, Kokkos::HostSpace>()
                           : on_host<std::int64_t>(context, sources.offsets, offsets_label)),
      m_short(m_is_short ? on_host<std::int32_t>(context, sources.offsets, offsets_label)
                         : Buffer<std::int32_t, Kokkos::HostSpace>()),
      m_nodes(
          on_host<std::uint32_t>(context, sources.nodes, "Kindred::SpreadingEngine::array_nodes")),
      m_values(on_host<float>(context, sources.values, "Kindred::SpreadingEngine::array_values")),
      m_node_step(sources.nodes.stride(0)),
      m_value_step(sources.values.stride(0)) {}

void check_sources(const GraphSnapshot& graph, const HostSources& sources, SpreadMode mode) {
  for (std::size_t query = 0; query < sources.queries(); ++query) {
    const std::uint64_t begin = sources.offset(query);
    const std::uint64_t end = sources.offset(query + 1);
    KINDRED_THROW_IF(begin > end || end > sources.size(),
                     "the sources of query " + std::to_string(query) + " lie outside the " +
                         std::to_string(sources.size()) + " values given");
    for (std::size_t i = 0; i < end - begin; ++i) {
      const Activation source = sources.at(query, i);
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

std::optional<Space> check_spread_arrays(const Context& context, const SpreadSources& sources,
                                         const std::optional<SpreadOutput>& output) {
  // The host reads the elements one by one, so they may have gaps there.
  const auto dense = [](const ConstArray& array) {
    return array.on_device() || array.rank() != 1 || array.stride(0) == 1
               ? array
               : ConstArray(array.data(), array.type(), array.shape());
  };
  std::array<NamedArray, 5> all{{{"offsets", sources.offsets},
                                 {"nodes", dense(sources.nodes)},
                                 {"values", dense(sources.values)},
                                 {"output.nodes", {}},
                                 {"output.values", {}}}};
  require_given(all[0], {DataType::int32, DataType::int64}, {any_extent});
  KINDRED_THROW_IF(sources.offsets.size() == 0,
                   "offsets has no elements; it must have one more than there are queries");
  require_given(all[1], {DataType::int32, DataType::uint32}, {any_extent});
  require_given(all[2], {DataType::float32}, {sources.nodes.extent(0)});
  if (output) {
    all[3].array = output->nodes;
    all[4].array = output->values;
    const std::int64_t queries = sources.offsets.extent(0) - 1;
    require_given(all[3], {DataType::int32, DataType::uint32}, {queries, any_extent});
    KINDRED_THROW_IF(output->nodes.extent(1) == 0,
                     "output.nodes is " + to_string(output->nodes) +
                         "; its rows must have at least one place for a result");
    require_given(all[4], {DataType::float32}, {queries, output->nodes.extent(1)});
    for (std::size_t out = 3; out < all.size(); ++out) {
      for (std::size_t in = 0; in < out; ++in) require_apart(all[in], all[out]);
    }
  }
  return space_of(context, std::span(all).first(output ? all.size() : 3));
}

HopRequest checked_hop(const ConstArray& x, const Array& y, std::size_t nodes) {
  const std::int64_t columns = x.rank() == 2 ? x.extent(1) : 1;
  KINDRED_THROW_IF(columns == 0, "columns is 0; it must be at least 1");
  KINDRED_THROW_IF(columns > 4096, "columns is " + std::to_string(columns) + "; the limit is 4096");
  const auto rows = static_cast<std::int64_t>(nodes);
  for (const NamedArray& given : {NamedArray{"x", x}, NamedArray{"y", y}}) {
    if (given.array.rank() == 1 && columns == 1)
      require_given(given, {DataType::float32}, {rows});
    else
      require_given(given, {DataType::float32}, {rows, columns});
  }
  require_apart({"x", x}, {"y", y});
  HopRequest request;
  request.x = static_cast<const float*>(x.data());
  request.y = static_cast<float*>(y.data());
  request.columns = static_cast<std::size_t>(columns);
  request.count = static_cast<std::size_t>(x.size());
  return request;
}

}  // namespace Kindred::Impl

namespace Kindred {

SpreadSources::SpreadSources(const RaggedSpan<Activation>& rows) {
  static_assert(sizeof(Activation) == sizeof(std::uint32_t) + sizeof(float));
  static constexpr std::int64_t none = 0;
  // None is negative: they are the same numbers without a sign.
  const auto* const ends = reinterpret_cast<const std::int64_t*>(rows.offsets.data());
  offsets = rows.offsets.empty() ? std::span(&none, 1) : std::span(ends, rows.offsets.size());
  const std::array<std::int64_t, 1> count{static_cast<std::int64_t>(rows.values.size())};
  const std::array<std::int64_t, 1> step{2};
  const auto* const first = rows.values.data();
  nodes = ConstArray(first == nullptr ? nullptr : &first->node, DataType::uint32, count, step);
  values = ConstArray(first == nullptr ? nullptr : &first->value, DataType::float32, count, step);
}

}  // namespace Kindred
