// SPDX-License-Identifier: Apache-2.0
// Layouts that store the rows one after the other: .npy, the .fvecs family, the .fbin family.
#include "NpyFile.hpp"
#include "VectorSource.hpp"

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Quotes.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace Kindred::Impl {

namespace {

/// Rows without gaps.
class DenseRows final : public VectorSource {
 public:
  DenseRows(InputFile file, std::uint64_t data_at, DataType number, std::uint64_t count,
            std::uint64_t row_dimension)
      : m_file(std::move(file)), m_data_at(data_at) {
    type = number;
    rows = count;
    dimension = row_dimension;
  }

  void read(std::uint64_t first, std::uint64_t count, std::byte* out) const override {
    const std::uint64_t row_bytes = dimension * size_of(type);
    m_file.read(m_data_at + first * row_bytes, out, count * row_bytes);
  }
  std::uint64_t offset_of(std::uint64_t row, std::uint64_t place) const override {
    return m_data_at + (row * dimension + place) * size_of(type);
  }

 private:
  InputFile m_file;
  std::uint64_t m_data_at;
};

/// Rows that are each preceded by their dimension.
class PrefixedRows final : public VectorSource {
 public:
  static constexpr std::uint64_t prefix = sizeof(std::int32_t);

  PrefixedRows(InputFile file, DataType number, std::uint64_t row_dimension)
      : m_file(std::move(file)) {
    type = number;
    dimension = row_dimension;
    rows = m_file.size() / stride();
    if (m_file.size() % stride() != 0) fail_to_divide();
  }

  std::uint64_t stride() const { return prefix + dimension * size_of(type); }

  void read(std::uint64_t first, std::uint64_t count, std::byte* out) const override {
    constexpr std::uint64_t buffer_bytes = std::uint64_t{1} << 20U;
    const std::uint64_t row_bytes = stride() - prefix;
    const std::uint64_t piece =
        std::min(count, std::max<std::uint64_t>(1, buffer_bytes / stride()));
    std::vector<std::byte> buffer(piece * stride());
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t rows_now = std::min(piece, count - done);
      m_file.read((first + done) * stride(), buffer.data(), rows_now * stride());
      for (std::uint64_t i = 0; i < rows_now; ++i, ++done) {
        std::int32_t found = 0;
        std::memcpy(&found, buffer.data() + i * stride(), prefix);
        check_dimension((first + done) * stride(), found);
        std::memcpy(out + done * row_bytes, buffer.data() + i * stride() + prefix, row_bytes);
      }
    }
  }
  std::uint64_t offset_of(std::uint64_t row, std::uint64_t place) const override {
    return row * stride() + prefix + place * size_of(type);
  }

 private:
  /// Reports the row at which the file stops being a whole number of rows. \throws CorruptFile,
  /// always
  [[noreturn]] void fail_to_divide() const {
    for (std::uint64_t at = 0; at + prefix <= m_file.size(); at += stride()) {
      std::int32_t found = 0;
      m_file.read(at, &found, prefix);
      check_dimension(at, found);
    }
    m_file.corrupt(rows * stride(), "the last row of dimension " + std::to_string(dimension) +
                                        " needs " + std::to_string(stride()) + " bytes, but " +
                                        std::to_string(m_file.size() % stride()) +
                                        " are left: the file is cut");
  }
  /// \throws CorruptFile unless the row at byte \p at has the dimension of the first
  void check_dimension(std::uint64_t at, std::int32_t found) const {
    if (found < 0 || static_cast<std::uint64_t>(found) != dimension) {
      m_file.corrupt(at, "a row of dimension " + std::to_string(found) +
                             "; the first row has dimension " + std::to_string(dimension));
    }
  }

  InputFile m_file;
};

/// The types of numbers that rows may have.
constexpr std::array number_types{DataType::float32, DataType::float16, DataType::int8,
                                  DataType::uint8,   DataType::int32,   DataType::int64};

/// Advice for a dtype that is not supported.
std::string hint_of(const std::string& descr) {
  if (descr == "|O") return "rows of different lengths are not a matrix; ";
  if (descr == "<f8") return "doubles are not converted automatically; ";
  if (descr.starts_with('>')) return "big-endian numbers are not supported; ";
  return {};
}

}  // namespace

std::unique_ptr<VectorSource> open_npy(InputFile input, bool one_row) {
  NpyFile npy(std::move(input));
  const NpyHeader& header = npy.header;
  const std::optional<DataType> type = header.type();
  if (!type || std::ranges::find(number_types, *type) == number_types.end()) {
    npy.file.refuse(npy.header_at, "dtype " + in_quotes(header.descr) + "; " +
                                       hint_of(header.descr) +
                                       "it must be '<f4', '<f2', '|i1', '|u1', '<i4' or '<i8': "
                                       "numpy.save(file, x.astype('<f4'))");
  }
  const std::size_t dimensions = header.shape.size();
  if (dimensions != 2 && !(dimensions == 1 && one_row)) {
    npy.file.refuse(npy.header_at, "shape " + header.shown_shape() + " has " +
                                       std::to_string(dimensions) + " dimensions; " +
                                       (one_row ? "1 or 2 are" : "2 are") + " required");
  }
  if (header.fortran_order) {
    npy.file.refuse(npy.header_at,
                    "Fortran order is not supported: numpy.save(file, "
                    "numpy.ascontiguousarray(x))");
  }
  npy.check_size(*type);
  const std::uint64_t rows = dimensions == 2 ? header.shape[0] : 1;
  const std::uint64_t dimension = header.shape.back();
  if (dimension == 0) {
    npy.file.corrupt(npy.header_at, "shape " + header.shown_shape() + " has rows of length 0");
  }
  return std::make_unique<DenseRows>(std::move(npy.file), npy.data_at, *type, rows, dimension);
}

std::unique_ptr<VectorSource> open_vecs(InputFile input, DataType type) {
  const std::uint64_t size = input.size();
  constexpr std::uint64_t prefix = PrefixedRows::prefix;
  if (size < prefix) {
    input.corrupt(size, "the file has " + std::to_string(size) +
                            " bytes; the dimension of the first row takes 4");
  }
  std::int32_t dimension = 0;
  input.read(0, &dimension, prefix);
  if (dimension < 1)
    input.corrupt(0, "rows of dimension " + std::to_string(dimension) + "; it must be at least 1");
  return std::make_unique<PrefixedRows>(std::move(input), type,
                                        static_cast<std::uint64_t>(dimension));
}

std::unique_ptr<VectorSource> open_bin(InputFile file, DataType type) {
  std::array<std::uint32_t, 2> head{};
  if (file.size() < sizeof(head)) {
    file.corrupt(file.size(), "the file has " + std::to_string(file.size()) +
                                  " bytes; the header (rows, dimension) takes 8");
  }
  file.read(0, head.data(), sizeof(head));
  const auto [rows, dimension] = head;
  if (dimension == 0) file.corrupt(4, "rows of dimension 0; it must be at least 1");
  const std::uint64_t found = file.size() - sizeof(head);
  if (checked_product({rows, dimension, size_of(type)}) != found) {
    file.corrupt(0, "the header specifies " + std::to_string(rows) + " rows of dimension " +
                        std::to_string(dimension) + ", " + std::to_string(size_of(type)) +
                        " bytes per number; " + std::to_string(found) + " bytes of data follow");
  }
  return std::make_unique<DenseRows>(std::move(file), sizeof(head), type, rows, dimension);
}

}  // namespace Kindred::Impl
