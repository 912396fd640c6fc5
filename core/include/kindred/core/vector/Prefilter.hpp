// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_PREFILTER_HPP
#define KINDRED_CORE_VECTOR_PREFILTER_HPP

#include <kindred/core/vector/PrefilterBound.hpp>
#include <kindred/core/vector/QuantizedRows.hpp>
#include <kindred/core/vector/RowFilter.hpp>
#include <kindred/core/vector/VectorScores.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Queries as the prefilter reads them: two int8 planes each, w = 254 · high + low.
template <class ExecutionSpace>
struct PrefilterQueries {
  ArrayView<const std::int8_t, ExecutionSpace> planes;  ///< count × 2 × stride
  ArrayView<const PrefilterQuery, ExecutionSpace> bounds;
  std::uint64_t stride = 0;  ///< \see query_plane_stride

  std::uint64_t count() const { return bounds.size(); }
};

/// Bytes of a plane: the dimension padded with zeros.
constexpr std::uint64_t query_plane_stride(std::uint64_t dimension) {
  return (dimension + 63) / 64 * 64;
}

/// \brief The state that the steps of the prefilter share. The rows of a query are contiguous.
template <class ExecutionSpace>
struct PrefilterState {
  ArrayView<float, ExecutionSpace> uppers;  ///< queries × chunk: upper bounds of a chunk of rows
  ArrayView<std::uint32_t, ExecutionSpace> slots;  ///< queries × groups: the best lower bounds
  ArrayView<float, ExecutionSpace> thresholds;     ///< one per query
  ArrayView<std::uint32_t, ExecutionSpace> rows;  ///< queries × capacity: surviving rows, unordered
  /// One per query: survivors, including those beyond the capacity.
  ArrayView<std::uint32_t, ExecutionSpace> counts;
  std::uint64_t chunk = 0;   ///< a multiple of 64
  std::uint64_t groups = 0;  ///< rows r with the same r % groups, or r / 32 % groups, share a slot
  std::uint64_t capacity = 0;
};

/// \brief Splits queries into planes and clears slots, counts and lists (filled with
/// `no_candidate`). Does not fence.
/// \param planes, bounds of `PrefilterQueries`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void prepare_prefilter(const ExecutionSpace& exec_space,
                       const VectorQueries<ExecutionSpace>& queries, std::uint64_t dimension,
                       const ArrayView<std::int8_t, ExecutionSpace>& planes,
                       const ArrayView<PrefilterQuery, ExecutionSpace>& bounds,
                       const PrefilterState<ExecutionSpace>& state);

/// \brief Clears counts and lists. Does not fence.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void clear_survivors(const ExecutionSpace& exec_space, const PrefilterState<ExecutionSpace>& state);

/// \brief Bounds the scores of the rows `begin … begin + count` and merges the lower bounds into
/// the slots. Does not fence.
///
/// Reads each int8 row once for up to four queries, and skips rows that no query may return.
/// Complexity O(count × queries × dimension).
/// \param norms of the rows; not read under ip \param begin a multiple of 64
/// \param append false: the upper bounds go to `state.uppers`, and \p count is at most
/// `state.chunk`; true: the rows whose upper bound is no worse than the threshold are listed
/// directly
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void prefilter_rows(const ExecutionSpace& exec_space, Metric metric,
                    const QuantizedRows<ExecutionSpace>& quantized, std::uint64_t dimension,
                    const ArrayView<const double, ExecutionSpace>& norms, std::uint64_t begin,
                    std::uint64_t count, const RowFilter<ExecutionSpace>& filter,
                    const PrefilterQueries<ExecutionSpace>& queries, bool append,
                    const PrefilterState<ExecutionSpace>& state);

/// \brief Sets each threshold to the k-th best slot of its query: at least k rows have a score that
/// is no worse. −∞ if fewer slots hold a row. Does not fence.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void prefilter_thresholds(const ExecutionSpace& exec_space, std::uint64_t k,
                          const PrefilterState<ExecutionSpace>& state);

/// \brief Appends the rows of a chunk whose upper bound is no worse than the threshold. Does not
/// fence.
/// \param count, begin as in `prefilter_rows`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void prefilter_survivors(const ExecutionSpace& exec_space, std::uint64_t begin, std::uint64_t count,
                         const PrefilterState<ExecutionSpace>& state);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_PREFILTER_HPP
