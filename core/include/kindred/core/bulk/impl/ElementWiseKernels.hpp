// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_IMPL_ELEMENT_WISE_KERNELS_HPP
#define KINDRED_CORE_BULK_IMPL_ELEMENT_WISE_KERNELS_HPP

#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/arch/simd/StreamStore.hpp>
#include <kindred/core/bulk/impl/BulkLaunch.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/math/Exp.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace Kindred::Impl {

/// The type of the arithmetic on elements: unsigned integers wrap around, and narrow ones would be
/// promoted to `int`, whose products may overflow.
template <class T>
using arithmetic_type =
    std::conditional_t<std::is_integral_v<T> && sizeof(T) < 4, std::uint32_t, T>;

template <class T>
KOKKOS_INLINE_FUNCTION T sum_of(T a, T b) {
  using wide = arithmetic_type<T>;
  const auto sum = static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b));
  if constexpr (std::is_floating_point_v<T>) {
    return with_canonical_nan(sum);
  } else {
    return sum;
  }
}
template <class T>
KOKKOS_INLINE_FUNCTION T product_of(T a, T b) {
  using wide = arithmetic_type<T>;
  const auto product = static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b));
  if constexpr (std::is_floating_point_v<T>) {
    return with_canonical_nan(product);
  } else {
    return product;
  }
}

// The operations on an element; \p b is read only if `takes_two` is true. A bitwise operation
// processes bytes four at a time.

template <class T>
struct AddOp {
  static constexpr bool takes_two = true;
  static constexpr bool is_bitwise = false;
  KOKKOS_INLINE_FUNCTION T operator()(T a, T b) const { return sum_of(a, b); }
};
template <class T>
struct MultiplyOp {
  static constexpr bool takes_two = true;
  static constexpr bool is_bitwise = false;
  KOKKOS_INLINE_FUNCTION T operator()(T a, T b) const { return product_of(a, b); }
};
template <class T>
struct SquareOp {
  static constexpr bool takes_two = false;
  static constexpr bool is_bitwise = false;
  KOKKOS_INLINE_FUNCTION T operator()(T a, T) const { return product_of(a, a); }
};
template <class T>
struct SquareRootOp {
  static constexpr bool takes_two = false;
  static constexpr bool is_bitwise = false;
  KOKKOS_INLINE_FUNCTION T operator()(T a, T) const { return with_canonical_nan(Kokkos::sqrt(a)); }
};
template <class T>
struct ExponentialOp {
  static constexpr bool takes_two = false;
  static constexpr bool is_bitwise = false;
  KOKKOS_INLINE_FUNCTION T operator()(T a, T) const {
    return with_canonical_nan(static_cast<T>(portable_exp(static_cast<double>(a))));
  }
};
struct XorOp {
  static constexpr bool takes_two = true;
  static constexpr bool is_bitwise = true;
  template <class Word>
  KOKKOS_INLINE_FUNCTION Word operator()(Word a, Word b) const {
    return a ^ b;
  }
};
struct OrOp {
  static constexpr bool takes_two = true;
  static constexpr bool is_bitwise = true;
  template <class Word>
  KOKKOS_INLINE_FUNCTION Word operator()(Word a, Word b) const {
    return a | b;
  }
};
struct AndOp {
  static constexpr bool takes_two = true;
  static constexpr bool is_bitwise = true;
  template <class Word>
  KOKKOS_INLINE_FUNCTION Word operator()(Word a, Word b) const {
    return a & b;
  }
};

/// Sixteen bytes of adjacent elements.
template <class Word>
struct alignas(16) Vec16Bytes {
  Word value[16 / sizeof(Word)];
};

/// `op(a, b)` of the elements of a list.
template <class T, class Op>
struct ElementWiseChunks {
  Op op;
  T number;
  bool streams;
  BulkItems<T> items;

