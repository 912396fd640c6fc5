// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/NpyArray.hpp>

#include "NpyFile.hpp"

#include <kindred/core/common/Quotes.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <optional>

namespace KINDRED_PUBLIC Kindred {

NpyArray read_npy(const std::string& path) try {
  const Impl::NpyFile npy{Impl::InputFile(path)};
  const Impl::NpyHeader& header = npy.header;
  const std::optional<DataType> type = header.type();
  if (!type || *type == DataType::float16) {
    npy.file.refuse(npy.header_at,
                    "dtype " + in_quotes(header.descr) +
                        "; it must be bool, integers, float32 or float64 (little-endian)");
  }
  if (header.fortran_order && header.shape.size() > 1) {
    npy.file.refuse(npy.header_at,
                    "Fortran order is not supported; save numpy.ascontiguousarray(array)");
  }
  npy.check_size(*type);
  NpyArray out;
  out.type = *type == DataType::boolean ? DataType::uint8 : *type;
  out.shape = header.shape;
  out.elements = 1;
  for (const std::uint64_t length : out.shape) out.elements *= length;
  out.values = std::make_unique_for_overwrite<std::byte[]>(out.elements * size_of(out.type));
  npy.file.read(npy.data_at, out.values.get(), out.elements * size_of(out.type));
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::read_npy");
}

}  // namespace Kindred
