// SPDX-License-Identifier: Apache-2.0
#include "GivenRowCalls.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/launch/KernelCancel.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/select/impl/LeastKeys.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "BruteForceSearch.hpp"
#include "QuerySource.hpp"
#include "RowCopies.hpp"
#include "VectorSections.hpp"
#include "kit/CallerArrays.hpp"
#include "kit/ValueMessage.hpp"

namespace Kindred::Impl {

void check_rows(const VectorSpan& rows) {
  constexpr std::size_t dimension_max = 0xFFFFFFFFU;
  KINDRED_THROW_IF(rows.dimension == 0 || rows.dimension > dimension_max,
                   value_message("the dimension", rows.dimension) + "; it must be 1 … " +
                       std::to_string(dimension_max));
  check_sizes(rows);
  require_aligned("the array of rows", rows.values.data(), size_of(rows.element));
}

RowCall row_call(const VectorSpan& rows, std::optional<Space> space) {
  RowCall call;
  call.rows = rows.values.data();
  call.element = rows.element;
  call.scales = rows.scales.data();
  call.count = rows.count();
  call.dimension = rows.dimension;
  call.row_stride = rows.dimension;
  call.space = space;
  return call;
}

HostWorkers workers_for(const Context& context, std::optional<Space> space) {
  if (space && !context.is_usable(*space)) {
    throw SpaceUnavailable("space " + std::string(to_string(*space)) +
                           " cannot be used: " + context.info(*space).why_not);
  }
  const bool openmp =
      context.is_usable(Space::openmp) && space.value_or(Space::openmp) != Space::serial;
  return host_workers(context, openmp ? Space::openmp : Space::serial);
}

namespace {

/// \brief Memory of one call on the host: on the stack if it is small.
class HostWorkspace {
 public:
  using Allocator = BumpAllocator<HostSpace>;

  HostWorkspace(Context& context, std::size_t bytes) {
    if (bytes <= sizeof(m_own)) return;
    m_large = {context.memory(Space::serial), "Kindred::RowFunctions::workspace", bytes};
    m_allocator = Allocator(m_large.data());
  }
  HostWorkspace(const HostWorkspace&) = delete;
  HostWorkspace& operator=(const HostWorkspace&) = delete;

  Allocator& allocator() { return m_allocator; }

 private:
  // Not initialised.
  alignas(Allocator::alignment) std::byte m_own[24 * 1024];
  Buffer<std::byte, Kokkos::HostSpace> m_large;
  Allocator m_allocator{m_own};
};

/// Number of queries whose prepared form takes a few MiB.
std::size_t queries_together(const RowCall& call, std::size_t most) {
  constexpr std::size_t bytes = 8U << 20U;
  return std::clamp<std::size_t>(bytes / (sizeof(double) * call.dimension), 1,
                                 std::max<std::size_t>(most, 1));
}

VectorRows<HostSpace> host_rows(const RowCall& call) {
  VectorRows<HostSpace> rows;
  rows.values = ArrayView<const std::byte, HostSpace>(
      call.rows, call.count * call.row_stride * size_of(call.element));
  rows.element = call.element;
  rows.scales =
      ArrayView<const float, HostSpace>(call.scales, call.scales == nullptr ? 0 : call.count);
  rows.dimension = call.dimension;
  rows.stride = call.row_stride;
  return rows;
}

std::size_t prepared_query_bytes(const RowCall& call, std::size_t queries) {
  return BumpAllocator<HostSpace>::bytes<double>(queries * call.dimension) +
         BumpAllocator<HostSpace>::bytes<double>(queries);
}

/// Prepares the queries `first … first + count`.
VectorQueries<HostSpace> prepare(const RowCall& call, std::size_t first, std::size_t count,
                                 BumpAllocator<HostSpace>& allocator) {
  const auto wide = allocator.take<double>(count * call.dimension);
  const auto norms = allocator.take<double>(count);
  for (std::size_t query = 0; query < count; ++query) {
    prepare_queries_here(
        ArrayView<const float, HostSpace>(
            call.queries.values + (first + query) * call.queries.stride, call.dimension),
        call.dimension, ArrayView<double, HostSpace>(&wide(query * call.dimension), call.dimension),
        ArrayView<double, HostSpace>(&norms(query), 1));
  }
  VectorQueries<HostSpace> queries;
  queries.values = wide;
  queries.norms = norms;
  queries.count = count;
  return queries;
}

void score_on_host(Context& context, const RowCall& call, float* out, std::size_t stride) {
  const HostWorkers host = workers_for(context, call.space);
  const VectorRows<HostSpace> rows = host_rows(call);
  const std::size_t step = queries_together(call, call.queries.count);
  for (std::size_t first = 0; first < call.queries.count; first += step) {
    const std::size_t queries = std::min(step, call.queries.count - first);
    HostWorkspace workspace(context, prepared_query_bytes(call, queries));
    const VectorQueries<HostSpace> prepared = prepare(call, first, queries, workspace.allocator());
    const double nanoseconds = row_element_nanoseconds * static_cast<double>(call.dimension) *
                               static_cast<double>(queries);
    host.for_each_range(call.count, nanoseconds, [&](std::size_t begin, std::size_t end) {
      score_matrix_here(call.metric, call.curve, rows, begin, end, prepared,
                        out + first * stride + begin, {stride, {}});
    });
  }
}

/// \brief The best rows of some queries on the host. The rows are divided into ranges; each keeps
/// the best of its rows for every query, in a list that is cut to the best when it is full.
class HostRanking {
 public:
  static constexpr std::size_t queries_max = 64;

