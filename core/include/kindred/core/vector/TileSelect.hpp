// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_TILE_SELECT_HPP
#define KINDRED_CORE_VECTOR_TILE_SELECT_HPP

#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/TileLayout.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/core/vector/RowFilter.hpp>
#include <kindred/core/vector/TileBound.hpp>
#include <kindred/core/vector/VectorRows.hpp>

#include <cstdint>
#include <numeric>

namespace Kindred {

/// Rows that stay neighbours in every order of a tile.
inline constexpr std::uint64_t tile_group = 8;

/// \brief In which order rows come to be screened: groups of eight, far apart.
///
/// Rows that were stored together are often alike. Steps of the golden ratio spread them evenly, so
/// that a threshold found among the first rows fits the others.
template <class ExecutionSpace>
struct TileOrder {
  ArrayView<const std::uint32_t, ExecutionSpace> chosen;  ///< of size 0: rows 0 … count − 1
  std::uint64_t count = 0;
  std::uint64_t groups = 0;
  std::uint64_t step = 1;

  static TileOrder of(std::uint64_t count,
                      const ArrayView<const std::uint32_t, ExecutionSpace>& chosen = {}) {
    TileOrder order{chosen, count, (count + tile_group - 1) / tile_group, 1};
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
  /// The row at a position; `none` where there is no row.
  KOKKOS_INLINE_FUNCTION std::uint32_t row(std::uint64_t position) const {
    const std::uint64_t group = position / tile_group;
    if (group >= groups) return none;
    const std::uint64_t place = group * step % groups * tile_group + position % tile_group;
    if (place >= count) return none;
    return chosen.size() == 0 ? static_cast<std::uint32_t>(place) : chosen[place];
  }
};

/// \brief Queries as a tile's product takes them. Where the array is longer than the queries, the
/// rest belongs to no query.
template <class ExecutionSpace, class Element>
struct TileQueries {
  ArrayView<Element, ExecutionSpace> values;  ///< × stride, zeros beyond the dimension
  ArrayView<float, ExecutionSpace> weights;
  ArrayView<float, ExecutionSpace> slacks;     ///< what a threshold is lowered by
  ArrayView<float, ExecutionSpace> residuals;  ///< one: ≥ every query's
  Arch::TileLayout layout;
};

/// \brief The bounds of a tile's rows, as arrays of a tile's length.
struct TileBounds {
  float* scales = nullptr;
  float* errors = nullptr;
  float* shifts = nullptr;
  std::uint32_t* rows = nullptr;  ///< which row it is

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
  /// Four arrays of \p count in one, which is aligned to 16 bytes.
  static TileBounds of(float* data, std::uint64_t count) {
    return {data, data + count, data + 2 * count,
            reinterpret_cast<std::uint32_t*>(data + 3 * count)};
  }
};

/// \brief A tile of rows: scaled, rounded, with their bounds.
template <class ExecutionSpace, class Element>
struct TileRows {
  ArrayView<Element, ExecutionSpace> values;  ///< count × stride, zeros beyond the dimension
  TileBounds bounds;
  std::uint64_t count = 0;  ///< a multiple of `tile_group`, in blocks of theirs
  Arch::TileLayout layout;
};

/// \brief What survives, a list a query. Rows lie in no order.
template <class ExecutionSpace>
struct TileLists {
  static constexpr std::uint32_t lost = 0x80000000U;  ///< a count where the list was too short

