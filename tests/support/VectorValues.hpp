// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_VECTOR_VALUES_HPP
#define KINDRED_TESTS_SUPPORT_VECTOR_VALUES_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/vector/Metric.hpp>

#include <bit>
#include <cmath>
#include <random>
#include <sstream>
#include <vector>

namespace Kindred::Testing {

inline constexpr Metric all_metrics[] = {Metric::cosine, Metric::ip, Metric::l2};
inline constexpr DataType all_elements[] = {DataType::float32, DataType::float16,
                                            DataType::bfloat16, DataType::int8};

inline std::vector<float> normal_values(std::mt19937_64& generator, std::size_t size) {
  std::normal_distribution<float> normal;
  std::vector<float> out(size);
  for (float& value : out) value = normal(generator);
  return out;
}

/// \p count numbers from -1 to 1 without a pattern; the same for the same \p first.
inline std::vector<float> sine_values(std::size_t count, float first) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = std::sin(first + 0.37F * static_cast<float>(i) * static_cast<float>(i % 7 + 1));
  return out;
}

inline std::vector<std::uint32_t> bits(std::span<const float> values) {
  std::vector<std::uint32_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

/// Row \p i of \p rows, or \p count rows from it on.
inline std::span<const float> row_of(std::span<const float> rows, std::size_t dimension,
                                     std::size_t i, std::size_t count = 1) {
  return rows.subspan(i * dimension, count * dimension);
}

/// The names and numbers of a case, for the message of a failure: `described(Metric::l2, 3,
/// "rows")`.
template <class... Parts>
std::string described(const Parts&... parts) {
  std::ostringstream out;
  const auto put = [&](const auto& part) {
    if (out.tellp() > 0) out << ' ';
    if constexpr (std::is_enum_v<std::decay_t<decltype(part)>>) {
      out << to_string(part);
    } else {
      out << part;
    }
  };
  (put(parts), ...);
  return out.str();
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_VECTOR_VALUES_HPP
