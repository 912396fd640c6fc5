// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_DEVICE_ROW_SUMS_HPP
#define KINDRED_CORE_ARCH_DEVICE_ROW_SUMS_HPP

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/arch/RowTerms.hpp>
#include <kindred/core/arch/Spaces.hpp>

#include <type_traits>

#if KINDRED_HAS_DEVICE
namespace Kindred::Arch {

/// Four values of neighbouring queries, in one load.
template <class Element>
struct ValueQuad;
template <>
struct ValueQuad<float> {
  float4 values;
  KOKKOS_INLINE_FUNCTION void load(const float* from) {
    values = *reinterpret_cast<const float4*>(from);
  }
  KOKKOS_INLINE_FUNCTION float operator[](int q) const {
    return q == 0 ? values.x : q == 1 ? values.y : q == 2 ? values.z : values.w;
  }
};
template <>
struct ValueQuad<BFloat16> {
  uint2 values;
  KOKKOS_INLINE_FUNCTION void load(const BFloat16* from) {
    values = *reinterpret_cast<const uint2*>(from);
  }
  KOKKOS_INLINE_FUNCTION float operator[](int q) const {
    const unsigned pair = q < 2 ? values.x : values.y;
    return Kokkos::bit_cast<float>(q % 2 == 0 ? pair << 16U : pair & 0xFFFF0000U);
  }
};

/// \brief Device: sums of rows as a warp makes them.
///
/// One query: eight threads a row. Several: `Width / 4` threads an edge, four queries each, so that
/// a load takes a whole line of a node's values; thread group g has the lanes g, g + groups, … of
/// the canonical sum, and the groups are added by its last levels, each keeping half of its
/// queries.
template <>
class RowSums<DeviceSpace> {
 public:
  static constexpr std::uint64_t short_max = 32;
  using schedule = Kokkos::Schedule<Kokkos::Static>;
  /// Rows wait for memory: what counts is how many warps wait at once.
  template <int Width>
  using launch_bounds = Kokkos::LaunchBounds<256, Width == 1 ? 8 : 4>;

  template <int Width>
  static constexpr unsigned rows_per_unit = Width == 1 ? 4 : 31;
  template <int Width, class Graph>
  static std::size_t short_units(const Graph& graph) {
    return (graph.rows() + rows_per_unit<Width> - 1) / rows_per_unit<Width>;
  }

  /// `visit(place, sum, visit.ask(place))`, place = node * Width + query, over the short rows of
  /// unit \p unit.
  template <int Width, class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void short_rows(std::size_t unit, const Edges& edges, const X* x,
                                                const Visit& visit) {
    if constexpr (Width == 1)
      narrow_rows(unit, edges, x, visit);
    else if constexpr (std::is_same_v<X, double>)
      double_rows<Width>(unit, edges, x, visit);
    else
      wide_rows<Width>(unit, edges, x, visit);
  }

  /// `visit(query, sum)` over edges `begin … begin + count`, a block of a long row.
  template <int Width, class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void block(const Edges& edges, std::uint64_t begin,
                                           std::uint32_t count, const X* x, const Visit& visit) {
    if constexpr (Width == 1)
      narrow_block(edges, begin, count, x, visit);
    else if constexpr (std::is_same_v<X, double>)
      double_sum<Width>(edges, begin, count, x, visit);
    else
      wide_block<Width>(edges, begin, count, x, visit);
  }

