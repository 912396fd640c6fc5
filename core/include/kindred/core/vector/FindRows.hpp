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

/// \brief Replaces ids by the rows of a segment: 0xFFFFFFFF for an id that is not in it. Does not
/// fence. Complexity O(ids · log rows), O(ids) if the ids of the segment are consecutive.
/// \param segment_ids the ids of the rows, ascending; size 0: the id is the row
/// \param first_id,rows of the segment \param is_contiguous whether row r has the id first_id + r
/// \param found `queries × length` \param offsets `queries + 1`: where the lists begin in \p found
template <class ExecutionSpace>
void find_rows(const ExecutionSpace& exec_space, const IdLists& lists,
               const ArrayView<const std::uint32_t, ExecutionSpace>& segment_ids,
               std::uint32_t first_id, std::uint64_t rows, bool is_contiguous,
               const ArrayView<std::uint32_t, ExecutionSpace>& found,
               const ArrayView<std::uint64_t, ExecutionSpace>& offsets);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_FIND_ROWS_HPP
