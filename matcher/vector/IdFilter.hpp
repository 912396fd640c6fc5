// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_ID_FILTER_HPP
#define KINDRED_MATCHER_VECTOR_ID_FILTER_HPP

#include "VectorSegment.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief The filter of a call, over ids, as bitmaps over the rows of a segment excluding removed
/// rows. A filter that rejects nothing is treated as no filter.
class IdFilter {
 public:
  /// \param bytes,bits as in `SearchOptions` \param end_id,queries of the call
  /// \throws InvalidArgument for a wrong size, or if both are set
  IdFilter(std::span<const std::uint8_t> bytes, std::span<const std::uint64_t> bits,
           std::uint64_t end_id, std::size_t queries);

  IdFilter(const IdFilter&) = delete;
  IdFilter& operator=(const IdFilter&) = delete;

  /// Number of bytes that are transferred to the search space.
  std::size_t transfer_bytes() const noexcept { return m_bits.size_bytes(); }
  bool passes_all() const noexcept { return m_bits.empty(); }
  bool passes(std::size_t query, std::uint64_t id) const noexcept {
    if (m_bits.empty()) return true;
    return (m_bits[query * m_words_per_query + id / 64] >> (id % 64) & 1U) != 0;
  }
  /// Bytes of one query's bitmap; 0 if all queries share one.
  std::size_t bytes_per_query() const noexcept { return m_words_per_query * sizeof(std::uint64_t); }

  /// \brief Appends the bitmaps of the rows `begin …` (a multiple of 64) for the queries `first …`
  /// to \p words, or nothing if all rows pass. Returns the distance in words between the bitmaps of
  /// consecutive queries; 0 if one bitmap serves all queries.
  std::size_t words(const LiveSegment& segment, std::size_t begin, std::size_t length,
                    std::size_t first, std::size_t queries,
                    std::vector<std::uint64_t>& words) const;

 private:
  void append(const LiveSegment& segment, std::size_t begin, std::size_t length, std::size_t query,
              std::vector<std::uint64_t>& words) const;

  std::vector<std::uint64_t> m_own;  ///< converted from bytes
  std::span<const std::uint64_t> m_bits;
  std::size_t m_words_per_query = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_ID_FILTER_HPP
