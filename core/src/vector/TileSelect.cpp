// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/TileSelect.hpp>

#include <kindred/core/arch/launch/LaunchShape.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/vector/impl/TileSelectKernels.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>

#include <algorithm>
#include <type_traits>

namespace Kindred {

namespace {

using Impl::extent_of;
using Impl::extent_sum;

/// Elements of \p count vectors from the beginning of a block on.
std::uint64_t extent_of_tile(const TileLayout& layout, std::uint64_t count) {
  const std::uint64_t unit = layout.in_blocks ? TileLayout::block_vectors : 1;
  return extent_of(count / unit + (count % unit != 0 ? 1 : 0), unit, layout.stride);
}

/// \p rows has what rows in \p order are made of.
template <class ExecutionSpace>
void check_order(const Impl::ArgumentCheck& check, const VectorRows<ExecutionSpace>& rows,
                 const TileOrder<ExecutionSpace>& order) {
  check.has_if_given("order.chosen", order.chosen, order.count);
  if (order.chosen.size() == 0) check.has("rows.norms", rows.norms, order.count);
  Impl::check_rows(check, rows, rows.norms.size());
}

/// \p values has \p count vectors, of which four elements are stored together.
template <class Values>
void check_float_tile(const Impl::ArgumentCheck& check, std::uint64_t dimension,
                      const TileLayout& layout, const Values& values, std::uint64_t count) {
  check.is_at_least("layout.stride", layout.stride, dimension);
  check.is_multiple("layout.stride", layout.stride,
                    layout.in_blocks ? TileLayout::block_length : 4);
  check.has("values", values, extent_of_tile(layout, count));
  check.is_aligned("values", values.data(), 4 * sizeof(typename Values::value_type));
}

void check_bounds(const Impl::ArgumentCheck& check, const TileBounds& bounds, std::uint64_t count) {
  check.is_array("bounds.scales", bounds.scales, count);
  check.is_array("bounds.errors", bounds.errors, count);
  check.is_array("bounds.shifts", bounds.shifts, count);
  check.is_array("bounds.rows", bounds.rows, count);
}

template <class ExecutionSpace, class Product>
void check_products(const Impl::ArgumentCheck& check,
                    const TileProducts<ExecutionSpace, Product>& products,
                    const TileBounds& bounds) {
  check.is_array("products.values", products.values, extent_of(products.count, products.queries));
  check.is_at_most("products.last", products.last, products.count);
  check.is_at_most("products.first", products.first, products.last);
  check_bounds(check, bounds, products.count);
}

/// \p lists has the lists of \p queries queries.
template <class ExecutionSpace>
void check_lists(const Impl::ArgumentCheck& check, const TileLists<ExecutionSpace>& lists,
                 std::uint64_t queries) {
  const std::uint64_t places = extent_of(queries, lists.capacity);
  check.has("lists.rows", lists.rows, places);
  check.has("lists.uppers", lists.uppers, places);
  check.has("lists.counts", lists.counts, queries);
  check.has("lists.thresholds", lists.thresholds, queries);
  check.has("lists.widths", lists.widths, queries);
}

}  // namespace

template <class ExecutionSpace, class Element>
void prepare_tile_queries(const ExecutionSpace& exec_space, Metric metric,
                          const VectorQueries<ExecutionSpace>& queries, std::uint64_t dimension,
                          std::uint64_t first,
                          const ArrayView<const float, ExecutionSpace>& initial,
                          const TileQueries<ExecutionSpace, Element>& tile,
                          const TileLists<ExecutionSpace>& lists) {
  const Impl::ArgumentCheck check("prepare_tile_queries");
  const std::uint64_t padded = tile.weights.size();
  Impl::check_float_queries(check, queries, dimension);
  check.has_if_given("initial", initial, queries.count);
  check.is_at_least("tile.layout.stride", tile.layout.stride, dimension);
  check.has("tile.values", tile.values, extent_of_tile(tile.layout, extent_sum(first, padded)));
  check.has("tile.slacks", tile.slacks, padded);
  check.has("tile.residuals", tile.residuals, 1);
  check.is_at_least("the size of tile.weights", padded, queries.count);
  check.has("lists.thresholds", lists.thresholds, padded);
  check.has("lists.counts", lists.counts, queries.count);
  check.has("lists.widths", lists.widths, queries.count);
  Launch::for_each_warp(
      exec_space, "Kindred::Vector::prepare_tile_queries::round", tile.weights.size(),
      Impl::PrepareTileQueries<ExecutionSpace, Element>{
          metric, queries.floats.data(), queries.norms.data(), queries.count, dimension, first,
          initial.size() == 0 ? nullptr : initial.data(), tile, lists});
}

namespace {

template <class Tile, class ExecutionSpace, class Finish>
void launch_rounding(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                     const TileOrder<ExecutionSpace>& order, std::uint64_t begin,
                     const TileLayout& layout, Tile* values, std::uint64_t count,
                     const Finish& finish) {
  Impl::with_element(rows, [&]<class Stored>(const Impl::ElementRows<Stored>& elements) {
    Impl::with_alignment<ExecutionSpace>(elements, [&](auto aligned) {
      Launch::for_each_warp(exec_space, "Kindred::Vector::prepare_tile_rows::round", count,
                            Impl::PrepareTileRows<ExecutionSpace, Stored, Tile, Finish, aligned()>{
                                elements, order, begin, values, layout, finish});
    });
  });
}

}  // namespace

template <class ExecutionSpace, class Element>
void prepare_tile_rows(const ExecutionSpace& exec_space, Metric metric, const TileModel& model,
                       const VectorRows<ExecutionSpace>& rows,
                       const TileOrder<ExecutionSpace>& order, std::uint64_t begin,
                       const ArrayView<const float, ExecutionSpace>& query_residual,
                       const TileRows<ExecutionSpace, Element>& tile,
                       const ArrayView<std::uint32_t, ExecutionSpace>& not_numbers) {
  const Impl::ArgumentCheck check("prepare_tile_rows");
  check_order(check, rows, order);
  check_float_tile(check, rows.dimension, tile.layout, tile.values, tile.count);
  check_bounds(check, tile.bounds, tile.count);
  check.has("query_residual", query_residual, 1);
  check.has("not_numbers", not_numbers, 1);
  launch_rounding(exec_space, rows, order, begin, tile.layout, tile.values.data(), tile.count,
                  Impl::SetTileBound{metric, model, rows.dimension, query_residual.data(),
                                     tile.bounds, not_numbers.data()});
}

template <class ExecutionSpace, class Element>
void round_tile_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                     const TileOrder<ExecutionSpace>& order, std::uint64_t begin,
                     const TileLayout& layout, const ArrayView<Element, ExecutionSpace>& values,
                     const ArrayView<float, ExecutionSpace>& squares) {
  const Impl::ArgumentCheck check("round_tile_rows");
  check_order(check, rows, order);
  check.is_multiple("begin", begin, TileLayout::block_vectors);
  check_float_tile(check, rows.dimension, layout, values, squares.size());
  check.is_aligned("squares", squares);
  launch_rounding(exec_space, rows, order, begin, layout, values.data(), squares.size(),
                  Impl::SetTileSquares{squares.data()});
}

