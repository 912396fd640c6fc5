// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_LIST_LAUNCH_HPP
#define KINDRED_MATCHER_BULK_LIST_LAUNCH_HPP

#include "BulkTask.hpp"

#include <kindred/core/bulk/ElementWise.hpp>
#include <kindred/core/bulk/RandomFill.hpp>
#include <kindred/core/bulk/Reduce.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// Size of the results, in bytes, from which the host uses non-temporal stores.
inline constexpr std::uint64_t streamed_bytes = std::uint64_t{8} << 20U;

/// \brief Launch workspace for lists of any type on one space; grows to the longest list so far.
template <class ExecutionSpace>
class ListWorkspace {
 public:
  explicit ListWorkspace(MemoryResource& memory)
      : m_items(memory, "Kindred::Bulk::items", 0),
        m_offsets(memory, "Kindred::Bulk::offsets", 0),
        m_partials(memory, "Kindred::Bulk::partials", 0),
        m_means(memory, "Kindred::Bulk::means", 0),
        m_results(memory, "Kindred::Bulk::results", 0) {}

  /// Reserves space. \param items, chunks maximum numbers per list \throws OutOfMemory
  template <class T>
  void reserve(BulkKind kind, std::size_t items, std::uint64_t chunks) {
    m_items.resize_discarding(items * sizeof(BulkItem<T>));
    if (kind == BulkKind::random_fill) m_offsets.resize_discarding(items);
    if (kind != BulkKind::reduce && kind != BulkKind::normalise) return;
    m_partials.resize_discarding(chunks);
    m_means.resize_discarding(items);
    m_results.resize_discarding(items);
  }
  /// Space for \p count trivially copyable elements.
  template <class Item>
  ArrayView<Item, ExecutionSpace> items(std::size_t count) {
    if (m_items.size() < count * sizeof(Item)) m_items.resize_discarding(count * sizeof(Item));
    return ArrayView<Item, ExecutionSpace>(reinterpret_cast<Item*>(m_items.data()), count);
  }
  ArrayView<std::uint64_t, ExecutionSpace> offsets(std::size_t count) const {
    return ArrayView<std::uint64_t, ExecutionSpace>(m_offsets.data(), count);
  }
  ArrayView<double, ExecutionSpace> partials() const { return m_partials.view(); }
  ArrayView<double, ExecutionSpace> means(std::size_t count) const {
    return ArrayView<double, ExecutionSpace>(m_means.data(), count);
  }
  ArrayView<double, ExecutionSpace> results(std::size_t count) const {
    return ArrayView<double, ExecutionSpace>(m_results.data(), count);
  }

 private:
  using memory_space = typename ExecutionSpace::memory_space;
  Buffer<std::byte, memory_space> m_items;
  Buffer<std::uint64_t, memory_space> m_offsets;
  Buffer<double, memory_space> m_partials;
  Buffer<double, memory_space> m_means;
  Buffer<double, memory_space> m_results;
};

/// \brief The launches of a list on one space.
template <class ExecutionSpace, class T>
class ListLaunch {
 public:
  /// \param workspace must outlive this object; is reserved for the lists that are set
  ListLaunch(const ExecutionSpace& exec_space, ListWorkspace<ExecutionSpace>& workspace)
      : m_exec_space(exec_space), m_workspace(workspace) {}

  /// Sets the items of the next runs; their pointers refer to memory of the space. Fences it.
  void set(const BulkTask<T>& task, std::span<BulkItem<T>> items,
           std::span<const std::uint64_t> offsets) {
    m_kind = task.kind;
    m_op = task.op;
    m_reduction = task.reduction;
    m_number = task.number;
    m_seed = task.seed;
    m_plan.chunks = plan_bulk(items);
    m_plan.streams = m_plan.chunks * bulk_chunk<T> * sizeof(T) >= streamed_bytes;
    m_count = items.size();
    m_items = m_workspace.template items<BulkItem<T>>(m_count);
    if (m_kind == BulkKind::random_fill)
      start_upload(m_exec_space, m_workspace.offsets(m_count), offsets.data(), offsets.size());
    upload(m_exec_space, m_workspace.template items<BulkItem<T>>(m_count), items.data(), m_count);
  }

  /// \param results of reductions, in memory of the space, one per item; null: use the workspace
  void run(double* results = nullptr) {
    if constexpr (sizeof(T) == 1) {
      if (m_kind == BulkKind::xor_bytes) xor_bytes(m_exec_space, m_plan, m_items);
    } else {
      run_numbers(results);
    }
    if (m_kind == BulkKind::random_fill)
      random_fill<ExecutionSpace, T>(m_exec_space, m_plan, m_seed, m_workspace.offsets(m_count),
                                     m_items);
  }

  ArrayView<double, ExecutionSpace> results() const { return m_workspace.results(m_count); }
  const ExecutionSpace& exec_space() const { return m_exec_space; }

 private:
  void run_numbers(double* results) {
    switch (m_kind) {
      case BulkKind::element_wise:
        return element_wise(m_exec_space, m_plan, m_op, m_number, m_items);
      case BulkKind::reduce:
        return reduce_to(m_reduction, results);
      case BulkKind::normalise:
        reduce_to(Reduction::deviation, nullptr);
        return normalise<ExecutionSpace, T>(m_exec_space, m_plan, m_workspace.means(m_count),
                                            m_workspace.results(m_count), m_items);
      default:
        return;
    }
  }
  void reduce_to(Reduction reduction, double* results) {
    ArrayView<double, ExecutionSpace> to = m_workspace.results(m_count);
    if (results != nullptr) to = ArrayView<double, ExecutionSpace>(results, m_count);
    const ArrayView<double, ExecutionSpace> means = m_workspace.means(m_count);
    const auto reduced = [&](Reduction one, const ArrayView<double, ExecutionSpace>& out) {
      reduce<ExecutionSpace, T>(m_exec_space, m_plan, one, m_items, means, m_workspace.partials(),
                                out);
    };
    if (reduction == Reduction::deviation) reduced(Reduction::mean, means);
    reduced(reduction, to);
  }

  ExecutionSpace m_exec_space;
  ListWorkspace<ExecutionSpace>& m_workspace;
  BulkKind m_kind = BulkKind::xor_bytes;
  ElementWise m_op = ElementWise::add;
  Reduction m_reduction = Reduction::sum;
  T m_number = 0;
  std::uint64_t m_seed = 0;
  BulkPlan m_plan;
  std::size_t m_count = 0;
  ArrayView<const BulkItem<T>, ExecutionSpace> m_items;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_LIST_LAUNCH_HPP
