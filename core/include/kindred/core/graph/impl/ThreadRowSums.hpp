// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_THREAD_ROW_SUMS_HPP
#define KINDRED_CORE_GRAPH_IMPL_THREAD_ROW_SUMS_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/simd/FloatPack8.hpp>
#include <kindred/core/arch/simd/PackLanes.hpp>
#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/graph/impl/AddTerm.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// The sums of `Width` queries in one host thread.
template <int Width>
struct QueryPack;

/// Eight in a pack. \see ScalarFloatPack8
template <>
struct QueryPack<8> {
  using Pack = Arch::HostFloatPack8;

  Pack::Doubles query{};

  /// Adds `values[query] · weight` to each sum.
  template <class Value>
  KOKKOS_INLINE_FUNCTION void add(const Value* values, double weight) {
    KOKKOS_IF_ON_HOST((query = Pack::add_exact(Pack::load(values).template to<double>(),
                                               Pack::Doubles::all(weight), query);))
  }
  KOKKOS_INLINE_FUNCTION void add(const double* values, double weight) {
    KOKKOS_IF_ON_HOST((query = query + Pack::Doubles::load(values) * Pack::Doubles::all(weight);))
  }
  KOKKOS_INLINE_FUNCTION void store(double* to) const { KOKKOS_IF_ON_HOST((query.store(to);)) }
  KOKKOS_INLINE_FUNCTION friend QueryPack operator+(const QueryPack& a, const QueryPack& b) {
    QueryPack r;
    KOKKOS_IF_ON_HOST((r.query = a.query + b.query;))
    return r;
  }
};

/// Named members stay in registers; an array would not.
template <>
struct QueryPack<32> {
  QueryPack<8> a;
  QueryPack<8> b;
  QueryPack<8> c;
  QueryPack<8> d;

  template <class Value>
  KOKKOS_INLINE_FUNCTION void add(const Value* values, double weight) {
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

/// Queries of a node that are summed in registers together: four sums of them fit.
inline constexpr int query_columns = Arch::host_has_64_byte_registers ? 32 : 8;

/// Host: a work item is a tile of rows, or a block of a long row.
class ThreadRowSums {
 public:
  static constexpr std::uint64_t short_max = 4096;
  static constexpr unsigned threads_max = 0;  // no bounds
  template <int Width>
  static constexpr unsigned teams_at_once = 0;

  template <int Width, class Graph>
  static std::size_t short_work_items(const Graph& graph) {
    return graph.tiles.extent(0) / 2;
  }

  /// Calls `visit(node, sum)`, or `visit.row<Width>(node * Width, sums)`, for the
  /// rows of tile \p work_item.
  template <int Width, class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void short_rows(std::size_t work_item, const Edges& edges,
                                                const X* x, const Visit& visit) {
    const std::uint32_t begin = edges.tiles[2 * work_item];
    const std::uint32_t end = edges.tiles[2 * work_item + 1];
    if constexpr (Width == 1) {
      rows(begin, end, edges, x, visit);
    } else {
      const std::uint64_t first = edges.offsets[begin];
      const auto total = static_cast<std::uint32_t>(edges.offsets[end] - first);
      const std::uint32_t* sources = edges.sources + first;
      float decoded[Edges::is_plain ? 1 : short_max];
      const float* weights = weights_of(edges, first, total, decoded);
      constexpr std::uint32_t ahead = 64;
      for (std::uint32_t i = 0; i < total && i < ahead; ++i) prefetch<Width>(x, sources[i]);
      std::uint32_t at = 0;
      std::uint32_t requested = ahead;
      for (std::uint32_t row = begin; row < end; ++row) {
        const auto next = static_cast<std::uint32_t>(edges.offsets[std::size_t{row} + 1] - first);
        for (; requested < next + ahead && requested < total; ++requested)
          prefetch<Width>(x, sources[requested]);
        if (!edges.is_replaced(row)) {
          double sums[Width];
          sum_of_columns<Width>(edges, first + at, weights + at, next - at, x, sums);
          visit.template row<Width>(std::size_t{edges.node_of(row)} * Width, sums);
        }
        at = next;
      }
    }
  }

  /// \brief Calls `visit(node, sum)` for the rows `begin … end`, none of which is
  /// long. Returns false as soon as some edges are invalid.
  template <class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static bool rows(std::size_t begin, std::size_t end, const Edges& edges,
                                          const X* x, const Visit& visit) {
    // The gathers of many rows come first: they are independent, so many are in flight. The number
    // of rows is limited so that their products leave space in the L1 cache for the gathered
    // values.
    constexpr std::uint64_t together = 512;
    alignas(64) double products[short_max];
    float decoded[Edges::is_plain ? 1 : short_max];
    const auto end_of = [&](std::size_t row) {
      return static_cast<std::uint64_t>(edges.offsets[row + 1]);
    };
    auto at = static_cast<std::uint64_t>(edges.offsets[begin]);
    for (std::size_t row = begin; row < end;) {
      std::size_t last = row;
      while (last + 1 < end && end_of(last + 1) - at <= together) ++last;
      const auto count = static_cast<std::uint32_t>(end_of(last) - at);
      if (!edges.are_valid(at, count)) return false;
      const float* weights = weights_of(edges, at, count, decoded);
      multiply(edges.sources + at, weights, count, x, products);
      drop_others(edges, at, count, products);
      const double* from = products;
      for (; row <= last; ++row) {
        const std::uint64_t next = end_of(row);
        const auto length = static_cast<std::uint32_t>(next - at);
        if (!edges.is_replaced(row)) {
          const std::size_t place = edges.node_of(row);
          visit(place, block_sum(from, length));
        }
        from += length;
        at = next;
      }
    }
    return true;
  }

  /// Calls `visit(query, sum)` for the edges `begin … begin + count`, a block of a long row.
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
      sum_of_columns<Width>(edges, begin, weights, count, x, sums);
      for (int q = 0; q < Width; ++q) visit(q, sums[q]);
    }
  }

