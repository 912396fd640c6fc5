// SPDX-License-Identifier: Apache-2.0
#include "io/Matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace Kindred::Tools {

Matrix read_matrix(const std::string& path, const VectorFileOptions& options,
                   const ReadProgress& progress) {
  return reading_file([&] {
    constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 26U;
    const VectorFile file(path, options);
    Matrix matrix;
    matrix.rows = file.rows();
    matrix.columns = file.dimension();
    matrix.values = std::make_unique_for_overwrite<float[]>(matrix.rows * matrix.columns);
    const std::uint64_t piece = std::max<std::uint64_t>(1, piece_bytes / file.row_bytes());
    for (std::uint64_t first = 0; first < matrix.rows; first += piece) {
      const std::uint64_t count = std::min<std::uint64_t>(piece, matrix.rows - first);
      file.read(first, count,
                std::span(matrix.values.get() + first * matrix.columns, count * matrix.columns));
      if (progress) progress((first + count) * file.row_bytes(), matrix.rows * file.row_bytes());
    }
    return matrix;
  });
}

std::string npy_header(const std::string& descr, std::size_t rows, std::size_t columns) {
  const std::array<std::uint64_t, 2> shape{rows, columns};
  return npy_header(descr, shape);
}

std::string npy_header(const std::string& descr, std::span<const std::uint64_t> shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t prefix = 10;
  constexpr std::size_t alignment = 64;
  text.append(alignment - 1 - (prefix + text.size()) % alignment, ' ').append(1, '\n');
  std::string out = "\x93NUMPY\x01";
  out += '\0';
  out += static_cast<char>(text.size() & 0xFFU);
  out += static_cast<char>(text.size() >> 8U);
  return out + text;
}

}  // namespace Kindred::Tools
