// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/CsrGraph.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>

#include "CsrRows.hpp"
#include "GivenArrays.hpp"
#include "HopVectors.hpp"
#include "HopWorkspace.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/graph/GivenRows.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <optional>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace {

/// One product over the rows \p host, which get their plan if the space needs it.
template <class ExecutionSpace>
void multiply(const ExecutionSpace& exec_space, Context& context, Impl::HostRows& host,
              const Impl::HopVectors& vectors) {
  using memory_space = typename ExecutionSpace::memory_space;
  constexpr bool is_device = Arch::is_device<ExecutionSpace>;
  MemoryResource& memory = context.memory(is_device ? Space::cuda : Space::serial);
  Impl::OwnedRows<memory_space> rows;
  Buffer<float, memory_space> x;
  Buffer<float, memory_space> y;
  Impl::HopWorkspace<ExecutionSpace> workspace(memory);
  GraphSide<memory_space> side;
  side.nodes = host.offsets.size() - 1;
  try {
    if constexpr (is_device) {
      rows = Impl::rows_beside(exec_space, memory, host);
      x = {memory, "Kindred::hop::x", vectors.count};
      y = {memory, "Kindred::hop::y", vectors.count};
      Impl::upload(exec_space, x.view(), vectors.x, vectors.count);
      side.built = rows.view();
      workspace.hop(exec_space, side, x.const_view(), y.view(), vectors.columns);
      Impl::download(exec_space, vectors.y, y.view(), vectors.count);
    } else {
      if (host.long_first.size() == 0) Impl::plan_host_rows(memory, host);
      side.built = host.view();
      workspace.hop(exec_space, side,
                    ArrayView<const float, ExecutionSpace>(vectors.x, vectors.count),
                    ArrayView<float, ExecutionSpace>(vectors.y, vectors.count), vectors.columns);
    }
    Arch::fence(exec_space, "Kindred::hop");
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
                       const Impl::HopVectors& vectors) {
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
  const Buffer<float, Kokkos::HostSpace> y(memory, "Kindred::hop::y", vectors.count);
  if (!hop_given_rows(exec_space, rows, plan, {vectors.x, vectors.count}, {y.data(), y.size()},
                      {partial.data(), partial.size()}))
    return false;
  Kokkos::deep_copy(exec_space, ArrayView<float, HostSpace>(vectors.y, vectors.count), y.view());
  Arch::fence(exec_space, "Kindred::hop::in_place");
  return true;
}
bool multiply_in_place(const HostSpace& exec_space, Context& context, const CsrGraph& graph,
                       const Impl::HopVectors& vectors) {
  return graph.offsets.type() == DataType::int32
             ? multiply_in_place<std::int32_t>(exec_space, context, graph, vectors)
             : multiply_in_place<std::int64_t>(exec_space, context, graph, vectors);
}

/// The rows of the product, validated and in the layout of an engine.
class ValidatedRows {
 public:
  ValidatedRows(Context& context, const CsrGraph& graph, HopDirection direction)
      : m_given(Impl::checked_rows(context, graph)) {
    if (direction == HopDirection::along)
      m_transpose = Impl::transposed_rows(context, m_given.out, m_given.form);
  }
  Impl::HostRows& rows() { return m_transpose ? *m_transpose : m_given.out; }

 private:
  Impl::CsrRows m_given;  // the transpose does not refer to it
  std::optional<Impl::HostRows> m_transpose;
};

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
    const Impl::HopVectors vectors = Impl::checked_vectors(x, y, graph.offsets.size() - 1);
    std::optional<ValidatedRows> validated;
    const bool in_place = options.direction == HopDirection::against && vectors.columns == 1;
    if (!in_place) validated.emplace(context, graph, options.direction);

    context.dispatcher().register_operations({Operations::spread});
    Workload workload;
    workload.operation = Operations::spread;
    workload.items = graph.ends.size() * vectors.columns;
    workload.starts = static_cast<double>((vectors.columns + 31) / 32);
    workload.work = static_cast<double>(workload.items);
    const std::size_t weight_bytes = graph.weights ? size_of(graph.weights->type()) : 0;
    workload.transfer_bytes = graph.ends.size() * (sizeof(std::uint32_t) + weight_bytes) +
                              graph.offsets.size() * sizeof(std::uint64_t) +
                              2 * vectors.count * sizeof(float);
    return context.run(workload, options.space, [&](Space chosen) {
      Impl::with_instance(
          context, chosen, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
            if constexpr (!Arch::is_device<ExecutionSpace>) {
              if (!validated && multiply_in_place(exec_space, context, graph, vectors)) return;
            }
            // Of invalid rows, validation names the first invalid element.
            if (!validated) validated.emplace(context, graph, options.direction);
            multiply(exec_space, context, validated->rows(), vectors);
          });
    });
  });
}

}  // namespace Kindred