  HostRanking(const RowCall& call, std::size_t top, const HostWorkers& host)
      : m_call(call), m_host(host), m_top(std::min(top, call.count)) {
    const double all = row_element_nanoseconds * static_cast<double>(call.dimension) *
                       static_cast<double>(call.count) *
                       static_cast<double>(std::min(call.queries.count, queries_max));
    const std::size_t workers = useful_threads(host.count(), all);
    m_length = call.count;
    if (workers > 1) {
      m_length = std::max<std::size_t>(64, (call.count / (4 * workers) + 63) / 64 * 64);
    }
    m_ranges = quotient_up(call.count, m_length);
    m_capacity = std::min(m_length, 2 * m_top + 64);
  }

  /// Queries whose lists take a few MiB.
  std::size_t queries_at_once() const {
    constexpr std::size_t bytes = 8U << 20U;
    return std::clamp<std::size_t>(bytes / (sizeof(Rank) * m_ranges * m_capacity), 1,
                                   std::min(queries_max, queries_together(m_call, queries_max)));
  }
  std::size_t workspace_bytes(std::size_t queries) const {
    return BumpAllocator<HostSpace>::bytes<Rank>(queries * m_ranges * m_capacity) +
           BumpAllocator<HostSpace>::bytes<std::size_t>(queries * m_ranges);
  }

  /// Writes the best rows of \p queries, which begin with query \p first of the call.
  void rank(const VectorRows<HostSpace>& rows, const VectorQueries<HostSpace>& queries,
            std::size_t first, BumpAllocator<HostSpace>& allocator, const RankedOutput& out) {
    m_lists = allocator.take<Rank>(queries.count * m_ranges * m_capacity).data();
    m_sizes = allocator.take<std::size_t>(queries.count * m_ranges).data();
    const double nanoseconds = row_element_nanoseconds * static_cast<double>(m_call.dimension) *
                               static_cast<double>(queries.count) * static_cast<double>(m_length);
    m_host.for_each_item(m_ranges, 1, nanoseconds,
                         [&](std::size_t, std::size_t range) { rank_range(rows, queries, range); });
    constexpr double rank_nanoseconds = 10;
    m_host.for_each_item(
        queries.count, 1,
        rank_nanoseconds * static_cast<double>(std::min(m_call.count, m_ranges * m_top)),
        [&](std::size_t, std::size_t query) { write(query, first + query, out); });
  }

 private:
  Rank rank_of(float score, std::size_t row) const {
    const auto index = static_cast<std::uint32_t>(row);
    return m_call.metric == Metric::l2 ? rank_ascending(score, index)
                                       : rank_descending(score, index);
  }

  void rank_range(const VectorRows<HostSpace>& rows, const VectorQueries<HostSpace>& queries,
                  std::size_t range) {
    constexpr std::size_t together = 64;
    std::array<float, queries_max * together> scores;  // NOLINT: written before it is read
    std::array<LeastOfStream<Rank>, queries_max> lists{};
    for (std::size_t query = 0; query < queries.count; ++query)
      lists[query] = {m_lists + (query * m_ranges + range) * m_capacity, m_top};
    const std::size_t end = std::min(m_call.count, (range + 1) * m_length);
    for (std::size_t begin = range * m_length; begin < end; begin += together) {
      CancelPoint().check();
      const std::size_t length = std::min(together, end - begin);
      score_matrix_here(m_call.metric, {}, rows, begin, begin + length, queries, scores.data(),
                        {together, {}});
      for (std::size_t query = 0; query < queries.count; ++query) {
        for (std::size_t i = 0; i < length; ++i)
          lists[query].add(rank_of(scores[query * together + i], begin + i), m_capacity);
      }
    }
    for (std::size_t query = 0; query < queries.count; ++query) {
      lists[query].cut();
      m_sizes[query * m_ranges + range] = lists[query].size;
    }
  }

