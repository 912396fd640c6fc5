// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_IMPL_REDUCE_KERNELS_HPP
#define KINDRED_CORE_BULK_IMPL_REDUCE_KERNELS_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/bulk/Reduce.hpp>
#include <kindred/core/bulk/impl/BulkLaunch.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// \brief Maps a number to an integer of the same order, NaN above all; for `min` the order is
/// reversed, so that both reductions are an integer maximum, whose result does not depend on the
/// order of evaluation.
template <class T, bool Least>
struct OrderKey {
  using type = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  static constexpr type not_a_number = sizeof(T) == 4 ? 0x7FFFFFFF : 0x7FFFFFFFFFFFFFFF;
  /// Less than the key of every number.
  static constexpr type none = -not_a_number - 1;

  KOKKOS_INLINE_FUNCTION static type of(T x) {
    const auto bits = Kokkos::bit_cast<type>(x);
    const type ordered = bits ^ ((bits >> (sizeof(T) * 8 - 1)) & not_a_number);
    const type key = Least ? ~ordered : ordered;
    return x != x ? not_a_number : key;
  }
  KOKKOS_INLINE_FUNCTION static T number(type key) {
    if (key == not_a_number) return canonical_nan<T>();
    const type ordered = Least ? ~key : key;
    return Kokkos::bit_cast<T>(ordered ^ ((ordered >> (sizeof(T) * 8 - 1)) & not_a_number));
  }
};

template <class T>
KOKKOS_INLINE_FUNCTION T greater_of(T a, T b) {
  return a > b ? a : b;
}

/// How the partial results of blocks are combined.
struct AddPartials {
  using partial_type = double;
  KOKKOS_INLINE_FUNCTION double operator()(double a, double b) const { return a + b; }
};
template <bool Least>
struct ExtremePartials {
  using partial_type = double;
  using Key = OrderKey<double, Least>;
  KOKKOS_INLINE_FUNCTION double operator()(double a, double b) const {
    return Key::number(greater_of(Key::of(a), Key::of(b)));
  }
};

/// A work item: the reproducible sum of the elements x of a chunk, which is one block. \tparam
/// Centred adds (x − mean)² instead of x
template <class ExecutionSpace, class T, bool Centred>
struct SumBlocks {
  BulkItems<T> items;
  const double* means;
  double* partials;

  /// \param lane on a device
  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t chunk, std::uint32_t lane) const {
    const BulkPart part = part_of(items, chunk);
    const double mean = Centred ? means[part.index] : 0.0;
    const double sum = block_sum(items[part.index].input + part.begin, part.count, lane, mean);
    if (lane == 0) partials[chunk] = sum;
  }

 private:
  KOKKOS_INLINE_FUNCTION static double term(T element, [[maybe_unused]] double mean) {
    const auto x = static_cast<double>(element);
    if constexpr (Centred) {
      const double difference = x - mean;
      return Arch::rounded_product(difference, difference);
    } else {
      return x;
    }
  }
  KOKKOS_INLINE_FUNCTION static double block_sum(const T* values, std::uint32_t length,
                                                 std::uint32_t lane, double mean) {
    const Arch::Lanes<ExecutionSpace> lanes(lane);
    auto sum = lanes.zero();
    const auto add = [&](int l) { lanes.of_lane(sum, l) += term(values[l], mean); };
    KINDRED_UNROLL_4
    for (; length >= 32; length -= 32, values += 32) lanes.for_each(32, add);
    lanes.for_each(static_cast<int>(length), add);
    return lanes.tree_sum(sum);
  }
};

/// A work item: the minimum or maximum of a chunk.
template <class ExecutionSpace, class T, bool Least>
struct ExtremeBlocks {
  using Key = OrderKey<T, Least>;
  using key_type = typename Key::type;
  BulkItems<T> items;
  double* partials;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t chunk, std::uint32_t lane) const {
    const BulkPart part = part_of(items, chunk);
    const T* values = items[part.index].input + part.begin;
    key_type greatest = Key::none;
    KINDRED_UNROLL_4
    for (std::uint32_t i = lane; i < part.count; i += Arch::Warp<ExecutionSpace>::lanes)
      greatest = greater_of(greatest, Key::of(values[i]));
    greatest = Arch::Warp<ExecutionSpace>::max(greatest);
    if (lane == 0) partials[chunk] = static_cast<double>(Key::number(greatest));
  }
};

