// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_FILE_HPP
#define KINDRED_MATCHER_VECTOR_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred {

/// \brief Layouts of files of vectors that can be read; docs/guide/files.md has their bytes.
enum class VectorFormat : std::uint8_t { npy, fvecs, bvecs, ivecs, fbin, u8bin, i8bin, hdf5 };
/// Its name, as the command takes it.
std::string_view to_string(VectorFormat format) noexcept;
/// The format of that name, nothing for another name.
std::optional<VectorFormat> vector_format_from_string(std::string_view name) noexcept;

/// \brief What a file keeps in each place of a row.
enum class NumberType : std::uint8_t { float32, float16, int8, uint8, int32, int64 };
/// Its name, as NumPy has it.
std::string_view to_string(NumberType type) noexcept;
/// Bytes of a number.
std::size_t number_bytes(NumberType type) noexcept;

struct VectorFileOptions {
  std::optional<VectorFormat> format =
      {};                         ///< nothing: by the end of the name, else the first bytes
  std::string dataset = "train";  ///< of an HDF5 file; ann-benchmarks' others are `test`, …
  bool one_row = false;           ///< a .npy array of one dimension is one row, not refused
};

/// \brief Rows in a file that some other program wrote, read in pieces.
///
/// The header is read and compared with the size of the file at once; a row when it is asked for.
/// Values are as the file has them, NaN and infinities included. `read` may be called from several
/// threads. Only what a call returns is held in memory, and 1 MiB (or a row) besides.
class VectorFile {
 public:
  /// \brief Opens a file and reads its header. Complexity O(1), but for .fvecs, .bvecs and .ivecs
  /// too: a row's length is looked at when it is read.
  /// \throws NotFound when there is no such file; InvalidArgument when it is no regular file, or
  /// well-formed and of a type or layout that is not read (float64, big-endian, Fortran order, not
  /// a matrix); CorruptFile with the byte when it is not what it says: cut, too long, a header
  /// that lies, rows of no dimension; Error when HDF5 is asked for and libhdf5 is not installed.
  explicit VectorFile(std::string path, const VectorFileOptions& options = {});
  ~VectorFile();
  VectorFile(VectorFile&&) noexcept;
  VectorFile& operator=(VectorFile&&) noexcept;

  const std::string& path() const noexcept;
  VectorFormat format() const noexcept;
  NumberType type() const noexcept;
  std::uint64_t rows() const noexcept;
  std::uint64_t dimension() const noexcept;  ///< 1 or more
  /// Bytes of a row in memory.
  std::uint64_t row_bytes() const noexcept;

  /// \brief The rows [\p first, \p first + \p count) as the file has them, row-major.
  /// Complexity O(count · row_bytes()).
  /// \param out count × row_bytes() \throws InvalidArgument for rows that there are not or another
  /// size of \p out; CorruptFile for a row of another dimension, and when the file became shorter;
  /// Error when it cannot be read
  void read(std::uint64_t first, std::uint64_t count, std::span<std::byte> out) const;
  /// \brief As float32, exactly. Complexity O(count · dimension()). \param out count × dimension()
  /// \throws InvalidArgument for an integer that no float32 is, too
  void read(std::uint64_t first, std::uint64_t count, std::span<float> out) const;
  /// \brief Of a file of integers, such as true neighbours. Complexity O(count · dimension()).
  /// \param out count × dimension() \throws InvalidArgument for a file of floats, too
  void read(std::uint64_t first, std::uint64_t count, std::span<std::int64_t> out) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// \brief A .npy file of one dimension of bool or uint8. Complexity O(bytes).
/// \throws as VectorFile, InvalidArgument for another dtype or shape among them
std::vector<std::uint8_t> read_mask(const std::string& path);

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_FILE_HPP
