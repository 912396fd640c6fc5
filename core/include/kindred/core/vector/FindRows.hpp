// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_FIND_ROWS_HPP
#define KINDRED_CORE_VECTOR_FIND_ROWS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Lists of ids, one list of the same length per query.
struct IdLists {
  const std::int64_t* ids = nullptr;
  std::uint64_t queries = 0;
  std::uint64_t length = 0;
  std::uint64_t stride = 0;  ///< ids from one query to the next
};

/// \brief The ids of a segment's rows, ascending.
struct SegmentIds {
  const std::uint32_t* ids = nullptr;  ///< not read if the ids are consecutive
  std::uint32_t first = 0;
  std::uint64_t rows = 0;
  bool is_contiguous = true;  ///< whether row r has the id first + r

  static constexpr std::uint32_t no_row = 0xFFFFFFFFU;
  /// The row of \p id; `no_row` if it is not in the segment. Complexity O(log rows), O(1) if the
  /// ids are consecutive.
  KOKKOS_INLINE_FUNCTION std::uint32_t row_of(std::int64_t id) const {
    // A negative id becomes a large one.
    const std::uint64_t wanted = static_cast<std::uint64_t>(id) - first;
    if (is_contiguous || id < 0) return wanted < rows ? static_cast<std::uint32_t>(wanted) : no_row;
    std::uint64_t low = 0;
    std::uint64_t high = rows;
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      if (ids[middle] < static_cast<std::uint64_t>(id)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const bool is_found = low < rows && ids[low] == static_cast<std::uint64_t>(id);
    return is_found ? static_cast<std::uint32_t>(low) : no_row;
  }
};

/// \brief Replaces ids by the rows of a segment: `SegmentIds::no_row` for an id that is not in it.
/// Does not fence. Complexity O(ids · log rows), O(ids) if the ids of the segment are consecutive.
/// \param found `queries × length` \param offsets `queries + 1`: where the lists begin in \p found
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void find_rows(const ExecutionSpace& exec_space, const IdLists& lists, const SegmentIds& segment,
               const ArrayView<std::uint32_t, ExecutionSpace>& found,
               const ArrayView<std::uint64_t, ExecutionSpace>& offsets);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_FIND_ROWS_HPP