  ArrayView<std::uint32_t, ExecutionSpace> rows;         ///< queries × room
  ArrayView<std::uint32_t, ExecutionSpace> uppers;       ///< ascending bits of `tile_upper`
  ArrayView<std::uint32_t, ExecutionSpace> counts;       ///< a query; beyond room: rows were lost
  ArrayView<float, ExecutionSpace> thresholds;           ///< a query of the tile
  ArrayView<std::uint32_t, ExecutionSpace> widths;       ///< bits of the greatest `tile_width`
  ArrayView<std::uint32_t, ExecutionSpace> not_numbers;  ///< one: not 0 if a row had a NaN
  std::uint64_t capacity = 0;
};

/// \brief Starts a pass: no residual and no NaN is known. Does not fence.
template <class ExecutionSpace, class Element>
void begin_tile_queries(const ExecutionSpace& exec_space,
                        const TileQueries<ExecutionSpace, Element>& tile,
                        const TileLists<ExecutionSpace>& lists) {
  Kokkos::deep_copy(exec_space, tile.residuals, 0.0F);
  Kokkos::deep_copy(exec_space, lists.not_numbers, 0U);
}

/// \brief Scales queries to `tile_norm` and rounds them; empties their lists. Does not fence.
///
/// Those of a pass may come in parts. A query of a norm that is not covered survives nowhere: its
/// count is `lost`.
/// \param queries floats and norms are read \param first the place of the first of them in
/// `tile.values`, which is whole; the rest of \p tile and \p lists begin with it \param initial
/// thresholds, as `tile_upper` is, a query; of size 0: −∞
template <class ExecutionSpace, class Element>
void prepare_tile_queries(const ExecutionSpace& exec_space, Metric metric,
                          const VectorQueries<ExecutionSpace>& queries, std::uint64_t dimension,
                          std::uint64_t first,
                          const ArrayView<const float, ExecutionSpace>& initial,
                          const TileQueries<ExecutionSpace, Element>& tile,
                          const TileLists<ExecutionSpace>& lists);

/// \brief Scales, rounds and bounds the rows at the positions \p begin …. Does not fence.
/// Complexity O(count × dimension).
template <class ExecutionSpace, class Element>
void prepare_tile_rows(const ExecutionSpace& exec_space, Metric metric, const TileModel& model,
                       const VectorRows<ExecutionSpace>& rows,
                       const TileOrder<ExecutionSpace>& order, std::uint64_t begin,
                       const ArrayView<const float, ExecutionSpace>& query_residual,
                       const TileRows<ExecutionSpace, Element>& tile,
                       const ArrayView<std::uint32_t, ExecutionSpace>& not_numbers);

/// \brief The same on the calling thread, for a tile that one thread multiplies.
template <class Element>
void prepare_tile_rows_here(Metric metric, const TileModel& model,
                            const VectorRows<HostSpace>& rows, const TileOrder<HostSpace>& order,
                            std::uint64_t begin, float query_residual,
                            const TileRows<HostSpace, Element>& tile, std::uint32_t* not_numbers);

/// \brief Where the products of a tile are judged.
template <class ExecutionSpace, class Product>
struct TileProducts {
  const Product* values = nullptr;  ///< of a query: `count` rows; here: of a row, `queries`
  std::uint64_t count = 0;          ///< rows of the tile
  std::uint64_t first = 0;          ///< rows `first … last` of the tile are judged
  std::uint64_t last = 0;
  std::uint64_t first_query = 0;  ///< of the lists and of the filter
  std::uint64_t queries = 0;
};

/// \brief Appends the rows whose `tile_upper` is not below their query's threshold. Does not fence.
/// \param products a row of `count` a query; first and last are multiples of `tile_group`
/// \param weights as `TileQueries` has them \param bounds of the tile's rows
template <class ExecutionSpace, class Product>
void select_tile(const ExecutionSpace& exec_space, Metric metric, const TileModel& model,
                 const TileProducts<ExecutionSpace, Product>& products, const TileBounds& bounds,
                 const ArrayView<const float, ExecutionSpace>& weights,
                 const RowFilter<ExecutionSpace>& filter, const TileLists<ExecutionSpace>& lists);

/// \brief The same on the calling thread, beside others. \param products a row of `queries` a row
/// of the tile; queries of the lists, and of weights and thresholds, go on to a multiple of 16
void select_tile_here(Metric metric, const TileModel& model,
                      const TileProducts<HostSpace, float>& products, const TileBounds& bounds,
                      const ArrayView<const float, HostSpace>& weights,
                      const RowFilter<HostSpace>& filter, const TileLists<HostSpace>& lists);

/// \brief Raises the thresholds of the queries `first … first + count` to what \p k of their rows
/// reach, and drops what is below. Does not fence.
/// \param least lists with fewer rows are left as they are
template <class ExecutionSpace>
void raise_thresholds(const ExecutionSpace& exec_space, std::uint64_t first, std::uint64_t count,
                      std::uint64_t k, std::uint64_t least,
                      const ArrayView<const float, ExecutionSpace>& slacks,
                      const TileLists<ExecutionSpace>& lists);

/// \brief Lists of \p width rows for `score_candidates`, filled up with `no_candidate`, and the
/// query of each unit, from 0. Lists that were lost are empty. Does not fence.
/// \param ids `queries × width` \param work_item_queries `queries × width / candidate_tile`
template <class ExecutionSpace>
void list_survivors(const ExecutionSpace& exec_space, const TileLists<ExecutionSpace>& lists,
                    std::uint64_t first, std::uint64_t queries, std::uint64_t width,
                    const ArrayView<std::uint32_t, ExecutionSpace>& ids,
                    const ArrayView<std::uint32_t, ExecutionSpace>& work_item_queries);

/// \brief How many rows pass a filter of all queries before each of its words. Does not fence.
/// \param offsets `filter_words(rows) + 1`; the last is how many pass
template <class ExecutionSpace>
void count_passing_rows(const ExecutionSpace& exec_space, const RowFilter<ExecutionSpace>& filter,
                        std::uint64_t rows,
                        const ArrayView<std::uint32_t, ExecutionSpace>& offsets);

/// \brief The rows that pass a filter of all queries, ascending. Does not fence.
/// \param offsets of `count_passing_rows` \param chosen as many as pass
template <class ExecutionSpace>
void list_passing_rows(const ExecutionSpace& exec_space, const RowFilter<ExecutionSpace>& filter,
                       std::uint64_t rows, const ArrayView<std::uint32_t, ExecutionSpace>& offsets,
                       const ArrayView<std::uint32_t, ExecutionSpace>& chosen);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_TILE_SELECT_HPP
