// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/RelaxedAccess.hpp>
#include <kindred/core/graph/GivenRows.hpp>
#include <kindred/core/graph/impl/EdgeAccessors.hpp>
#include <kindred/core/graph/impl/GraphChecks.hpp>
#include <kindred/core/graph/impl/HopUpdate.hpp>
#include <kindred/core/graph/impl/ThreadRowSums.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/numeric/ReproducibleBlock.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace Kindred {

namespace {

constexpr std::uint64_t short_max = Impl::ThreadRowSums::short_max;
/// Rows whose offsets a work item checks.
constexpr std::size_t rows_together = 4096;

/// Checks the offsets of some rows, and lists the long ones in any order.
template <class Offset>
struct FindLongRows {
  using unsigned_type = std::make_unsigned_t<Offset>;

  const Offset* offsets;
  std::size_t rows;
  std::uint64_t edges;
  std::uint32_t* long_rows;
  std::uint32_t capacity;  ///< of `long_rows`: rows that are valid do not exceed it
  std::uint32_t* found;    ///< number of long rows
  std::uint32_t* invalid;  ///< 1: some offset is

  void operator()(std::size_t work_item) const {
    const std::size_t begin = work_item * rows_together;
    const std::size_t end = std::min(rows, begin + rows_together);
    const auto most = static_cast<unsigned_type>(edges);
    // The usual case, vectorised. Unsigned, a decrease is a large length, unless it leaves the
    // range of edges.
    unsigned_type unusual = 0;
    for (std::size_t row = begin; row < end; ++row) {
      const auto next = static_cast<unsigned_type>(offsets[row + 1]);
      const auto length =
          static_cast<unsigned_type>(next - static_cast<unsigned_type>(offsets[row]));
      unusual |= static_cast<unsigned_type>(next > most) |
                 static_cast<unsigned_type>(length > static_cast<unsigned_type>(short_max));
    }
    if (unusual == 0) return;
    for (std::size_t row = begin; row < end; ++row) {
      const auto next = static_cast<unsigned_type>(offsets[row + 1]);
      const auto first = static_cast<unsigned_type>(offsets[row]);
      if (next > most || next < first) return Arch::relaxed_store(invalid, 1);
      if (next - first <= short_max) continue;
      const std::uint32_t place = Kokkos::atomic_fetch_add(found, 1U);
      if (place < capacity) long_rows[place] = static_cast<std::uint32_t>(row);
    }
  }
};

/// Edges of a caller as `ThreadRowSums` reads them, which checks them first.
/// \tparam IsPlain the weights are float32
template <class Offset, bool IsPlain>
struct GivenEdges {
  static constexpr bool is_plain = IsPlain;
  static constexpr const std::uint32_t* kind_queries = nullptr;

  const Offset* offsets;
  const std::uint32_t* sources;
  const float* weights;
  const std::uint16_t* short_weights;
  std::uint32_t end_limit;

  KOKKOS_INLINE_FUNCTION std::size_t node_of(std::size_t row) const { return row; }
  KOKKOS_INLINE_FUNCTION bool is_replaced(std::size_t) const { return false; }
  KOKKOS_INLINE_FUNCTION float weight(std::uint64_t edge) const {
    return short_weights != nullptr ? Arch::to_float(Arch::BFloat16{short_weights[edge]}) : 1.0F;
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t queries(std::uint64_t) const { return 0xFFFFFFFFU; }

  /// Loops without branches, which are vectorised.
  KOKKOS_INLINE_FUNCTION bool are_valid(std::uint64_t first, std::uint32_t count) const {
    constexpr std::uint32_t magnitude = 0x7FFFFFFFU;
    constexpr std::uint32_t infinity = 0x7F800000U;
    const std::uint32_t* end = sources + first;
    std::uint32_t highest = 0;
    std::uint32_t largest = 0;
    if constexpr (IsPlain) {
      const float* weight = weights + first;
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t bits = Kokkos::bit_cast<std::uint32_t>(weight[i]) & magnitude;
        highest = highest < end[i] ? end[i] : highest;
        largest = largest < bits ? bits : largest;
      }
    } else {
      for (std::uint32_t i = 0; i < count; ++i) highest = highest < end[i] ? end[i] : highest;
      for (std::uint32_t i = 0; short_weights != nullptr && i < count; ++i) {
        const std::uint32_t bits = std::uint32_t{short_weights[first + i]} << 16U & magnitude;
        largest = largest < bits ? bits : largest;
      }
    }
    return (count == 0 || highest < end_limit) && largest < infinity;
  }
};

/// Stores the sum of a node.
struct StoreSum {
  float* y;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t node, double sum) const {
    y[node] = with_canonical_nan(static_cast<float>(sum));
  }
};