template <class ExecutionSpace>
void bound_tile_rows(const ExecutionSpace& exec_space, Metric metric, const TileModel& model,
                     const VectorRows<ExecutionSpace>& rows, const TileOrder<ExecutionSpace>& order,
                     std::uint64_t begin, const ArrayView<const float, ExecutionSpace>& squares,
                     const ArrayView<const float, ExecutionSpace>& query_residual,
                     const TileBounds& bounds,
                     const ArrayView<std::uint32_t, ExecutionSpace>& not_numbers) {
  const Impl::ArgumentCheck check("bound_tile_rows");
  check.has_if_given("order.chosen", order.chosen, order.count);
  if (order.chosen.size() == 0) check.has("rows.norms", rows.norms, order.count);
  check.is_aligned("squares", squares);
  check.has("query_residual", query_residual, 1);
  check_bounds(check, bounds, squares.size());
  check.has("not_numbers", not_numbers, 1);
  Launch::for_each_index(
      exec_space, "Kindred::Vector::bound_tile_rows::bound", squares.size(),
      Impl::BoundTileRows<ExecutionSpace>{
          rows.norms.data(),
          order,
          begin,
          squares.data(),
          {metric, model, rows.dimension, query_residual.data(), bounds, not_numbers.data()}});
}

template <class Element>
void prepare_tile_rows_here(Metric metric, const TileModel& model,
                            const VectorRows<HostSpace>& rows, const TileOrder<HostSpace>& order,
                            std::uint64_t begin, float query_residual,
                            const TileRows<HostSpace, Element>& tile, std::uint32_t* not_numbers) {
  const Impl::ArgumentCheck check("prepare_tile_rows_here");
  check_order(check, rows, order);
  check.is_at_least("tile.layout.stride", tile.layout.stride, rows.dimension);
  check.has("tile.values", tile.values, extent_of(tile.count, tile.layout.stride));
  check_bounds(check, tile.bounds, tile.count);
  check.is_array("not_numbers", not_numbers, 1);
  constexpr int width = 16;
  const Impl::SetTileBound finish{metric,          model,       rows.dimension,
                                  &query_residual, tile.bounds, not_numbers};
  Impl::with_element(rows, [&]<class Stored>(const Impl::ElementRows<Stored>& elements) {
    for (std::uint64_t place = 0; place < tile.count; ++place) {
      const std::uint32_t index = order.row(begin + place);
      const bool exists = index != TileOrder<HostSpace>::none;
      const double norm = exists ? elements.norms[index] : 0.0;
      const float factor = Impl::row_factor(norm);
      Element* out = tile.values.data() + place * tile.layout.stride;
      float squares[width] = {};
      if (factor == 0.0F) {
        std::fill_n(out, tile.layout.stride, Element{});
      } else {
        const auto x = elements[index];
        const auto round = [&](std::uint64_t i, int lane) {
          float value = Arch::to_float(x.values[i]);
          if constexpr (std::is_same_v<Stored, std::int8_t>) value = value * x.scale;
          const float scaled = value * factor;
          out[i] = Arch::round_to<Element>(scaled);
          const float rest = scaled - Arch::to_float(out[i]);
          squares[lane] += rest * rest;
        };
        const std::uint64_t whole = elements.dimension / width * width;
        for (std::uint64_t i = 0; i < whole; i += width)
          for (int lane = 0; lane < width; ++lane) round(i + static_cast<unsigned>(lane), lane);
        for (std::uint64_t i = whole; i < elements.dimension; ++i) round(i, 0);
        std::fill(out + elements.dimension, out + tile.layout.stride, Element{});
      }
      float sum = 0;
      for (const float part : squares) sum += part;
      finish(place, index, norm, sum);
    }
  });
}

