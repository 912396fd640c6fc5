// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"

namespace Kindred::C {

namespace {

/// The file at \p path, opened.
VectorFile vector_file(const char* path, const kindred_vectors_source* source) {
  const kindred_vectors_source given =
      options_of(source, kindred_vectors_source KINDRED_VECTORS_SOURCE_INIT, "source");
  VectorFileOptions options;
  if (given.format != KINDRED_FORMAT_ANY)
    options.format = enum_of<VectorFormat>(given.format, 8, "format");
  if (given.dataset != nullptr) options.dataset = given.dataset;
  options.one_row = given.one_row != 0;
  return VectorFile(path_of(path), options);
}

}  // namespace

kindred_status kindred_vectors_describe(const char* path, const kindred_vectors_source* source,
                                        kindred_vectors_info* info) noexcept {
  return guarded([&] {
    check_output(info, "info");
    const VectorFile file = vector_file(path, source);
    write_output(info,
                 kindred_vectors_info{sizeof(kindred_vectors_info), file.rows(), file.dimension(),
                                      file.row_bytes(), static_cast<std::int32_t>(file.format()),
                                      static_cast<std::int32_t>(file.type())});
  });
}

kindred_status kindred_vectors_read(const char* path, const kindred_vectors_source* source,
                                    std::uint64_t first, DLTensor* out, DLTensor* scales) noexcept {
  return guarded([&] {
    require_all({{path, "path"}, {out, "out"}});
    const VectorFile file = vector_file(path, source);
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

kindred_status kindred_vectors_build(kindred_context* context, const char* path,
                                     const kindred_vectors_source* source, const char* to,
                                     const kindred_vectors_build_options* options,
                                     kindred_progress_callback progress, void* user) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require_all({{path, "path"}, {to, "to"}});
    const kindred_vectors_build_options given = options_of(
        options, kindred_vectors_build_options KINDRED_VECTORS_BUILD_OPTIONS_INIT, "options");
    StoredVectorsOptions stored;
    if (given.element != -1) stored.element = enum_of<DataType>(given.element, 4, "element");
    stored.quantized_copy = given.quantized_copy != 0;
    const std::string target = path_of(to);
    const VectorFile file = vector_file(path, source);
    std::function<void(std::uint64_t)> call;
    if (progress != nullptr)
      call = [&](std::uint64_t done) { cancel_if(progress(user, done), "progress"); };
    StoredVectors::build(*object, file, target, stored, call);
  });
}

kindred_status kindred_vectors_inspect(const char* path, std::int32_t threads,
                                       kindred_vectors_file_info* info) noexcept {
  return guarded([&] {
    check_output(info, "info");
    const StoredVectorsFileInfo found =
        StoredVectors::inspect(path_of(path), threads_argument(threads));
    write_output(info, kindred_vectors_file_info{
                           sizeof(kindred_vectors_file_info), found.rows, found.dimension,
                           found.end_id, found.not_finite, found.row_bytes, found.quantized_bytes,
                           found.bytes, static_cast<std::int32_t>(found.element), 0});
  });
}

kindred_status kindred_encode_rows(const DLTensor* rows, DLTensor* out, DLTensor* scales) noexcept {
  return guarded([&] {
    require_all({{rows, "rows"}, {out, "out"}});
    const ConstArray array = array_of(rows, "rows");
    const auto dimension = static_cast<std::size_t>(array.extent(array.rank() - 1));
    std::uint64_t count = 0;
    const std::span<const float> floats = matrix_of<float>(rows, "rows", dimension, &count);
    const OutputRows to = output_rows_of(out, scales, "out", count, dimension);
    // What cannot be represented is refused before anything is written.
    VectorArray encoded(to.element, count, dimension);
    encode_rows(floats, dimension, to.element, encoded.values(), encoded.scales());
    std::copy(encoded.values().begin(), encoded.values().end(), to.values.begin());
    std::copy(encoded.scales().begin(), encoded.scales().end(), to.scales.begin());
  });
}

kindred_status kindred_decode_rows(const DLTensor* rows, const DLTensor* scales,
                                   DLTensor* out) noexcept {
  return guarded([&] {
    require_all({{rows, "rows"}, {out, "out"}});
    const VectorSpan given = rows_of(rows, scales, "rows");
    decode_rows(given, output_matrix_of<float>(out, "out", given.count(), given.dimension));
  });
}

}  // namespace Kindred::C
