// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_SPECIAL_ROW_STREAMS_HPP
#define KINDRED_CORE_GRAPH_SPECIAL_ROW_STREAMS_HPP

/// \file
/// A special form for CUDA: 1.4 × on `hop-32q`, 2026-11-21, H200. \see SpecialForms.hpp

#include <kindred/core/arch/AsyncCopy.hpp>
#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/arch/launch/Warp.hpp>
#include <kindred/core/graph/impl/AddTerm.hpp>
#include <kindred/core/graph/impl/EdgeAccessors.hpp>
#include <kindred/core/graph/impl/HopUpdate.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// \brief Device: up to 32 adjacent edges and the values of their sources, one *line* per edge, in
/// a warp's scratch: one batch is summed while the next is being copied.
///
/// Copies are asynchronous, so that the amount in flight is limited by scratch instead of
/// registers. Random lines arrive at the memory's full bandwidth only if megabytes of them are in
/// flight.
template <int Width, class Edges, class X>
class LineBatches {
  using warp = Arch::Warp<DeviceSpace>;

 public:
  static constexpr unsigned length = 32;
  /// Per team, whose batches fit the scratch of every device.
  static constexpr unsigned threads = Width * sizeof(X) > 128 ? 64 : 128;
  static constexpr unsigned scratch_bytes =
      2 * length * (Width * sizeof(X) + sizeof(double) + (Edges::is_plain ? 0 : sizeof(unsigned)));

  /// An edge, held by a lane.
  struct Own {
    std::uint32_t source = 0;
    float weight = 0;
    std::uint32_t queries = 0;
  };
  /// Access to a batch that has arrived.
  struct Lines {
    const X* values;
    const double* weights;
    const std::uint32_t* queries;

    /// The term of edge \p i for \p query.
    KOKKOS_INLINE_FUNCTION double term(unsigned i, unsigned query) const {
      return Arch::rounded_product(value(i, query), weights[i]);
    }
    /// \p sum and the term, whose product is exact, so that it may be fused, unless x is a double.
    KOKKOS_INLINE_FUNCTION double add(double sum, unsigned i, unsigned query) const {
      if constexpr (std::is_same_v<X, double>)
        return sum + term(i, query);
      else
        return ::fma(value(i, query), weights[i], sum);
    }

   private:
    KOKKOS_INLINE_FUNCTION double value(unsigned i, unsigned query) const {
      if (!Edges::is_plain && (queries[i] >> query & 1U) == 0) return 0.0;
      const X own = values[i * Width + query];
      if constexpr (std::is_same_v<X, double>)
        return own;
      else
        return static_cast<double>(Arch::to_float(own));
    }
  };

  KOKKOS_INLINE_FUNCTION LineBatches(const Arch::Team& team, const Edges& edges, const X* x,
                                     std::byte* scratch)
      : m_edges(edges),
        m_x(x),
        m_lane(team.thread() % 32),
        m_scratch(scratch + team.thread() / 32 * scratch_bytes) {}

