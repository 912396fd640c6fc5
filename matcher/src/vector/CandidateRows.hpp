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

/// Where lists of rows are put, call after call.
struct CandidateRoom {
  std::vector<std::uint64_t> offsets;
  SharedArray<std::uint32_t> rows{"Kindred::VectorIndex::host_candidates"};
};

/// \brief Lists of ids as lists of rows of the segments of a store, without what a filter keeps
/// back. Every id is checked when it is made.
class CandidateRows {
 public:
  /// \param host runs long lists in parallel; the others outlive this
  /// \throws InvalidArgument for offsets that do not fit or an id that is no row's
  CandidateRows(const HostSpace& host, const VectorStore& store,
                RaggedSpan<std::uint64_t> candidates, const IdFilter& filter);

  /// \brief The rows of segment \p segment that the lists `first … first + count` name, until \p
  /// room is used again.
  RaggedSpan<std::uint32_t> rows(const HostSpace& host, std::size_t segment, std::size_t first,
                                 std::size_t count, CandidateRoom& room) const;

 private:
  void check_offsets() const;
  void check_ids(const HostSpace& host) const;
  void make_lists();

  const VectorStore& m_store;
  const IdFilter& m_filter;
  RaggedSpan<std::uint64_t> m_candidates;
  std::vector<Ragged<std::uint32_t>> m_lists;  ///< a segment, where there are several
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_VECTOR_CANDIDATE_ROWS_HPP
