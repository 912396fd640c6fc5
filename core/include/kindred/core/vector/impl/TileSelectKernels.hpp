// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_TILE_SELECT_KERNELS_HPP
#define KINDRED_CORE_VECTOR_IMPL_TILE_SELECT_KERNELS_HPP

#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/arch/launch/LaunchShape.hpp>
#include <kindred/core/arch/launch/Warp.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/select/impl/KthGreatest.hpp>
#include <kindred/core/vector/TileSelect.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/core/vector/impl/ElementRow.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace Kindred::Impl {

/// Four adjacent elements, read and written together if they are aligned.
template <class Element, bool Aligned>
struct alignas(Aligned ? 4 * sizeof(Element) : alignof(Element)) Vec4Elements {
  Element value[4];
};

/// \brief An upper bound of the residual of \p dimension elements, from their sum of squares, which
/// was accumulated in float32 in at least four partial sums.
KOKKOS_INLINE_FUNCTION double residual_bound(float squares, std::uint64_t dimension) {
  const double factor = 1 + static_cast<double>(dimension) * 0x1p-23;
  return Kokkos::sqrt(static_cast<double>(squares)) * factor + 0x1p-40;
}

/// Scales, rounds and stores four elements; returns the squared rounding errors.
template <class Tile>
KOKKOS_INLINE_FUNCTION float scale_vec4(const float (&x)[4], float factor, Tile (&out)[4]) {
  float scaled[4];
  KINDRED_UNROLL
  for (int j = 0; j < 4; ++j) scaled[j] = x[j] * factor;
  float rounded[4];
  Arch::round_vec4(scaled, out, rounded);
  float squares = 0;
  KINDRED_UNROLL
  for (int j = 0; j < 4; ++j) {
    const float rest = scaled[j] - rounded[j];
    squares = Kokkos::fma(rest, rest, squares);
  }
  return squares;
}

/// The factor of a row's elements; 0 for rows that are not prefiltered.
KOKKOS_INLINE_FUNCTION float row_factor(double norm) {
  return tile_covers(norm) ? static_cast<float>(tile_power(-tile_exponent(norm))) : 0.0F;
}

/// Stores the bound of a row from its squared rounding errors. `index` is `TileOrder::none` where
/// there is no row.
struct SetTileBound {
  Metric metric;
  TileModel model;
  std::uint64_t dimension;
  const float* query_residual;
  TileBounds bounds;
  std::uint32_t* not_numbers;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t place, std::uint32_t index, double norm,
                                         float squares) const {
    TileRow bound = tile_row(metric, model, norm, residual_bound(squares, dimension),
                             static_cast<double>(*query_residual));
    if (index == TileOrder<HostSpace>::none) bound.error = -__builtin_inff();
    bounds.set(place, bound, index);
    if (norm != norm) Kokkos::atomic_store(not_numbers, 1U);
  }
};

/// Stores the squared rounding errors of a row.
struct SetTileSquares {
  float* out;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t place, std::uint32_t, double,
                                         float squares) const {
    out[place] = squares;
  }
};

/// An index: one position of rows that were rounded before.
template <class ExecutionSpace>
struct BoundTileRows {
  const double* norms;
  TileOrder<ExecutionSpace> order;
  std::uint64_t begin;
  const float* squares;
  SetTileBound set;

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint64_t place) const {
    const std::uint32_t index = order.row(begin + place);
    set(place, index, index == TileOrder<ExecutionSpace>::none ? 0.0 : norms[index],
        squares[place]);
  }
};

/// A work item: one position of the tile. \tparam Finish receives the squared rounding errors
template <class ExecutionSpace, class Element, class Tile, class Finish, bool Aligned>
struct PrepareTileRows {
  static constexpr int depth = 6;

