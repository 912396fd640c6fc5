// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_NPY_FILE_HPP
#define KINDRED_MATCHER_STORAGE_NPY_FILE_HPP

#include "InputFile.hpp"
#include "NpyHeader.hpp"

#include <cstdint>

namespace Kindred::Impl {

/// \brief A .npy file whose header has been read.
struct NpyFile {
  /// \throws CorruptFile if the file does not begin as a .npy file
  explicit NpyFile(InputFile input);

  /// Checks that the file contains exactly the data. \throws CorruptFile
  void check_size(std::uint64_t number_bytes) const;

  InputFile file;
  NpyHeader header;
  std::uint64_t header_at = 0;  ///< offset in the file, for messages
  std::uint64_t data_at = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_NPY_FILE_HPP
