// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_BYTE_ROWS_HPP
#define KINDRED_MATCHER_HNSW_BYTE_ROWS_HPP

#include <kindred/core/arch/simd/CodeDot.hpp>
#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/common/QuotientUp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace Kindred::Impl {

/// \brief Quantized rows for graph traversal: rows of bytes with one scale and one bias per row.
///
/// distance(a, b) = bias a + bias b + (multiplier a · scale b) · (codes a · codes b). The sum over
/// codes uses integers, followed by four float32 operations in this order, so the result is bitwise
/// identical on every machine. A row is its codes plus 128, zeros (128) up to a chunk, and its
/// scale and bias in the last eight bytes.
class ByteRows {
 public:
  static constexpr std::size_t tail = 2 * sizeof(float);
  /// Bytes of a row.
  static constexpr std::size_t stride_of(std::size_t dimension) {
    return quotient_up(dimension + tail, Arch::code_chunk) * Arch::code_chunk;
  }

  /// The fixed operand of a distance.
  struct Query {
    const std::int8_t* codes;  ///< `stride` elements, zeros behind the dimension
    std::int32_t correction;   ///< 128 times the sum of the codes
    float multiplier;
    float bias;
  };
  using Element = std::int8_t;

  /// \param factor of a dot product in the distance: −2 or −1
  ByteRows(const std::uint8_t* data, std::size_t dimension, float factor)
      : m_data(data),
        m_dimension(dimension),
        m_stride(stride_of(dimension)),
        m_chunks(quotient_up(dimension, Arch::code_chunk)),
        m_factor(factor) {}

  std::size_t query_elements() const noexcept { return m_stride; }
  void prefetch(std::uint32_t node) const {
    Arch::prefetch_bytes(m_data + node * m_stride, m_stride);
  }

  /// Makes a query of \p codes with \p scale. \param codes `stride` elements, zeros after the
  /// dimension
  Query query(const std::int8_t* codes, float scale, float bias) const {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < m_chunks * Arch::code_chunk; ++i) sum += codes[i];
    return {codes, 128 * sum, m_factor * scale, bias};
  }
  /// The row \p node as a query. \param codes output, `stride` elements
  Query query_of(std::uint32_t node, std::int8_t* codes) const {
    const std::uint8_t* const row = m_data + node * m_stride;
    for (std::size_t i = 0; i < m_dimension; ++i)
      codes[i] = static_cast<std::int8_t>(row[i] ^ 128U);
    std::memset(codes + m_dimension, 0, m_stride - m_dimension);
    float scale = 0;
    float bias = 0;
    read_tail(row, scale, bias);
    return query(codes, scale, bias);
  }

  /// Distances of \p count rows; the output has at least \p count elements, rounded up to a
  /// multiple of four.
  void distances(const Query& query, const std::uint32_t* nodes, std::size_t count,
                 float* out) const {
    for (std::size_t i = 0; i < count; i += 4) {
      const std::uint8_t* rows[4];
      for (std::size_t r = 0; r < 4; ++r)
        rows[r] = m_data + nodes[std::min(i + r, count - 1)] * m_stride;
      std::int32_t sums[4];
      Arch::CodeDot::four(query.codes, rows, m_chunks, sums);
      for (std::size_t r = 0; r < 4; ++r) {
        float scale = 0;
        float bias = 0;
        read_tail(rows[r], scale, bias);
        const float product =
            query.multiplier * scale * static_cast<float>(sums[r] - query.correction);
        out[i + r] = query.bias + (bias + product);
      }
    }
  }

 private:
  void read_tail(const std::uint8_t* row, float& scale, float& bias) const {
    std::memcpy(&scale, row + m_stride - tail, sizeof(scale));
    std::memcpy(&bias, row + m_stride - tail + sizeof(scale), sizeof(bias));
  }

  const std::uint8_t* m_data;
  std::size_t m_dimension;
  std::size_t m_stride;
  std::size_t m_chunks;
  float m_factor;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_BYTE_ROWS_HPP
