// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_LAYERS_LAYER_DATA_HPP
#define KINDRED_TESTS_LAYERS_LAYER_DATA_HPP

#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/reference/Reference.hpp>

#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "OnSpaces.hpp"
#include "VectorValues.hpp"

namespace Kindred::Testing::Layers {

using enum DataType;
using enum LayerActivation;

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
inline constexpr std::array float_elements{float32, float16, bfloat16};
inline constexpr std::array all_activations{none, relu, gelu};

inline std::string name_of(LayerActivation activation) {
  static constexpr std::array names{"none", "relu", "gelu"};
  return names[static_cast<std::size_t>(activation)];
}

/// A matrix of any element type, together with its elements as floats. Gaps between rows hold a
/// marker.
struct Matrix {
  static constexpr std::byte mark{0x5A};

  DataType element = float32;
  std::size_t rows = 0, columns = 0, stride = 0;
  std::vector<std::byte> bytes;

  Matrix() = default;
  Matrix(DataType of, std::size_t height, std::size_t width, std::size_t step = 0)
      : element(of),
        rows(height),
        columns(width),
        stride(step == 0 ? width : step),
        bytes(rows * stride * size_of(of), mark) {}

  void set(std::size_t row, std::size_t column, float value) {
    const std::uint32_t bits = Reference::rounded(element, value);
    std::memcpy(bytes.data() + place(row, column), &bits, size_of(element));
  }
  std::uint32_t bits(std::size_t row, std::size_t column) const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + place(row, column), size_of(element));
    return bits;
  }
  float at(std::size_t row, std::size_t column) const {
    return Reference::widened(element, bits(row, column));
  }
  std::vector<float> row(std::size_t row) const {
    std::vector<float> values;
    for (std::size_t i = 0; i < columns; ++i) values.push_back(at(row, i));
    return values;
  }
  /// All elements, row by row.
  std::vector<double> values() const {
    std::vector<double> values;
    for (std::size_t i = 0; i < rows * columns; ++i) values.push_back(at(i / columns, i % columns));
    return values;
  }
  /// Whether the gaps between the rows are unchanged.
  bool has_gaps_untouched() const {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i / size_of(element) % stride >= columns && bytes[i] != mark) return false;
    }
    return true;
  }
  /// A matrix of the same layout without elements.
  Matrix unwritten() const { return {element, rows, columns, stride}; }
  ConstArray view() const { return {bytes.data(), element, shape(), strides()}; }
  Array view() { return {bytes.data(), element, shape(), strides()}; }

  template <class Value>
  static Matrix of(DataType element, std::size_t rows, std::size_t columns, const Value& value,
                   std::size_t stride = 0) {
    Matrix matrix(element, rows, columns, stride);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) matrix.set(r, c, value(r, c));
    return matrix;
  }

 private:
  using pair_type = std::array<std::int64_t, 2>;
  pair_type shape() const {
    return {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
  }
  pair_type strides() const { return {static_cast<std::int64_t>(stride), 1}; }
  std::size_t place(std::size_t row, std::size_t column) const {
    return (row * stride + column) * size_of(element);
  }
};

inline std::vector<float> normal_values(std::mt19937_64& generator, std::size_t count,
                                        float size = 1, float mean = 0) {
  std::normal_distribution<float> normal;
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(mean + size * normal(generator));
  return values;
}
inline Matrix random_matrix(std::mt19937_64& generator, DataType element, std::size_t rows,
                            std::size_t columns, float mean = 0, std::size_t gap = 0,
                            float size = 1) {
  const auto values = normal_values(generator, rows * columns, size, mean);
  return Matrix::of(
      element, rows, columns, [&](std::size_t r, std::size_t c) { return values[r * columns + c]; },
      columns + gap);
}

}  // namespace Kindred::Testing::Layers

#endif  // KINDRED_TESTS_LAYERS_LAYER_DATA_HPP