 private:
  KOKKOS_INLINE_FUNCTION static unsigned lane_of_warp() {
    KOKKOS_IF_ON_DEVICE((return threadIdx.x & 31U;))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_INLINE_FUNCTION static double from_lane(double sum, unsigned mask) {
    KOKKOS_IF_ON_DEVICE((return __shfl_xor_sync(0xFFFFFFFFU, sum, mask);))
    KOKKOS_IF_ON_HOST(((void)mask; return sum;))
  }
  KOKKOS_INLINE_FUNCTION static std::uint64_t of_lane(std::uint64_t value, unsigned lane) {
    KOKKOS_IF_ON_DEVICE((return __shfl_sync(0xFFFFFFFFU, value, lane);))
    KOKKOS_IF_ON_HOST(((void)lane; return value;))
  }

  // ---- One query ----

  template <class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void narrow_rows(std::size_t unit, const Edges& edges, const X* x,
                                                 const Visit& visit) {
    const unsigned lane = lane_of_warp();
    const unsigned thread = lane % 8;
    const std::size_t row = unit * rows_per_unit<1> + lane / 8;
    std::uint64_t begin = 0;
    std::uint64_t length = 0;
    bool is_mine = row < edges.rows && !edges.is_replaced(row);
    if (is_mine) {
      begin = edges.offsets[row];
      length = edges.offsets[row + 1] - begin;
      is_mine = length <= short_max;
    }
    const auto count = is_mine ? static_cast<std::uint32_t>(length) : 0U;
    is_mine = is_mine && thread == 0;
    const std::size_t place = is_mine ? edges.node_of(row) : 0;
    decltype(visit.ask(place)) held{};
    if (is_mine) held = visit.ask(place);
    double sum = four_lanes<double>(
        thread, count, [&](double& to, std::uint32_t i) { add_edge(to, edges, begin + i, x, 0); });
    for (unsigned half = 4; half > 0; half /= 2) sum += from_lane(sum, half);
    if (is_mine) visit(place, sum, held);
  }

  template <class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void narrow_block(const Edges& edges, std::uint64_t begin,
                                                  std::uint32_t count, const X* x,
                                                  const Visit& visit) {
    // Eight edges a thread are read before the first is added: a row is a chain of additions.
    constexpr unsigned ahead = 8;
    double sum = 0;
    for (std::uint32_t first = lane_of_warp(); first < count; first += 32 * ahead) {
      X values[ahead];
      float weights[ahead];
#pragma unroll
      for (unsigned k = 0; k < ahead; ++k) {
        const std::uint32_t i = first + 32 * k;
        const std::uint64_t edge = begin + (i < count ? i : first);
        const bool is_taken = i < count && (edges.queries(edge) & 1U) != 0;
        weights[k] = edges.weight(edge);
        values[k] = is_taken ? x[edges.sources[edge]] : X(0);
      }
#pragma unroll
      for (unsigned k = 0; k < ahead; ++k) add_term(sum, values[k], weights[k]);
    }
    for (unsigned half = 16; half > 0; half /= 2) sum += from_lane(sum, half);
    if (lane_of_warp() == 0) visit(0, sum);
  }

  // ---- Several queries of doubles: a thread a query ----

  template <int Width, class Edges, class Visit>
  KOKKOS_INLINE_FUNCTION static void double_sum(const Edges& edges, std::uint64_t begin,
                                                std::uint32_t count, const double* x,
                                                const Visit& visit) {
    const unsigned query = lane_of_warp() % Width;
    const double sum = all_lanes<double>(count, [&](double& to, std::uint32_t i) {
      add_edge(to, edges, begin + i, x, query, Width);
    });
    if (lane_of_warp() < Width) visit(query, sum);
  }

  template <int Width, class Edges, class Visit>
  KOKKOS_INLINE_FUNCTION static void double_rows(std::size_t unit, const Edges& edges,
                                                 const double* x, const Visit& visit) {
    const std::size_t first = unit * rows_per_unit<Width>;
    for (std::size_t row = first; row < first + rows_per_unit<Width> && row < edges.rows; ++row) {
      const std::uint64_t begin = edges.offsets[row];
      const std::uint64_t length = edges.offsets[row + 1] - begin;
      if (length > short_max || edges.is_replaced(row)) continue;
      const std::size_t node = edges.node_of(row);
      double_sum<Width>(edges, begin, static_cast<std::uint32_t>(length), x,
                        [&](unsigned query, double sum) {
                          const std::size_t place = node * Width + query;
                          visit(place, sum, visit.ask(place));
                        });
    }
  }

  // ---- Several queries ----

  template <int Width>
  static constexpr unsigned threads_per_edge = Width / 4;
  template <int Width>
  static constexpr unsigned edges_at_once = 32 / threads_per_edge<Width>;
  /// Lanes of a canonical sum that a thread has.
  template <int Width>
  static constexpr int slots = threads_per_edge<Width>;

  /// Edges that a thread works on.
  template <int Count>
  struct Fetched {
    std::uint32_t sources[Count];
    float weights[Count];
    std::uint32_t queries[Count];
  };

  /// The edges `begin + first`, `+ edges_at_once`, …; beyond a row it reads what follows, up to the
  /// last edge of all.
  template <int Width, int Count, class Edges>
  KOKKOS_INLINE_FUNCTION static void fetch(const Edges& edges, std::uint64_t begin, unsigned first,
                                           Fetched<Count>& to) {
#pragma unroll
    for (int j = 0; j < Count; ++j) {
      std::uint64_t edge = begin + first + j * edges_at_once<Width>;
      edge = edge < edges.edges ? edge : edges.edges - 1;
      to.sources[j] = edges.sources[edge];
      to.weights[j] = edges.weight(edge);
      if constexpr (!Edges::is_plain) to.queries[j] = edges.queries(edge);
    }
  }

  /// \brief The part of four queries' sums over a row of at most `Count · edges_at_once` edges that
  /// this thread has. `next()` is called once all values are asked for.
  template <int Width, int Count, bool IsPlain, int Held, class X, class Next>
  KOKKOS_INLINE_FUNCTION static void row_part(const Fetched<Held>& edges, std::uint32_t count,
                                              const X* x, const Next& next, double (&sums)[4]) {
    static_assert(Count <= Held);
    const unsigned group = lane_of_warp() / threads_per_edge<Width>;
    const unsigned query = lane_of_warp() % threads_per_edge<Width> * 4;
    ValueQuad<X> values[Count];
    float weights[Count];
    std::uint32_t taken[Count];
#pragma unroll
    for (int j = 0; j < Count; ++j) {
      const bool is_edge = group + j * edges_at_once<Width> < count;
      values[j] = {};
      if (is_edge) values[j].load(x + std::size_t{edges.sources[j]} * Width + query);
      weights[j] = edges.weights[j];
      if constexpr (!IsPlain) taken[j] = edges.queries[j] >> query;
    }
    next();
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      double terms[Count];
#pragma unroll
      for (int j = 0; j < Count; ++j) {
        float value = values[j][q];
        if constexpr (!IsPlain) value = (taken[j] >> q & 1U) != 0 ? value : 0.0F;
        terms[j] = static_cast<double>(value) * static_cast<double>(weights[j]);
      }
#pragma unroll
      for (int half = slots<Width> / 2; half > 0; half /= 2) {
#pragma unroll
        for (int j = 0; j < half; ++j) {
          if (j + half < Count) terms[j] += terms[j + half];
        }
      }
      sums[q] = terms[0];
    }
  }

