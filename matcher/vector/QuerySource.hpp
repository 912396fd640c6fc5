// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_QUERY_SOURCE_HPP
#define KINDRED_MATCHER_VECTOR_QUERY_SOURCE_HPP

#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/memory/Copies.hpp>

#include <cstddef>
#include <utility>

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
    const std::pair values(first * m_dimension, (first + count) * m_dimension);
    return {Kokkos::subview(m_prepared.floats, values), Kokkos::subview(m_prepared.values, values),
            Kokkos::subview(m_prepared.norms, std::pair(first, first + count)), count};
  }

  /// Copies one query. Does not fence.
  void copy(const ExecutionSpace& exec_space, std::size_t query,
            const ArrayView<float, ExecutionSpace>& to) const {
    if (m_values != nullptr) {
      start_upload(exec_space, to, m_values + query * m_dimension, m_dimension);
    } else {
      Kokkos::deep_copy(exec_space, to, take(query, 1).floats);
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
