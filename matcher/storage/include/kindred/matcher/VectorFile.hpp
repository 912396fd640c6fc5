// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_FILE_HPP
#define KINDRED_MATCHER_VECTOR_FILE_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief Vector file formats that can be read; docs/guide/files.md describes their layouts.
enum class VectorFormat : std::uint8_t { npy, fvecs, bvecs, ivecs, fbin, u8bin, i8bin, hdf5 };
template <>
inline constexpr auto enum_names<VectorFormat> = std::to_array<std::string_view>(
    {"npy", "fvecs", "bvecs", "ivecs", "fbin", "u8bin", "i8bin", "hdf5"});

struct VectorFileOptions {
  std::optional<VectorFormat> format =
      {};  ///< if empty: from the file name extension, otherwise from the first bytes
  std::string dataset = "train";  ///< in an HDF5 file; ann-benchmarks' other datasets are `test`, …
  bool one_row = false;  ///< read a one-dimensional .npy array as one row instead of rejecting it
};

/// \brief Reads the rows of a vector file of a third-party format, in blocks.
///
/// The header is read and compared with the size of the file on opening; rows are read on demand.
/// Values are returned as stored, including NaN and infinities. `read` may be called concurrently
/// from several threads. A call needs no memory but its output and 1 MiB (or one row) of buffer.
class VectorFile {
 public:
  /// \brief Opens a file and reads its header. Complexity O(1), for .fvecs, .bvecs and .ivecs too:
  /// the length of each row is checked when it is read.
  /// \throws NotFound if the file does not exist; InvalidArgument if it is not a regular file, or
  /// is well-formed but of an unsupported type or layout (float64, big-endian, Fortran order, not a
  /// matrix); CorruptFile with the byte offset if it is inconsistent: truncated, too long, a wrong
  /// header, rows of dimension 0; Error if HDF5 is requested and libhdf5 is not installed,
  /// or the build does not read such files
  explicit VectorFile(std::string path, const VectorFileOptions& options = {});

  const std::string& path() const noexcept;
  VectorFormat format() const noexcept;
  /// Of the numbers: float32, float16, int8, uint8, int32 or int64.
  DataType type() const noexcept;
  std::uint64_t rows() const noexcept;
  std::uint64_t dimension() const noexcept;  ///< 1 or more
  /// Size of a row in memory, in bytes.
  std::uint64_t row_bytes() const noexcept;

  /// \brief The rows [\p first, \p first + \p count), row-major: as stored if \p out is of the type
  /// of the file, otherwise converted to float32, exactly, or, of a file of integers such as
  /// ground-truth neighbours, to int64. Complexity O(count · dimension()).
  /// \param out `count × dimension()` elements in host memory, without gaps
  /// \throws InvalidArgument for rows beyond the end, another size or type of \p out, and an
  /// integer that float32 cannot represent; CorruptFile for a row of another dimension, and if the
  /// file has become shorter; Error if it cannot be read
  void read(std::uint64_t first, std::uint64_t count, const Array& out) const;

 private:
  struct State;
  Impl::HostState<State> m_state;
};

/// \brief Reads a one-dimensional .npy file of bool or uint8. Complexity O(bytes).
/// \throws as `VectorFile`, including InvalidArgument for another dtype or shape
std::vector<std::uint8_t> read_mask(const std::string& path);

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_FILE_HPP
