// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_QUERY_SOURCE_HPP
#define KINDRED_MATCHER_VECTOR_QUERY_SOURCE_HPP

#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/memory/Copies.hpp>

#include <cstddef>
#include <utility>

#include "GrowBuffer.hpp"
#include "RowCopies.hpp"

namespace Kindred::Impl {

/// \brief A bump allocator: allocates consecutive arrays from existing memory.
template <class ExecutionSpace>
class BumpAllocator {
 public:
  static constexpr std::size_t alignment = 256;
  /// Maximum number of bytes of an array.
  template <class T>
  static std::size_t bytes(std::size_t count) {
    return quotient_up(count * sizeof(T), alignment) * alignment;
  }

  explicit BumpAllocator(std::byte* begin) : m_at(begin) {}
  template <class T>
  ArrayView<T, ExecutionSpace> take(std::size_t count) {
    auto* data = reinterpret_cast<T*>(m_at);
    m_at += bytes<T>(count);
    return ArrayView<T, ExecutionSpace>(data, count);
  }

 private:
  std::byte* m_at;
};

/// The queries `first … first + count` of \p all.
template <class ExecutionSpace>
VectorQueries<ExecutionSpace> part_of(const VectorQueries<ExecutionSpace>& all,
                                      std::size_t dimension, std::size_t first, std::size_t count) {
  const std::pair values(first * dimension, (first + count) * dimension);
  return {Kokkos::subview(all.floats, values), Kokkos::subview(all.values, values),
          Kokkos::subview(all.norms, std::pair(first, first + count)), count};
}

/// \brief Memory for queries and their prepared form, kept between calls.
template <class ExecutionSpace>
class VectorQueryBuffers {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// Constructs empty buffers in \p memory.
  void bind(MemoryResource& memory) {
    m_floats = {memory, "Kindred::VectorIndex::queries", 0};
    m_wide = {memory, "Kindred::VectorIndex::wide_queries", 0};
    m_norms = {memory, "Kindred::VectorIndex::query_norms", 0};
  }
  /// Memory for queries, which \ref prepare may read.
  ArrayView<float, ExecutionSpace> floats(const ExecutionSpace& exec_space, std::size_t size) {
    grow(exec_space, m_floats, size);
    return m_floats.view();
  }
  /// Prepares dense queries in memory of \p exec_space. Does not fence.
  VectorQueries<ExecutionSpace> prepare(const ExecutionSpace& exec_space,
                                        const ArrayView<const float, ExecutionSpace>& values,
                                        std::size_t dimension) {
    const std::size_t count = values.size() / dimension;
    grow(exec_space, m_wide, values.size());
    grow(exec_space, m_norms, count);
    prepare_queries(exec_space, values, dimension, m_wide.view(), m_norms.view());
    return {values, m_wide.const_view(), m_norms.const_view(), count};
  }
  /// \brief Prepares queries of a caller. Does not fence. \param is_here whether they are in memory
  /// of \p exec_space: dense ones are then read where they are
  VectorQueries<ExecutionSpace> prepare(const ExecutionSpace& exec_space,
                                        const GivenQueries& queries, std::size_t dimension,
                                        bool is_here) {
    const std::size_t size = queries.count * dimension;
    const bool is_dense = queries.stride == dimension || queries.count <= 1;
    if (is_dense && is_here)
      return prepare(exec_space, ArrayView<const float, ExecutionSpace>(queries.values, size),
                     dimension);
    const auto values = floats(exec_space, size);
    start_row_copies(exec_space, "Kindred::VectorIndex::queries", values.data(), dimension,
                     queries.values, queries.stride, queries.count, dimension);
    return prepare(exec_space, ArrayView<const float, ExecutionSpace>(values), dimension);
  }

 private:
  Buffer<float, memory_space> m_floats;
  Buffer<double, memory_space> m_wide;
  Buffer<double, memory_space> m_norms;
};

/// Bytes of a prepared query.
constexpr std::size_t prepared_bytes(std::size_t dimension) {
  return (sizeof(float) + sizeof(double)) * dimension + sizeof(double);
}

/// \brief The queries of a search, for code that processes some of them at a time. They are either
/// prepared in the search space, or floats on the host that are uploaded and prepared whenever they
/// are taken and use no memory in between.
template <class ExecutionSpace>
class QuerySource {
 public:
  QuerySource() = default;
  QuerySource(const VectorQueries<ExecutionSpace>& prepared, std::size_t dimension)
      : m_prepared(prepared), m_dimension(dimension), m_count(prepared.count) {}
  /// \param values of a `PinnedArray`, `count × dimension`
  QuerySource(const float* values, std::size_t count, std::size_t dimension)
      : m_values(values), m_dimension(dimension), m_count(count) {}

  std::size_t count() const { return m_count; }
  /// Bytes of the queries on the search space.
  std::size_t resident_bytes() const {
    return m_values == nullptr ? m_count * prepared_bytes(m_dimension) : 0;
  }
  /// Bytes of memory needed to take \p count queries.
  std::size_t bytes_needed(std::size_t count) const {
    using allocator = BumpAllocator<ExecutionSpace>;
    if (m_values == nullptr) return 0;
    return allocator::template bytes<double>(count * m_dimension) +
           allocator::template bytes<double>(count) +
           allocator::template bytes<float>(count * m_dimension);
  }

  QuerySource part(std::size_t first, std::size_t count) const {
    QuerySource out = *this;
    out.m_count = count;
    if (m_values != nullptr) {
      out.m_values += first * m_dimension;
    } else {
      out.m_prepared = take(first, count);
    }
    return out;
  }

  /// \brief The queries `first … first + count`; valid until the memory of \p allocator is reused.
  /// Does not fence.
  VectorQueries<ExecutionSpace> take(const ExecutionSpace& exec_space, std::size_t first,
                                     std::size_t count,
                                     BumpAllocator<ExecutionSpace>& allocator) const {
    if (m_values == nullptr) return take(first, count);
    const auto wide = allocator.template take<double>(count * m_dimension);
    const auto norms = allocator.template take<double>(count);
    const auto floats = allocator.template take<float>(count * m_dimension);
    start_upload(exec_space, floats, m_values + first * m_dimension, floats.size());
    prepare_queries(exec_space, ArrayView<const float, ExecutionSpace>(floats), m_dimension, wide,
                    norms);
    return {floats, wide, norms, count};
  }
  /// \brief The same if the queries are prepared.
  VectorQueries<ExecutionSpace> take(std::size_t first, std::size_t count) const {
    return part_of(m_prepared, m_dimension, first, count);
  }

  /// Copies one query. Does not fence.
  void copy(const ExecutionSpace& exec_space, std::size_t query,
            const ArrayView<float, ExecutionSpace>& to) const {
    if (m_values != nullptr) {
      start_upload(exec_space, to, m_values + query * m_dimension, m_dimension);
    } else {
      Arch::start_copy(exec_space, "Kindred::VectorIndex::search::query", to,
                       take(query, 1).floats);
    }
  }

 private:
  VectorQueries<ExecutionSpace> m_prepared;
  const float* m_values = nullptr;
  std::size_t m_dimension = 0;
  std::size_t m_count = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_QUERY_SOURCE_HPP