  /// Loads the edges `begin … begin + count`.
  KOKKOS_INLINE_FUNCTION Own fetch(std::uint64_t begin, unsigned count) const {
    Own own;
    if (m_lane >= count) return own;
    own.source = m_edges.sources[begin + m_lane];
    own.weight = m_edges.weight(begin + m_lane);
    if constexpr (!Edges::is_plain) own.queries = m_edges.queries(begin + m_lane);
    return own;
  }
  /// Starts copying the lines of \p count edges from `fetch` as batch \p index.
  KOKKOS_INLINE_FUNCTION void ask(const Own& own, unsigned count, unsigned index) const {
    const Lines to = lines(index);
    if (m_lane < count) {
      const_cast<double*>(to.weights)[m_lane] = static_cast<double>(own.weight);
      if constexpr (!Edges::is_plain) const_cast<std::uint32_t*>(to.queries)[m_lane] = own.queries;
    }
    using Piece = Arch::Adjacent<std::uint32_t, 4>;
    constexpr unsigned copiers = Width * sizeof(X) / sizeof(Piece);  // threads per line
    constexpr unsigned at_once = 32 / copiers;
    const unsigned part = m_lane % copiers * (sizeof(Piece) / sizeof(X));
    X* place = const_cast<X*>(to.values) + m_lane / copiers * Width + part;
    const X* x = m_x + part;
    KINDRED_UNROLL
    for (unsigned first = 0; first < length; first += at_once) {
      const unsigned edge = first + m_lane / copiers;
      const std::size_t source = warp::of_lane(own.source, edge);
      if (edge < count)
        Arch::copy_async(reinterpret_cast<Piece*>(place + first * Width), x + source * Width);
    }
    Arch::end_copy_batch();
  }
  /// Waits for all batches except the last one started.
  KOKKOS_INLINE_FUNCTION void await() const {
    Arch::await_copies<1>();
    warp::barrier();
  }
  /// All lanes have read the batch whose memory will be overwritten.
  KOKKOS_INLINE_FUNCTION void release() const { warp::barrier(); }
  KOKKOS_INLINE_FUNCTION Lines lines(unsigned index) const {
    std::byte* at = m_scratch + index % 2 * (scratch_bytes / 2);
    auto* values = reinterpret_cast<X*>(at);
    auto* weights = reinterpret_cast<double*>(values + length * Width);
    return {values, weights, reinterpret_cast<std::uint32_t*>(weights + length)};
  }

 private:
  const Edges& m_edges;
  const X* m_x;
  unsigned m_lane;
  std::byte* m_scratch;
};

/// Device: short rows, 31 adjacent rows per warp, `32 / Width` at a time; one thread per query.
template <int Width, class Edges, class X, class Update>
struct StreamShortRows {
  using batches_type = LineBatches<Width, Edges, X>;
  using warp = Arch::Warp<DeviceSpace>;
  static constexpr unsigned threads_max = batches_type::threads;
  static constexpr unsigned teams_at_once = Width * sizeof(X) >= 128 ? 6 : 8;
  static constexpr std::size_t scratch_bytes = threads_max / 32 * batches_type::scratch_bytes;
  static constexpr unsigned rows_per_work_item = 31;

  Edges edges;
  const X* x;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(const Arch::Team& team, std::byte* scratch) const {
    const std::size_t work_item =
        std::size_t{team.team()} * (threads_max / 32) + team.thread() / 32;
    const std::size_t first = work_item * rows_per_work_item;
    if (first >= edges.rows || !update.is_needed()) return;
    const Visitor<Update> visitor(update, work_item);
    const batches_type batches(team, edges, x, scratch);
    const Rows rows(edges, first);
    Batch now = rows.batch(0);
    auto own = batches.fetch(now.begin, now.count);
    batches.ask(own, now.count, 0);
    Batch next = rows.batch(now.end_row);
    own = batches.fetch(next.begin, next.count);
    for (unsigned index = 0; now.row < now.end_row; ++index) {
      batches.ask(own, next.count, index + 1);
      const Batch then = rows.batch(next.end_row);
      own = batches.fetch(then.begin, then.count);
      sum(batches, rows, now, index, visitor);
      now = next;
      next = then;
    }
    visitor.end();
  }

 private:
  static constexpr unsigned at_once = 32 / Width;  // rows

  /// Adjacent rows whose edges fit a batch.
  struct Batch {
    std::uint64_t begin = 0;
    unsigned count = 0;
    unsigned row = 0;
    unsigned end_row = 0;
  };
  /// The rows of a work item, one per lane.
  struct Rows {
    std::size_t first;
    std::uint64_t own_begin;
    std::uint64_t own_end;
    bool is_summed;