  void write(std::size_t query, std::size_t target, const RankedOutput& out) {
    Rank* list = m_lists + query * m_ranges * m_capacity;
    std::size_t size = m_sizes[query * m_ranges];
    for (std::size_t range = 1; range < m_ranges; ++range) {
      const Rank* part = list + range * m_capacity;
      const std::size_t length = m_sizes[query * m_ranges + range];
      std::copy(part, part + length, list + size);
      size += length;
    }
    size = least_keys(list, size, m_top, list);
    std::sort(list, list + size);
    for (std::size_t place = 0; place < out.top; ++place)
      out.write(m_call.metric, target, place, place < size ? list[place] : rank_none);
  }

  const RowCall& m_call;
  const HostWorkers& m_host;
  std::size_t m_top;
  std::size_t m_length = 0;  ///< rows per range
  std::size_t m_ranges = 0;
  std::size_t m_capacity = 0;
  Rank* m_lists = nullptr;  ///< queries × ranges × capacity
  std::size_t* m_sizes = nullptr;
};

void rank_on_host(Context& context, const RowCall& call, const RankedOutput& out) {
  const HostWorkers host = workers_for(context, call.space);
  if (call.count == 0) {
    for (std::size_t query = 0; query < call.queries.count; ++query)
      for (std::size_t place = 0; place < out.top; ++place)
        out.write(call.metric, query, place, rank_none);
    return;
  }
  const VectorRows<HostSpace> rows = host_rows(call);
  HostRanking ranking(call, out.top, host);
  const std::size_t step = ranking.queries_at_once();
  for (std::size_t first = 0; first < call.queries.count; first += step) {
    const std::size_t queries = std::min(step, call.queries.count - first);
    HostWorkspace workspace(context,
                            prepared_query_bytes(call, queries) + ranking.workspace_bytes(queries));
    const VectorQueries<HostSpace> prepared = prepare(call, first, queries, workspace.allocator());
    ranking.rank(rows, prepared, first, workspace.allocator(), out);
  }
}

constexpr const char* copy_label = "Kindred::RowFunctions::copy";

/// The rows and queries of a call on a device.
template <class ExecutionSpace>
class DeviceCall {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param has_norms whether the rows have norms, which only cosine computes
  DeviceCall(const ExecutionSpace& exec_space, MemoryResource& memory, const RowCall& call,
             bool has_norms)
      : m_values(memory, "Kindred::RowFunctions::rows",
                 call.on_device ? 0 : call.count * call.dimension * size_of(call.element)),
        m_scales(memory, "Kindred::RowFunctions::scales", call.scales == nullptr ? 0 : call.count),
        m_norms(memory, "Kindred::RowFunctions::norms", has_norms ? call.count : 0) {
    const std::size_t bytes = size_of(call.element);
    m_rows.element = call.element;
    m_rows.dimension = call.dimension;
    m_rows.stride = call.row_stride;
    if (call.on_device) {
      m_rows.values = ArrayView<const std::byte, ExecutionSpace>(
          call.rows, call.count * call.row_stride * bytes);
    } else {
      start_row_copies(exec_space, copy_label, m_values.data(), call.dimension * bytes, call.rows,
                       call.row_stride * bytes, call.count, call.dimension * bytes);
      start_row_copies(exec_space, copy_label, m_scales.data(), 1, call.scales, 1, m_scales.size(),
                       1);
      m_rows.values = m_values.const_view();
      m_rows.scales = m_scales.const_view();
      m_rows.stride = call.dimension;
    }
    if (has_norms) {
      if (call.metric == Metric::cosine) vector_norms(exec_space, m_rows, m_norms.view());
      m_rows.norms = m_norms.const_view();
    }
    m_buffers.bind(memory);
    m_queries = m_buffers.prepare(exec_space, call.queries, call.dimension, false);
  }

