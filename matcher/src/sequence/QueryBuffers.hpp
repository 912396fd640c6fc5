// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_SEQUENCE_QUERY_BUFFERS_HPP
#define KINDRED_MATCHER_SRC_SEQUENCE_QUERY_BUFFERS_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/sequence/Autojunk.hpp>
#include <kindred/core/sequence/QueryTables.hpp>
#include <kindred/memory/Buffer.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace Kindred::Impl {

/// Makes \p buffer hold \p size values; what was in it is lost.
template <class T, class MemorySpace>
void sized(Buffer<T, MemorySpace>& buffer, MemoryResource& memory, const char* label,
           std::uint64_t size) {
  if (buffer.data() == nullptr) {
    buffer = Buffer<T, MemorySpace>(memory, label, size);
  } else {
    buffer.resize_discarding(size);
  }
}

/// \brief Where \p ExecutionSpace reads \p values: in place on the host, else a copy in \p buffer.
/// Not waited for: \p values stay as they are until the instance was fenced.
template <class ExecutionSpace, class T>
ArrayView<const T, ExecutionSpace> placed(const ExecutionSpace& exec_space, MemoryResource& memory,
                                          const std::vector<T>& values,
                                          Buffer<T, typename ExecutionSpace::memory_space>& buffer,
                                          const char* label) {
  if constexpr (std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>) {
    return ArrayView<const T, ExecutionSpace>(values.data(), values.size());
  } else {
    sized(buffer, memory, label, values.size());
    using host_view =
        Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec_space, buffer.view(), host_view(values.data(), values.size()));
    return buffer.const_view();
  }
}

/// \brief The tables of a batch of queries, made on the host and placed where the kernels read
/// them.
template <class ExecutionSpace>
class QueryBuffers {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// \see QueryArrays::build
  QueryTables<ExecutionSpace> place(const ExecutionSpace& exec_space, MemoryResource& memory,
                                    RaggedSpan<Symbol> queries,
                                    const std::vector<std::size_t>& rows,
                                    std::uint32_t vocabulary) {
    m_arrays.build(queries, rows, vocabulary, is_host);
    QueryTables<ExecutionSpace> tables;
    tables.lengths = placed(exec_space, memory, m_arrays.lengths, m_lengths,
                            "Kindred::SequenceMatcher::query_lengths");
    tables.first_segment = placed(exec_space, memory, m_arrays.first_segment, m_first_segment,
                                  "Kindred::SequenceMatcher::first_segment");
    tables.segments = placed(exec_space, memory, m_arrays.segments, m_segments,
                             "Kindred::SequenceMatcher::segments");
    tables.codes =
        placed(exec_space, memory, m_arrays.codes, m_codes, "Kindred::SequenceMatcher::codes");
    tables.words =
        placed(exec_space, memory, m_arrays.words, m_words, "Kindred::SequenceMatcher::words");
    if constexpr (is_host) {
      tables.columns = placed(exec_space, memory, m_arrays.columns, m_columns,
                              "Kindred::SequenceMatcher::columns");
    }
    tables.code_stride = m_arrays.code_stride;
    tables.queries = static_cast<std::uint32_t>(m_arrays.lengths.size());
    tables.segments_max = m_arrays.segments_max;
    tables.words_max = m_arrays.words_max;
    return tables;
  }

 private:
  static constexpr bool is_host = std::is_same_v<memory_space, Kokkos::HostSpace>;

  QueryArrays m_arrays;
  Buffer<std::uint32_t, memory_space> m_lengths;
  Buffer<std::uint32_t, memory_space> m_first_segment;
  Buffer<QuerySegment, memory_space> m_segments;
  Buffer<std::uint8_t, memory_space> m_codes;
  Buffer<WordTable, memory_space> m_words;
  Buffer<QueryColumns, memory_space> m_columns;  ///< never filled: only a host reads them
};

/// \brief What Python's autojunk changes of a batch: run tables without the popular symbols, and
/// the queries over which runs grow.
template <class ExecutionSpace>
class PopularSymbols {
 public:
  /// \see QueryBuffers::place
  void place(const ExecutionSpace& exec_space, MemoryResource& memory, RaggedSpan<Symbol> queries,
             const std::vector<std::size_t>& rows, std::uint32_t vocabulary) {
    m_rare.offsets.assign(1, 0);
    m_rare.values.clear();
    m_whole.clear();
    m_first.clear();
    std::vector<std::size_t> rare_rows;
    for (const std::size_t row : rows) {
      const std::vector<Symbol> rare = without_popular(queries[row]);
      rare_rows.push_back(rare_rows.size());
      m_rare.push_row(rare.empty() ? queries[row] : std::span<const Symbol>(rare));
      m_first.push_back(rare.empty() ? none : m_whole.size());
      if (!rare.empty()) m_whole.insert(m_whole.end(), queries[row].begin(), queries[row].end());
    }
    if (m_whole.empty()) return;
    m_tables = m_buffers.place(exec_space, memory, m_rare, rare_rows, vocabulary);
    m_symbols = placed(exec_space, memory, m_whole, m_placed, "Kindred::SequenceMatcher::symbols");
  }
  /// The tables by which runs of query \p q are found: \p whole where nothing is popular in it.
  const QueryTables<ExecutionSpace>& tables(std::uint32_t q,
                                            const QueryTables<ExecutionSpace>& whole) const {
    return m_first[q] == none ? whole : m_tables;
  }
  /// What runs of query \p q grow over: nothing where nothing is popular in it.
  ArrayView<const Symbol, ExecutionSpace> grow_over(std::uint32_t q) const {
    if (m_first[q] == none) return {};
    const std::uint64_t length = m_rare.offsets[q + 1] - m_rare.offsets[q];
    return ArrayView<const Symbol, ExecutionSpace>(m_symbols.data() + m_first[q], length);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  Ragged<Symbol> m_rare;
  std::vector<Symbol> m_whole;       ///< the queries with popular symbols
  std::vector<std::size_t> m_first;  ///< of a query in `m_whole`, or `none`
  QueryBuffers<ExecutionSpace> m_buffers;
  QueryTables<ExecutionSpace> m_tables;
  Buffer<Symbol, typename ExecutionSpace::memory_space> m_placed;
  ArrayView<const Symbol, ExecutionSpace> m_symbols;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_SEQUENCE_QUERY_BUFFERS_HPP