/// The chunks of a device. \see for_each_block
template <class ExecutionSpace, class Body>
struct BlockKernel {
  Body body;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>&,
                                         std::uint64_t chunk) const {
    body(chunk, Arch::Warp<ExecutionSpace>::lane());
  }
};

/// Runs `body(chunk, lane)` for the chunks below \p chunks: on a device, in the lanes of a warp
/// each.
template <class ExecutionSpace, class Body>
void for_each_block(const ExecutionSpace& exec_space, const char* label, std::uint64_t chunks,
                    const Body& body) {
  if constexpr (Arch::is_device<ExecutionSpace>) {
    Launch::for_each_warp(exec_space, label, chunks, BlockKernel<ExecutionSpace, Body>{body});
  } else {
    // A team of Kokkos for each chunk would cost a host some percent.
    Launch::for_each_index<Launch::Coarse>(exec_space, label, chunks,
                                           [=](std::uint64_t chunk) { body(chunk, 0); });
  }
}

/// The result computed from the last remaining partial result.
struct EndNumber {
  using result_type = double;
  Reduction reduction;

  KOKKOS_INLINE_FUNCTION double operator()(double value, std::uint64_t count) const {
    const auto elements = static_cast<double>(count);
    if (reduction == Reduction::mean) value = value / elements;
    if (reduction == Reduction::deviation) value = Kokkos::sqrt(value / elements);
    return with_canonical_nan(value);
  }
};

/// Combines the partial results of each item in place by a pairwise tree reduction. \tparam Team
/// one device team per item, for long ones; otherwise one index
template <class ExecutionSpace, class T, class Join, class End, bool Team>
struct EndReductions {
  using partial_type = typename Join::partial_type;
  End end;
  BulkItems<T> items;
  partial_type* partials;
  typename End::result_type* results;

  static constexpr unsigned threads_max = Team ? 512 : 0;
  static constexpr unsigned teams_at_once = Team ? 1 : 0;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const requires(!Team) {
    join(index, 0, 1, [] {});
  }
  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member) const
      requires(Team) {
    join(static_cast<std::uint64_t>(member.league_rank()),
         static_cast<std::uint64_t>(member.team_rank()),
         static_cast<std::uint64_t>(member.team_size()), [&] { member.team_barrier(); });
  }

 private:
  template <class Wait>
  KOKKOS_INLINE_FUNCTION void join(std::uint64_t index, std::uint64_t thread, std::uint64_t threads,
                                   const Wait& wait) const {
    const BulkItem<T> item = items[index];
    const std::uint64_t blocks = quotient_up(item.count, bulk_chunk<T>);
    partial_type* own = partials + item.first_chunk;
    std::uint64_t half = 1;
    while (half < blocks) half *= 2;
    for (half /= 2; half > 0; half /= 2) {
      KINDRED_UNROLL_4
      for (std::uint64_t i = thread; i < half; i += threads) {
        if (i + half < blocks) own[i] = Join()(own[i], own[i + half]);
      }
      wait();
    }
    if (thread == 0) results[index] = end(blocks == 0 ? partial_type{} : own[0], item.count);
  }
};

/// Launches `EndReductions`.
template <class Join, class ExecutionSpace, class T, class End>
void end_reductions(const ExecutionSpace& exec_space, const BulkPlan& plan, const End& end,
                    const BulkItems<T>& items, typename Join::partial_type* partials,
                    typename End::result_type* results) {
  constexpr const char* label = "Kindred::Bulk::reduce::ends";
  // Number of partial results of an item from which on a device team combines them.
  constexpr std::uint64_t team_partials = 64;
  if constexpr (Arch::is_device<ExecutionSpace>) {
    if (plan.chunks >= team_partials * items.count) {
      using kernel_type = EndReductions<ExecutionSpace, T, Join, End, true>;
      Launch::for_each_team(exec_space, label,
                            {.count = items.count, .size = kernel_type::threads_max, .lanes = 1},
                            kernel_type{end, items, partials, results});
      return;
    }
  }
  Launch::for_each_index(
      exec_space, label, items.count,
      EndReductions<ExecutionSpace, T, Join, End, false>{end, items, partials, results});
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_BULK_IMPL_REDUCE_KERNELS_HPP
