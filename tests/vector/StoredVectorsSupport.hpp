// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_STORED_VECTORS_SUPPORT_HPP
#define KINDRED_TESTS_VECTOR_STORED_VECTORS_SUPPORT_HPP

#include <kindred/matcher/StoredVectors.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace Kindred::Testing {

/// Rows of int8 with a quantized copy, some of them removed, and the view of them as a part of a
/// store.
struct StoredPart {
  StoredPart(std::uint32_t begin, std::uint32_t count, std::size_t dimension)
      : values(count * dimension),
        scales(count),
        norms(count),
        ids(count),
        quantized(count * 16),
        quantized_scales(count),
        quantized_errors(count),
        quantized_norms(count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      for (std::size_t d = 0; d < dimension; ++d)
        values[i * dimension + d] = static_cast<std::int8_t>(begin + 7 * i + d);
      scales[i] = static_cast<float>(begin + i) / 4;
      norms[i] = begin + i + 0.5;
      ids[i] = begin + 2 * i;
      quantized[i * 16] = static_cast<std::int8_t>(begin + i);
      quantized_scales[i] = 1;
      quantized_errors[i] = static_cast<float>(i);
      quantized_norms[i] = 3;
    }
    part.rows = VectorSpan(DataType::int8, std::as_bytes(std::span(values)), dimension, scales);
    part.norms = norms;
    part.ids = ids;
    part.quantized = {quantized, quantized_scales, quantized_errors, quantized_norms, 16};
  }
  StoredPart(const StoredPart&) = delete;

  /// Only the rows whose bits are set are not removed.
  void keep(std::vector<std::uint64_t> bits) {
    live = std::move(bits);
    part.live = live;
  }
  /// The rows have consecutive ids.
  void number_from(std::uint32_t first, std::uint64_t end_id) {
    part.ids = {};
    part.first_id = first;
    part.end_id = end_id;
  }

  std::vector<std::int8_t> values;
  std::vector<float> scales;
  std::vector<double> norms;
  std::vector<std::uint32_t> ids;
  std::vector<std::int8_t> quantized;
  std::vector<float> quantized_scales, quantized_errors, quantized_norms;
  std::vector<std::uint64_t> live;
  StoredVectors part;
};

/// Reads everything that a loaded store provides; returns a sum, so that no read is optimized away.
inline double use(const StoredVectors& stored) {
  double sum = static_cast<double>(stored.end_id);
  for (const std::byte value : stored.rows.values) sum += static_cast<double>(value);
  for (const float scale : stored.rows.scales) sum += scale;
  for (const double norm : stored.norms) sum += norm;
  for (const std::uint32_t id : stored.ids) sum += id;
  for (const std::int8_t value : stored.quantized.values) sum += value;
  for (std::size_t i = 0; i < stored.quantized.scales.size(); ++i)
    sum += stored.quantized.scales[i] + stored.quantized.errors[i] + stored.quantized.norms[i];
  return sum;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_STORED_VECTORS_SUPPORT_HPP
