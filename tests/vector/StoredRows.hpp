// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_STORED_ROWS_HPP
#define KINDRED_TESTS_VECTOR_STORED_ROWS_HPP

#include <kindred/matcher/VectorArray.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "TestGenerator.hpp"

namespace Kindred::Testing {

/// Stored rows of an element type, and the floats that they decode to.
struct StoredRows {
  DataType element = DataType::float32;
  std::size_t dimension = 0;
  std::vector<std::byte> values;
  std::vector<float> scales;
  std::vector<float> floats;

  std::size_t count() const { return floats.size() / dimension; }
  std::span<const float> row(std::size_t index) const { return row_of(floats, dimension, index); }
  VectorSpan span() const { return {element, values, dimension, scales}; }

  /// Rows close to those of \p rows: in the range of the elements, and finite if these must be.
  static StoredRows near(DataType element, std::vector<float> rows, std::size_t dimension) {
    const float most = element == DataType::float16    ? 65504.0F
                       : element == DataType::bfloat16 ? 0x1.FEp127F
                                                       : std::numeric_limits<float>::max();
    for (float& value : rows) {
      if (std::isfinite(value)) value = std::clamp(value, -most, most);
      if (element == DataType::int8 && !std::isfinite(value)) value = 0;
    }
    StoredRows out{element, dimension, {}, {}, std::vector<float>(rows.size())};
    out.values.resize(rows.size() * size_of(element));
    out.scales.resize(element == DataType::int8 ? out.count() : 0);
    encode_rows(rows, dimension, element, out.values, out.scales);
    decode_rows(out.span(), out.floats);
    return out;
  }
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_STORED_ROWS_HPP
