// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_LIST_CALL_HPP
#define KINDRED_MATCHER_BULK_LIST_CALL_HPP

#include <kindred/core/arch/Fence.hpp>
#include <kindred/memory/Copies.hpp>

#include "BulkWorkspace.hpp"
#include "DeviceBatches.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief A call over a list in host memory, independent of the space. If a space fails and another
/// one takes over, completed items are not repeated, because results may overwrite their inputs.
template <class T>
class ListCall {
 public:
  /// \param results one per array, for `reduce`
  ListCall(Context& context, BulkCalls& calls, BulkTask<T> task, const BulkOptions& options,
           bulk_result<T>* results = nullptr)
      : m_context(context),
        m_calls(calls),
        m_task(std::move(task)),
        m_reads(m_task.reads()),
        m_options(options),
        m_results(results) {}

  BulkReport run() {
    Workload workload;
    workload.operation = m_task.operation;
    workload.items = m_task.elements();
    workload.work = static_cast<double>(workload.items);
    const std::uint64_t arrays = m_reads + (m_task.kind == BulkKind::reduce ? 0 : 1);
    workload.transfer_bytes = workload.items * sizeof(T) * arrays;
    if (!m_task.is_divisible()) {
      for (const BulkItem<T>& item : m_task.items)
        workload.device_bytes = std::max(workload.device_bytes, bytes_needed(item));
    }
    m_report.record = m_calls.run(
        m_context, workload, m_options.space,
        [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                  BulkWorkspace<ExecutionSpace>& workspace, Space space) {
          m_report.batches = m_report.batch_bytes = m_report.splits = 0;
          if constexpr (Arch::is_device<ExecutionSpace>) {
            run_batches(exec_space, workspace,
                        batch_bytes_of(m_context, space, m_task.operation, m_options.batch_bytes,
                                       workspace.batch.bytes()));
          } else {
            run_here(exec_space, workspace);
          }
        });
    return m_report;
  }

  /// Processes the remaining items in batches of \p batch_bytes of arrays.
  template <class ExecutionSpace>
  void run_batches(const ExecutionSpace& exec_space, BulkWorkspace<ExecutionSpace>& workspace,
                   std::uint64_t batch_bytes) {
    if (items_left().empty()) return;
    const std::uint64_t buffer_bytes = make_batch_memory(workspace, batch_bytes);
    ListLaunch<ExecutionSpace, T> launch(exec_space, workspace.lists);
    while (m_done < m_task.items.size()) {
      std::size_t end = m_done;
      std::uint64_t used = 0;
      while (end < m_task.items.size() &&
             (end == m_done || used + bytes_needed(m_task.items[end]) <= buffer_bytes))
        used += bytes_needed(m_task.items[end++]);
      run_batch(exec_space, launch, workspace.batch.view(), end - m_done);
      ++m_report.batches;
      m_done = end;
    }
  }
  const BulkReport& report() const noexcept { return m_report; }

 private:
  template <class ExecutionSpace>
  void run_here(const ExecutionSpace& exec_space, BulkWorkspace<ExecutionSpace>& workspace) {
    const std::span<BulkItem<T>> left = items_left();
    if (left.empty()) return;
    workspace.lists.template reserve<T>(m_task.kind, left.size(), plan_bulk(left));
    ListLaunch<ExecutionSpace, T> launch(exec_space, workspace.lists);
    launch.set(m_task, left, offsets_left(left.size()));
    launch.run(results_left());
    Arch::fence(exec_space, "Kindred::Bulk::run");
    m_report.batches = 1;
  }

  std::span<BulkItem<T>> items_left() { return std::span(m_task.items).subspan(m_done); }
  std::span<const std::uint64_t> offsets_left(std::size_t count) const {
    if (m_task.offsets.empty()) return {};
    return std::span(m_task.offsets).subspan(m_done, count);
  }
  bulk_result<T>* results_left() const {
    return m_results == nullptr ? nullptr : m_results + m_done;
  }

  std::uint64_t bytes_needed(const BulkItem<T>& item) const {
    return std::max<std::uint64_t>(1, m_reads) * device_bytes(item.count * sizeof(T));
  }

