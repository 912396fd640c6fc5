// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_FLOAT_ROWS_HPP
#define KINDRED_MATCHER_HNSW_FLOAT_ROWS_HPP

#include <kindred/core/arch/simd/FloatDistance.hpp>
#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/vector/Metric.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief Rows for graph traversal if bytes are too coarse: the float32 rows themselves.
///
/// l2: Σ (u·a − u·b)². ip: −Σ (u·a)(u·b), with a power of two u that keeps rows below 1; cosine: −Σ
/// a·b / (|a| |b|). Rows are padded with zeros to chunks of 16; under cosine the last element of a
/// row is 1 / its norm (0 for a zero row). \see Arch::ScalarFloatDistance for the order of the sums
class FloatRows {
 public:
  static constexpr std::size_t stride_of(std::size_t dimension) {
    return quotient_up(dimension + 1, Arch::float_chunk) * Arch::float_chunk;
  }

  struct Query {
    /// A row of `stride` elements, times the unit, with zeros behind the dimension.
    const float* values;
  };
  using Element = float;

  FloatRows(const float* data, std::size_t dimension, Metric metric, float unit)
      : m_data(data),
        m_dimension(dimension),
        m_stride(stride_of(dimension)),
        m_chunks(quotient_up(dimension, Arch::float_chunk)),
        m_metric(metric),
        m_unit(unit) {}

  std::size_t query_elements() const noexcept { return m_stride; }
  void prefetch(std::uint32_t node) const {
    Arch::prefetch_bytes(m_data + node * m_stride, m_stride * sizeof(float));
  }
  Query query_of(std::uint32_t node, float* values) const {
    const float* const row = m_data + node * m_stride;
    const float factor = m_metric == Metric::cosine ? row[m_stride - 1] : m_unit;
    for (std::size_t i = 0; i < m_dimension; ++i) values[i] = factor * row[i];
    std::fill(values + m_dimension, values + m_stride, 0.0F);
    return {values};
  }
  void distances(const Query& query, const std::uint32_t* nodes, std::size_t count,
                 float* out) const {
    for (std::size_t i = 0; i < count; i += 4) {
      const float* rows[4];
      for (std::size_t r = 0; r < 4; ++r)
        rows[r] = m_data + nodes[std::min(i + r, count - 1)] * m_stride;
      float sums[4];
      if (m_metric == Metric::l2) {
        Arch::FloatDistance::squared(query.values, rows, m_chunks, m_unit, sums);
        for (std::size_t r = 0; r < 4; ++r) out[i + r] = sums[r];
      } else {
        Arch::FloatDistance::dot(query.values, rows, m_chunks, sums);
        for (std::size_t r = 0; r < 4; ++r) {
          out[i + r] = -sums[r] * (m_metric == Metric::cosine ? rows[r][m_stride - 1] : m_unit);
        }
      }
    }
  }

 private:
  const float* m_data;
  std::size_t m_dimension;
  std::size_t m_stride;
  std::size_t m_chunks;
  Metric m_metric;
  float m_unit;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_FLOAT_ROWS_HPP
