// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_ROW_SUMS_HPP
#define KINDRED_CORE_ARCH_ROW_SUMS_HPP

#include <kindred/core/arch/Lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__AVX512F__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace Kindred::Arch {

/// Four of the 32 lanes of a canonical sum: `first`, + 8, + 16 and + 24, added by the tree's first
/// two levels. `add(sum, i)` adds term i.
template <class Sum, class Add>
KOKKOS_INLINE_FUNCTION Sum four_lanes(std::uint32_t first, std::uint32_t count, const Add& add) {
  Sum a{};
  Sum b{};
  Sum c{};
  Sum d{};
  for (std::uint32_t i = first; i < count; i += 32) {
    add(a, i);
    if (i + 8 < count) add(b, i + 8);
    if (i + 16 < count) add(c, i + 16);
    if (i + 24 < count) add(d, i + 24);
  }
  return (a + c) + (b + d);
}

/// All 32 lanes and their tree in one thread, in an order that keeps few sums alive.
template <class Sum, class Add>
KOKKOS_INLINE_FUNCTION Sum all_lanes(std::uint32_t count, const Add& add) {
  const auto pair = [&](std::uint32_t first) {
    return four_lanes<Sum>(first, count, add) + four_lanes<Sum>(first + 4, count, add);
  };
  const Sum even = pair(0) + pair(2);
  return even + (pair(1) + pair(3));
}

/// Adds `value · weight`. The product of two floats is exact, so that it may be fused; that of a
/// double is rounded before it is added.
KOKKOS_INLINE_FUNCTION void add_term(double& to, float value, float weight) {
  to = ::fma(static_cast<double>(value), static_cast<double>(weight), to);
}
KOKKOS_INLINE_FUNCTION void add_term(double& to, double value, float weight) {
  to += value * static_cast<double>(weight);
}

/// The sums of `Width` queries at once, in a host thread.
template <int Width>
struct QueryPack {
  double query[Width] = {};

  /// Adds `values[query] · weight` to each.
  template <class Value>
  KOKKOS_INLINE_FUNCTION void add(const Value* values, float weight) {
    for (int q = 0; q < Width; ++q)
      query[q] += static_cast<double>(values[q]) * static_cast<double>(weight);
  }
  KOKKOS_INLINE_FUNCTION void store(double* to) const {
    for (int q = 0; q < Width; ++q) to[q] = query[q];
  }
  KOKKOS_INLINE_FUNCTION friend QueryPack operator+(const QueryPack& a, const QueryPack& b) {
    QueryPack r;
    for (int q = 0; q < Width; ++q) r.query[q] = a.query[q] + b.query[q];
    return r;
  }
};

#if defined(__AVX512F__) && defined(__AVX512VL__) && !defined(__CUDA_ARCH__)
template <>
struct QueryPack<8> {
  __m512d query = _mm512_setzero_pd();

  KOKKOS_INLINE_FUNCTION void add(const float* values, float weight) {
    // The product is exact, so that a fused addition has the same bits.
    query = _mm512_fmadd_pd(_mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(values)),
                            _mm512_set1_pd(static_cast<double>(weight)), query);
  }
  KOKKOS_INLINE_FUNCTION void add(const double* values, float weight) {
    const __m512d product =
        _mm512_mul_pd(_mm512_loadu_pd(values), _mm512_set1_pd(static_cast<double>(weight)));
    query = _mm512_add_pd(query, product);
  }
  KOKKOS_INLINE_FUNCTION void store(double* to) const { _mm512_storeu_pd(to, query); }
  KOKKOS_INLINE_FUNCTION friend QueryPack operator+(const QueryPack& a, const QueryPack& b) {
    QueryPack r;
    r.query = _mm512_add_pd(a.query, b.query);
    return r;
  }
};

/// Named members stay in registers where an array would not.
template <>
struct QueryPack<32> {
  QueryPack<8> a;
  QueryPack<8> b;
  QueryPack<8> c;
  QueryPack<8> d;

  template <class Value>
  KOKKOS_INLINE_FUNCTION void add(const Value* values, float weight) {
    a.add(values, weight);
    b.add(values + 8, weight);
    c.add(values + 16, weight);
    d.add(values + 24, weight);
  }
  KOKKOS_INLINE_FUNCTION void store(double* to) const {
    a.store(to);
    b.store(to + 8);
    c.store(to + 16);
    d.store(to + 24);
  }
  KOKKOS_INLINE_FUNCTION friend QueryPack operator+(const QueryPack& x, const QueryPack& y) {
    QueryPack r;
    r.a = x.a + y.a;
    r.b = x.b + y.b;
    r.c = x.c + y.c;
    r.d = x.d + y.d;
    return r;
  }
};
#endif

