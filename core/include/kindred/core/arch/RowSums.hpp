// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_ROW_SUMS_HPP
#define KINDRED_CORE_ARCH_ROW_SUMS_HPP

#include <kindred/core/arch/DeviceRowSums.hpp>
#include <kindred/core/arch/QueryPack.hpp>
#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/RowTerms.hpp>
#include <kindred/core/arch/Spaces.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__AVX512F__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace Kindred::Arch {

/// Host: a unit is a tile of rows, or a block of a long row.
template <>
class RowSums<HostSpace> {
 public:
  static constexpr std::uint64_t short_max = 4096;
  using schedule = Kokkos::Schedule<Kokkos::Dynamic>;
  template <int Width>
  using launch_bounds = Kokkos::LaunchBounds<>;

  template <int Width, class Graph>
  static std::size_t short_units(const Graph& graph) {
    return graph.tiles.extent(0) / 2;
  }

  /// `visit(node, sum, visit.ask(node))`, or `visit.row<Width>(node * Width, sums)`, over the rows
  /// of tile \p unit.
  template <int Width, class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void short_rows(std::size_t unit, const Edges& edges, const X* x,
                                                const Visit& visit) {
    const std::uint32_t begin = edges.tiles[2 * unit];
    const std::uint32_t end = edges.tiles[2 * unit + 1];
    const std::uint64_t first = edges.offsets[begin];
    const auto total = static_cast<std::uint32_t>(edges.offsets[end] - first);
    const std::uint32_t* sources = edges.sources + first;
    float decoded[Edges::is_plain ? 1 : short_max];
    const float* weights = weights_of(edges, first, total, decoded);
    if constexpr (Width == 1) {
      // All gathers of the tile come first: they depend on nothing, so that many are in flight.
      alignas(64) double products[short_max];
      multiply(sources, weights, total, x, products);
      drop_others(edges, first, total, products);
      std::uint64_t at = first;
      for (std::uint32_t row = begin; row < end; ++row) {
        const std::uint64_t next = edges.offsets[std::size_t{row} + 1];
        if (!edges.is_replaced(row)) {
          const std::size_t place = edges.node_of(row);
          visit(place, block_sum(products + (at - first), static_cast<std::uint32_t>(next - at)),
                visit.ask(place));
        }
        at = next;
      }
    } else {
      constexpr std::uint32_t ahead = 64;
      for (std::uint32_t i = 0; i < total && i < ahead; ++i) prefetch<Width>(x, sources[i]);
      std::uint32_t at = 0;
      std::uint32_t asked = ahead;
      for (std::uint32_t row = begin; row < end; ++row) {
        const auto next = static_cast<std::uint32_t>(edges.offsets[std::size_t{row} + 1] - first);
        for (; asked < next + ahead && asked < total; ++asked) prefetch<Width>(x, sources[asked]);
        if (!edges.is_replaced(row)) {
          double sums[Width];
          wide_sum<Width>(edges, first + at, weights + at, next - at, x, sums);
          visit.template row<Width>(std::size_t{edges.node_of(row)} * Width, sums);
        }
        at = next;
      }
    }
  }

  /// `visit(query, sum)` over edges `begin … begin + count`, a block of a long row.
  template <int Width, class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void block(const Edges& edges, std::uint64_t begin,
                                           std::uint32_t count, const X* x, const Visit& visit) {
    float decoded[Edges::is_plain ? 1 : short_max];
    const float* weights = weights_of(edges, begin, count, decoded);
    if constexpr (Width == 1) {
      alignas(64) double products[short_max];
      multiply(edges.sources + begin, weights, count, x, products);
      drop_others(edges, begin, count, products);
      visit(0, block_sum(products, count));
    } else {
      double sums[Width];
      wide_sum<Width>(edges, begin, weights, count, x, sums);
      for (int q = 0; q < Width; ++q) visit(q, sums[q]);
    }
  }

  /// The canonical sum of one block, at most 4096 edges.
  template <class X>
  KOKKOS_INLINE_FUNCTION static double sum(const std::uint32_t* sources, const float* weights,
                                           std::uint32_t count, const X* x) {
    alignas(64) double products[short_max];
    multiply(sources, weights, count, x, products);
    return block_sum(products, count);
  }

 private:
  /// The weights of edges `first … first + count`; those of other than float32 are put in \p
  /// decoded.
  template <class Edges>
  KOKKOS_INLINE_FUNCTION static const float* weights_of(const Edges& edges, std::uint64_t first,
                                                        std::uint32_t count, float* decoded) {
    if (Edges::is_plain || edges.weights != nullptr) return edges.weights + first;
    for (std::uint32_t i = 0; i < count; ++i) decoded[i] = edges.weight(first + i);
    return decoded;
  }
  /// Makes the terms 0 of edges that the one query does not take.
  template <class Edges>
  KOKKOS_INLINE_FUNCTION static void drop_others(const Edges& edges, std::uint64_t first,
                                                 std::uint32_t count, double* products) {
    if constexpr (!Edges::is_plain) {
      if (edges.kind_queries == nullptr) return;
      for (std::uint32_t i = 0; i < count; ++i) {
        if ((edges.queries(first + i) & 1U) == 0) products[i] = 0.0;
      }
    }
  }