/// A work item is a block of a long row, or short rows with about `share` edges and rows.
template <class Edges>
struct HopGivenRows {
  Edges edges;
  Impl::LongRowTable long_rows;
  std::size_t rows;
  std::uint64_t share;
  const float* x;
  StoreSum store;
  double* partial;
  std::uint32_t* invalid;

  void operator()(std::size_t work_item) const {
    if (Arch::cached_load(invalid) != 0) return;
    const bool valid = work_item < long_rows.blocks ? sum_block(work_item)
                                                    : sum_rows(work_item - long_rows.blocks);
    if (!valid) Arch::relaxed_store(invalid, 1);
  }

 private:
  bool sum_block(std::size_t index) const {
    const Impl::RowBlock block = long_rows.block(edges, index);
    if (!edges.are_valid(block.begin, block.count)) return false;
    Impl::ThreadRowSums::block<1>(edges, block.begin, block.count, x,
                                  [&](unsigned, double sum) { partial[index] = sum; });
    return true;
  }
  bool sum_rows(std::size_t index) const {
    std::size_t row = row_at(index * share);
    const std::size_t end = row_at((index + 1) * share);
    const std::uint32_t* const last = long_rows.rows + long_rows.size;
    for (const std::uint32_t* next = std::lower_bound(long_rows.rows, last, row); row < end;) {
      const std::size_t stop = next != last && *next < end ? *next++ : end;
      if (row < stop && !Impl::ThreadRowSums::rows(row, stop, edges, x, store)) return false;
      row = stop + 1;
    }
    return true;
  }
  /// The first row that at least \p position edges and rows precede, or the number of rows.
  std::size_t row_at(std::uint64_t position) const {
    std::size_t begin = 0;
    for (std::size_t end = rows; begin < end;) {
      const std::size_t row = begin + (end - begin) / 2;
      const bool is_before = static_cast<std::uint64_t>(edges.offsets[row]) + row < position;
      (is_before ? begin : end) = is_before ? row + 1 : row;
    }
    return begin;
  }
};

template <class Edges>
bool run_hop(const HostSpace& exec_space, const Edges& edges, std::size_t rows, std::uint64_t count,
             const RowPlan& plan, const float* x, float* y, double* partial) {
  const Impl::LongRowTable long_rows{plan.long_rows.data(), plan.long_first.data(),
                                     plan.block_long_row.data(), plan.long_rows.size(),
                                     plan.block_long_row.size()};
  const std::uint64_t work = count + rows;
  const auto threads = static_cast<std::uint64_t>(std::max(1, Arch::concurrency(exec_space)));
  const std::uint64_t share =
      std::clamp<std::uint64_t>(work / (8 * threads), 2 * short_max, 16 * short_max);
  std::uint32_t invalid = 0;
  const StoreSum store{y};
  Launch::for_each_index<Launch::Dynamic>(
      exec_space, "Kindred::Graph::hop::given_rows", long_rows.blocks + quotient_up(work, share),
      HopGivenRows<Edges>{edges, long_rows, rows, share, x, store, partial, &invalid});
  Arch::fence(exec_space, "Kindred::Graph::hop::given_rows");
  if (invalid != 0) return false;
  Launch::for_each_index(
      exec_space, "Kindred::Graph::hop::given_long_rows", long_rows.size, [=](std::size_t i) {
        const double* blocks = partial + long_rows.first[i];
        store(long_rows.rows[i],
              Impl::pairwise_tree_sum(long_rows.first[i + 1] - long_rows.first[i],
                                      [&](std::uint64_t block) { return blocks[block]; }));
      });
  Arch::fence(exec_space, "Kindred::Graph::hop::given_long_rows");
  return true;
}

}  // namespace

