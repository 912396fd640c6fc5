// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_BULK_LIST_CALL_HPP
#define KINDRED_MATCHER_SRC_BULK_LIST_CALL_HPP

#include "BulkLaunch.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// Arrays of a batch on a device begin at multiples of it.
inline constexpr std::uint64_t device_alignment = 256;
/// Arrays that are shorter go to a device together.
inline constexpr std::uint64_t packed_bytes = std::uint64_t{1} << 18U;

inline std::uint64_t device_bytes(std::uint64_t bytes) {
  return (bytes + device_alignment - 1) / device_alignment * device_alignment;
}

/// Bytes of a batch where none is asked for: more gains nothing, and half of what is free stays so.
inline std::uint64_t batch_bytes_of(const BulkOptions& options, std::uint64_t free) {
  constexpr std::uint64_t optimum = std::uint64_t{64} << 20U;
  if (options.batch_bytes != 0) return options.batch_bytes;
  return std::max<std::uint64_t>(1, std::min(optimum, free / 2));
}

/// \brief Room on a device for the arrays of a batch: \p want bytes, or half as long as that is
/// refused, and never less than \p least. \throws OutOfMemory where that does not fit either
template <class ExecutionSpace>
Buffer<std::byte, typename ExecutionSpace::memory_space> batch_room(MemoryResource& memory,
                                                                    std::uint64_t& want,
                                                                    std::uint64_t least,
                                                                    std::size_t& splits) {
  while (true) {
    try {
      return {memory, "Kindred::Bulk::batch", want};
    } catch (const OutOfMemory&) {
      if (want <= least) throw;
      want = std::max(least, want / 2);
      ++splits;
    }
  }
}

/// \brief Copies of arrays of the host, one behind the other, in room on a device.
template <class ExecutionSpace>
class BatchCopies {
 public:
  using view_type = Kokkos::View<std::byte*, typename ExecutionSpace::memory_space,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  BatchCopies(const ExecutionSpace& exec_space, view_type room)
      : m_exec_space(exec_space), m_room(room) {}

  /// Where the next array goes. \param from null: nothing is to be read \param to null: nothing is
  /// to be brought back \param aligned false: right behind the one before
  std::byte* add(const void* from, void* to, std::uint64_t bytes, bool aligned = true) {
    if (aligned) m_used = device_bytes(m_used);
    m_arrays.push_back({from, to, bytes, m_used});
    m_used += bytes;
    return m_room.data() + m_arrays.back().place;
  }
  void upload_all() {
    if (is_packed()) {
      m_packed.resize(m_used);
      for (const Array& array : m_arrays) {
        if (array.from != nullptr && array.bytes > 0)
          std::memcpy(m_packed.data() + array.place, array.from, array.bytes);
      }
      start_upload(m_exec_space, m_room, m_packed.data(), m_used);
      return;
    }
    for (const Array& array : m_arrays) {
      if (array.from != nullptr)
        start_upload(m_exec_space, part(array), static_cast<const std::byte*>(array.from),
                     array.bytes);
    }
  }
  /// Fences.
  void download_all() {
    if (is_packed()) {
      m_packed.resize(m_used);
      download(m_exec_space, m_packed.data(), m_room, m_used);
      for (const Array& array : m_arrays) {
        if (array.to != nullptr && array.bytes > 0)
          std::memcpy(array.to, m_packed.data() + array.place, array.bytes);
      }
      return;
    }
    for (const Array& array : m_arrays) {
      if (array.to != nullptr)
        download(m_exec_space, static_cast<std::byte*>(array.to), part(array), array.bytes);
    }
  }

 private:
  struct Array {
    const void* from;
    void* to;
    std::uint64_t bytes;
    std::uint64_t place;
  };

  bool is_packed() const { return m_arrays.size() > 1 && m_used / m_arrays.size() < packed_bytes; }
  view_type part(const Array& array) const {
    return Kokkos::subview(m_room, std::pair(array.place, array.place + array.bytes));
  }

  ExecutionSpace m_exec_space;
  view_type m_room;
  std::vector<Array> m_arrays;
  std::vector<std::byte> m_packed;
  std::uint64_t m_used = 0;
};

/// \brief A call over a list in host memory, wherever it runs. What is done stays done where a
/// space fails and another goes on: results may be in the place of arrays.
template <class T>
class ListCall {
 public:
  /// \param results one an array, of `reduce`
  ListCall(Context& context, BulkTask<T> task, const BulkOptions& options,
           double* results = nullptr)
      : m_context(context), m_task(std::move(task)), m_options(options), m_results(results) {}

