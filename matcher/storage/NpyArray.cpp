// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/NpyArray.hpp>

#include "NpyFile.hpp"

#include <kindred/core/common/Quotes.hpp>

#include <array>
#include <string_view>
#include <tuple>

namespace KINDRED_PUBLIC Kindred {

NpyArray read_npy(const std::string& path) {
  const Impl::NpyFile npy{Impl::InputFile(path)};
  const Impl::NpyHeader& header = npy.header;
  constexpr std::array types{std::tuple(std::string_view("|u1"), NpyType::uint8, 1),
                             std::tuple(std::string_view("|b1"), NpyType::uint8, 1),
                             std::tuple(std::string_view("<f4"), NpyType::float32, 4),
                             std::tuple(std::string_view("<f8"), NpyType::float64, 8)};
  NpyArray out;
  std::uint64_t bytes = 0;
  for (const auto& [descr, type, size] : types) {
    if (descr != header.descr) continue;
    out.type = type;
    bytes = static_cast<std::uint64_t>(size);
  }
  if (bytes == 0) {
    npy.file.refuse(npy.header_at, "dtype " + in_quotes(header.descr) +
                                       "; it must be uint8, float32 or float64 (little-endian)");
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
}

}  // namespace Kindred
