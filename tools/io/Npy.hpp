// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_NPY_HPP
#define KINDRED_TOOLS_IO_NPY_HPP

#include "io/LineReader.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

/// \brief What the header of a .npy file says (NumPy format versions 1 to 3).
struct NpyHeader {
  std::string descr;  ///< such as `<f4`
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t offset = 0;  ///< of the data in the file, bytes
};

/// \brief A matrix of float32, row-major.
struct Matrix {
  std::unique_ptr<float[]> values;
  std::size_t rows = 0;
  std::size_t columns = 0;

  std::span<const float> span() const noexcept { return {values.get(), rows * columns}; }
};

/// \param one_row_as_matrix takes an array of one dimension as a matrix of one row
/// \throws InputError with the offset for what is not a whole, little-endian, C-order float32 file
/// of two dimensions; the sizes are checked against the file before anything is allocated
Matrix read_npy_matrix(const std::string& path, bool one_row_as_matrix = false,
                       const ReadProgress& progress = {});

/// An array of one dimension of bool or uint8. \throws InputError as `read_npy_matrix`
std::vector<std::uint8_t> read_npy_mask(const std::string& path);

/// The header of an array of two dimensions, version 1.0, padded to 64 bytes.
std::string npy_header(const std::string& descr, std::size_t rows, std::size_t columns);

/// The bytes after the magic, version and length of a header; \p offset of the data is kept.
/// \throws RecordError for what is not the dictionary of a .npy file
NpyHeader parse_npy_header(std::string_view text, std::uint64_t offset);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_NPY_HPP