template <class Offset>
bool plan_long_rows(const HostSpace& exec_space, const GivenRows<Offset>& rows, RowPlan& plan) {
  const Impl::ArgumentCheck check("plan_long_rows");
  check.has("rows.offsets", rows.offsets, 1);
  check.is_aligned("rows.ends", rows.ends);
  plan = {};
  const std::size_t count = rows.offsets.extent(0) - 1;
  const std::uint64_t edges = rows.ends.extent(0);
  const Offset* const offsets = rows.offsets.data();
  if (offsets[0] != 0 || offsets[count] < 0 || static_cast<std::uint64_t>(offsets[count]) != edges)
    return false;
  plan.long_rows.resize(std::min<std::uint64_t>(count, edges / short_max));
  const auto capacity = static_cast<std::uint32_t>(plan.long_rows.size());
  std::uint32_t found = 0;
  std::uint32_t invalid = 0;
  Launch::for_each_index(exec_space, "Kindred::Graph::hop::find_long_rows",
                         quotient_up(count, rows_together),
                         FindLongRows<Offset>{offsets, count, edges, plan.long_rows.data(),
                                              capacity, &found, &invalid});
  Arch::fence(exec_space, "Kindred::Graph::hop::find_long_rows");
  if (invalid != 0 || found > capacity) return false;
  plan.long_rows.resize(found);
  std::ranges::sort(plan.long_rows);
  for (std::uint32_t entry = 0; entry < found; ++entry) {
    const std::size_t row = plan.long_rows[entry];
    plan.add_blocks(entry, static_cast<std::uint64_t>(offsets[row + 1] - offsets[row]));
  }
  return true;
}

template <class Offset>
bool hop_given_rows(const HostSpace& exec_space, const GivenRows<Offset>& rows, const RowPlan& plan,
                    std::span<const float> x, std::span<float> y, std::span<double> partial) {
  const Impl::ArgumentCheck check("hop_given_rows");
  check.has("rows.offsets", rows.offsets, 1);
  check.is_aligned("rows.ends", rows.ends);
  check.has_if_given("rows.weights", rows.weights, rows.ends.size());
  check.has_if_given("rows.short_weights", rows.short_weights, rows.ends.size());
  check.is_at_least("the size of plan.long_first", plan.long_first.size(),
                    Impl::extent_sum(plan.long_rows.size(), 1));
  check.has("x", x, rows.end_limit);
  check.has("y", y, rows.offsets.size() - 1);
  check.has("partial", partial, plan.block_long_row.size());
  const std::size_t count = rows.offsets.extent(0) - 1;
  const std::uint64_t edges = rows.ends.extent(0);
  const auto run = [&](auto is_plain) {
    return run_hop(exec_space,
                   GivenEdges<Offset, decltype(is_plain)::value>{
                       rows.offsets.data(), rows.ends.data(), rows.weights.data(),
                       Impl::data_or_null(rows.short_weights), rows.end_limit},
                   count, edges, plan, x.data(), y.data(), partial.data());
  };
  // Without edges, there are no weights to tell the types apart, and nothing is read.
  const bool is_plain = rows.weights.extent(0) > 0 || edges == 0;
  return is_plain ? run(std::true_type{}) : run(std::false_type{});
}

#define KINDRED_INSTANTIATE(OFFSET)                                 \
  template decltype(plan_long_rows<OFFSET>) plan_long_rows<OFFSET>; \
  template decltype(hop_given_rows<OFFSET>) hop_given_rows<OFFSET>;
KINDRED_INSTANTIATE(std::int32_t)
KINDRED_INSTANTIATE(std::int64_t)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
