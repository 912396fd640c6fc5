// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_TILE_SELECT_HPP
#define KINDRED_CORE_VECTOR_TILE_SELECT_HPP

#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/core/vector/RowFilter.hpp>
#include <kindred/core/vector/TileBound.hpp>
#include <kindred/core/vector/TileLayout.hpp>
#include <kindred/core/vector/VectorRows.hpp>

#include <cstdint>
#include <numeric>
#include <utility>

namespace Kindred {

/// Consecutive rows that stay adjacent in every order of a tile.
inline constexpr std::uint64_t tile_group = 8;

/// \brief The order in which rows are prefiltered: groups of eight, far apart.
///
/// Rows that were stored together are often similar. Golden-ratio steps spread them evenly, so that
/// a threshold found among the first rows suits the others too.
template <class ExecutionSpace>
struct TileOrder {
  ArrayView<const std::uint32_t, ExecutionSpace> chosen;  ///< size 0: rows 0 … count − 1
  std::uint64_t count = 0;
  std::uint64_t groups = 0;
  std::uint64_t step = 1;

  static TileOrder of(std::uint64_t count,
                      const ArrayView<const std::uint32_t, ExecutionSpace>& chosen = {}) {
    TileOrder order{chosen, count, quotient_up(count, tile_group), 1};
    order.step = static_cast<std::uint64_t>(static_cast<double>(order.groups) * 0.6180339887498949);
    while (order.step < 2 || std::gcd(order.step, order.groups) != 1) {
      if (order.groups < 5) {
        order.step = 1;
        break;
      }
      ++order.step;
    }
    return order;
  }
  std::uint64_t positions() const { return groups * tile_group; }

  static constexpr std::uint32_t none = 0xFFFFFFFFU;
  /// The row at a position; `none` if there is no row.
  KOKKOS_INLINE_FUNCTION std::uint32_t row(std::uint64_t position) const {
    const std::uint64_t group = position / tile_group;
    if (group >= groups) return none;
    const std::uint64_t place = group * step % groups * tile_group + position % tile_group;
    if (place >= count) return none;
    return chosen.size() == 0 ? static_cast<std::uint32_t>(place) : chosen[place];
  }
  /// The position of a row, if no rows were chosen: the inverse of `row`. Complexity O(log count).
  std::uint64_t position_of(std::uint64_t row) const {
    // Euclid's algorithm finds the inverse of the step modulo the number of groups.
    auto old_rest = static_cast<std::int64_t>(step % groups);
    auto rest = static_cast<std::int64_t>(groups);
    std::int64_t old_factor = 1;
    std::int64_t factor = 0;
    while (rest != 0) {
      const std::int64_t quotient = old_rest / rest;
      old_rest = std::exchange(rest, old_rest - quotient * rest);
      old_factor = std::exchange(factor, old_factor - quotient * factor);
    }
    const auto inverse = static_cast<std::uint64_t>(
        old_factor < 0 ? old_factor + static_cast<std::int64_t>(groups) : old_factor);
    return row / tile_group * inverse % groups * tile_group + row % tile_group;
  }
};

/// \brief All rows of a matrix, scaled and rounded, in the order of `TileOrder::of(count)`: what
/// `prepare_tile_rows` would write for each tile.
template <class ExecutionSpace, class Element>
struct RoundedRows {
  ArrayView<const Element, ExecutionSpace>
      values;  ///< positions × stride; size 0: there is no copy
  ArrayView<const float, ExecutionSpace> squares;  ///< squared rounding errors, one per position
  TileLayout layout;
};

/// \brief Queries as the product of a tile reads them. If the array is longer than the queries, the
/// rest belongs to no query.
template <class ExecutionSpace, class Element>
struct TileQueries {
  ArrayView<Element, ExecutionSpace> values;  ///< × stride, zeros beyond the dimension
  ArrayView<float, ExecutionSpace> weights;
  ArrayView<float, ExecutionSpace> slacks;     ///< by how much a threshold is lowered
  ArrayView<float, ExecutionSpace> residuals;  ///< one element: ≥ the residual of every query
  TileLayout layout;
};

/// \brief The bounds of a tile's rows, as arrays with one element per row.
struct TileBounds {
  float* scales = nullptr;
  float* errors = nullptr;
  float* shifts = nullptr;
  std::uint32_t* rows = nullptr;  ///< indices of the rows

