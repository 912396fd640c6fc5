// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_LIST_LAUNCH_HPP
#define KINDRED_MATCHER_BULK_LIST_LAUNCH_HPP

#include "BulkTask.hpp"

#include <kindred/core/bulk/ElementWise.hpp>
#include <kindred/core/bulk/RandomFill.hpp>
#include <kindred/core/bulk/Reduce.hpp>
#include <kindred/core/bulk/ReduceIntegers.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace Kindred::Impl {

/// Size of the results, in bytes, from which the host uses non-temporal stores.
inline constexpr std::uint64_t streamed_bytes = std::uint64_t{8} << 20U;

/// The partial result of a chunk of elements of type T.
template <class T>
using partial_type = std::conditional_t<std::is_floating_point_v<T>, double, WideInteger>;

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
    reserve_partials<T>(kind, items, chunks);
  }
  /// Reserves what arrays without a table need.
  template <class T>
  void reserve_partials(BulkKind kind, std::size_t items, std::uint64_t chunks) {
    if (kind != BulkKind::reduce && kind != BulkKind::normalise) return;
    m_partials.resize_discarding(chunks * sizeof(partial_type<T>));
    m_means.resize_discarding(items);
    m_results.resize_discarding(items);
  }
  /// Whether `reserve_partials` allocates nothing.
  template <class T>
  bool has_partials(BulkKind kind, std::size_t items, std::uint64_t chunks) const {
    return kind != BulkKind::reduce || (m_partials.bytes() >= chunks * sizeof(partial_type<T>) &&
                                        m_results.bytes() >= items * sizeof(std::uint64_t) &&
                                        m_means.bytes() >= items * sizeof(double));
  }
  /// Space for \p count trivially copyable elements.
  template <class Item>
  ArrayView<Item, ExecutionSpace> items(std::size_t count) {
    if (m_items.size() < count * sizeof(Item)) m_items.resize_discarding(count * sizeof(Item));
    return view<Item>(m_items, count);
  }
  auto offsets(std::size_t count) const { return view<std::uint64_t>(m_offsets, count); }
  template <class T>
  auto partials() const {
    return view<partial_type<T>>(m_partials, m_partials.bytes() / sizeof(partial_type<T>));
  }
  auto means(std::size_t count) const { return view<double>(m_means, count); }
  template <class T>
  auto results(std::size_t count) const {
    return view<bulk_result<T>>(m_results, count);
  }

 private:
  using memory_space = typename ExecutionSpace::memory_space;

  template <class Item, class Buffer>
  static ArrayView<Item, ExecutionSpace> view(const Buffer& buffer, std::size_t count) {
    return ArrayView<Item, ExecutionSpace>(reinterpret_cast<Item*>(buffer.data()), count);
  }

  Buffer<std::byte, memory_space> m_items;
  Buffer<std::uint64_t, memory_space> m_offsets;
  Buffer<std::byte, memory_space> m_partials;
  Buffer<double, memory_space> m_means;
  Buffer<std::uint64_t, memory_space> m_results;
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
    set_operation(task, plan_bulk(items));
    m_items = {};
    m_items.count = static_cast<std::uint32_t>(items.size());
    const auto table = m_workspace.template items<BulkItem<T>>(items.size());
    m_items.table = table.data();
    if (m_operation.kind == BulkKind::random_fill)
      start_upload(m_exec_space, m_workspace.offsets(items.size()), offsets.data(), offsets.size());
    upload(m_exec_space, table, items.data(), items.size());
  }
  /// Sets arrays without a table as the items of the next runs. Does not fence.
  void set_rows(const BulkTask<T>& task, BulkItems<T> rows) {
    set_operation(task, plan_rows(rows));
    m_items = rows;
  }

  /// \param results of reductions, in memory of the space, one per item; null: use the workspace
  void run(bulk_result<T>* results = nullptr) {
    switch (m_operation.kind) {
      case BulkKind::bytes:
        if constexpr (std::is_same_v<T, std::uint8_t>)
          combine_bytes(m_exec_space, m_plan, m_operation.bytes, m_operation.number, m_items);
        return;
      case BulkKind::element_wise:
        if constexpr (std::is_floating_point_v<T> || std::is_unsigned_v<T>)
          element_wise(m_exec_space, m_plan, m_operation.op, m_operation.number, m_items);
        return;
      case BulkKind::normalise:
        if constexpr (std::is_floating_point_v<T>) {
          reduce_to(Reduction::deviation, m_workspace.template results<T>(m_items.count));
          normalise<ExecutionSpace, T>(m_exec_space, m_plan, m_workspace.means(m_items.count),
                                       m_workspace.template results<T>(m_items.count), m_items);
        }
        return;
      case BulkKind::random_fill:
        if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, std::uint8_t>)
          random_fill<ExecutionSpace, T>(m_exec_space, m_plan, m_operation.seed,
                                         m_workspace.offsets(m_items.count), m_items);
        return;
      case BulkKind::reduce:
        result_view to = m_workspace.template results<T>(m_items.count);
        if (results != nullptr) to = result_view(results, m_items.count);
        if constexpr (std::is_floating_point_v<T>) {
          reduce_to(m_operation.reduction, to);
        } else {
          reduce_integers<ExecutionSpace, T>(m_exec_space, m_plan, m_operation.reduction, m_items,
                                             m_workspace.template partials<T>(), to);
        }
    }
  }

  ArrayView<bulk_result<T>, ExecutionSpace> results() const {
    return m_workspace.template results<T>(m_items.count);
  }
  /// Sets the instance of the next runs.
  void run_on(const ExecutionSpace& exec_space) { m_exec_space = exec_space; }

 private:
  using result_view = ArrayView<bulk_result<T>, ExecutionSpace>;

  void set_operation(const BulkOperation<T>& operation, std::uint64_t chunks) {
    m_operation = operation;
    m_plan.chunks = chunks;
    m_plan.streams = chunks * bulk_chunk<T> * sizeof(T) >= streamed_bytes;
  }
  void reduce_to(Reduction reduction, const result_view& to) {
    const ArrayView<double, ExecutionSpace> means = m_workspace.means(m_items.count);
    const auto reduced = [&](Reduction one, const ArrayView<double, ExecutionSpace>& out) {
      reduce<ExecutionSpace, T>(m_exec_space, m_plan, one, m_items, means,
                                m_workspace.template partials<T>(), out);
    };
    if (reduction == Reduction::deviation) reduced(Reduction::mean, means);
    reduced(reduction, to);
  }

  ExecutionSpace m_exec_space;
  ListWorkspace<ExecutionSpace>& m_workspace;
  BulkOperation<T> m_operation;
  BulkPlan m_plan;
  BulkItems<T> m_items;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_LIST_LAUNCH_HPP
