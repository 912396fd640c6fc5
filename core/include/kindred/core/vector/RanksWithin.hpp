// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_RANKS_WITHIN_HPP
#define KINDRED_CORE_VECTOR_RANKS_WITHIN_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/numeric/Rank.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Lists, for every query, the ranks that are at most its bound, in no particular order.
/// Does not fence. Complexity O(ranks).
/// \param ranks `bounds × length`, row-major
/// \param lists of the same size: query q's list begins at `q × length`
/// \param counts one per query; set to the length of its list
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void list_ranks_within(const ExecutionSpace& exec_space,
                       const ArrayView<const Rank, ExecutionSpace>& ranks,
                       const ArrayView<const Rank, ExecutionSpace>& bounds,
                       const ArrayView<Rank, ExecutionSpace>& lists,
                       const ArrayView<std::uint64_t, ExecutionSpace>& counts);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_RANKS_WITHIN_HPP
