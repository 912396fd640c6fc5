// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"

namespace Kindred::C {

namespace {

struct BuildArguments {
  VectorFileOptions file;
  StoredVectorsOptions stored;
};

BuildArguments build_arguments(const kindred_vectors_build_options* options) {
  const kindred_vectors_build_options given = options_of(
      options, kindred_vectors_build_options KINDRED_VECTORS_BUILD_OPTIONS_INIT, "options");
  BuildArguments out;
  if (given.format != KINDRED_FORMAT_ANY)
    out.file.format = enum_of<VectorFormat>(given.format, 8, "format");
  if (given.dataset != nullptr) out.file.dataset = given.dataset;
  out.file.one_row = given.one_row != 0;
  if (given.element != -1) out.stored.element = enum_of<VectorElement>(given.element, 4, "element");
  out.stored.quantized_copy = given.quantized_copy != 0;
  return out;
}

}  // namespace

kindred_status kindred_vectors_build(kindred_context* context, const char* source, const char* path,
                                     const kindred_vectors_build_options* options,
                                     kindred_progress_callback progress, void* user) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require_all({{source, "source"}, {path, "path"}});
    const BuildArguments given = build_arguments(options);
    const std::string to = path_of(path);
    const VectorFile file(source, given.file);
    std::function<void(std::uint64_t)> call;
    if (progress != nullptr)
      call = [&](std::uint64_t done) { cancel_if(progress(user, done), "progress"); };
    StoredVectors::build(*object, file, to, given.stored, call);
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
