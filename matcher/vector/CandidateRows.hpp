// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_CANDIDATE_ROWS_HPP
#define KINDRED_MATCHER_VECTOR_CANDIDATE_ROWS_HPP

#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "IdFilter.hpp"
#include "VectorStore.hpp"

namespace Kindred::Impl {

/// The message for candidate \p place of query \p query if \p id has no row.
std::string no_row(const VectorStore& store, std::size_t place, std::size_t query,
                   std::uint64_t id);

/// Reusable storage for lists of rows.
struct CandidateBuffers {
  std::vector<std::uint64_t> offsets;
  PinnedArray<std::uint32_t> rows;
};

/// \brief Converts lists of ids to lists of rows of the segments of a store, without the rows that
/// a filter rejects, for as many lists at a time as the caller requests.
///
/// Ids are looked up before lists are read or, if rows equal ids, may be checked by the reader:
/// \see checked_rows.
class CandidateRows {
 public:
  /// All arguments must outlive this object. \throws InvalidArgument for invalid offsets
  CandidateRows(const VectorStore& store, RaggedSpan<std::uint64_t> candidates,
                const IdFilter& filter);

  /// \brief The rows of the lists `first … first + count` that are in segment \p segment; valid
  /// until \p buffers is used again. \param host processes long lists in parallel
  RaggedSpan<std::uint32_t> rows(const HostWorkers& host, std::size_t segment, std::size_t first,
                                 std::size_t count, CandidateBuffers& buffers) const;

  /// \brief Looks up all ids. Allocates nothing. \param host processes long lists in parallel
  /// \throws InvalidArgument for an id without a row
  void check(const HostWorkers& host) const;
  /// If `check` was not called, the limit that the reader of the lists must compare rows with. No
  /// value if `check` must be called.
  std::optional<std::uint64_t> checked_rows() const;
  /// \throws InvalidArgument, always: \p query contains an id without a row
  [[noreturn]] void refuse(std::size_t query) const;

 private:
  const VectorStore& m_store;
  RaggedSpan<std::uint64_t> m_candidates;
  const IdFilter& m_filter;
  bool m_are_ids;  ///< rows are ids minus the first id
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_CANDIDATE_ROWS_HPP
