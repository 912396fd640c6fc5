// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_QUERY_BUFFERS_HPP
#define KINDRED_MATCHER_SEQUENCE_QUERY_BUFFERS_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/sequence/Autojunk.hpp>
#include <kindred/core/sequence/QueryTables.hpp>
#include <kindred/memory/PlacedArray.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace Kindred::Impl {

/// Values that are made on the host, for the kernels of \p ExecutionSpace.
template <class T, class ExecutionSpace>
class PlacedValues {
 public:
  PlacedValues(MemoryResource& memory, const char* label) : m_placed(memory, label) {}

  /// Places the values. Does not fence: they must not change before \p exec_space is fenced.
  ArrayView<const T, ExecutionSpace> place(const ExecutionSpace& exec_space) {
    return m_placed.placed(exec_space, values);
  }

  std::vector<T> values;

 private:
  PlacedArray<ExecutionSpace, T> m_placed;
};

/// \brief The tables of a batch of queries, built on the host and placed in the memory of the
/// kernels; on a device with one upload.
template <class ExecutionSpace>
class QueryBuffers {
 public:
  static constexpr CodeLookup lookup =
      std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace> ? CodeLookup::table
                                                                               : CodeLookup::hash;

  explicit QueryBuffers(MemoryResource& memory)
      : m_staged(memory, "Kindred::SequenceMatcher::queries") {}

  /// \see QueryArrays::build
  QueryTables<ExecutionSpace> place(const ExecutionSpace& exec_space, RaggedSpan<Symbol> queries,
                                    const std::vector<std::size_t>& rows,
                                    std::uint32_t vocabulary) {
    m_arrays.build(queries, rows, vocabulary, lookup);
    QueryTables<ExecutionSpace> tables;
    tables.code_stride = m_arrays.code_stride;
    tables.queries = static_cast<std::uint32_t>(m_arrays.lengths.size());
    tables.segments_max = m_arrays.segments_max;
    tables.words_max = m_arrays.words_max;
    tables.codes_max = m_arrays.codes_max;
    tables.hash_bits_max = m_arrays.hash_bits_max;
    ArrayView<const std::byte, ExecutionSpace> placed;
    if constexpr (lookup == CodeLookup::hash) {
      m_staged.values.clear();
      stage(m_arrays.words);
      stage(m_arrays.lengths);
      stage(m_arrays.first_segment);
      stage(m_arrays.segments);
      stage(m_arrays.hash);
      placed = m_staged.place(exec_space);
    }
    const std::byte* at = placed.data();
    tables.words = view(m_arrays.words, at);
    tables.lengths = view(m_arrays.lengths, at);
    tables.first_segment = view(m_arrays.first_segment, at);
    tables.segments = view(m_arrays.segments, at);
    if constexpr (lookup == CodeLookup::hash) {
      tables.hash = view(m_arrays.hash, at);
    } else {
      tables.codes = view(m_arrays.codes, at);
      tables.columns = view(m_arrays.columns, at);
    }
    return tables;
  }

 private:
  static constexpr std::size_t alignment = alignof(WordTable);
  static constexpr std::size_t padded(std::size_t bytes) {
    return quotient_up(bytes, alignment) * alignment;
  }

  template <class T>
  void stage(const std::vector<T>& values) {
    std::vector<std::byte>& staged = m_staged.values;
    const std::size_t at = staged.size();
    staged.resize(at + padded(values.size() * sizeof(T)));
    if (!values.empty()) std::memcpy(staged.data() + at, values.data(), values.size() * sizeof(T));
  }
  /// The array that was staged at \p at, which is advanced past it; on the host the array itself.
  template <class T>
  static ArrayView<const T, ExecutionSpace> view(const std::vector<T>& values,
                                                 [[maybe_unused]] const std::byte*& at) {
    if constexpr (lookup == CodeLookup::table) {
      return ArrayView<const T, ExecutionSpace>(values.data(), values.size());
    } else {
      const auto* begin = reinterpret_cast<const T*>(at);
      at += padded(values.size() * sizeof(T));
      return ArrayView<const T, ExecutionSpace>(begin, values.size());
    }
  }

  QueryArrays m_arrays;
  PlacedValues<std::byte, ExecutionSpace> m_staged;
};

/// \brief The effect of Python's autojunk on a batch: tables without the popular symbols, with
/// which runs are found, and the complete queries, over which runs are extended.
template <class ExecutionSpace>
class PopularSymbols {
 public:
  explicit PopularSymbols(MemoryResource& memory)
      : m_whole(memory, "Kindred::SequenceMatcher::symbols"), m_buffers(memory) {}

  /// \see QueryBuffers::place
  void place(const ExecutionSpace& exec_space, RaggedSpan<Symbol> queries,
             const std::vector<std::size_t>& rows, std::uint32_t vocabulary) {
    m_rare.offsets.assign(1, 0);
    m_rare.values.clear();
    std::vector<Symbol>& whole = m_whole.values;
    whole.clear();
    m_first.clear();
    std::vector<std::size_t> rare_rows;
    for (const std::size_t row : rows) {
      const std::vector<Symbol> rare = without_popular(queries[row]);
      rare_rows.push_back(rare_rows.size());
      m_rare.push_row(rare.empty() ? queries[row] : std::span<const Symbol>(rare));
      m_first.push_back(rare.empty() ? none : whole.size());
      if (!rare.empty()) whole.insert(whole.end(), queries[row].begin(), queries[row].end());
    }
    if (whole.empty()) return;
    m_tables = m_buffers.place(exec_space, m_rare, rare_rows, vocabulary);
    m_symbols = m_whole.place(exec_space);
  }
  /// The tables with which the runs of query \p q are found: \p whole if it has no popular symbols.
  const QueryTables<ExecutionSpace>& tables(std::uint32_t q,
                                            const QueryTables<ExecutionSpace>& whole) const {
    return m_first[q] == none ? whole : m_tables;
  }
  /// The symbols over which the runs of query \p q are extended: empty if it has no popular
  /// symbols.
  ArrayView<const Symbol, ExecutionSpace> grow_over(std::uint32_t q) const {
    if (m_first[q] == none) return {};
    const std::uint64_t length = m_rare.offsets[q + 1] - m_rare.offsets[q];
    return ArrayView<const Symbol, ExecutionSpace>(m_symbols.data() + m_first[q], length);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  Ragged<Symbol> m_rare;
  PlacedValues<Symbol, ExecutionSpace> m_whole;  ///< the queries that have popular symbols
  std::vector<std::size_t> m_first;              ///< per query: its begin in `m_whole`, or `none`
  QueryBuffers<ExecutionSpace> m_buffers;
  QueryTables<ExecutionSpace> m_tables;
  ArrayView<const Symbol, ExecutionSpace> m_symbols;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_QUERY_BUFFERS_HPP
