// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_QUERY_TABLES_HPP
#define KINDRED_CORE_SEQUENCE_QUERY_TABLES_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/CodeHash.hpp>
#include <kindred/core/sequence/QueryColumns.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/WordTable.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// A run of at most `segment_words` words of a query whose symbols share one code table.
struct QuerySegment {
  std::uint32_t first_word;  ///< in all words of the batch
  std::uint32_t words;
  std::uint32_t codes;              ///< distinct symbols, ≤ 255
  std::uint32_t first_columns = 0;  ///< in all runs of columns of the batch
  std::uint32_t columns = 0;        ///< runs of columns
  // Of the hash, where the tables have one.
  std::uint32_t first_entry = 0;
  std::uint32_t multiplier = 1;
  std::uint32_t hash_bits = 0;
};

/// How a segment's symbols become codes: a table by symbol, which a host's caches hold, or a hash,
/// which a device team holds.
enum class CodeLookup : std::uint8_t { table, hash };

/// \brief A batch of queries as the sequence kernels read it.
///
/// A code is a byte, so that a large vocabulary costs bytes, not masks: a table maps every dense
/// symbol of the patterns, and their padding, to the code it has in a segment, or a hash those that
/// have one. Symbols that no pattern has get no code, hence match nothing.
template <class ExecutionSpace>
struct QueryTables {
  ArrayView<const std::uint32_t, ExecutionSpace> lengths;        ///< a query
  ArrayView<const std::uint32_t, ExecutionSpace> first_segment;  ///< queries + 1
  ArrayView<const QuerySegment, ExecutionSpace> segments;
  ArrayView<const std::uint8_t, ExecutionSpace> codes;  ///< `code_stride` a segment, or none
  ArrayView<const std::uint32_t, ExecutionSpace> hash;  ///< entries of all segments, or none
  ArrayView<const WordTable, ExecutionSpace> words;
  ArrayView<const QueryColumns, ExecutionSpace> columns;  ///< on the host
  /// A query: patterns from this index on are no result. Empty: all are.
  ArrayView<const std::uint32_t, ExecutionSpace> index_limits;
  std::uint64_t code_stride = 0;
  std::uint32_t queries = 0;
  std::uint32_t segments_max = 0;  ///< of one query
  std::uint32_t words_max = 0;     ///< of one segment
  std::uint32_t codes_max = 0;     ///< of one segment
  std::uint32_t hash_bits_max = 0;

  /// Patterns of \p query from this index on are no result.
  KOKKOS_INLINE_FUNCTION std::uint32_t index_limit(std::uint32_t query) const {
    return index_limits.size() > 0 ? index_limits(query) : 0xFFFFFFFFU;
  }
  KOKKOS_INLINE_FUNCTION CodeHash code_hash(const QuerySegment& segment) const {
    return {hash.data() + segment.first_entry, segment.multiplier, segment.hash_bits};
  }
};

/// \brief The arrays of `QueryTables` on the host, in reusable vectors.
struct QueryArrays {
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> first_segment;
  std::vector<QuerySegment> segments;
  std::vector<std::uint8_t> codes;  ///< with `CodeLookup::hash` one table, for building
  std::vector<std::uint32_t> hash;
  std::vector<WordTable> words;
  std::vector<QueryColumns> columns;
  std::uint64_t code_stride = 0;
  std::uint32_t segments_max = 0;
  std::uint32_t words_max = 0;
  std::uint32_t codes_max = 0;
  std::uint32_t hash_bits_max = 0;

  /// \brief Builds the tables of \p queries, replacing what was there.
  /// \param queries dense symbols; what is `vocabulary` or above matches nothing
  /// \param rows which of them, in this order
  /// \param lookup columns, which only host threads read, come with tables
  void build(RaggedSpan<Symbol> queries, std::span<const std::size_t> rows,
             std::uint32_t vocabulary, CodeLookup lookup);

  /// Bytes that `build` makes for a query of \p length symbols, at most.
  static std::uint64_t bytes(std::uint64_t length, std::uint32_t vocabulary,
                             CodeLookup lookup) noexcept;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_QUERY_TABLES_HPP
