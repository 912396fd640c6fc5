// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_BULK_BULK_LAUNCH_HPP
#define KINDRED_MATCHER_SRC_BULK_BULK_LAUNCH_HPP

#include "BulkTask.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/bulk/ElementWise.hpp>
#include <kindred/core/bulk/RandomFill.hpp>
#include <kindred/core/bulk/Reduce.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// Bytes of results from which on the host writes past its caches.
inline constexpr std::uint64_t streamed_bytes = std::uint64_t{8} << 20U;

/// \brief The launches of a list on one space. Memory is taken when it is made, for lists that are
/// no longer than the first.
template <class ExecutionSpace, class T>
class ListLaunch {
 public:
  /// \param items, chunks that a list has at most \throws OutOfMemory
  ListLaunch(const ExecutionSpace& exec_space, MemoryResource& memory, BulkKind kind,
             std::size_t items, std::uint64_t chunks)
      : m_exec_space(exec_space), m_items(memory, "Kindred::Bulk::items", items) {
    if (kind == BulkKind::random_fill) m_offsets = {memory, "Kindred::Bulk::offsets", items};
    if (kind != BulkKind::reduce && kind != BulkKind::normalise) return;
    m_partials = {memory, "Kindred::Bulk::partials", chunks};
    m_means = {memory, "Kindred::Bulk::means", items};
    m_results = {memory, "Kindred::Bulk::results", items};
  }

  /// Takes the items that the next runs are over; their pointers are of the space. Fences it.
  void set(const BulkTask<T>& task, std::span<BulkItem<T>> items,
           std::span<const std::uint64_t> offsets) {
    m_kind = task.kind;
    m_op = task.op;
    m_reduction = task.reduction;
    m_number = task.number;
    m_seed = task.seed;
    m_plan.chunks = plan_bulk(items);
    m_plan.streams = m_plan.chunks * bulk_chunk<T> * sizeof(T) >= streamed_bytes;
    m_items.resize_discarding(items.size());
    if (!offsets.empty()) {
      m_offsets.resize_discarding(offsets.size());
      start_upload(m_exec_space, m_offsets.view(), offsets.data(), offsets.size());
    }
    m_means.resize_discarding(std::min(m_means.bytes() / sizeof(double), items.size()));
    m_results.resize_discarding(m_means.size());
    upload(m_exec_space, m_items.view(), items.data(), items.size());
  }

  /// \param results on the space, one an item, of reductions; null: this's own
  void run(double* results = nullptr) {
    const auto items = m_items.const_view();
    if constexpr (sizeof(T) == 1) {
      if (m_kind == BulkKind::xor_bytes) xor_bytes(m_exec_space, m_plan, items);
    } else {
      run_numbers(items, results);
    }
    if (m_kind == BulkKind::random_fill)
      random_fill(m_exec_space, m_plan, m_seed, m_offsets.const_view(), items);
  }

  const Buffer<double, typename ExecutionSpace::memory_space>& results() const { return m_results; }
  const ExecutionSpace& exec_space() const { return m_exec_space; }

 private:
  using memory_space = typename ExecutionSpace::memory_space;

  void run_numbers(const ArrayView<const BulkItem<T>, ExecutionSpace>& items, double* results) {
    switch (m_kind) {
      case BulkKind::element_wise:
        return element_wise(m_exec_space, m_plan, m_op, m_number, items);
      case BulkKind::reduce:
        return reduce_to(m_reduction, items, results);
      case BulkKind::normalise:
        reduce_to(Reduction::deviation, items, nullptr);
        return normalise(m_exec_space, m_plan, m_means.const_view(), m_results.const_view(), items);
      default:
        return;
    }
  }
  void reduce_to(Reduction reduction, const ArrayView<const BulkItem<T>, ExecutionSpace>& items,
                 double* results) {
    ArrayView<double, ExecutionSpace> to = m_results.view();
    if (results != nullptr) to = ArrayView<double, ExecutionSpace>(results, items.size());
    if (reduction == Reduction::deviation)
      reduce(m_exec_space, m_plan, Reduction::mean, items, m_means.const_view(), m_partials.view(),
             m_means.view());
    reduce(m_exec_space, m_plan, reduction, items, m_means.const_view(), m_partials.view(), to);
  }

  ExecutionSpace m_exec_space;
  BulkKind m_kind = BulkKind::xor_bytes;
  ElementWise m_op = ElementWise::add;
  Reduction m_reduction = Reduction::sum;
  T m_number = 0;
  std::uint64_t m_seed = 0;
  BulkPlan m_plan;
  Buffer<BulkItem<T>, memory_space> m_items;
  Buffer<std::uint64_t, memory_space> m_offsets;
  Buffer<double, memory_space> m_partials;
  Buffer<double, memory_space> m_means;
  Buffer<double, memory_space> m_results;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_BULK_BULK_LAUNCH_HPP
