// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of rows.
#include "Rows.hpp"

#include "FunctionTable.hpp"

namespace Kindred::C {

kindred_status kindred_encode_rows(const DLTensor* rows, DLTensor* out, DLTensor* scales) noexcept {
  return guarded([&] {
    require_all({{rows, "rows"}, {out, "out"}});
    const std::uint64_t dimension = columns_of(rows, "rows");
    std::uint64_t count = 0;
    const std::span<const float> floats = matrix_of<float>(rows, "rows", dimension, &count);
    const OutputRows to = output_rows_of(out, scales, "out", count, dimension);
    // What cannot be represented is refused before anything is written.
    VectorArray encoded(to.element, count, dimension);
    encode_rows(floats, dimension, to.element, encoded.values(), encoded.scales());
    std::ranges::copy(encoded.values(), to.values.begin());
    std::ranges::copy(encoded.scales(), to.scales.begin());
  });
}

kindred_status kindred_vectors_read(const char* path, const kindred_vectors_source* source,
                                    std::uint64_t first, DLTensor* out, DLTensor* scales) noexcept {
  return guarded([&] {
    require_all({{path, "path"}, {out, "out"}});
    const VectorFile file(path_of(path), vectors_source(source));
    const Array array = output_array_of(out, "out");
    const std::uint64_t count = array.rank() == 1 ? 1 : static_cast<std::uint64_t>(array.extent(0));
    if (array.type() == DataType::int64) {
      KINDRED_C_REFUSE_IF(scales != nullptr,
                          "scales are given, but the elements of out are not int8");
      file.read(first, count, output_matrix_of<std::int64_t>(out, "out", count, file.dimension()));
      return;
    }
    const OutputRows rows = output_rows_of(out, scales, "out", count, file.dimension());
    read_rows(file, first, count, rows.element, rows.values, rows.scales);
  });
}

}  // namespace Kindred::C
