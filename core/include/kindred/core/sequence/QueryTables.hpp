// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_QUERY_TABLES_HPP
#define KINDRED_CORE_SEQUENCE_QUERY_TABLES_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/QueryColumns.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/SymbolHash.hpp>
#include <kindred/core/sequence/WordTable.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// A run of at most `segment_words` words of a query whose symbols share one code table.
struct QuerySegment {
  std::uint32_t first_word;  ///< index among all words of the batch
  std::uint32_t words;
  std::uint32_t codes;              ///< distinct symbols, ≤ 255
  std::uint32_t first_columns = 0;  ///< index among all runs of columns of the batch
  std::uint32_t columns = 0;        ///< number of runs of columns
  // Used only if the tables have a hash.
  std::uint32_t first_entry = 0;
  std::uint32_t multiplier = 1;
  std::uint32_t hash_bits = 0;
};

/// How the symbols of a segment are mapped to codes: by a table indexed by symbol, which fits the
/// caches of a host, or by a hash, which fits the shared memory of a device team.
enum class CodeLookup : std::uint8_t { table, hash };

/// \brief A batch of queries in the layout that the sequence kernels read.
///
/// A code is one byte, so that a large vocabulary costs bytes instead of masks. A table maps every
/// dense symbol of the patterns, and their padding, to its code in a segment; a hash maps only the
/// symbols that have a code. Symbols that occur in no pattern have no code and match nothing.
template <class ExecutionSpace>
struct QueryTables {
  ArrayView<const std::uint32_t, ExecutionSpace> lengths;        ///< one per query
  ArrayView<const std::uint32_t, ExecutionSpace> first_segment;  ///< queries + 1
  ArrayView<const QuerySegment, ExecutionSpace> segments;
  ArrayView<const std::uint8_t, ExecutionSpace> codes;  ///< `code_stride` per segment, or empty
  ArrayView<const std::uint32_t, ExecutionSpace> hash;  ///< entries of all segments, or empty
  ArrayView<const WordTable, ExecutionSpace> words;
  ArrayView<const QueryColumns, ExecutionSpace> columns;  ///< host only
  /// One per query: patterns from this index on are not results. Empty: every pattern may be a
  /// result.
  ArrayView<const std::uint32_t, ExecutionSpace> index_limits;
  std::uint64_t code_stride = 0;
  std::uint32_t queries = 0;
  std::uint32_t segments_max = 0;  ///< maximum of one query
  std::uint32_t words_max = 0;     ///< maximum of one segment
  std::uint32_t codes_max = 0;     ///< maximum of one segment
  std::uint32_t hash_bits_max = 0;

  /// Patterns from this index on are not results of \p query.
  KOKKOS_INLINE_FUNCTION std::uint32_t index_limit(std::uint32_t query) const {
    return index_limits.size() > 0 ? index_limits(query) : 0xFFFFFFFFU;
  }
  /// Whether symbol \p at of \p query is the dense symbol \p symbol of the patterns.
  KOKKOS_INLINE_FUNCTION bool has(std::uint32_t query, std::uint32_t at,
                                  std::uint32_t symbol) const {
    std::uint32_t segment = first_segment(query);
    const std::uint32_t word = segments(segment).first_word + at / word_symbols;
    segment += at / (segment_words * word_symbols);
    while (word >= segments(segment).first_word + segments(segment).words) ++segment;
    return (words(word).mask(code(segment, symbol)) >> at % word_symbols & 1U) != 0;
  }
  /// The code of a dense symbol of the patterns in a segment.
  KOKKOS_INLINE_FUNCTION std::uint8_t code(std::uint32_t segment, std::uint32_t symbol) const {
    return codes.size() > 0
               ? codes(segment * code_stride + symbol)
               : static_cast<std::uint8_t>(symbol_hash(segments(segment)).code(symbol, no_code));
  }
  KOKKOS_INLINE_FUNCTION SymbolHash symbol_hash(const QuerySegment& segment) const {
    return {hash.data() + segment.first_entry, segment.multiplier, segment.hash_bits};
  }
};

/// \brief The arrays of `QueryTables` on the host, in reusable vectors.
struct QueryArrays {
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> first_segment;
  std::vector<QuerySegment> segments;
  /// With `CodeLookup::hash`, a single table used while building.
  std::vector<std::uint8_t> codes;
  std::vector<std::uint32_t> hash;
  std::vector<WordTable> words;
  std::vector<QueryColumns> columns;
  std::uint64_t code_stride = 0;
  std::uint32_t segments_max = 0;
  std::uint32_t words_max = 0;
  std::uint32_t codes_max = 0;
  std::uint32_t hash_bits_max = 0;

  /// \brief Builds the tables of \p queries and replaces the previous contents.
  /// \param queries dense symbols; a symbol ≥ `vocabulary` matches nothing
  /// \param rows which queries to include, in this order
  /// \param lookup `CodeLookup::table` also builds the columns, which only host threads read
  void build(RaggedSpan<Symbol> queries, std::span<const std::size_t> rows,
             std::uint32_t vocabulary, CodeLookup lookup);

  /// Maximum number of bytes that `build` allocates for a query of \p length symbols.
  static std::uint64_t bytes(std::uint64_t length, std::uint32_t vocabulary,
                             CodeLookup lookup) noexcept;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_QUERY_TABLES_HPP
