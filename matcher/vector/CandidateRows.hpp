// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_CANDIDATE_ROWS_HPP
#define KINDRED_MATCHER_VECTOR_CANDIDATE_ROWS_HPP

#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/vector/FindRows.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "IdFilter.hpp"
#include "VectorCall.hpp"
#include "VectorStore.hpp"

namespace Kindred::Impl {

/// The message for candidate \p place of query \p query if \p id has no row.
std::string no_row(const VectorStore& store, std::size_t place, std::size_t query,
                   std::uint64_t id);

/// \brief The lists of a call, one per query.
class IdSpans {
 public:
  /// \throws InvalidArgument for a wrong number of lists, invalid offsets, another array than int64
  /// with a row per query, and lists on the host for queries on a device
  IdSpans(const VectorCall& call, const CandidateLists& given);

  std::span<const std::uint64_t> operator[](std::size_t query) const {
    if (!skips_unknown()) return m_ragged[query];
    // The unsigned type may alias its signed one.
    const std::int64_t* const ids = m_array.ids + query * m_array.stride;
    return {reinterpret_cast<const std::uint64_t*>(ids), m_array.length};
  }
  std::size_t rows() const noexcept { return skips_unknown() ? m_array.queries : m_ragged.rows(); }
  /// Number of ids in all lists.
  std::size_t size() const noexcept { return m_size; }
  /// Whether ids without a row are skipped.
  bool skips_unknown() const noexcept { return m_array.queries > 0; }
  /// Of lists of one length.
  const IdLists& array() const noexcept { return m_array; }

 private:
  RaggedSpan<std::uint64_t> m_ragged;
  IdLists m_array;
  std::size_t m_size = 0;
};

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
  /// All arguments must outlive this object.
  CandidateRows(const VectorStore& store, const IdSpans& candidates, const IdFilter& filter);

  /// \brief The rows of the lists `first … first + count` that are in segment \p segment; valid
  /// until \p buffers is used again. \param host processes long lists in parallel
  RaggedSpan<std::uint32_t> rows(const HostWorkers& host, std::size_t segment, std::size_t first,
                                 std::size_t count, CandidateBuffers& buffers) const;

  /// \brief Looks up all ids, unless those without a row are skipped. Allocates nothing. \param
  /// host processes long lists in parallel \throws InvalidArgument for an id without a row
  void check(const HostWorkers& host) const;
  /// If `check` was not called, the limit that the reader of the lists must compare rows with. No
  /// value if `check` must be called.
  std::optional<std::uint64_t> checked_rows() const;
  /// \throws InvalidArgument, always: \p query contains an id without a row
  [[noreturn]] void refuse(std::size_t query) const;

 private:
  const VectorStore& m_store;
  const IdSpans& m_candidates;
  const IdFilter& m_filter;
  bool m_are_ids;  ///< rows are ids minus the first id
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_CANDIDATE_ROWS_HPP