template <class ExecutionSpace, class Product>
void select_tile(const ExecutionSpace& exec_space, Metric metric, const TileModel& model,
                 const TileProducts<ExecutionSpace, Product>& products, const TileBounds& bounds,
                 const ArrayView<const float, ExecutionSpace>& weights,
                 const RowFilter<ExecutionSpace>& filter, const TileLists<ExecutionSpace>& lists) {
  const Impl::ArgumentCheck check("select_tile");
  const std::uint64_t queries = extent_sum(products.first_query, products.queries);
  check_products(check, products, bounds);
  check.is_multiple("products.first", products.first, tile_group);
  check.is_multiple("products.last", products.last, tile_group);
  if (metric == Metric::l2) check.has("weights", weights, queries);
  Impl::check_filter(check, filter, queries, 0);
  check_lists(check, lists, queries);
  const auto launch = [&](auto weighted) {
    using kernel = Impl::SelectTile<ExecutionSpace, Product, weighted()>;
    const std::uint64_t groups = (products.last - products.first) / tile_group;
    if (groups == 0 || products.queries == 0) return;
    const std::uint64_t each = kernel::queries_of_thread(groups, products.queries);
    const std::uint64_t parts = quotient_up(products.queries, each);
    Launch::for_each_index<Launch::Fine, std::uint32_t>(
        exec_space, "Kindred::Vector::select_tile::filter", groups * parts,
        kernel{each, model.output_relative, products, bounds, weights.data(), filter, lists});
  };
  if (metric == Metric::l2) return launch(std::true_type{});
  launch(std::false_type{});
}

namespace {

template <bool Weighted>
void filter_here(const TileModel& model, const TileProducts<HostSpace, float>& products,
                 const TileBounds& bounds, const ArrayView<const float, HostSpace>& weights,
                 const RowFilter<HostSpace>& filter, const TileLists<HostSpace>& lists) {
  constexpr std::uint64_t step = 16;
  const float* weight = weights.data() + products.first_query;
  // No other thread may raise the thresholds meanwhile: they are read without atomics.
  const float* threshold = lists.thresholds.data() + products.first_query;
  for (std::uint64_t r = products.first; r < products.last; ++r) {
    const TileRow row = bounds[r];
    if (row.error == -__builtin_inff()) continue;
    const float relative = tile_relative(model, row);
    const float* line = products.values + r * products.queries;
    for (std::uint64_t q = 0; q < products.queries; q += step) {
      int any = 0;
      for (std::uint64_t j = q; j < q + step; ++j)
        any |= tile_upper<Weighted>(line[j], row, relative, weight[j]) < threshold[j] ? 0 : 1;
      if (any == 0) continue;
      for (std::uint64_t j = q; j < q + step; ++j) {
        const float upper = tile_upper<Weighted>(line[j], row, relative, weight[j]);
        if (upper < threshold[j] || threshold[j] == __builtin_inff()) continue;
        const std::uint32_t index = bounds.rows[r];
        const std::uint64_t query = products.first_query + j;
        if (filter.passes(query, index)) {
          Impl::append_survivor(lists, query, index, upper,
                                tile_width(line[j], row, relative, weight[j]));
        }
      }
    }
  }
}

}  // namespace

