// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_PREFILTER_CASES_HPP
#define KINDRED_TESTS_VECTOR_PREFILTER_CASES_HPP

#include <kindred/core/vector/Prefilter.hpp>

#include "VectorData.hpp"

namespace Kindred::Testing {

/// Rows and queries that are likely to violate a bound.
struct PrefilterCase {
  std::string name;
  std::size_t dimension;
  std::vector<float> rows;
  std::vector<float> queries;

  Question question(DataType element) const {
    return {StoredRows::near(element, rows, dimension), queries};
  }
};

/// A random integer from −\p most to \p most.
inline float any_level(int most) {
  return static_cast<float>(static_cast<int>(random_below(2 * most + 1)) - most);
}

/// Rows whose distance from their quantized copies is as unfavorable as it can be. Quantized copies
/// lie on a grid of 1 / 127 of the largest value.
inline std::vector<PrefilterCase> aligned_cases() {
  constexpr float step = 1.0F / 64;
  const auto any_sign = [&] { return random_below(2) == 0 ? 1.0F : -1.0F; };
  // Residuals aligned with the query, for ip, cosine and the expanded l2.
  PrefilterCase query{"aligned with the query", 256, {}, {}};
  for (std::size_t d = 0; d < 256; ++d) query.queries.push_back(any_sign());
  for (int row = 0; row < 200; ++row) {
    for (std::size_t d = 0; d < 256; ++d) {
      const float towards = row % 2 == 0 ? -query.queries[d] : query.queries[d];
      const float level = any_level(100) + 0.5F * 0.9999F * towards;
      query.rows.push_back(step * (d == 0 ? 127 : level));
    }
  }
  // Residuals aligned with the difference, for l2 by the distance of the quantized copies.
  PrefilterCase difference{"aligned with the difference", 256, {}, {}};
  for (std::size_t d = 0; d < 256; ++d)
    difference.queries.push_back(step * (d == 0 ? 127 : any_level(100)));
  for (int row = 0; row < 100; ++row) {
    const float away = static_cast<float>(row % 20) + (row % 2 == 0 ? 0.4999F : -0.4999F);
    for (std::size_t d = 0; d < 256; ++d)
      difference.rows.push_back(difference.queries[d] + (d == 0 ? 0 : step * any_sign() * away));
  }
  // Rows that equal their quantized copies; a query between quantization levels.
  PrefilterCase residual{"aligned with the query's residual", 512, {}, {}};
  const auto sign = [](std::size_t d) { return d % 2 == 0 ? 1.0F : -1.0F; };
  for (std::size_t d = 0; d < 512; ++d)
    residual.queries.push_back((d == 0 ? 32385 : any_level(30000) + 0.48F * sign(d)) / 16384);
  for (std::size_t row = 0; row < 64; ++row)
    for (std::size_t d = 0; d < 512; ++d)
      residual.rows.push_back(sign(d) * sign(row) * static_cast<float>(row + 1));
  return {query, difference, residual};
}

inline std::vector<PrefilterCase> prefilter_cases() {
  std::vector<PrefilterCase> cases = aligned_cases();
  const auto add = [&](const KindOfData& kind, std::size_t rows, std::size_t dimension) {
    const DataOfKind data(kind, rows, 4, dimension);
    cases.push_back({described(kind.name, dimension), dimension, data.rows, data.queries});
  };
  for (const std::size_t dimension : {1UL, 3UL, 16UL, 33UL, 64UL, 100UL, 127UL, 768UL})
    add(kinds_of_data().front(), 200, dimension);
  for (const KindOfData& kind : kinds_of_data()) add(kind, 150, 40);
  // No residual on either side: the distance is 0, and only the rounding of the norms remains.
  PrefilterCase exact{"queries that are rows, both on their grids", 50, {}, {}};
  for (int i = 0; i < 60 * 50; ++i)
    exact.rows.push_back(255 * (i % 50 == 0 ? 127 : any_level(127)));
  exact.queries = {exact.rows.begin(), exact.rows.begin() + 20 * 50};
  cases.push_back(exact);
  return cases;
}

/// Rows and queries on a space, and a quantized copy of the rows; int8 rows are their own copy.
template <class ExecutionSpace>
struct PrefilterData : VectorData<ExecutionSpace> {
  PrefilterData(const ExecutionSpace& exec_space, const Question& asked)
      : VectorData<ExecutionSpace>(exec_space, asked) {
    if (asked.rows.element == DataType::int8) {
      quantized = rows_as_quantized(this->view);
      return;
    }
    const std::size_t count = asked.rows.count();
    const std::uint64_t stride = quantized_stride(asked.rows.dimension);
    quantized_values = Array<ExecutionSpace, std::int8_t>("shadow", count * stride);
    for (auto* view : {&quantized_scales, &errors, &quantized_norms})
      *view = Array<ExecutionSpace, float>("quantized_floats", count);
    quantize_rows<ExecutionSpace>(exec_space, this->view, quantized_values, quantized_scales,
                                  errors, quantized_norms);
    quantized = {quantized_values, quantized_scales, errors, quantized_norms, stride};
  }

  Array<ExecutionSpace, std::int8_t> quantized_values;
  Array<ExecutionSpace, float> quantized_scales, errors, quantized_norms;
  QuantizedRows<ExecutionSpace> quantized;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_PREFILTER_CASES_HPP