  ElementRows<Element> rows;
  TileOrder<ExecutionSpace> order;
  std::uint64_t begin;
  Tile* values;
  TileLayout layout;
  Finish finish;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t place) const {
    const std::uint32_t index = order.row(begin + place);
    const bool exists = index != TileOrder<ExecutionSpace>::none;
    const double norm = exists ? rows.norms[index] : 0.0;
    const float factor = row_factor(norm);
    const ElementRow<Element> x = rows[exists ? index : 0];
    constexpr std::uint64_t lanes = Arch::LaunchShape<ExecutionSpace>::vector_length;
    const std::uint64_t chunks = layout.stride / 4;
    const TileLayout::Line out = layout.line(place);
    float squares = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, lanes),
        [&](const std::uint64_t lane, float& sum) {
          // Loads are in flight together, before it is known whether the row is needed.
          for (std::uint64_t first = lane; first < chunks; first += depth * lanes) {
            Vec4Elements<Element, Aligned> read[depth];
            KINDRED_UNROLL
            for (int e = 0; e < depth; ++e) read[e] = load(x, 4 * (first + e * lanes));
            KINDRED_UNROLL
            for (int e = 0; e < depth; ++e) {
              const std::uint64_t chunk = first + e * lanes;
              if (chunk < chunks)
                sum += store(x, read[e], factor,
                             values + out.at(static_cast<std::uint32_t>(4 * chunk)));
            }
          }
        },
        squares);
    Kokkos::single(Kokkos::PerThread(member), [&] { finish(place, index, norm, squares); });
  }

  /// Four elements, with +0 beyond the row.
  KOKKOS_INLINE_FUNCTION Vec4Elements<Element, Aligned> load(const ElementRow<Element>& x,
                                                             std::uint64_t i) const {
    Vec4Elements<Element, Aligned> read{};
    if constexpr (Aligned) {
      if (i < rows.dimension)
        read = *reinterpret_cast<const Vec4Elements<Element, Aligned>*>(x.values + i);
    } else {
      for (int j = 0; j < 4; ++j)
        if (i + j < rows.dimension) read.value[j] = x.values[i + j];
    }
    return read;
  }
  KOKKOS_INLINE_FUNCTION static float store(const ElementRow<Element>& x,
                                            const Vec4Elements<Element, Aligned>& read,
                                            float factor, Tile* out) {
    float four[4];
    KINDRED_UNROLL
    for (int j = 0; j < 4; ++j) four[j] = factor == 0.0F ? 0.0F : decoded(x, read.value[j]);
    Vec4Elements<Tile, true> written;
    const float squares = scale_vec4(four, factor, written.value);
    *reinterpret_cast<Vec4Elements<Tile, true>*>(out) = written;
    return squares;
  }

  KOKKOS_INLINE_FUNCTION static float decoded(const ElementRow<Element>& x, Element element) {
    if constexpr (std::is_same_v<Element, std::int8_t>) return Arch::to_float(element) * x.scale;
    return Arch::to_float(element);
  }
};

/// A work item: one query of the tile.
template <class ExecutionSpace, class Tile>
struct PrepareTileQueries {
  Metric metric;
  const float* floats;
  const double* norms;
  std::uint64_t queries;
  std::uint64_t dimension;
  std::uint64_t first;
  const float* initial;  // null: −∞
  TileQueries<ExecutionSpace, Tile> tile;
  TileLists<ExecutionSpace> lists;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t query) const {
    constexpr float infinity = __builtin_inff();
    const double norm = query < queries ? norms[query] : 0.0;
    const bool prefiltered = tile_covers(norm);
    const double factor = prefiltered ? tile_norm / norm : 0.0;
    const float* q = floats + query * dimension;
    Tile* out = tile.values.data();
    double squares = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, tile.layout.stride),
        [&](const std::uint64_t i, double& sum) {
          const double scaled =
              prefiltered && i < dimension ? static_cast<double>(q[i]) * factor : 0.0;
          const Tile rounded = Arch::round_to<Tile>(static_cast<float>(scaled));
          const double rest = scaled - static_cast<double>(Arch::to_float(rounded));
          sum += rest * rest;
          out[tile.layout.at(first + query, i)] = rounded;
        },
        squares);
    Kokkos::single(Kokkos::PerThread(member), [&] {
      // The error of the double arithmetic is far smaller than this.
      const auto residual =
          static_cast<float>(Kokkos::sqrt(squares) * (1 + 0x1p-20) + tile_norm * 0x1p-40);
      Kokkos::atomic_max(reinterpret_cast<std::uint32_t*>(tile.residuals.data()),
                         Kokkos::bit_cast<std::uint32_t>(residual));
      const bool l2 = prefiltered && metric == Metric::l2;
      tile.weights(query) = l2 ? static_cast<float>(factor) : 0.0F;
      tile.slacks(query) = l2 ? static_cast<float>(tile_norm * norm * 0x1p-22) : 0.0F;
      const float start = initial == nullptr || query >= queries ? -infinity : initial[query];
      lists.thresholds(query) = prefiltered ? start : infinity;
      if (query >= queries) return;
      lists.counts(query) = prefiltered ? 0U : TileLists<ExecutionSpace>::lost;
      lists.widths(query) = 0;
    });
  }
};

