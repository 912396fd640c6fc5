// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/ReduceIntegers.hpp>

#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/bulk/impl/ReduceKernels.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace Kindred {

namespace Impl {

KOKKOS_INLINE_FUNCTION WideInteger sum_of(const WideInteger& a, const WideInteger& b) {
  const std::uint64_t low = a.low + b.low;
  return {low, a.high + b.high + (low < a.low ? 1U : 0U)};
}
KOKKOS_INLINE_FUNCTION WideInteger negated(const WideInteger& a) {
  return sum_of({~a.low, ~a.high}, {1, 0});
}

/// \brief The double nearest to value / count, ties to even. \param value its magnitude is at most
/// count · 2⁶⁴ \param count 1 … 2⁵³
KOKKOS_INLINE_FUNCTION double rounded_mean(WideInteger value, std::uint64_t count, bool is_signed) {
  const bool is_negative = is_signed && value.high >> 63U != 0;
  if (is_negative) value = negated(value);
  constexpr std::uint64_t exact = std::uint64_t{1} << 53U;
  double mean = 0.0;
  if (value.high == 0 && value.low <= exact) {
    mean = static_cast<double>(value.low) / static_cast<double>(count);
  } else {
    // Long division, bit by bit: the remainder of the upper half is below the count, because the
    // quotient has 64 bits.
    std::uint64_t remainder = value.high;
    std::uint64_t quotient = 0;
    const auto next_bit = [&](std::uint64_t bit) {
      remainder = remainder << 1U | bit;
      quotient <<= 1U;
      if (remainder >= count) {
        remainder -= count;
        quotient |= 1U;
      }
    };
    for (int bit = 63; bit >= 0; --bit) next_bit(value.low >> static_cast<unsigned>(bit) & 1U);
    // More bits, until one is below the rounding bit of a double; the rest is in the lowest one.
    double unit = 1.0;
    while (quotient >> 54U == 0) {
      next_bit(0);
      unit *= 0.5;
    }
    if (remainder != 0) quotient |= 1U;
    mean = static_cast<double>(quotient) * unit;
  }
  return is_negative ? -mean : mean;
}

/// How the partial results of blocks are combined.
struct AddWide {
  using partial_type = WideInteger;
  KOKKOS_INLINE_FUNCTION WideInteger operator()(const WideInteger& a, const WideInteger& b) const {
    return sum_of(a, b);
  }
};
template <bool Signed, bool Least>
struct ExtremeWide {
  using partial_type = WideInteger;
  using key_type = std::conditional_t<Signed, std::int64_t, std::uint64_t>;
  KOKKOS_INLINE_FUNCTION WideInteger operator()(const WideInteger& a, const WideInteger& b) const {
    const bool is_greater = static_cast<key_type>(a.low) > static_cast<key_type>(b.low);
    return is_greater != Least ? a : b;
  }
};

/// The result computed from the last remaining partial result.
template <bool Signed>
struct EndInteger {
  using result_type = std::uint64_t;
  Reduction reduction;

  KOKKOS_INLINE_FUNCTION std::uint64_t operator()(const WideInteger& value,
                                                  std::uint64_t count) const {
    if (reduction == Reduction::mean)
      return Kokkos::bit_cast<std::uint64_t>(rounded_mean(value, count, Signed));
    return value.low;
  }
};

/// \brief Calls `take(element)` for the elements of a block that belong to the lane, on a device
/// sixteen bytes at a time where they are aligned. The order is not defined.
template <class ExecutionSpace, class T, class Take>
KOKKOS_INLINE_FUNCTION void for_each_element(const T* values, std::uint32_t length,
                                             std::uint32_t lane, const Take& take) {
  constexpr unsigned lanes = Arch::Warp<ExecutionSpace>::lanes;
  constexpr int width = lanes == 1 ? 1 : 16 / sizeof(T);
  using Pack = Arch::Adjacent<T, width>;
  std::uint32_t begin = 0;
  if (width > 1 && begin_at(16, values)) {
    const auto* packs = reinterpret_cast<const Pack*>(values);
    const std::uint32_t whole = length / width;
    KINDRED_UNROLL_4
    for (std::uint32_t i = lane; i < whole; i += lanes) {
      const Pack some = packs[i];
      KINDRED_UNROLL
      for (int e = 0; e < width; ++e) take(some.value[e]);
    }
    begin = whole * width;
  }
  for (std::uint32_t i = begin + lane; i < length; i += lanes) take(values[i]);
}

/// A work item: the sum of a chunk, modulo 2⁶⁴ for elements of 64 bits, otherwise exact.
template <class ExecutionSpace, class T>
struct IntegerSumBlocks {
  // The sum of a chunk of narrow elements fits into 32 bits.
  using sum_type = std::conditional_t<sizeof(T) <= 2, std::int32_t, std::uint64_t>;
  BulkItems<T> items;
  WideInteger* partials;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t chunk, std::uint32_t lane) const {
    const BulkPart part = part_of(items, chunk);
    sum_type sum = 0;
    for_each_element<ExecutionSpace>(items[part.index].input + part.begin, part.count, lane,
                                     [&](T x) { sum += static_cast<sum_type>(x); });
    sum = Arch::Warp<ExecutionSpace>::sum(sum);
    const auto all = static_cast<std::uint64_t>(static_cast<std::int64_t>(sum));
    const bool is_negative = std::is_signed_v<T> && all >> 63U != 0;
    if (lane == 0) partials[chunk] = {all, is_negative ? ~std::uint64_t{0} : 0};
  }
};