  KOKKOS_INLINE_FUNCTION TileRow operator[](std::uint64_t place) const {
    return {scales[place], errors[place], shifts[place]};
  }
  KOKKOS_INLINE_FUNCTION void set(std::uint64_t place, const TileRow& row,
                                  std::uint32_t index) const {
    rows[place] = index;
    scales[place] = row.scale;
    errors[place] = row.error;
    shifts[place] = row.shift;
  }
  /// Four arrays of \p count elements in one allocation, which is aligned to 16 bytes.
  static TileBounds of(float* data, std::uint64_t count) {
    return {data, data + count, data + 2 * count,
            reinterpret_cast<std::uint32_t*>(data + 3 * count)};
  }
};

/// \brief A tile of rows: scaled and rounded, with their bounds.
template <class ExecutionSpace, class Element>
struct TileRows {
  ArrayView<Element, ExecutionSpace> values;  ///< count × stride, zeros beyond the dimension
  TileBounds bounds;
  std::uint64_t count = 0;  ///< a multiple of `tile_group`, in groups of that many rows
  TileLayout layout;
};

/// \brief The surviving rows, one list per query, unordered.
template <class ExecutionSpace>
struct TileLists {
  static constexpr std::uint32_t lost = 0x80000000U;  ///< marks a count whose list was too short

  ArrayView<std::uint32_t, ExecutionSpace> rows;    ///< queries × capacity
  ArrayView<std::uint32_t, ExecutionSpace> uppers;  ///< ascending bits of `tile_upper`
  /// One per query; above the capacity: rows were lost.
  ArrayView<std::uint32_t, ExecutionSpace> counts;
  ArrayView<float, ExecutionSpace> thresholds;      ///< one per query of the tile
  ArrayView<std::uint32_t, ExecutionSpace> widths;  ///< bits of the greatest `tile_width`
  /// One element: nonzero if a row had a NaN.
  ArrayView<std::uint32_t, ExecutionSpace> not_numbers;
  std::uint64_t capacity = 0;
};

/// \brief Starts a pass: resets the residual and the NaN flag. Does not fence.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Element>
void begin_tile_queries(const ExecutionSpace& exec_space,
                        const TileQueries<ExecutionSpace, Element>& tile,
                        const TileLists<ExecutionSpace>& lists) {
  const Impl::ArgumentCheck check("begin_tile_queries");
  check.has("tile.residuals", tile.residuals, 1);
  check.has("lists.not_numbers", lists.not_numbers, 1);
  Arch::start_fill(exec_space, tile.residuals, 0.0F);
  Arch::start_fill(exec_space, lists.not_numbers, 0U);
}

/// \brief Scales queries to `tile_norm`, rounds them and clears their lists. Does not fence.
///
/// The queries of a pass may be prepared in parts. A query whose norm is not covered has no
/// survivors: its count is `lost`.
/// \param queries floats and norms are read
/// \param first the position of the first query in `tile.values`, which is whole; the other arrays
/// of \p tile and \p lists begin with this query
/// \param initial thresholds in the units of `tile_upper`, one per query; size 0: −∞
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Element>
void prepare_tile_queries(const ExecutionSpace& exec_space, Metric metric,
                          const VectorQueries<ExecutionSpace>& queries, std::uint64_t dimension,
                          std::uint64_t first,
                          const ArrayView<const float, ExecutionSpace>& initial,
                          const TileQueries<ExecutionSpace, Element>& tile,
                          const TileLists<ExecutionSpace>& lists);

/// \brief Scales, rounds and bounds the rows from position \p begin on. Does not fence. Complexity
/// O(count × dimension).
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Element>
void prepare_tile_rows(const ExecutionSpace& exec_space, Metric metric, const TileModel& model,
                       const VectorRows<ExecutionSpace>& rows,
                       const TileOrder<ExecutionSpace>& order, std::uint64_t begin,
                       const ArrayView<const float, ExecutionSpace>& query_residual,
                       const TileRows<ExecutionSpace, Element>& tile,
                       const ArrayView<std::uint32_t, ExecutionSpace>& not_numbers);

/// \brief Scales and rounds the rows from position \p begin on for `RoundedRows`. Does not fence.
/// Complexity O(positions × dimension).
/// \param begin a multiple of `TileLayout::block_vectors`
/// \param values,squares those of these positions; \p squares has one element per position
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Element>
void round_tile_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                     const TileOrder<ExecutionSpace>& order, std::uint64_t begin,
                     const TileLayout& layout, const ArrayView<Element, ExecutionSpace>& values,
                     const ArrayView<float, ExecutionSpace>& squares);

