// SPDX-License-Identifier: Apache-2.0
#include "io/Matrix.hpp"

#include "program/Errors.hpp"

#include <algorithm>

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

}  // namespace Kindred::Tools
