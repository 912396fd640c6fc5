// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_QUERY_TABLES_HPP
#define KINDRED_CORE_SEQUENCE_QUERY_TABLES_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/common/Ragged.hpp>
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
};

/// \brief A batch of queries as the sequence kernels read it.
///
/// A code table maps every dense symbol of the patterns, and their padding, to the code it has in a
/// segment: a byte, so that a large vocabulary costs bytes, not masks. Symbols that no pattern has
/// get no code, hence match nothing.
template <class ExecutionSpace>
struct QueryTables {
  ArrayView<const std::uint32_t, ExecutionSpace> lengths;        ///< a query
  ArrayView<const std::uint32_t, ExecutionSpace> first_segment;  ///< queries + 1
  ArrayView<const QuerySegment, ExecutionSpace> segments;
  ArrayView<const std::uint8_t, ExecutionSpace> codes;  ///< `code_stride` a segment
  ArrayView<const WordTable, ExecutionSpace> words;
  ArrayView<const QueryColumns, ExecutionSpace> columns;  ///< on the host
  /// A query: patterns from this index on are no result. Empty: all are.
  ArrayView<const std::uint32_t, ExecutionSpace> index_limits;
  std::uint64_t code_stride = 0;
  std::uint32_t queries = 0;
  std::uint32_t segments_max = 0;  ///< of one query
  std::uint32_t words_max = 0;     ///< of one segment
};

/// \brief The arrays of `QueryTables` on the host, in reusable vectors.
struct QueryArrays {
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> first_segment;
  std::vector<QuerySegment> segments;
  std::vector<std::uint8_t> codes;
  std::vector<WordTable> words;
  std::vector<QueryColumns> columns;
  std::uint64_t code_stride = 0;
  std::uint32_t segments_max = 0;
  std::uint32_t words_max = 0;

  /// \brief Builds the tables of \p queries, replacing what was there.
  /// \param queries dense symbols; what is `vocabulary` or above matches nothing
  /// \param rows which of them, in this order
  /// \param with_columns also what only host threads read
  void build(RaggedSpan<Symbol> queries, std::span<const std::size_t> rows,
             std::uint32_t vocabulary, bool with_columns);

  /// Bytes that `build` makes for a query of \p length symbols, at most.
  static std::uint64_t bytes(std::uint64_t length, std::uint32_t vocabulary) noexcept;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_QUERY_TABLES_HPP
