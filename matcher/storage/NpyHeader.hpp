// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_NPY_HEADER_HPP
#define KINDRED_MATCHER_STORAGE_NPY_HEADER_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

/// \brief The contents of the header of a .npy file (NumPy format versions 1 to 3).
struct NpyHeader {
  std::string descr;  ///< such as `<f4`
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;

  /// In the notation of Python.
  std::string shown_shape() const;
};

/// \param text the bytes after magic, version and length
/// \throws InvalidArgument for text that is not the dictionary of a .npy header
NpyHeader parse_npy_header(std::string_view text);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_NPY_HEADER_HPP
