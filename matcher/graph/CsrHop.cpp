// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/CsrGraph.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>

#include "CsrRows.hpp"
#include "SpreadChecks.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/graph/GivenRows.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace {

/// One product over the rows \p host, which get their plan if the space needs it.
template <class ExecutionSpace>
void multiply(const ExecutionSpace& exec_space, Context& context, Impl::HostRows& host,
              const Impl::HopRequest& request) {
  using memory_space = typename ExecutionSpace::memory_space;
  constexpr bool is_device = Arch::is_device<ExecutionSpace>;
  MemoryResource& memory = context.memory(is_device ? Space::cuda : Space::serial);
  Impl::OwnedRows<memory_space> rows;
  Impl::SpreadingWorkspace<ExecutionSpace> workspace(memory);
  Impl::GraphView<memory_space> view;
  view.in.nodes = host.offsets.size() - 1;
  try {
    if constexpr (is_device) {
      rows = Impl::rows_beside(exec_space, memory, host);
      view.in.built = rows.view();
    } else {
      if (host.long_first.size() == 0) Impl::plan_host_rows(memory, host);
      view.in.built = host.view();
    }
    workspace.hop(exec_space, view, request);
  } catch (...) {
    // Launched kernels read buffers that are about to be destroyed.
    Arch::fence(exec_space, "Kindred::hop::failed");
    throw;
  }
}

/// \brief The product of one column over the rows as they are given. Returns false and leaves y
/// unchanged if some element is invalid.
template <class Offset>
bool multiply_in_place(const HostSpace& exec_space, Context& context, const CsrGraph& graph,
                       const Impl::HopRequest& request) {
  MemoryResource& memory = context.memory(Space::serial);
  const auto view = [](const ConstArray& array, auto zero) {
    using T = const decltype(zero);
    return ArrayView<T, HostSpace>(static_cast<T*>(array.data()), array.size());
  };
  GivenRows<Offset> rows;
  rows.offsets = view(graph.offsets, Offset{});
  rows.ends = view(graph.ends, std::uint32_t{});
  if (graph.weights && graph.weights->type() == DataType::float32)
    rows.weights = view(*graph.weights, float{});
  else if (graph.weights)
    rows.short_weights = view(*graph.weights, std::uint16_t{});
  rows.end_limit = Impl::end_limit(graph);
  RowPlan plan;
  if (!plan_long_rows(exec_space, rows, plan)) return false;
  const Buffer<double, Kokkos::HostSpace> partial(memory, "Kindred::hop::partial",
                                                  plan.block_long_row.size());
  // All edges are checked before y is written.
  const Buffer<float, Kokkos::HostSpace> y(memory, "Kindred::hop::y", request.count);
  if (!hop_given_rows(exec_space, rows, plan, {request.x, request.count}, {y.data(), y.size()},
                      {partial.data(), partial.size()}))
    return false;
  Impl::download(exec_space, request.y, y.view(), request.count);
  return true;
}
bool multiply_in_place(const HostSpace& exec_space, Context& context, const CsrGraph& graph,
                       const Impl::HopRequest& request) {
  return graph.offsets.type() == DataType::int32
             ? multiply_in_place<std::int32_t>(exec_space, context, graph, request)
             : multiply_in_place<std::int64_t>(exec_space, context, graph, request);
}

/// The rows of the product, validated and in the layout of an engine.
Impl::HostRows validated_rows(Context& context, const CsrGraph& graph, HopDirection direction) {
  Impl::CsrRows given = Impl::checked_rows(context, graph);
  if (direction == HopDirection::against) return std::move(given.out);
  return Impl::transposed_rows(context, given.out, given.form);  // which does not refer to it
}

}  // namespace

DispatchRecord hop(Context& context, const CsrGraph& graph, const ConstArray& x, const Array& y,
                   const CsrHopOptions& options) {
  return Impl::translating_out_of_memory("Kindred::hop", [&] {
    std::vector<Impl::NamedArray> arrays{{"offsets", graph.offsets}, {"ends", graph.ends}};
    if (graph.weights) arrays.push_back({"weights", *graph.weights});
    arrays.push_back({"x", x});
    arrays.push_back({"y", y});
    for (const Impl::NamedArray& array : arrays) require_host(array);
    Impl::check_arrays(context, graph);
    const Impl::HopRequest request = Impl::checked_hop(x, y, graph.offsets.size() - 1);
    std::optional<Impl::HostRows> validated;
    const bool in_place = options.direction == HopDirection::against && request.columns == 1;
    if (!in_place) validated = validated_rows(context, graph, options.direction);

    context.dispatcher().register_operations({Operations::spread});
    Workload workload;
    workload.operation = Operations::spread;
    workload.items = graph.ends.size() * request.columns;
    workload.starts = static_cast<double>(quotient_up(request.columns, 32));
    workload.work = static_cast<double>(workload.items);
    const std::size_t weight_bytes = graph.weights ? size_of(graph.weights->type()) : 0;
    workload.transfer_bytes = graph.ends.size() * (sizeof(std::uint32_t) + weight_bytes) +
                              graph.offsets.size() * sizeof(std::uint64_t) +
                              2 * request.count * sizeof(float);
    return context.run(workload, options.space, [&](Space chosen) {
      Impl::with_instance(
          context, chosen, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
            if constexpr (!Arch::is_device<ExecutionSpace>) {
              if (!validated && multiply_in_place(exec_space, context, graph, request)) return;
            }
            // Of invalid rows, validation names the first invalid element.
            if (!validated) validated = validated_rows(context, graph, options.direction);
            multiply(exec_space, context, *validated, request);
          });
    });
  });
}

}  // namespace Kindred