  KOKKOS_INLINE_FUNCTION void device(std::uint64_t chunk, std::uint32_t thread) const {
    const BulkPart part = part_of(items, chunk);
    const BulkItem<T> item = items[part.index];
    const T* a = item.input + part.begin;
    const T* b = item.other == nullptr ? nullptr : item.other + part.begin;
    T* out = item.output + part.begin;
    using Word = std::conditional_t<Op::is_bitwise, std::uint32_t, T>;
    auto whole_number = static_cast<Word>(number);
    if constexpr (Op::is_bitwise) whole_number *= 0x01010101U;
    using Wide = Vec16Bytes<Word>;
    constexpr std::uint32_t width = 16 / sizeof(T);
    if (!begin_at(16, a, b, out)) {
      for (std::uint32_t i = thread; i < part.count; i += bulk_team)
        out[i] = op(a[i], b == nullptr ? number : b[i]);
      return;
    }
    const auto* wide_a = reinterpret_cast<const Wide*>(a);
    const auto* wide_b = reinterpret_cast<const Wide*>(b);
    auto* wide_out = reinterpret_cast<Wide*>(out);
    constexpr int at_once = 4;
    const std::uint32_t whole = part.count / width;
    for (std::uint32_t first = thread; first < whole; first += at_once * bulk_team) {
      Wide left[at_once];
      Wide right[at_once];
      KINDRED_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const std::uint32_t place = first + static_cast<std::uint32_t>(i * bulk_team);
        if (place >= whole) continue;
        left[i] = wide_a[place];
        if (Op::takes_two && b != nullptr) right[i] = wide_b[place];
      }
      KINDRED_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const std::uint32_t place = first + static_cast<std::uint32_t>(i * bulk_team);
        if (place >= whole) continue;
        Wide result;
        KINDRED_UNROLL
        for (std::uint32_t e = 0; e < 16 / sizeof(Word); ++e)
          result.value[e] = op(left[i].value[e],
                               Op::takes_two && b != nullptr ? right[i].value[e] : whole_number);
        wide_out[place] = result;
      }
    }
    for (std::uint32_t i = whole * width + thread; i < part.count; i += bulk_team)
      out[i] = op(a[i], b == nullptr ? number : b[i]);
  }

  void host(std::uint64_t chunk) const {
    const BulkPart part = part_of(items, chunk);
    const BulkItem<T> item = items[part.index];
    const T* a = item.input + part.begin;
    const T* b = item.other == nullptr ? nullptr : item.other + part.begin;
    T* out = item.output + part.begin;
    return streams ? stream(a, b, out, part.count) : block_by_block(a, b, out, part.count);
  }

 private:
  void results_of(const T* a, const T* b, T* results, std::uint32_t length) const {
    if (Op::takes_two && b != nullptr) {
      for (std::uint32_t e = 0; e < length; ++e) results[e] = op(a[e], b[e]);
    } else {
      for (std::uint32_t e = 0; e < length; ++e) results[e] = op(a[e], number);
    }
  }
  /// Computes into a local block and copies it out, because a loop whose output may alias its
  /// inputs is not vectorised.
  void block_by_block(const T* a, const T* b, T* out, std::uint32_t length) const {
    constexpr std::uint32_t block = 4096 / sizeof(T);
    alignas(64) T results[block];
    for (std::uint32_t i = 0; i < length; i += block) {
      const std::uint32_t some = std::min(length - i, block);
      results_of(a + i, b == nullptr ? b : b + i, results, some);
      std::memcpy(out + i, results, some * sizeof(T));
    }
  }
  /// Writes past the caches, a few cache lines at a time, so that reads and writes overlap.
  /// Floating-point types use four lines, since loops over fewer are not vectorised.
  void stream(const T* a, const T* b, T* out, std::uint32_t length) const {
    constexpr std::uint32_t line = Arch::stream_line_bytes / sizeof(T);
    constexpr std::uint32_t block = (sizeof(T) == 1 ? 1 : 4) * line;
    const auto head = std::min<std::uint32_t>(
        length, static_cast<std::uint32_t>(Arch::bytes_to_line(out) / sizeof(T)));
    block_by_block(a, b, out, head);
    std::uint32_t i = head;
    for (; i + block <= length; i += block) {
      alignas(Arch::stream_line_bytes) T results[block];
      results_of(a + i, b == nullptr ? b : b + i, results, block);
      for (std::uint32_t done = 0; done < block; done += line)
        Arch::stream_line(out + i + done, results + done);
    }
    block_by_block(a + i, b == nullptr ? b : b + i, out + i, length - i);
    Arch::end_streams();
  }
};

/// \see normalise
template <class T>
struct NormaliseChunks {
  bool streams;
  BulkItems<T> items;
  const double* means;
  const double* deviations;

  KOKKOS_INLINE_FUNCTION static double scale(double deviation) { return 1.0 / (deviation + 1e-8); }
  KOKKOS_INLINE_FUNCTION static T change(T x, double mean, double scale) {
    return with_canonical_nan(static_cast<T>((static_cast<double>(x) - mean) * scale));
  }

  KOKKOS_INLINE_FUNCTION void device(std::uint64_t chunk, std::uint32_t thread) const {
    const BulkPart part = part_of(items, chunk);
    const BulkItem<T> item = items[part.index];
    const double mean = means[part.index];
    const double by = scale(deviations[part.index]);
    const T* in = item.input + part.begin;
    T* out = item.output + part.begin;
    KINDRED_UNROLL_4
    for (std::uint32_t i = thread; i < part.count; i += bulk_team) out[i] = change(in[i], mean, by);
  }
  void host(std::uint64_t chunk) const {
    const BulkPart part = part_of(items, chunk);
    const BulkItem<T> item = items[part.index];
    const double mean = means[part.index];
    const double by = scale(deviations[part.index]);
    constexpr std::uint32_t block = 1024;
    alignas(64) T results[block];
    for (std::uint32_t i = 0; i < part.count; i += block) {
      const std::uint32_t length = part.count - i < block ? part.count - i : block;
      const T* in = item.input + part.begin + i;
      T* out = item.output + part.begin + i;
      for (std::uint32_t e = 0; e < length; ++e) results[e] = change(in[e], mean, by);
      if (streams) {
        Arch::stream_bytes(out, results, length * sizeof(T));
      } else {
        std::memcpy(out, results, length * sizeof(T));
      }
    }
    if (streams) Arch::end_streams();
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_BULK_IMPL_ELEMENT_WISE_KERNELS_HPP
