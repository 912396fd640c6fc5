// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_VECTOR_CANDIDATE_ROWS_HPP
#define KINDRED_MATCHER_SRC_VECTOR_CANDIDATE_ROWS_HPP

#include <kindred/core/common/Ragged.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "IdFilter.hpp"
#include "VectorStore.hpp"

namespace Kindred::Impl {

/// What is said of candidate \p place of query \p query where \p id is no row's.
std::string no_row(const VectorStore& store, std::size_t place, std::size_t query,
                   std::uint64_t id);

/// \brief Lists of ids as lists of rows, for every segment of \p store, without what \p filter
/// keeps back.
/// \param host runs long lists in parallel
/// \throws InvalidArgument for offsets that do not fit or an id that is no row's
std::vector<Ragged<std::uint32_t>> rows_of_candidates(const HostSpace& host,
                                                      const VectorStore& store,
                                                      RaggedSpan<std::uint64_t> candidates,
                                                      const IdFilter& filter);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_VECTOR_CANDIDATE_ROWS_HPP
