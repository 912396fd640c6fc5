// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_SPECIAL_WARP_ROW_SUMS_HPP
#define KINDRED_CORE_GRAPH_SPECIAL_WARP_ROW_SUMS_HPP

/// \file
/// A special form for CUDA: not yet measured on `hop-100m`. \see SpecialForms.hpp

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/launch/Warp.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/graph/impl/AddTerm.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Device: sums of rows for one query, computed by a warp: eight threads per row. Those of several
/// queries come from `RowStreams`.
class WarpRowSums {
 public:
  static constexpr std::uint64_t short_max = 32;
  /// Rows are bound by memory latency: what matters is how many warps are resident.
  static constexpr unsigned threads_max = 256;
  template <int Width>
  static constexpr unsigned teams_at_once = 8;

  static constexpr unsigned rows_per_work_item = 4;
  template <int Width, class Graph>
  static std::size_t short_work_items(const Graph& graph) {
    return quotient_up(graph.rows(), rows_per_work_item);
  }

  /// Calls `visit(place, sum, visit.ask(place))`, place = node * Width + query, for the short rows
  /// of work item \p work_item.
  template <int Width, class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void short_rows(std::size_t work_item, const Edges& edges,
                                                const X* x, const Visit& visit) {
    const unsigned lane = warp::lane();
    const unsigned thread = lane % 8;
    const std::size_t row = work_item * rows_per_work_item + lane / 8;
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
    double sum = four_lanes<double>(thread, count, [&](double& to, std::uint32_t i) {
      const std::uint64_t edge = begin + i;
      if ((edges.queries(edge) & 1U) != 0) add_term(to, x[edges.sources[edge]], edges.weight(edge));
    });
    sum = warp::sum_of_group<8>(sum);
    if (is_mine) visit(place, sum, held);
  }

  /// Calls `visit(query, sum)` for the edges `begin … begin + count`, a block of a long row.
  template <int Width, class Edges, class X, class Visit>
  KOKKOS_INLINE_FUNCTION static void block(const Edges& edges, std::uint64_t begin,
                                           std::uint32_t count, const X* x, const Visit& visit) {
    // Each thread reads eight edges before it adds the first, since a row is a chain of dependent
    // additions.
    constexpr unsigned ahead = 8;
    double sum = 0;
    for (std::uint32_t first = warp::lane(); first < count; first += 32 * ahead) {
      X values[ahead];
      float weights[ahead];
      KINDRED_UNROLL
      for (unsigned k = 0; k < ahead; ++k) {
        const std::uint32_t i = first + 32 * k;
        const std::uint64_t edge = begin + (i < count ? i : first);
        const bool is_taken = i < count && (edges.queries(edge) & 1U) != 0;
        weights[k] = edges.weight(edge);
        values[k] = is_taken ? x[edges.sources[edge]] : X(0);
      }
      KINDRED_UNROLL
      for (unsigned k = 0; k < ahead; ++k) add_term(sum, values[k], weights[k]);
    }
    sum = warp::sum(sum);
    if (warp::lane() == 0) visit(0, sum);
  }

 private:
  using warp = Arch::Warp<DeviceSpace>;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_SPECIAL_WARP_ROW_SUMS_HPP