/// \brief Canonical sums of `x[source] · weight` over the rows of a transposed graph, as one unit
/// of work makes them.
///
/// `Width` values of x, floats or doubles, belong to a node (one a query), side by side. A short
/// row has one canonical block. `visit(node * Width + query, sum)` gets the sum of each row that is
/// not replaced once.
template <class ExecutionSpace>
class RowSums;

/// Host: a unit is a tile of rows, or a block of a long row.
template <>
class RowSums<HostSpace> {
 public:
  static constexpr std::uint64_t short_max = 4096;
  static constexpr std::uint64_t tile_max = 2048;

  template <int Width, class Graph>
  static std::size_t short_units(const Graph& graph) {
    return graph.tiles.extent(0) / 2;
  }
  template <int Width>
  static std::size_t block_units(std::size_t blocks) {
    return blocks;
  }

  template <int Width, class Member, class Graph, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void short_rows(const Member& team, const Graph& graph, const X* x,
                                                const Visit& visit) {
    const std::size_t tile = team.league_rank();
    const std::uint32_t begin = graph.tiles(2 * tile);
    const std::uint32_t end = graph.tiles(2 * tile + 1);
    const std::uint64_t first = graph.offsets(begin);
    const std::uint32_t* sources = graph.sources.data() + first;
    const float* weights = graph.weights.data() + first;
    if constexpr (Width == 1) {
      // All gathers of the tile come first: they depend on nothing, so that many are in flight.
      alignas(64) double products[short_max];
      multiply(sources, weights, static_cast<std::uint32_t>(graph.offsets(end) - first), x,
               products);
      std::uint64_t at = first;
      for (std::uint32_t row = begin; row < end; ++row) {
        const std::uint64_t next = graph.offsets(std::size_t{row} + 1);
        if (!graph.is_replaced(row))
          visit(graph.node_of(row),
                block_sum(products + (at - first), static_cast<std::uint32_t>(next - at)));
        at = next;
      }
    } else {
      std::uint64_t at = 0;
      for (std::uint32_t row = begin; row < end; ++row) {
        const std::uint64_t next = graph.offsets(std::size_t{row} + 1) - first;
        if (row + 1 < end) {
          const std::uint64_t after = graph.offsets(std::size_t{row} + 2) - first;
          prefetch_wide<Width>(sources + next, after - next, x);
        }
        if (!graph.is_replaced(row))
          visit_wide<Width>(graph.node_of(row), sources + at, weights + at,
                            static_cast<std::uint32_t>(next - at), x, visit);
        at = next;
      }
    }
  }

  /// `visit(block * Width + query, sum)` over block \p first … of a row, \p count edges.
  template <int Width, class Member, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void block(const Member&, std::size_t block,
                                           const std::uint32_t* sources, const float* weights,
                                           std::uint32_t count, const X* x, const Visit& visit) {
    if constexpr (Width == 1) {
      visit(block, sum(sources, weights, count, x));
    } else {
      visit_wide<Width>(block, sources, weights, count, x, visit);
    }
  }
  /// The block of this unit.
  template <int Width, class Member>
  KOKKOS_INLINE_FUNCTION static std::size_t block_of(const Member& team) {
    return team.league_rank();
  }

  /// The canonical sum of one block, at most 4096 edges.
  template <class X>
  KOKKOS_INLINE_FUNCTION static double sum(const std::uint32_t* sources, const float* weights,
                                           std::uint32_t count, const X* x) {
    alignas(64) double products[short_max];
    multiply(sources, weights, count, x, products);
    return block_sum(products, count);
  }

  /// `products[i] = x[sources[i]] · weights[i]`, exact in double.
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
      products[i] = static_cast<double>(x[sources[i]]) * static_cast<double>(weights[i]);
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

 private:
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

  template <int Width, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void visit_wide(std::size_t row, const std::uint32_t* sources,
                                                const float* weights, std::uint32_t count,
                                                const X* x, const Visit& visit) {
    double sums[Width];
    all_lanes<QueryPack<Width>>(count, [&](QueryPack<Width>& sum, std::uint32_t i) {
      sum.add(x + std::size_t{sources[i]} * Width, weights[i]);
    }).store(sums);
    for (int q = 0; q < Width; ++q) visit(row * Width + q, sums[q]);
  }