    KOKKOS_INLINE_FUNCTION Rows(const Edges& edges, std::size_t first_row) : first(first_row) {
      const unsigned lane = warp::lane();
      const std::size_t row = first + lane;
      own_begin = edges.offsets[row < edges.rows ? row : edges.rows];
      own_end = warp::of_next_lane(own_begin);
      is_summed = lane < rows_per_work_item && row < edges.rows &&
                  own_end - own_begin <= batches_type::length && !edges.is_replaced(row);
    }
    /// The next rows to be summed.
    KOKKOS_INLINE_FUNCTION Batch batch(unsigned from) const {
      Batch batch;
      batch.row = batch.end_row = rows_per_work_item;
      const unsigned left = warp::ballot(is_summed) >> from << from;
      if (left == 0) return batch;
      batch.row = static_cast<unsigned>(Kokkos::countr_zero(left));
      batch.begin = warp::of_lane(own_begin, batch.row);
      const unsigned fit = warp::ballot(is_summed && own_end - batch.begin <= batches_type::length);
      batch.end_row = batch.row + static_cast<unsigned>(Kokkos::countr_one(fit >> batch.row));
      batch.count = static_cast<unsigned>(warp::of_lane(own_end, batch.end_row - 1) - batch.begin);
      return batch;
    }
  };

  template <class Visit>
  KOKKOS_INLINE_FUNCTION void sum(const batches_type& batches, const Rows& rows, const Batch& batch,
                                  unsigned index, const Visit& visit) const {
    const unsigned query = warp::lane() % Width;
    const unsigned own_row = warp::lane() / Width;
    const auto own_begin = static_cast<unsigned>(rows.own_begin - batch.begin);
    const auto own_end = static_cast<unsigned>(rows.own_end - batch.begin);
    const auto place_of = [&](unsigned row) {
      return std::size_t{edges.node_of(rows.first + (row < batch.end_row ? row : batch.row))} *
                 Width +
             query;
    };
    std::size_t place = place_of(batch.row + own_row);
    auto held = visit.ask(place);
    batches.await();
    for (unsigned row = batch.row; row < batch.end_row; row += at_once) {
      const bool is_row = at_once == 1 || row + own_row < batch.end_row;
      const unsigned of = row + own_row < 31 ? row + own_row : 31;
      const unsigned begin = warp::of_lane(own_begin, of);
      const unsigned end = warp::of_lane(own_end, of);
      const unsigned count = is_row ? end - begin : 0;
      const std::size_t to = place;
      const auto now = held;
      if (row + at_once < batch.end_row) {
        place = place_of(row + at_once + own_row);
        held = visit.ask(place);
      }
      const double sum = row_sum({batches.lines(index), begin, count, query});
      if (is_row) visit(to, sum + 0.0, now);  // a sum is never −0
    }
    batches.release();
  }

  /// The edges of a row, for one query.
  struct Terms {
    typename batches_type::Lines lines;
    unsigned begin;
    unsigned count;
    unsigned query;

    KOKKOS_INLINE_FUNCTION double first(unsigned i) const {
      return i < count ? lines.term(begin + i, query) : 0.0;
    }
    KOKKOS_INLINE_FUNCTION double add(double sum, unsigned i) const {
      return i < count ? lines.add(sum, begin + i, query) : sum;
    }
  };
  KOKKOS_INLINE_FUNCTION static double row_sum(const Terms& terms) {
    const auto exceeds = [&](unsigned limit) {
      return at_once == 1 ? terms.count > limit : warp::any(terms.count > limit);
    };
    if (!exceeds(8)) return sum_of_terms<8>(terms);
    if (!exceeds(12)) return sum_of_terms<12>(terms);
    if (!exceeds(16)) return sum_of_terms<16>(terms);
    return sum_of_terms<32>(terms);
  }
};

/// Device: the blocks of long rows, one warp each; a thread handles one query and every `32 /
/// Width`-th lane of its reproducible sum. A row that consists of one block is then complete.
template <int Width, class Edges, class X, class Update>
struct StreamBlocks {
  using batches_type = LineBatches<Width, Edges, X>;
  using warp = Arch::Warp<DeviceSpace>;
  static constexpr unsigned threads_max = batches_type::threads;
  static constexpr unsigned teams_at_once = Width == 32 ? 4 : 6;
  static constexpr std::size_t scratch_bytes = threads_max / 32 * batches_type::scratch_bytes;