  const VectorRows<ExecutionSpace>& rows() const { return m_rows; }
  const VectorQueries<ExecutionSpace>& queries() const { return m_queries; }

 private:
  Buffer<std::byte, memory_space> m_values;
  Buffer<float, memory_space> m_scales;
  Buffer<double, memory_space> m_norms;
  VectorQueryBuffers<ExecutionSpace> m_buffers;
  VectorRows<ExecutionSpace> m_rows;
  VectorQueries<ExecutionSpace> m_queries;
};

/// Calls `body(exec_space, memory)` on the device.
template <class Body>
void on_device(Context& context, const Body& body) {
  with_instance(context, Space::cuda,
                [&](const auto& exec_space) { body(exec_space, context.memory(Space::cuda)); });
}

void score_on_device(Context& context, const RowCall& call, float* out, std::size_t stride) {
  on_device(context, [&](const auto& exec_space, MemoryResource& memory) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    using memory_space = typename execution_space::memory_space;
    const bool needs_norms = call.metric == Metric::cosine &&
                             score_matrix_reads_norms<execution_space>(call.queries.count);
    Buffer<float, memory_space> scores(memory, "Kindred::RowFunctions::scores",
                                       call.on_device ? 0 : call.queries.count * call.count);
    const DeviceCall<execution_space> device(exec_space, memory, call, needs_norms);
    const std::size_t own_stride = call.on_device ? stride : call.count;
    const ArrayView<float, execution_space> target(call.on_device ? out : scores.data(),
                                                   call.queries.count * own_stride);
    score_matrix(exec_space, call.metric, call.curve, device.rows(), call.count, device.queries(),
                 target, {own_stride, {}});
    if (!call.on_device) {
      start_row_copies(exec_space, copy_label, out, stride,
                       static_cast<const float*>(scores.data()), own_stride, call.queries.count,
                       call.count);
    }
    Arch::fence(exec_space, "Kindred::RowFunctions::end");
  });
}

void rank_on_device(Context& context, const RowCall& call, const RankedOutput& out) {
  on_device(context, [&](const auto& exec_space, MemoryResource& memory) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    using memory_space = typename execution_space::memory_space;
    const std::size_t top = std::min<std::size_t>(out.top, call.count);
    Buffer<Rank, memory_space> best(memory, "Kindred::RowFunctions::best",
                                    call.queries.count * top);
    BruteForceSearch<execution_space> search;
    search.bind(memory);
    const DeviceCall<execution_space> device(exec_space, memory, call, true);
    if (top > 0) {
      // Blocks of queries keep the ranks of a chunk of rows in a few MiB.
      constexpr std::size_t together = 1024;
      for (std::size_t first = 0; first < call.queries.count; first += together) {
        Arch::end_if_cancelled(exec_space);
        const std::size_t queries = std::min(together, call.queries.count - first);
        SearchReport report;
        search.search(exec_space, device.rows(), {},
                      part_of(device.queries(), call.dimension, first, queries), call.metric, top,
                      Kokkos::subview(best.view(), std::pair(first * top, (first + queries) * top)),
                      report);
      }
    }
    if (call.on_device) {
      unpack_ranks(exec_space, call.metric,
                   ArrayView<const Rank, execution_space>(best.const_view()), call.queries.count,
                   top, out);
      Arch::fence(exec_space, "Kindred::RowFunctions::end");
      return;
    }
    std::vector<Rank> ranks(best.size());
    download(exec_space, ranks.data(), best.view(), ranks.size());
    for (std::size_t query = 0; query < call.queries.count; ++query)
      for (std::size_t place = 0; place < out.top; ++place)
        out.write(call.metric, query, place, place < top ? ranks[query * top + place] : rank_none);
  });
}

bool runs_on_device(const Context& context, const RowCall& call) {
  if (!call.on_device && call.space != Space::cuda) return false;
  workers_for(context, Space::cuda);
  return true;
}

}  // namespace

void score_given_rows(Context& context, const RowCall& call, float* out, std::size_t stride) {
  if (runs_on_device(context, call)) {
    if (call.count > 0 && call.queries.count > 0) score_on_device(context, call, out, stride);
    return;
  }
  score_on_host(context, call, out, stride);
}

void rank_given_rows(Context& context, const RowCall& call, const RankedOutput& out) {
  if (runs_on_device(context, call)) {
    if (call.queries.count > 0) rank_on_device(context, call, out);
    return;
  }
  rank_on_host(context, call, out);
}

}  // namespace Kindred::Impl