/// Appends a surviving row.
template <class ExecutionSpace>
KOKKOS_INLINE_FUNCTION void append_survivor(const TileLists<ExecutionSpace>& lists,
                                            std::uint64_t query, std::uint32_t row, float upper,
                                            float width) {
  const std::uint32_t place = Kokkos::atomic_fetch_add(&lists.counts(query), 1U);
  if (place >= lists.capacity) return;
  lists.rows(query * lists.capacity + place) = row;
  lists.uppers(query * lists.capacity + place) = ascending_bits(upper);
  if (!(upper < __builtin_inff())) return;
  // A width is not negative, so its bits keep its order.
  const auto bits = Kokkos::bit_cast<std::uint32_t>(width);
  Kokkos::atomic_max(&lists.widths(query), bits);
}

/// An index: eight rows of the tile, for a few queries.
template <class ExecutionSpace, class Product, bool Weighted>
struct SelectTile {
  static constexpr unsigned threads_max = 128;
  static constexpr unsigned teams_at_once = 6;
  static constexpr std::uint64_t queries_most = 8;
  static constexpr int queries_at_once = 4;

  /// \brief Queries per thread: fewer if there are few rows, so that a device has enough work;
  /// survivors of the same thread are processed one after the other.
  static std::uint64_t queries_of_thread(std::uint64_t groups, std::uint64_t queries) {
    constexpr std::uint64_t threads = 1U << 17U;
    return std::bit_floor(std::clamp<std::uint64_t>(groups * queries / threads, 1, queries_most));
  }

