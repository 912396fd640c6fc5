// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_NPY_FILE_HPP
#define KINDRED_MATCHER_STORAGE_NPY_FILE_HPP

#include "InputFile.hpp"

#include <kindred/core/common/Array.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

/// \brief The contents of the header of a .npy file (NumPy format versions 1 to 3).
struct NpyHeader {
  std::string descr;  ///< such as `<f4`
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;

  /// Of the elements; none if they are of another type than `DataType` names, or big-endian.
  std::optional<DataType> type() const noexcept;
  /// In the notation of Python.
  std::string shown_shape() const;
};

/// \param text the bytes after magic, version and length
/// \throws InvalidArgument for text that is not the dictionary of a .npy header
NpyHeader parse_npy_header(std::string_view text);

/// \brief A .npy file whose header has been read.
struct NpyFile {
  /// \throws CorruptFile if the file does not begin as a .npy file
  explicit NpyFile(InputFile input);

  /// Checks that the file contains exactly the data. \throws CorruptFile
  void check_size(DataType type) const;

  InputFile file;
  NpyHeader header;
  std::uint64_t header_at = 0;  ///< offset in the file, for messages
  std::uint64_t data_at = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_NPY_FILE_HPP