  Edges edges;
  LongRowTable long_rows;
  const X* x;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(const Arch::Team& team, std::byte* scratch) const {
    const std::size_t index = std::size_t{team.team()} * (threads_max / 32) + team.thread() / 32;
    if (index >= long_rows.blocks || !update.is_needed()) return;
    const RowBlock block = long_rows.block(edges, index);
    if (edges.is_replaced(block.row)) return;
    const double sum = block_sum(batches_type(team, edges, x, scratch), block.begin, block.count);
    if (warp::lane() >= Width) return;
    const unsigned query = warp::lane() % Width;
    if (block.is_whole) {
      const Visitor<Update> visitor(update, index);
      const std::size_t place = std::size_t{edges.node_of(block.row)} * Width + query;
      visitor(place, sum);
      visitor.end();
    } else {
      update.partial()[index * Width + query] = sum;
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION static double block_sum(const batches_type& batches, std::uint64_t begin,
                                                 unsigned count) {
    constexpr unsigned length = batches_type::length;
    constexpr unsigned groups = 32 / Width;
    constexpr unsigned slots = 32 / groups;
    const unsigned query = warp::lane() % Width;
    const unsigned group = warp::lane() / Width;
    const auto length_at = [&](unsigned at) {
      return at >= count ? 0 : count - at < length ? count - at : length;
    };
    auto own = batches.fetch(begin, length_at(0));
    batches.ask(own, length_at(0), 0);
    own = batches.fetch(begin + length, length_at(length));
    double lanes[slots] = {};
    unsigned index = 0;
    for (unsigned at = 0; at < count; at += length, ++index) {
      batches.ask(own, length_at(at + length), index + 1);
      own = batches.fetch(begin + at + 2 * length, length_at(at + 2 * length));
      batches.await();
      const auto lines = batches.lines(index);
      const unsigned here = length_at(at);
      const auto add = [&](unsigned slot) {
        const unsigned i = group + groups * slot;
        lanes[slot] = lines.add(lanes[slot], i, query);
      };
      if (here == length) {
        KINDRED_UNROLL
        for (unsigned slot = 0; slot < slots; ++slot) add(slot);
      } else {
        KINDRED_UNROLL
        for (unsigned slot = 0; slot < slots; ++slot) {
          if (group + groups * slot < here) add(slot);
        }
      }
      batches.release();
    }
    double sum = tree(lanes);
    KINDRED_UNROLL
    for (unsigned mask = 16; mask >= Width; mask /= 2) sum += warp::exchange(sum, mask);
    return sum;
  }
  template <unsigned Count>
  KOKKOS_INLINE_FUNCTION static double tree(const double (&lanes)[Count]) {
    if constexpr (Count == 1) {
      return lanes[0];
    } else {
      double halves[Count / 2];
      KINDRED_UNROLL
      for (unsigned i = 0; i < Count / 2; ++i) halves[i] = lanes[i] + lanes[i + Count / 2];
      return tree(halves);
    }
  }
};

/// Sums short rows. Does not fence.
template <int Width, class ExecutionSpace, class Edges, class X, class Update>
void stream_short_rows(const ExecutionSpace& exec_space, const char* label, const Edges& edges,
                       const X* x, const Update& update) {
  using kernel = StreamShortRows<Width, Edges, X, Update>;
  constexpr std::size_t rows = kernel::rows_per_work_item * (kernel::threads_max / 32);
  Arch::launch(exec_space,
               {.label = label,
                .groups = quotient_up(edges.rows, rows),
                .scratch_bytes = kernel::scratch_bytes},
               kernel{edges, x, update});
}
/// Sums the blocks of long rows. Does not fence.
template <int Width, class ExecutionSpace, class Edges, class X, class Update>
void stream_blocks(const ExecutionSpace& exec_space, const char* label, const Edges& edges,
                   const LongRowTable& long_rows, const X* x, const Update& update) {
  using kernel = StreamBlocks<Width, Edges, X, Update>;
  constexpr std::size_t work_items = kernel::threads_max / 32;
  Arch::launch(exec_space,
               {.label = label,
                .groups = quotient_up(long_rows.blocks, work_items),
                .scratch_bytes = kernel::scratch_bytes},
               kernel{edges, long_rows, x, update});
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_SPECIAL_ROW_STREAMS_HPP
