// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_VECTOR_CANDIDATE_ROWS_HPP
#define KINDRED_MATCHER_SRC_VECTOR_CANDIDATE_ROWS_HPP

#include <kindred/core/common/Ragged.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "IdFilter.hpp"
#include "SharedArray.hpp"
#include "VectorStore.hpp"

namespace Kindred::Impl {

/// What is said of candidate \p place of query \p query where \p id is no row's.
std::string no_row(const VectorStore& store, std::size_t place, std::size_t query,
                   std::uint64_t id);

/// \brief Checks lists of ids, a list a query. Allocates nothing. \param host checks long lists in
/// parallel \throws InvalidArgument for offsets that do not fit or an id that is no row's
void check_candidates(const HostSpace& host, const VectorStore& store,
                      RaggedSpan<std::uint64_t> candidates);

/// Where lists of rows are put, call after call.
struct CandidateRoom {
  std::vector<std::uint64_t> offsets;
  SharedArray<std::uint32_t> rows;
};

/// \brief Lists of ids, which were checked, as lists of rows of the segments of a store, without
/// what a filter keeps back: as many lists at a time as are asked for.
class CandidateRows {
 public:
  /// What is given outlives this.
  CandidateRows(const VectorStore& store, RaggedSpan<std::uint64_t> candidates,
                const IdFilter& filter)
      : m_store(store), m_candidates(candidates), m_filter(filter) {}

  /// \brief The rows of segment \p segment that the lists `first … first + count` name, until \p
  /// room is used again. \param host runs long lists in parallel
  RaggedSpan<std::uint32_t> rows(const HostSpace& host, std::size_t segment, std::size_t first,
                                 std::size_t count, CandidateRoom& room) const;

 private:
  const VectorStore& m_store;
  RaggedSpan<std::uint64_t> m_candidates;
  const IdFilter& m_filter;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_VECTOR_CANDIDATE_ROWS_HPP