  std::uint64_t queries_each;
  float output_relative;
  TileProducts<ExecutionSpace, Product> products;
  TileBounds bounds;
  const float* weights;
  RowFilter<ExecutionSpace> filter;
  TileLists<ExecutionSpace> lists;

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t index) const {
    const auto groups = static_cast<std::uint32_t>((products.last - products.first) / tile_group);
    const std::uint64_t first = products.first + index % groups * tile_group;
    const std::uint64_t query_begin = index / groups * queries_each;
    TileRow rows[tile_group];
    float relative[tile_group];
    const Arch::Adjacent<float, 8> scales = Arch::load_adjacent<8>(bounds.scales + first);
    const Arch::Adjacent<float, 8> errors = Arch::load_adjacent<8>(bounds.errors + first);
    const Arch::Adjacent<float, 8> shifts =
        Weighted ? Arch::load_adjacent<8>(bounds.shifts + first) : Arch::Adjacent<float, 8>{};
    KINDRED_UNROLL
    for (int r = 0; r < 8; ++r) {
      rows[r] = {scales.value[r], errors.value[r], shifts.value[r]};
      relative[r] = rows[r].scale * output_relative;
    }
    const std::uint64_t left = products.queries - query_begin;
    const auto count = static_cast<int>(left < queries_each ? left : queries_each);
    int q = 0;
    for (; q + queries_at_once <= count; q += queries_at_once)
      filter_products<queries_at_once>(rows, relative, first, query_begin + q);
    for (; q < count; ++q) filter_products<1>(rows, relative, first, query_begin + q);
  }

  template <int Queries>
  KOKKOS_INLINE_FUNCTION void filter_products(const TileRow (&rows)[tile_group],
                                              const float (&relative)[tile_group],
                                              std::uint64_t first, std::uint64_t query) const {
    Arch::Adjacent<Product, 8> eight[Queries];
    float threshold[Queries];
    float weight[Queries];
    KINDRED_UNROLL
    for (int q = 0; q < Queries; ++q) {
      eight[q] = Arch::load_adjacent<8>(products.values + (query + q) * products.count + first);
      threshold[q] = lists.thresholds(products.first_query + query + q);
      weight[q] = Weighted ? weights[products.first_query + query + q] : 0.0F;
    }
    KINDRED_UNROLL
    for (int q = 0; q < Queries; ++q) {
      float product[8];
      for (int i = 0; i < 8; ++i) product[i] = Arch::to_float(eight[q].value[i]);
      // No bound is NaN: the maximum shows whether any row survives.
      float greatest = -__builtin_inff();
      KINDRED_UNROLL
      for (int r = 0; r < 8; ++r) {
        greatest = Kokkos::fmax(greatest,
                                tile_upper<Weighted>(product[r], rows[r], relative[r], weight[q]));
      }
      if (!(greatest < threshold[q]) && threshold[q] < __builtin_inff())
        survive(product, rows, relative, first, query + q, threshold[q], weight[q]);
    }
  }

  /// Few threads come here, but others wait for them: values in registers are not read again.
  KOKKOS_INLINE_FUNCTION void survive(const float (&product)[8], const TileRow (&rows)[8],
                                      const float (&relative)[8], std::uint64_t first,
                                      std::uint64_t tile_query, float threshold,
                                      float weight) const {
    const std::uint64_t query = products.first_query + tile_query;
    KINDRED_UNROLL
    for (int r = 0; r < 8; ++r) {
      const float upper = tile_upper<Weighted>(product[r], rows[r], relative[r], weight);
      if (upper < threshold || rows[r].error == -__builtin_inff()) continue;
      const std::uint32_t index = bounds.rows[first + r];
      if (filter.passes(query, index)) {
        append_survivor(lists, query, index, upper,
                        tile_width(product[r], rows[r], relative[r], weight));
      }
    }
  }
};

/// A work item: one query.
template <class ExecutionSpace>
struct RaiseThresholds {
  using shape = Arch::LaunchShape<ExecutionSpace>;
  static constexpr std::size_t scratch_bytes =
      2 * sizeof(std::uint32_t) * shape::team_size * shape::vector_length + 16;
  static constexpr std::uint32_t infinite_bits = 0xFF800000U;  // ascending bits of +∞
  static constexpr std::uint32_t lanes = shape::vector_length;
  static constexpr std::uint32_t last_bit = 1U << 8U;  // 2^−15 of a score: far below its width
  // per thread, if it keeps its part of a list in registers
  static constexpr std::uint32_t own_entries = 16;

