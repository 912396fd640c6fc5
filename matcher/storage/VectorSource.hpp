// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_VECTOR_SOURCE_HPP
#define KINDRED_MATCHER_STORAGE_VECTOR_SOURCE_HPP

#include <kindred/matcher/VectorFile.hpp>

#include "InputFile.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace Kindred::Impl {

/// \brief Reads the rows of a file whose header has been read and validated.
class VectorSource {
 public:
  VectorSource() = default;
  virtual ~VectorSource() = default;
  VectorSource(const VectorSource&) = delete;
  VectorSource& operator=(const VectorSource&) = delete;

  /// Reads the rows [\p first, \p first + \p count), which must exist, in row-major order.
  virtual void read(std::uint64_t first, std::uint64_t count, std::byte* out) const = 0;
  /// The offset of a number in the file, for messages.
  virtual std::uint64_t offset_of(std::uint64_t row, std::uint64_t place) const = 0;

  DataType type = DataType::float32;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
};

// \throws as VectorFile
std::unique_ptr<VectorSource> open_npy(InputFile file, bool one_row);
std::unique_ptr<VectorSource> open_vecs(InputFile file, DataType type);
std::unique_ptr<VectorSource> open_bin(InputFile file, DataType type);
std::unique_ptr<VectorSource> open_hdf5(const std::string& path, const std::string& dataset);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_VECTOR_SOURCE_HPP