  BulkReport run() {
    Workload workload;
    workload.operation = m_task.operation;
    workload.items = m_task.elements();
    workload.work = static_cast<double>(workload.items);
    const std::uint64_t arrays = m_task.reads() + (m_task.kind == BulkKind::reduce ? 0 : 1);
    workload.transfer_bytes = workload.items * sizeof(T) * arrays;
    m_report.record = m_context.run(workload, m_options.space, [&](Space space) {
      m_report.batches = m_report.batch_bytes = m_report.splits = 0;
      with_instance(m_context, space, [&](const auto& exec_space) {
        using execution_space = std::decay_t<decltype(exec_space)>;
        if constexpr (Arch::is_device<execution_space>) {
          run_batches(exec_space, m_context.memory(space), m_context.free_memory(space));
        } else {
          run_here(exec_space, m_context.memory(space));
        }
      });
    });
    return m_report;
  }

 private:
  template <class ExecutionSpace>
  void run_here(const ExecutionSpace& exec_space, MemoryResource& memory) {
    if (m_task.items.empty()) return;
    ListLaunch<ExecutionSpace, T> launch(exec_space, memory, m_task.kind, m_task.items.size(),
                                         plan_bulk(std::span(m_task.items)));
    launch.set(m_task, m_task.items, m_task.offsets);
    launch.run(m_results);
    exec_space.fence("Kindred::Bulk::run");
    m_report.batches = 1;
  }

  std::uint64_t room_of(const BulkItem<T>& item) const {
    return std::max<std::uint64_t>(1, m_task.reads()) * device_bytes(item.count * sizeof(T));
  }

  /// Cuts arrays that may be cut into pieces of which a batch holds one.
  void cut(std::uint64_t batch_bytes) {
    if (!m_task.is_divisible()) return;
    const std::uint64_t arrays = std::max<std::uint64_t>(1, m_task.reads());
    const std::uint64_t most =
        std::max<std::uint64_t>(1, batch_bytes / sizeof(T) / arrays / bulk_chunk<T>) *
        bulk_chunk<T>;
    std::vector<BulkItem<T>> items;
    std::vector<std::uint64_t> offsets;
    for (std::size_t i = 0; i < m_task.items.size(); ++i) {
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
  }

  template <class ExecutionSpace>
  void run_batches(const ExecutionSpace& exec_space, MemoryResource& memory, std::uint64_t free) {
    const std::uint64_t wanted = batch_bytes_of(m_options, free);
    cut(wanted);
    if (m_task.items.empty()) return;
    std::uint64_t least = 0;
    std::uint64_t all = 0;
    for (const BulkItem<T>& item : m_task.items) {
      least = std::max(least, room_of(item));
      all += room_of(item);
    }
    std::uint64_t room_bytes = std::min(all, std::max(wanted, least));
    ListLaunch<ExecutionSpace, T> launch(exec_space, memory, m_task.kind, m_task.items.size(),
                                         plan_bulk(std::span(m_task.items)));
    const auto room = batch_room<ExecutionSpace>(memory, room_bytes, least, m_report.splits);
    m_report.batch_bytes = room_bytes;
    while (!m_task.items.empty()) {
      std::size_t count = 0;
      std::uint64_t used = 0;
      while (count < m_task.items.size() &&
             (count == 0 || used + room_of(m_task.items[count]) <= room_bytes))
        used += room_of(m_task.items[count++]);
      run_batch(exec_space, launch, room.view(), count);
      ++m_report.batches;
      m_task.items.erase(m_task.items.begin(),
                         m_task.items.begin() + static_cast<std::ptrdiff_t>(count));
      if (!m_task.offsets.empty())
        m_task.offsets.erase(m_task.offsets.begin(),
                             m_task.offsets.begin() + static_cast<std::ptrdiff_t>(count));
      if (m_results != nullptr) m_results += count;
    }
  }

  template <class ExecutionSpace, class View>
  void run_batch(const ExecutionSpace& exec_space, ListLaunch<ExecutionSpace, T>& launch,
                 const View& room, std::size_t count) {
    BatchCopies<ExecutionSpace> copies(exec_space, room);
    std::vector<BulkItem<T>> items(m_task.items.begin(),
                                   m_task.items.begin() + static_cast<std::ptrdiff_t>(count));
    for (BulkItem<T>& item : items) {
      const std::uint64_t bytes = item.count * sizeof(T);
      auto* copy = reinterpret_cast<T*>(copies.add(item.input, item.output, bytes));
      if (item.other != nullptr)
        item.other = reinterpret_cast<const T*>(copies.add(item.other, nullptr, bytes));
      item.input = copy;
      item.output = copy;
    }
    copies.upload_all();
    const std::size_t offsets = m_task.offsets.empty() ? 0 : count;
    launch.set(m_task, items, std::span(m_task.offsets).first(offsets));
    launch.run();
    if (m_results == nullptr) return copies.download_all();
    download(exec_space, m_results, launch.results().view(), count);
  }

  Context& m_context;
  BulkTask<T> m_task;
  BulkOptions m_options;
  double* m_results;
  BulkReport m_report;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_BULK_LIST_CALL_HPP
