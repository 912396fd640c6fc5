// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/CsrGraph.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>

#include "CsrRows.hpp"
#include "HopVectors.hpp"
#include "HopWorkspace.hpp"
#include "common/CallerArrays.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <string>
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

}  // namespace

DispatchRecord hop(Context& context, const CsrGraph& graph, const ConstArray& x, const Array& y,
                   const CsrHopOptions& options) {
  return Impl::translating_out_of_memory("Kindred::hop", [&] {
    std::vector<Impl::NamedArray> arrays{{"offsets", graph.offsets}, {"ends", graph.ends}};
    if (graph.weights) arrays.push_back({"weights", *graph.weights});
    arrays.push_back({"x", x});
    arrays.push_back({"y", y});
    for (const Impl::NamedArray& array : arrays) require_host(array);
    Impl::CsrRows given = Impl::checked_rows(context, graph);
    const Impl::HopVectors vectors = Impl::checked_vectors(x, y, given.out.offsets.size() - 1);
    Impl::HostRows transpose;
    Impl::HostRows* rows = &given.out;
    if (options.direction == HopDirection::along) {
      transpose = Impl::transposed_rows(context, given.out, given.form);
      rows = &transpose;
    }

    context.dispatcher().register_operations({Operations::spread});
    Workload workload;
    workload.operation = Operations::spread;
    workload.items = rows->sources.size() * vectors.columns;
    workload.starts = static_cast<double>((vectors.columns + 31) / 32);
    workload.work = static_cast<double>(workload.items);
    workload.transfer_bytes = rows->bytes() + 2 * vectors.count * sizeof(float);
    return context.run(workload, options.space, [&](Space chosen) {
      Impl::with_instance(context, chosen, [&](const auto& exec_space) {
        multiply(exec_space, context, *rows, vectors);
      });
    });
  });
}

}  // namespace Kindred
