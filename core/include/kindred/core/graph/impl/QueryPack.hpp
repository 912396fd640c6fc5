// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_QUERY_PACK_HPP
#define KINDRED_CORE_GRAPH_IMPL_QUERY_PACK_HPP

#include <kindred/core/arch/simd/FloatPack8.hpp>

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
    KOKKOS_IF_ON_HOST(
        (query = Pack::add_exact(Pack::widen(Pack::load(values)), Pack::all(weight), query);))
  }
  KOKKOS_INLINE_FUNCTION void add(const double* values, double weight) {
    KOKKOS_IF_ON_HOST(
        (query = Pack::add(query, Pack::multiply(Pack::load(values), Pack::all(weight)));))
  }
  KOKKOS_INLINE_FUNCTION void store(double* to) const {
    KOKKOS_IF_ON_HOST((Pack::store(to, query);))
  }
  KOKKOS_INLINE_FUNCTION friend QueryPack operator+(const QueryPack& a, const QueryPack& b) {
    QueryPack r;
    KOKKOS_IF_ON_HOST((r.query = Pack::add(a.query, b.query);))
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
inline constexpr int query_columns = Arch::host_has_wide_registers ? 32 : 8;

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_QUERY_PACK_HPP
