// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_MATRIX_HPP
#define KINDRED_TOOLS_IO_MATRIX_HPP

#include "io/LineReader.hpp"

#include <kindred/matcher/VectorFile.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace Kindred::Tools {

/// \brief A matrix of float32, row-major.
struct Matrix {
  std::unique_ptr<float[]> values;
  std::size_t rows = 0;
  std::size_t columns = 0;

  std::span<const float> span() const noexcept { return {values.get(), rows * columns}; }
};

/// \brief Reads all rows of a file of vectors as float32.
/// \throws InputError, NotFound or CorruptFile for a file that cannot be used
Matrix read_matrix(const std::string& path, const VectorFileOptions& options,
                   const ReadProgress& progress = {});

/// The header of a two-dimensional .npy file, version 1.0, padded to a multiple of 64 bytes.
std::string npy_header(const std::string& descr, std::size_t rows, std::size_t columns);
/// The header for any number of dimensions.
std::string npy_header(const std::string& descr, std::span<const std::uint64_t> shape);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_MATRIX_HPP
