// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/NpyArray.hpp>

#include "NpyFile.hpp"

#include <kindred/core/common/Quotes.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <array>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

namespace {

struct TypeRow {
  std::string_view descr;
  std::string_view name;
  NpyType type;
  std::uint64_t bytes;
};
constexpr std::array type_rows{
    TypeRow{"|u1", "uint8", NpyType::uint8, 1},     TypeRow{"|b1", "uint8", NpyType::uint8, 1},
    TypeRow{"<f4", "float32", NpyType::float32, 4}, TypeRow{"<f8", "float64", NpyType::float64, 8},
    TypeRow{"|i1", "int8", NpyType::int8, 1},       TypeRow{"<i2", "int16", NpyType::int16, 2},
    TypeRow{"<i4", "int32", NpyType::int32, 4},     TypeRow{"<i8", "int64", NpyType::int64, 8},
    TypeRow{"<u2", "uint16", NpyType::uint16, 2},   TypeRow{"<u4", "uint32", NpyType::uint32, 4},
    TypeRow{"<u8", "uint64", NpyType::uint64, 8}};

}  // namespace

std::string_view to_string(NpyType type) noexcept {
  for (const TypeRow& row : type_rows) {
    if (row.type == type) return row.name;
  }
  return "unknown";
}

NpyArray read_npy(const std::string& path) try {
  const Impl::NpyFile npy{Impl::InputFile(path)};
  const Impl::NpyHeader& header = npy.header;
  NpyArray out;
  std::uint64_t bytes = 0;
  for (const TypeRow& row : type_rows) {
    if (row.descr != header.descr) continue;
    out.type = row.type;
    bytes = row.bytes;
  }
  if (bytes == 0) {
    npy.file.refuse(npy.header_at,
                    "dtype " + in_quotes(header.descr) +
                        "; it must be bool, integers, float32 or float64 (little-endian)");
  }
  if (header.fortran_order && header.shape.size() > 1) {
    npy.file.refuse(npy.header_at,
                    "Fortran order is not supported; save numpy.ascontiguousarray(array)");
  }
  npy.check_size(bytes);
  out.shape = header.shape;
  out.elements = 1;
  for (const std::uint64_t length : out.shape) out.elements *= length;
  out.values = std::make_unique_for_overwrite<std::byte[]>(out.elements * bytes);
  npy.file.read(npy.data_at, out.values.get(), out.elements * bytes);
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::read_npy");
}

}  // namespace Kindred