  /// The reproducible sum of one block of at most 4096 edges.
  template <class X>
  KOKKOS_INLINE_FUNCTION static double sum(const std::uint32_t* sources, const float* weights,
                                           std::uint32_t count, const X* x) {
    alignas(64) double products[short_max];
    multiply(sources, weights, count, x, products);
    return block_sum(products, count);
  }

 private:
  /// The weights of the edges `first … first + count`; if they are not float32, they are decoded
  /// into \p decoded.
  template <class Edges>
  KOKKOS_INLINE_FUNCTION static const float* weights_of(const Edges& edges, std::uint64_t first,
                                                        std::uint32_t count, float* decoded) {
    if (Edges::is_plain || edges.weights != nullptr) return edges.weights + first;
    decoded[0] = 0.0F;  // g++ 12 does not see that nothing is read if there are no edges
    for (std::uint32_t i = 0; i < count; ++i) decoded[i] = edges.weight(first + i);
    return decoded;
  }
  /// Sets the terms of the edges that the one query does not use to 0.
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

  /// `products[i] = x[sources[i]] · weights[i]`; exact in double for floats.
  template <class X>
  KOKKOS_INLINE_FUNCTION static void multiply(const std::uint32_t* sources, const float* weights,
                                              std::uint32_t count, const X* x, double* products) {
    if constexpr (std::is_same_v<X, float>) {
      KOKKOS_IF_ON_HOST((multiply_floats(sources, weights, count, x, products);))
    } else {
      for (std::uint32_t i = 0; i < count; ++i)
        products[i] = Arch::rounded_product(static_cast<double>(x[sources[i]]),
                                            static_cast<double>(weights[i]));
    }
  }
  static void multiply_floats(const std::uint32_t* sources, const float* weights,
                              std::uint32_t count, const float* x, double* products) {
    using Pack = Arch::HostFloatPack8;
    std::uint32_t i = 0;
    for (; i + 8 <= count; i += 8) {
      (Pack::gather(x, sources + i).to<double>() * Pack::load(weights + i).to<double>())
          .store(products + i);
    }
    for (; i < count; ++i)
      products[i] = static_cast<double>(x[sources[i]]) * static_cast<double>(weights[i]);
  }

  /// The reproducible sum of up to 4096 products.
  KOKKOS_INLINE_FUNCTION static double block_sum([[maybe_unused]] const double* products,
                                                 [[maybe_unused]] std::uint32_t count) {
    double total = 0.0;
    KOKKOS_IF_ON_HOST((total = sum_of_packs(products, count);))
    return total;
  }
  /// `HostLanes` would keep its lanes in memory, which takes longer than to add a short row.
  static double sum_of_packs(const double* products, std::uint32_t count) {
    using Pack = Arch::HostFloatPack8::Doubles;
    const auto below = [](const double* from, std::uint32_t first, std::uint32_t end) {
      return Pack::load_below(from + first, first, end);
    };
    // Without lanes that begin at +0, the sum of nothing but −0 is −0.
    if (count <= 16)
      return (below(products, 0, count) + below(products, 8, count)).tree_sum() + 0.0;
    if (count <= 32) {
      return ((below(products, 0, count) + below(products, 16, count)) +
              (below(products, 8, count) + below(products, 24, count)))
                 .tree_sum() +
             0.0;
    }
    auto a = Pack::all(0.0);
    auto b = Pack::all(0.0);
    auto c = Pack::all(0.0);
    auto d = Pack::all(0.0);
    std::uint32_t i = 0;
    for (; i + 32 <= count; i += 32) {
      a = a + Pack::load(products + i);
      b = b + Pack::load(products + i + 8);
      c = c + Pack::load(products + i + 16);
      d = d + Pack::load(products + i + 24);
    }
    if (i < count) {
      a = a + below(products + i, 0, count - i);
      b = b + below(products + i, 8, count - i);
      c = c + below(products + i, 16, count - i);
      d = d + below(products + i, 24, count - i);
    }
    return ((a + c) + (b + d)).tree_sum();
  }

