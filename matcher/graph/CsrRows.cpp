// SPDX-License-Identifier: Apache-2.0
#include "CsrRows.hpp"

#include "GivenArrays.hpp"
#include "RebuiltRows.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/graph/FillAdjacency.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Impl {

namespace {

/// \param widened null, or where to store the offsets
template <class Offset>
void check_offsets(const HostWorkers& workers, const Offset* offsets, std::size_t nodes,
                   std::uint64_t edges, std::uint64_t* widened) {
  KINDRED_THROW_IF(offsets[0] != 0,
                   "offsets[0] is " + std::to_string(offsets[0]) + "; row offsets start at 0");
  constexpr double node_nanoseconds = 1;
  workers.for_each_range(nodes, node_nanoseconds, [&](std::size_t begin, std::size_t end) {
    bool decreases = false;
    for (std::size_t v = begin; v < end; ++v) decreases |= offsets[v + 1] < offsets[v];
    if (decreases) {
      std::size_t v = begin;
      while (offsets[v + 1] >= offsets[v]) ++v;
      throw InvalidArgument("offsets[" + std::to_string(v + 1) + "] is " +
                            std::to_string(offsets[v + 1]) + ", after " +
                            std::to_string(offsets[v]) + "; row offsets must not decrease");
    }
    if (widened == nullptr) return;
    for (std::size_t v = begin; v < end; ++v)
      widened[v + 1] = static_cast<std::uint64_t>(offsets[v + 1]);
  });
  KINDRED_THROW_IF(static_cast<std::uint64_t>(offsets[nodes]) != edges,
                   "the last offset is " + std::to_string(offsets[nodes]) + ", and there are " +
                       std::to_string(edges) + " ends; both are the number of edges");
  if (widened != nullptr) widened[0] = 0;
}

/// \param limit every end is below it
void check_ends(const std::uint32_t* ends, std::size_t begin, std::size_t end, std::uint32_t limit,
                bool is_signed, std::size_t nodes) {
  std::uint32_t most = 0;
  for (std::size_t i = begin; i < end; ++i) most = std::max(most, ends[i]);
  if (begin == end || most < limit) return;
  std::size_t i = begin;
  while (ends[i] < limit) ++i;
  throw InvalidArgument(
      "ends[" + std::to_string(i) + "] is " +
      (is_signed ? std::to_string(static_cast<std::int32_t>(ends[i])) : std::to_string(ends[i])) +
      ", which is not one of the " + std::to_string(nodes) + " nodes");
}

/// The number of weights outside [0, 1]. \throws InvalidArgument for one that is not finite
template <class Weight>
std::uint64_t check_weights(std::size_t begin, std::size_t end, const Weight& weight_at) {
  std::uint64_t outside = 0;
  std::uint64_t infinite = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const float weight = weight_at(i);
    outside += is_in_unit_interval(weight) ? 0 : 1;
    infinite += std::abs(weight) <= std::numeric_limits<float>::max() ? 0 : 1;
  }
  if (infinite == 0) return outside;
  std::size_t i = begin;
  while (std::isfinite(weight_at(i))) ++i;
  throw InvalidArgument("weights[" + std::to_string(i) + "] is " + std::to_string(weight_at(i)) +
                        "; weights must be finite");
}

EdgeForm form_of(const CsrGraph& graph) {
  if (!graph.weights) return {EdgeWeights::none, false};
  return {graph.weights->type() == DataType::float32 ? EdgeWeights::float32 : EdgeWeights::bfloat16,
          false};
}

}  // namespace

void check_arrays(const Context& context, const CsrGraph& graph) {
  const NamedArray offsets{"offsets", graph.offsets};
  const NamedArray ends{"ends", graph.ends};
  require_given(offsets, {DataType::int32, DataType::int64}, {any_extent});
  KINDRED_THROW_IF(graph.offsets.size() == 0,
                   "offsets has no elements; it must have one more than there are nodes");
  require_given(ends, {DataType::int32, DataType::uint32}, {any_extent});
  std::vector<NamedArray> all{offsets, ends};
  if (graph.weights) {
    all.push_back({"weights", *graph.weights});
    require_given(all.back(), {DataType::float32, DataType::bfloat16}, {graph.ends.extent(0)});
  }
  static_cast<void>(space_of(context, all));  // refuses arrays that cannot be read
  const std::size_t nodes = graph.offsets.size() - 1;
  KINDRED_THROW_IF(nodes > nodes_max, "a graph of " + std::to_string(nodes) + " nodes; at most " +
                                          std::to_string(nodes_max) +
                                          " can be numbered in 32 bits");
}