  /// Adds the groups' parts; a thread keeps one query.
  template <int Width>
  KOKKOS_INLINE_FUNCTION static double fold(const double (&sums)[4]) {
    const unsigned lane = lane_of_warp();
    const bool upper = (lane & 16U) != 0;
    const double a = (upper ? sums[2] : sums[0]) + from_lane(upper ? sums[0] : sums[2], 16);
    const double b = (upper ? sums[3] : sums[1]) + from_lane(upper ? sums[1] : sums[3], 16);
    const bool odd = (lane & 8U) != 0;
    double sum = (odd ? b : a) + from_lane(odd ? a : b, 8);
    for (unsigned mask = 4; mask >= threads_per_edge<Width>; mask /= 2) sum += from_lane(sum, mask);
    return sum + 0.0;  // a sum is never −0
  }
  /// The query whose sum `fold` leaves to this thread.
  template <int Width>
  KOKKOS_INLINE_FUNCTION static unsigned query_of_thread() {
    const unsigned lane = lane_of_warp();
    return lane % threads_per_edge<Width> * 4 + (lane >> 4U & 1U) * 2 + (lane >> 3U & 1U);
  }
  /// Threads whose sums are not those of others.
  template <int Width>
  KOKKOS_INLINE_FUNCTION static bool is_first_of_query() {
    return (lane_of_warp() & 7U) < threads_per_edge<Width>;
  }