  /// Asks for the values that a row will read.
  template <int Width, class X>
  KOKKOS_INLINE_FUNCTION static void prefetch_wide(const std::uint32_t* sources,
                                                   std::uint64_t count, const X* x) {
    constexpr std::uint64_t count_max = 64;
    for (std::uint64_t i = 0; i < count && i < count_max; ++i) {
      [[maybe_unused]] const X* values = x + std::size_t{sources[i]} * Width;
      KOKKOS_IF_ON_HOST(
          (for (int q = 0; q < Width; q += 64 / sizeof(X)) __builtin_prefetch(values + q);))
    }
  }
};

#if KINDRED_HAS_DEVICE
/// Device: eight threads a short row (or one a query), a warp a block of a long row.
template <>
class RowSums<DeviceSpace> {
 public:
  static constexpr std::uint64_t short_max = 256;

  template <int Width, class Graph>
  static std::size_t short_units(const Graph& graph) {
    return (graph.rows() + rows_per_warp<Width> - 1) / rows_per_warp<Width>;
  }
  template <int Width>
  static std::size_t block_units(std::size_t blocks) {
    return Width == 1 ? blocks : (blocks + 32 / Width - 1) / (32 / Width);
  }

  template <int Width, class Member, class Graph, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void short_rows(const Member& team, const Graph& graph, const X* x,
                                                const Visit& visit) {
    const unsigned lane = lane_of_warp();
    const std::size_t row = unit(team) * rows_per_warp<Width> + lane / threads_per_row<Width>;
    if (row >= graph.rows() || graph.is_replaced(row)) return;
    const std::uint64_t begin = graph.offsets(row);
    const std::uint64_t length = graph.offsets(row + 1) - begin;
    if (length > short_max) return;
    const auto count = static_cast<std::uint32_t>(length);
    const std::uint32_t* sources = graph.sources.data() + begin;
    const float* weights = graph.weights.data() + begin;
    if constexpr (Width == 1) {
      const unsigned thread = lane % 8;
      [[maybe_unused]] const unsigned group = 0xFFU << (lane - thread);
      double sum = four_lanes<double>(thread, count, [&](double& to, std::uint32_t i) {
        add_term(to, x[sources[i]], weights[i]);
      });
      KOKKOS_IF_ON_DEVICE(
          (for (int half = 4; half > 0; half /= 2) { sum += __shfl_xor_sync(group, sum, half); }))
      if (thread == 0) visit(graph.node_of(row), sum);
    } else {
      const unsigned query = lane % Width;
      visit(std::size_t{graph.node_of(row)} * Width + query,
            wide_sum<Width>(sources, weights, count, x, query));
    }
  }

  /// The block of this thread's unit.
  template <int Width, class Member>
  KOKKOS_INLINE_FUNCTION static std::size_t block_of(const Member& team) {
    return Width == 1 ? unit(team) : unit(team) * (32 / Width) + lane_of_warp() / Width;
  }

  template <int Width, class Member, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void block(const Member& team, std::size_t block,
                                           const std::uint32_t* sources, const float* weights,
                                           std::uint32_t count, const X* x, const Visit& visit) {
    if constexpr (Width == 1) {
      const Lanes<DeviceSpace> lanes(team);
      double sum = 0;
      for (std::uint32_t i = lane_of_warp(); i < count; i += 32)
        add_term(sum, x[sources[i]], weights[i]);
      sum = lanes.halving_sum(sum);
      if (lanes.is_leader()) visit(block, sum);
    } else {
      const unsigned query = lane_of_warp() % Width;
      visit(block * Width + query, wide_sum<Width>(sources, weights, count, x, query));
    }
  }

 private:
  template <int Width>
  static constexpr unsigned threads_per_row = Width == 1 ? 8 : Width;
  template <int Width>
  static constexpr unsigned rows_per_warp = 32 / threads_per_row<Width>;

  KOKKOS_INLINE_FUNCTION static unsigned lane_of_warp() {
    KOKKOS_IF_ON_DEVICE((return threadIdx.x & 31U;))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  template <class Member>
  KOKKOS_INLINE_FUNCTION static std::size_t unit(const Member& team) {
    return static_cast<std::size_t>(team.league_rank()) * team.team_size() + team.team_rank();
  }
  template <int Width, class X>
  KOKKOS_INLINE_FUNCTION static double wide_sum(const std::uint32_t* sources, const float* weights,
                                                std::uint32_t count, const X* x, unsigned query) {
    return all_lanes<double>(count, [&](double& to, std::uint32_t i) {
      add_term(to, x[std::size_t{sources[i]} * Width + query], weights[i]);
    });
  }
};
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_ROW_SUMS_HPP