std::uint32_t end_limit(const CsrGraph& graph) {
  const std::size_t nodes = graph.offsets.size() - 1;
  constexpr std::size_t signed_nodes_max = std::size_t{1} << 31U;
  const bool is_signed = graph.ends.type() == DataType::int32;
  return static_cast<std::uint32_t>(is_signed ? std::min(nodes, signed_nodes_max) : nodes);
}

CsrRows checked_rows(Context& context, const CsrGraph& graph) {
  check_arrays(context, graph);
  const std::size_t nodes = graph.offsets.size() - 1;
  CsrRows rows;
  rows.form = form_of(graph);
  const std::size_t edges = graph.ends.size();
  const HostWorkers workers = host_workers(context, Space::openmp);
  constexpr const char* offsets_label = "Kindred::SpreadingEngine::offsets";
  if (graph.offsets.type() == DataType::int64) {
    rows.out.offsets = on_host<std::uint64_t>(context, graph.offsets, offsets_label);
    // None may be negative: then they are the same numbers without a sign.
    check_offsets(workers, reinterpret_cast<const std::int64_t*>(rows.out.offsets.data()), nodes,
                  edges, nullptr);
  } else {
    const auto taken = on_host<std::int32_t>(context, graph.offsets, offsets_label);
    rows.out.offsets = {context.memory(Space::serial), offsets_label, nodes + 1};
    check_offsets(workers, taken.data(), nodes, edges, rows.out.offsets.data());
  }
  rows.out.sources =
      on_host<std::uint32_t>(context, graph.ends, "Kindred::SpreadingEngine::sources");
  if (rows.form.weights == EdgeWeights::float32)
    rows.out.weights = on_host<float>(context, *graph.weights, "Kindred::SpreadingEngine::weights");
  if (rows.form.weights == EdgeWeights::bfloat16)
    rows.out.short_weights =
        on_host<std::uint16_t>(context, *graph.weights, "Kindred::SpreadingEngine::short_weights");

  const bool is_signed = graph.ends.type() == DataType::int32;
  const std::uint32_t limit = end_limit(graph);
  const std::uint32_t* const end_at = rows.out.sources.data();
  const float* const weight_at = rows.out.weights.data();
  const std::uint16_t* const short_at = rows.out.short_weights.data();
  std::atomic<std::uint64_t> outside{0};
  constexpr double edge_nanoseconds = 0.5;
  workers.for_each_range(edges, edge_nanoseconds, [&](std::size_t begin, std::size_t end) {
    constexpr std::size_t block = 4096;  // the loops over a block are vectorised
    std::uint64_t count = 0;
    for (; begin < end; begin += block) {
      const std::size_t last = std::min(end, begin + block);
      check_ends(end_at, begin, last, limit, is_signed, nodes);
      if (rows.form.weights == EdgeWeights::float32)
        count += check_weights(begin, last, [&](std::size_t i) { return weight_at[i]; });
      if (rows.form.weights == EdgeWeights::bfloat16)
        count += check_weights(begin, last, [&](std::size_t i) {
          return Arch::to_float(Arch::BFloat16{short_at[i]});
        });
    }
    outside += count;
  });
  rows.outside_unit = outside;
  return rows;
}

HostRows transposed_rows(Context& context, const HostRows& out, EdgeForm form) {
  MemoryResource& memory = context.memory(Space::serial);
  HostRows in = rows_for(memory, out.offsets.size() - 1, out.sources.size(), form);
  constexpr double edge_nanoseconds = 10;
  const HostLease lease(
      context, host_space_for(context, edge_nanoseconds * static_cast<double>(out.sources.size())));
  fill_transpose(lease.get(), adjacency_of(out), adjacency_of(in));
  return in;
}

}  // namespace Kindred::Impl