  template <int Width, class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void wide_rows(std::size_t unit, const Edges& edges, const X* x,
                                               const Visit& visit) {
    constexpr unsigned at_once = edges_at_once<Width>;
    constexpr int all = slots<Width>;
    constexpr int prefetched = all < 4 ? all : 4;
    constexpr bool is_plain = Edges::is_plain;
    const std::size_t first = unit * rows_per_unit<Width>;
    if (first >= edges.rows) return;
    const unsigned lane = lane_of_warp();
    const unsigned group = lane / threads_per_edge<Width>;
    const std::size_t mine = first + lane < edges.rows ? first + lane : edges.rows;
    const std::uint64_t offset = edges.offsets[mine];
    const std::size_t left = edges.rows - first;
    const auto rows =
        static_cast<unsigned>(left < rows_per_unit<Width> ? left : rows_per_unit<Width>);
    Fetched<prefetched> ahead{};
    std::uint64_t begin = of_lane(offset, 0);
    if (edges.edges > 0) fetch<Width>(edges, begin, group, ahead);
    for (unsigned i = 0; i < rows; ++i) {
      const std::uint64_t end = of_lane(offset, i + 1);
      const std::size_t row = first + i;
      const Fetched<prefetched> now = ahead;
      const auto next = [&] {
        if (edges.edges > 0) fetch<Width>(edges, end, group, ahead);
      };
      if (end - begin > short_max || edges.is_replaced(row)) {
        next();
      } else {
        const auto count = static_cast<std::uint32_t>(end - begin);
        double sums[4];
        const std::size_t place =
            std::size_t{edges.node_of(row)} * Width + query_of_thread<Width>();
        const auto held = visit.ask(place);
        if (count <= at_once) {
          row_part<Width, 1, is_plain>(now, count, x, next, sums);
        } else if (count <= 2 * at_once) {
          row_part<Width, 2, is_plain>(now, count, x, next, sums);
        } else if (prefetched == 4 && count <= 3 * at_once) {
          row_part<Width, prefetched == 4 ? 3 : 2, is_plain>(now, count, x, next, sums);
        } else if (prefetched == 4 && count <= 4 * at_once) {
          row_part<Width, prefetched, is_plain>(now, count, x, next, sums);
        } else {
          Fetched<all> rest;
          fetch<Width>(edges, begin, group, rest);
          row_part<Width, all, is_plain>(rest, count, x, next, sums);
        }
        const double sum = fold<Width>(sums);
        if (is_first_of_query<Width>()) visit(place, sum, held);
      }
      begin = end;
    }
  }

  template <int Width, class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void wide_block(const Edges& edges, std::uint64_t begin,
                                                std::uint32_t count, const X* x,
                                                const Visit& visit) {
    constexpr int all = slots<Width>;
    const unsigned group = lane_of_warp() / threads_per_edge<Width>;
    const unsigned query = lane_of_warp() % threads_per_edge<Width> * 4;
    double lanes[4][all] = {};
    for (std::uint32_t first = 0; first < count; first += 32) {
      Fetched<all> fetched;
      fetch<Width>(edges, begin + first, group, fetched);
      ValueQuad<X> values[all];
#pragma unroll
      for (int j = 0; j < all; ++j) {
        values[j] = {};
        if (first + group + j * edges_at_once<Width> < count)
          values[j].load(x + std::size_t{fetched.sources[j]} * Width + query);
      }
#pragma unroll
      for (int j = 0; j < all; ++j) {
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          float value = values[j][q];
          if constexpr (!Edges::is_plain)
            value = (fetched.queries[j] >> query >> q & 1U) != 0 ? value : 0.0F;
          add_term(lanes[q][j], value, fetched.weights[j]);
        }
      }
    }
    double sums[4];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
#pragma unroll
      for (int half = all / 2; half > 0; half /= 2) {
#pragma unroll
        for (int j = 0; j < half; ++j) lanes[q][j] += lanes[q][j + half];
      }
      sums[q] = lanes[q][0];
    }
    const double sum = fold<Width>(sums);
    if (is_first_of_query<Width>()) visit(query_of_thread<Width>(), sum);
  }
};

}  // namespace Kindred::Arch
#endif

#endif  // KINDRED_CORE_ARCH_DEVICE_ROW_SUMS_HPP