  std::uint64_t first;
  std::uint64_t count;
  std::uint64_t k;
  std::uint64_t least;
  const float* slacks;
  TileLists<ExecutionSpace> lists;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member) const {
    auto* kept = static_cast<std::uint32_t*>(
        member.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16));
    const std::uint64_t work_item = Launch::warp_of(member);
    if (work_item >= count) return;
    const std::uint64_t query = first + work_item;
    const std::uint32_t size = lists.counts(query);
    if (size > lists.capacity) {
      Kokkos::single(Kokkos::PerThread(member), [&] {
        lists.counts(query) = TileLists<ExecutionSpace>::lost;
        lists.thresholds(query) = __builtin_inff();
      });
      return;
    }
    if (size < least || size < k) return;
    std::uint32_t* rows = &lists.rows(query * lists.capacity);
    std::uint32_t* uppers = &lists.uppers(query * lists.capacity);
    // The k-th greatest bound, excluding rows that always survive, whose bound does not reflect
    // their score.
    const auto kth_bound = [&](const auto& at_least) {
      const auto needed = static_cast<std::uint32_t>(k);
      const std::uint32_t always = at_least(infinite_bits);
      return size - always < needed ? 0U : kth_greatest(needed + always, last_bit, at_least);
    };
    std::uint32_t bits = 0;
    if (lanes > 1 && size <= lanes * own_entries) {
      // A short list is read only once.
      std::uint32_t own[own_entries];
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes), [&](const std::uint32_t lane) {
        KINDRED_UNROLL
        for (std::uint32_t e = 0; e < own_entries; ++e)
          own[e] = lane + e * lanes < size ? uppers[lane + e * lanes] : 0U;
      });
      bits = kth_bound([&](std::uint32_t least_bits) {
        std::uint32_t reached = 0;
        KINDRED_UNROLL
        for (std::uint32_t e = 0; e < own_entries; ++e) reached += own[e] >= least_bits ? 1U : 0U;
        return Arch::Warp<ExecutionSpace>::sum(reached);
      });
    } else {
      bits = kth_bound([&](std::uint32_t least_bits) {
        std::uint32_t reached = 0;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(member, size),
            [&](const std::uint32_t i, std::uint32_t& sum) {
              sum += uppers[i] >= least_bits ? 1U : 0U;
            },
            reached);
        return reached;
      });
    }
    if (bits == 0) return;
    const float upper = score_from_ascending_bits(bits);
    const auto width = Kokkos::bit_cast<float>(lists.widths(query));
    const float lower = upper - width - (Kokkos::abs(upper) + width) * 0x1p-22F - slacks[query];
    float threshold = lists.thresholds(query);
    if (lower > threshold) threshold = lower;
    const std::uint32_t threshold_bits = ascending_bits(threshold);
    keep(member, rows, uppers, size, threshold_bits, kept, query);
    Kokkos::single(Kokkos::PerThread(member), [&] { lists.thresholds(query) = threshold; });
  }

  /// Moves the entries that stay to the front. A part is read completely before it is written.
  KOKKOS_INLINE_FUNCTION void keep(const Launch::Member<ExecutionSpace>& member,
                                   std::uint32_t* rows, std::uint32_t* uppers, std::uint32_t size,
                                   std::uint32_t threshold, std::uint32_t* scratch,
                                   std::uint64_t query) const {
    constexpr std::uint32_t part = shape::vector_length;
    std::uint32_t* part_rows = scratch + 2 * part * member.team_rank();
    std::uint32_t* part_uppers = part_rows + part;
    std::uint32_t stay = 0;
    for (std::uint32_t begin = 0; begin < size; begin += part) {
      const std::uint32_t length = size - begin < part ? size - begin : part;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, length), [&](const std::uint32_t i) {
        part_rows[i] = rows[begin + i];
        part_uppers[i] = uppers[begin + i];
      });
      std::uint32_t found = 0;
      Kokkos::parallel_scan(
          Kokkos::ThreadVectorRange(member, length),
          [&](const std::uint32_t i, std::uint32_t& place, const bool final) {
            const bool stays = part_uppers[i] >= threshold;
            if (final && stays) {
              rows[stay + place] = part_rows[i];
              uppers[stay + place] = part_uppers[i];
            }
            place += stays ? 1U : 0U;
          },
          found);
      stay += found;
    }
    Kokkos::single(Kokkos::PerThread(member), [&] { lists.counts(query) = stay; });
  }
};

/// An index: one position of a list.
template <class ExecutionSpace>
struct ListSurvivors {
  TileLists<ExecutionSpace> lists;
  std::uint64_t first;
  std::uint64_t width;
  std::uint32_t* ids;

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint64_t index) const {
    const std::uint64_t query = index / width;
    const std::uint64_t place = index % width;
    const std::uint32_t count = lists.counts(first + query);
    ids[index] = count <= lists.capacity && place < count
                     ? lists.rows((first + query) * lists.capacity + place)
                     : no_candidate;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_TILE_SELECT_KERNELS_HPP