/// \brief Bounds rows that were rounded before, from position \p begin on: the bounds of
/// `prepare_tile_rows`. Does not fence. Complexity O(positions).
/// \param squares those of the positions to bound
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void bound_tile_rows(const ExecutionSpace& exec_space, Metric metric, const TileModel& model,
                     const VectorRows<ExecutionSpace>& rows, const TileOrder<ExecutionSpace>& order,
                     std::uint64_t begin, const ArrayView<const float, ExecutionSpace>& squares,
                     const ArrayView<const float, ExecutionSpace>& query_residual,
                     const TileBounds& bounds,
                     const ArrayView<std::uint32_t, ExecutionSpace>& not_numbers);

/// \brief `prepare_tile_rows` on the calling thread, for a tile that one thread multiplies.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class Element>
void prepare_tile_rows_here(Metric metric, const TileModel& model,
                            const VectorRows<HostSpace>& rows, const TileOrder<HostSpace>& order,
                            std::uint64_t begin, float query_residual,
                            const TileRows<HostSpace, Element>& tile, std::uint32_t* not_numbers);

/// \brief The products of a tile that are compared with the thresholds.
template <class ExecutionSpace, class Product>
struct TileProducts {
  /// One row of `count` per query; for `select_tile_here`, one row of `queries` per row.
  const Product* values = nullptr;
  std::uint64_t count = 0;  ///< rows of the tile
  std::uint64_t first = 0;  ///< rows `first … last` of the tile are compared
  std::uint64_t last = 0;
  std::uint64_t first_query = 0;  ///< index into the lists and the filter
  std::uint64_t queries = 0;
};

/// \brief Appends the rows whose `tile_upper` is not below their query's threshold. Does not fence.
/// \param products one row of `count` per query; first and last are multiples of `tile_group`
/// \param weights as in `TileQueries` \param bounds of the tile's rows
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Product>
void select_tile(const ExecutionSpace& exec_space, Metric metric, const TileModel& model,
                 const TileProducts<ExecutionSpace, Product>& products, const TileBounds& bounds,
                 const ArrayView<const float, ExecutionSpace>& weights,
                 const RowFilter<ExecutionSpace>& filter, const TileLists<ExecutionSpace>& lists);

/// \brief The same on the calling thread; other threads may run it concurrently for other tiles.
/// \param products one row of `queries` per row of the tile; the queries of the lists, weights and
/// thresholds are padded to a multiple of 16
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
void select_tile_here(Metric metric, const TileModel& model,
                      const TileProducts<HostSpace, float>& products, const TileBounds& bounds,
                      const ArrayView<const float, HostSpace>& weights,
                      const RowFilter<HostSpace>& filter, const TileLists<HostSpace>& lists);

/// \brief Raises the thresholds of the queries `first … first + count` to the value that \p k of
/// their rows reach, and drops the rows below it. Does not fence.
/// \param least lists with fewer rows are left unchanged
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void raise_thresholds(const ExecutionSpace& exec_space, std::uint64_t first, std::uint64_t count,
                      std::uint64_t k, std::uint64_t least,
                      const ArrayView<const float, ExecutionSpace>& slacks,
                      const TileLists<ExecutionSpace>& lists);

/// \brief Writes lists of \p width rows for `score_candidates`, padded with `no_candidate`. Lists
/// that lost rows are empty. Does not fence.
/// \param ids `queries × width`; \p width is a multiple of `candidate_tile`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void list_survivors(const ExecutionSpace& exec_space, const TileLists<ExecutionSpace>& lists,
                    std::uint64_t first, std::uint64_t queries, std::uint64_t width,
                    const ArrayView<std::uint32_t, ExecutionSpace>& ids);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_TILE_SELECT_HPP