  /// `products[i] = x[sources[i]] · weights[i]`, of floats exact in double.
  template <class X>
  KOKKOS_INLINE_FUNCTION static void multiply(const std::uint32_t* sources, const float* weights,
                                              std::uint32_t count, const X* x, double* products) {
    std::uint32_t i = 0;
#if defined(__AVX512F__) && defined(__AVX512VL__)
    if constexpr (std::is_same_v<X, float>) {
      KOKKOS_IF_ON_HOST((i = multiply_eights(sources, weights, count, x, products);))
    }
#endif
    for (; i < count; ++i)
      products[i] =
          rounded_product(static_cast<double>(x[sources[i]]), static_cast<double>(weights[i]));
  }

  /// The canonical sum of up to 4096 products.
  KOKKOS_INLINE_FUNCTION static double block_sum(const double* products, std::uint32_t count) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
    KOKKOS_IF_ON_HOST((return block_sum_eights(products, count);))
    KOKKOS_IF_ON_DEVICE((return 0.0;))
#else
    return all_lanes<double>(count, [&](double& sum, std::uint32_t i) { sum += products[i]; });
#endif
  }

#if defined(__AVX512F__) && defined(__AVX512VL__)
  // The forms with a mask say what the lanes left out hold, which spares a false dependency.
  static __m512d widen(__m256 values) { return _mm512_maskz_cvtps_pd(0xFF, values); }

  /// `multiply` of the whole eights; how many that is.
  static std::uint32_t multiply_eights(const std::uint32_t* sources, const float* weights,
                                       std::uint32_t count, const float* x, double* products) {
    // The gather takes signed indices: 2³¹ is moved from them to the base.
    const char* base = reinterpret_cast<const char*>(x) + (std::ptrdiff_t{1} << 33);
    const __m256i flip = _mm256_set1_epi32(static_cast<int>(0x80000000U));
    std::uint32_t i = 0;
    for (; i + 8 <= count; i += 8) {
      const __m256i index =
          _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(sources + i)), flip);
      const __m256 from = _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), 0xFF, index, base, 4);
      const __m256 weight = _mm256_loadu_ps(weights + i);
      _mm512_storeu_pd(products + i, _mm512_mul_pd(widen(from), widen(weight)));
    }
    return i;
  }

  static double block_sum_eights(const double* products, std::uint32_t count) {
    __m512d a = _mm512_setzero_pd();
    __m512d b = _mm512_setzero_pd();
    __m512d c = _mm512_setzero_pd();
    __m512d d = _mm512_setzero_pd();
    std::uint32_t i = 0;
    for (; i + 32 <= count; i += 32) {
      a = _mm512_add_pd(a, _mm512_loadu_pd(products + i));
      b = _mm512_add_pd(b, _mm512_loadu_pd(products + i + 8));
      c = _mm512_add_pd(c, _mm512_loadu_pd(products + i + 16));
      d = _mm512_add_pd(d, _mm512_loadu_pd(products + i + 24));
    }
    const std::uint32_t rest = (1U << (count - i)) - 1;
    const auto load = [&](std::uint32_t at) {
      return _mm512_maskz_loadu_pd(static_cast<__mmask8>(rest >> at), products + i + at);
    };
    a = _mm512_add_pd(a, load(0));
    b = _mm512_add_pd(b, load(8));
    c = _mm512_add_pd(c, load(16));
    d = _mm512_add_pd(d, load(24));
    a = _mm512_add_pd(_mm512_add_pd(a, c), _mm512_add_pd(b, d));
    const __m256d four = _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xFF, a, 0),
                                       _mm512_maskz_extractf64x4_pd(0xFF, a, 1));
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
#endif

  /// Edges `first …` with their weights.
  template <int Width, class Edges, class X>
  KOKKOS_INLINE_FUNCTION static void wide_sum(const Edges& edges, std::uint64_t first,
                                              const float* weights, std::uint32_t count, const X* x,
                                              double* sums) {
    const std::uint32_t* sources = edges.sources + first;
    all_lanes<QueryPack<Width>>(count, [&](QueryPack<Width>& sum, std::uint32_t i) {
      const X* values = x + std::size_t{sources[i]} * Width;
      if constexpr (!Edges::is_plain) {
        constexpr std::uint32_t every = 0xFFFFFFFFU >> (32 - Width);
        const std::uint32_t taken = edges.queries(first + i) & every;
        if (taken != every) {
          X chosen[Width];
          for (int q = 0; q < Width; ++q) chosen[q] = (taken >> q & 1U) != 0 ? values[q] : X{};
          return sum.add(chosen, weights[i]);
        }
      }
      sum.add(values, weights[i]);
    }).store(sums);
  }

  /// Asks for the values of a node.
  template <int Width, class X>
  KOKKOS_INLINE_FUNCTION static void prefetch(const X* x, std::uint32_t node) {
    [[maybe_unused]] const X* values = x + std::size_t{node} * Width;
    KOKKOS_IF_ON_HOST(
        (for (int q = 0; q < Width; q += 64 / sizeof(X)) __builtin_prefetch(values + q);))
  }
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_ROW_SUMS_HPP