void select_tile_here(Metric metric, const TileModel& model,
                      const TileProducts<HostSpace, float>& products, const TileBounds& bounds,
                      const ArrayView<const float, HostSpace>& weights,
                      const RowFilter<HostSpace>& filter, const TileLists<HostSpace>& lists) {
  const Impl::ArgumentCheck check("select_tile_here");
  const std::uint64_t queries = extent_sum(products.first_query, products.queries);
  check_products(check, products, bounds);
  check.is_multiple("products.queries", products.queries, 16);
  check.has("weights", weights, queries);
  check.has("lists.thresholds", lists.thresholds, queries);
  if (metric == Metric::l2)
    return filter_here<true>(model, products, bounds, weights, filter, lists);
  filter_here<false>(model, products, bounds, weights, filter, lists);
}

template <class ExecutionSpace>
void raise_thresholds(const ExecutionSpace& exec_space, std::uint64_t first, std::uint64_t count,
                      std::uint64_t k, std::uint64_t least,
                      const ArrayView<const float, ExecutionSpace>& slacks,
                      const TileLists<ExecutionSpace>& lists) {
  const Impl::ArgumentCheck check("raise_thresholds");
  const std::uint64_t queries = extent_sum(first, count);
  check.has("slacks", slacks, queries);
  check_lists(check, lists, queries);
  using shape = Arch::LaunchShape<ExecutionSpace>;
  using kernel = Impl::RaiseThresholds<ExecutionSpace>;
  constexpr auto warps = static_cast<std::uint64_t>(shape::team_size);
  Launch::for_each_team(
      exec_space, "Kindred::Vector::raise_thresholds::count",
      {.count = quotient_up(count, warps), .scratch_bytes = kernel::scratch_bytes},
      kernel{first, count, k, least, slacks.data(), lists});
}

template <class ExecutionSpace>
void list_survivors(const ExecutionSpace& exec_space, const TileLists<ExecutionSpace>& lists,
                    std::uint64_t first, std::uint64_t queries, std::uint64_t width,
                    const ArrayView<std::uint32_t, ExecutionSpace>& ids) {
  const Impl::ArgumentCheck check("list_survivors");
  check_lists(check, lists, extent_sum(first, queries));
  check.is_multiple("width", width, candidate_tile<ExecutionSpace>());
  check.has("ids", ids, extent_of(queries, width));
  Launch::for_each_index(exec_space, "Kindred::Vector::list_survivors::place", queries * width,
                         Impl::ListSurvivors<ExecutionSpace>{lists, first, width, ids.data()});
}

KINDRED_INSTANTIATE_FOR_SPACES(prepare_tile_queries, Arch::Float16);
KINDRED_INSTANTIATE_FOR_SPACES(prepare_tile_rows, Arch::Float16);
KINDRED_INSTANTIATE_FOR_SPACES(round_tile_rows, Arch::Float16);
KINDRED_INSTANTIATE_FOR_SPACES(bound_tile_rows);
KINDRED_INSTANTIATE_FOR_SPACES(select_tile, Arch::Float16);
KINDRED_INSTANTIATE_FOR_SPACES(raise_thresholds);
KINDRED_INSTANTIATE_FOR_SPACES(list_survivors);
#define KINDRED_INSTANTIATE_HERE(ELEMENT)                     \
  template decltype(prepare_tile_queries<HostSpace, ELEMENT>) \
      prepare_tile_queries<HostSpace, ELEMENT>;               \
  template decltype(prepare_tile_rows_here<ELEMENT>) prepare_tile_rows_here<ELEMENT>;
KINDRED_INSTANTIATE_HERE(Arch::BFloat16)
KINDRED_INSTANTIATE_HERE(float)
#undef KINDRED_INSTANTIATE_HERE

}  // namespace Kindred