/// A work item: the exact sum of a chunk of 64-bit elements.
template <class ExecutionSpace, class T>
struct ExactSumBlocks {
  BulkItems<T> items;
  WideInteger* partials;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t chunk, std::uint32_t lane) const {
    // Signed elements are moved to 0 … 2⁶⁴ − 1, so that both halves are unsigned.
    constexpr std::uint64_t offset = std::is_signed_v<T> ? std::uint64_t{1} << 63U : 0;
    const BulkPart part = part_of(items, chunk);
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    for_each_element<ExecutionSpace>(
        items[part.index].input + part.begin, part.count, lane, [&](T x) {
          const std::uint64_t moved = static_cast<std::uint64_t>(x) ^ offset;
          low += moved & 0xFFFFFFFFU;
          high += moved >> 32U;
        });
    low = Arch::Warp<ExecutionSpace>::sum(low);
    high = Arch::Warp<ExecutionSpace>::sum(high);
    if (lane != 0) return;
    WideInteger sum = sum_of({low, 0}, {high << 32U, high >> 32U});
    if constexpr (std::is_signed_v<T>) {
      const std::uint64_t count = part.count;
      sum = sum_of(sum, negated({count << 63U, count >> 1U}));
    }
    partials[chunk] = sum;
  }
};

/// A work item: the maximum of a chunk; for the minimum, that of the complements of its elements.
template <class ExecutionSpace, class T, bool Least>
struct IntegerExtremeBlocks {
  using key_type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  BulkItems<T> items;
  WideInteger* partials;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t chunk, std::uint32_t lane) const {
    const BulkPart part = part_of(items, chunk);
    constexpr T none = std::numeric_limits<T>::min();
    T greatest = none;
    for_each_element<ExecutionSpace>(items[part.index].input + part.begin, part.count, lane,
                                     [&](T x) {
                                       const T key = Least ? static_cast<T>(~x) : x;
                                       greatest = greater_of(greatest, key);
                                     });
    const key_type all = Arch::Warp<ExecutionSpace>::max(static_cast<key_type>(greatest));
    const T extreme = static_cast<T>(Least ? ~all : all);
    if (lane == 0) partials[chunk] = {static_cast<std::uint64_t>(extreme), 0};
  }
};

}  // namespace Impl

template <class ExecutionSpace, class T>
void reduce_integers(const ExecutionSpace& exec_space, const BulkPlan& plan, Reduction reduction,
                     const BulkItems<T>& items,
                     const ArrayView<WideInteger, ExecutionSpace>& partials,
                     const ArrayView<std::uint64_t, ExecutionSpace>& results) {
  const Impl::ArgumentCheck check("reduce_integers");
  Impl::check_items(check, plan, items, true, false);
  check.has("partials", partials, plan.chunks);
  check.has("results", results, items.count);
  if (items.count == 0) return;
  const auto blocks = [&](const char* label, const auto& body) {
    Impl::for_each_block(exec_space, label, plan.chunks, body);
  };
  const auto end = [&](auto join) {
    Impl::end_reductions<decltype(join)>(exec_space, plan,
                                         Impl::EndInteger<std::is_signed_v<T>>{reduction}, items,
                                         partials.data(), results.data());
  };
  switch (reduction) {
    case Reduction::mean:
      if constexpr (sizeof(T) == 8) {
        blocks("Kindred::Bulk::reduce::exact_sums",
               Impl::ExactSumBlocks<ExecutionSpace, T>{items, partials.data()});
        return end(Impl::AddWide());
      }
      [[fallthrough]];
    case Reduction::sum:
      blocks("Kindred::Bulk::reduce::integer_sums",
             Impl::IntegerSumBlocks<ExecutionSpace, T>{items, partials.data()});
      return end(Impl::AddWide());
    case Reduction::min:
      blocks("Kindred::Bulk::reduce::least_integers",
             Impl::IntegerExtremeBlocks<ExecutionSpace, T, true>{items, partials.data()});
      return end(Impl::ExtremeWide<std::is_signed_v<T>, true>());
    case Reduction::max:
      blocks("Kindred::Bulk::reduce::greatest_integers",
             Impl::IntegerExtremeBlocks<ExecutionSpace, T, false>{items, partials.data()});
      return end(Impl::ExtremeWide<std::is_signed_v<T>, false>());
    case Reduction::deviation:
      return;
  }
}

namespace {

struct StoreResults {
  const std::uint64_t* results;
  DataType type;
  std::size_t bytes;
  void* to;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t i) const {
    store_result(results[i], type, bytes, to, i);
  }
};

}  // namespace

template <class ExecutionSpace>
void store_results(const ExecutionSpace& exec_space,
                   const ArrayView<const std::uint64_t, ExecutionSpace>& results, DataType type,
                   void* to) {
  const Impl::ArgumentCheck check("store_results");
  check.is_aligned("results", results);
  check.is_array("to", to, results.size(), size_of(type));
  if (results.size() == 0) return;
  Launch::for_each_index(exec_space, "Kindred::Bulk::reduce::store", results.size(),
                         StoreResults{results.data(), type, size_of(type), to});
}

KINDRED_INSTANTIATE_FOR_SPACES(store_results);
KINDRED_INSTANTIATE_FOR_SPACES(reduce_integers, std::int8_t);
KINDRED_INSTANTIATE_FOR_SPACES(reduce_integers, std::int16_t);
KINDRED_INSTANTIATE_FOR_SPACES(reduce_integers, std::int32_t);
KINDRED_INSTANTIATE_FOR_SPACES(reduce_integers, std::int64_t);
KINDRED_INSTANTIATE_FOR_SPACES(reduce_integers, std::uint8_t);
KINDRED_INSTANTIATE_FOR_SPACES(reduce_integers, std::uint16_t);
KINDRED_INSTANTIATE_FOR_SPACES(reduce_integers, std::uint32_t);
KINDRED_INSTANTIATE_FOR_SPACES(reduce_integers, std::uint64_t);

}  // namespace Kindred