  /// The edges from `first` on with their weights.
  template <int Width, class Edges, class X>
  KOKKOS_INLINE_FUNCTION static void sum_of_columns(const Edges& edges, std::uint64_t first,
                                                    const float* weights, std::uint32_t count,
                                                    const X* x, double* sums) {
    constexpr int columns = Width < query_columns ? Width : query_columns;
    const std::uint32_t* sources = edges.sources + first;
    if constexpr (Edges::is_plain && query_columns < 32) {
      if (count <= 32) return short_sum<Width>(sources, weights, count, x, sums);
    }
    const auto four = [&](std::uint32_t from, int column) {
      using Sum = QueryPack<columns>;
      return four_lanes<Sum>(from, count, [&](Sum& sum, std::uint32_t i) {
        const X* values = x + std::size_t{sources[i]} * Width + column;
        if constexpr (!Edges::is_plain) {
          constexpr std::uint32_t every = 0xFFFFFFFFU >> (32 - columns);
          const std::uint32_t taken = edges.queries(first + i) >> column & every;
          if (taken != every) {
            X chosen[columns];
            for (int q = 0; q < columns; ++q) chosen[q] = (taken >> q & 1U) != 0 ? values[q] : X{};
            return sum.add(chosen, weights[i]);
          }
        }
        sum.add(values, weights[i]);
      });
    };
    tree_of_four_lanes([&](std::uint32_t from) {
      if constexpr (columns == Width) {
        return four(from, 0);
      } else {
        return QueryPack<Width>{four(from, 0), four(from, 8), four(from, 16), four(from, 24)};
      }
    }).store(sums);
  }

  /// The same for up to 32 edges, one lane each: a row is padded with zeros to a multiple of eight,
  /// so that no lane needs a branch.
  template <int Width, class X>
  KOKKOS_INLINE_FUNCTION static void short_sum(const std::uint32_t* sources, const float* weights,
                                               std::uint32_t count, const X* x, double* sums) {
    const X zeros[Width] = {};
    const X* lines[32];
    double factors[32];
    std::uint32_t filled = 0;
    for (; filled < count; ++filled) {
      lines[filled] = x + std::size_t{sources[filled]} * Width;
      factors[filled] = weights[filled];
    }
    for (; filled % 8 != 0; ++filled) {
      lines[filled] = zeros;
      factors[filled] = 0.0;
    }
    switch (filled / 8) {
      case 0:
        for (int q = 0; q < Width; ++q) sums[q] = 0.0;
        return;
      case 1:
        return sum_vec8<Width, 1>(lines, factors, sums);
      case 2:
        return sum_vec8<Width, 2>(lines, factors, sums);
      case 3:
        return sum_vec8<Width, 3>(lines, factors, sums);
      default:
        return sum_vec8<Width, 4>(lines, factors, sums);
    }
  }
  template <int Width, int Eights, class X>
  KOKKOS_INLINE_FUNCTION static void sum_vec8(const X* const* lines, const double* factors,
                                              double* sums) {
    constexpr int columns = Width < query_columns ? Width : query_columns;
    for (int column = 0; column < Width; column += columns) {
      tree_of_four_lanes([&](std::uint32_t from) {
        const auto add = [&](QueryPack<columns>& sum, std::uint32_t i) {
          sum.add(lines[i] + column, factors[i]);
        };
        QueryPack<columns> even{};
        add(even, from);
        if constexpr (Eights > 2) add(even, from + 16);
        if constexpr (Eights == 1) return even;
        QueryPack<columns> odd{};
        if constexpr (Eights > 1) add(odd, from + 8);
        if constexpr (Eights > 3) add(odd, from + 24);
        return even + odd;
      }).store(sums + column);
    }
  }

  /// Prefetches the values of a node.
  template <int Width, class X>
  KOKKOS_INLINE_FUNCTION static void prefetch(const X* x, std::uint32_t node) {
    [[maybe_unused]] const X* values = x + std::size_t{node} * Width;
    KOKKOS_IF_ON_HOST((for (int q = 0; q < Width; q += 64 / sizeof(X)) Arch::prefetch(values + q);))
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_THREAD_ROW_SUMS_HPP