  /// Allocates the workspace of the remaining items for batches of \p bytes, which is halved until
  /// a batch fits. Returns the batch size in bytes. \throws OutOfMemory
  template <class ExecutionSpace>
  std::uint64_t make_batch_memory(BulkWorkspace<ExecutionSpace>& workspace, std::uint64_t bytes) {
    while (true) {
      cut(bytes);
      const std::span<BulkItem<T>> left = items_left();
      std::uint64_t longest = 0;
      std::uint64_t all = 0;
      for (const BulkItem<T>& item : left) {
        longest = std::max(longest, bytes_needed(item));
        all += bytes_needed(item);
      }
      const BulkItem<T> chunk{nullptr, nullptr, nullptr, bulk_chunk<T>, 0};
      const std::uint64_t least =
          m_task.is_divisible() ? std::min(longest, bytes_needed(chunk)) : longest;
      m_report.batch_bytes = std::min(all, std::max(bytes, longest));
      workspace.lists.template reserve<T>(m_task.kind, left.size(), plan_bulk(left));
      m_report.splits +=
          make_batch_buffer(workspace.batch, *workspace.memory, m_report.batch_bytes, least);
      if (m_report.batch_bytes >= longest) return m_report.batch_bytes;
      // Splitting again yields more pieces, which need space too.
      bytes = m_report.batch_bytes;
      workspace.batch = {};
    }
  }

  /// Splits divisible arrays into pieces that fit into a batch.
  void cut(std::uint64_t batch_bytes) {
    if (!m_task.is_divisible()) return;
    const std::uint64_t arrays = std::max<std::uint64_t>(1, m_reads);
    const std::uint64_t most =
        std::max<std::uint64_t>(1, batch_bytes / sizeof(T) / arrays / bulk_chunk<T>) *
        bulk_chunk<T>;
    std::vector<BulkItem<T>> items;
    std::vector<std::uint64_t> offsets;
    for (std::size_t i = m_done; i < m_task.items.size(); ++i) {
      const BulkItem<T>& whole = m_task.items[i];
      for (std::uint64_t begin = 0; begin < whole.count; begin += most) {
        BulkItem<T> piece = whole;
        piece.count = std::min(most, whole.count - begin);
        if (piece.input != nullptr) piece.input += begin;
        if (piece.other != nullptr) piece.other += begin;
        piece.output += begin;
        items.push_back(piece);
        if (!m_task.offsets.empty()) offsets.push_back(m_task.offsets[i] + begin);
      }
    }
    m_task.items = std::move(items);
    m_task.offsets = std::move(offsets);
    m_done = 0;
  }

  template <class ExecutionSpace, class View>
  void run_batch(const ExecutionSpace& exec_space, ListLaunch<ExecutionSpace, T>& launch,
                 const View& workspace, std::size_t count) {
    BatchCopies<ExecutionSpace> copies(exec_space, workspace);
    const auto begin = m_task.items.begin() + static_cast<std::ptrdiff_t>(m_done);
    std::vector<BulkItem<T>> items(begin, begin + static_cast<std::ptrdiff_t>(count));
    for (BulkItem<T>& item : items) {
      const std::uint64_t bytes = item.count * sizeof(T);
      auto* copy = reinterpret_cast<T*>(copies.add(item.input, item.output, bytes));
      if (item.other != nullptr)
        item.other = reinterpret_cast<const T*>(copies.add(item.other, nullptr, bytes));
      item.input = copy;
      item.output = copy;
    }
    copies.upload_all();
    launch.set(m_task, items, offsets_left(count));
    launch.run();
    if (m_results == nullptr) return copies.download_all();
    download(exec_space, results_left(), launch.results(), count);
  }

  Context& m_context;
  BulkCalls& m_calls;
  BulkTask<T> m_task;
  const std::uint64_t m_reads;  ///< arrays that an item reads
  BulkOptions m_options;
  bulk_result<T>* m_results;
  std::size_t m_done = 0;  ///< items of the task that are done
  BulkReport m_report;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_LIST_CALL_HPP
