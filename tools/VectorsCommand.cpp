// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "Properties.hpp"
#include "VectorInput.hpp"

#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>

namespace Kindred::Tools {

namespace {

struct VectorBuildFlags {
  std::string vectors;
  VectorFileOptions file;
  std::string out;
  bool no_quantized_copy = false;
  StoredVectorsOptions store;
};

void build_vectors(const GlobalOptions& global, const VectorBuildFlags& flags) {
  StoredVectorsOptions store = flags.store;
  store.quantized_copy = !flags.no_quantized_copy;
  check_output("vectors build", flags.out, {flags.vectors});
  Session session(global, "vectors build");
  check_kind(flags.vectors, InputKind::rows, flags.file.format.has_value());
  const VectorFile file = reading_file([&] { return VectorFile(flags.vectors, flags.file); });
  if (file.type() == DataType::float32 || file.type() == DataType::float16) {
    reading_file([&] {
      warn_if_all_nan(file.path(), file.rows(), file.dimension(),
                      [&](std::uint64_t i, std::span<float> row) { file.read(i, 1, row); });
    });
  }
  const auto progress = session.read_progress(flags.vectors);
  session.timed(Phase::load, [&] {
    reading_file([&] {
      StoredVectors::build(session.context(), file, flags.out, store, [&](std::uint64_t rows) {
        progress(rows * file.row_bytes(), file.rows() * file.row_bytes());
      });
    });
  });
  Log::info(fmt::format("{}: {} rows of dimension {}, {}", flags.out, file.rows(), file.dimension(),
                        to_string(store.element.value_or(natural_element(file.type())))));
  session.add_input("vectors", flags.vectors, rows_text(file.rows(), file.dimension()));
  session.add_to_report("store", flags.out);
  session.finish();
}

InspectedFile inspect_vectors(const std::string& path, int threads) {
  const StoredVectorsFileInfo info = StoredVectors::inspect(path, threads);
  return {fmt::format("{} rows", info.rows),
          info.bytes,
          {{"element", std::string(to_string(info.element))},
           {"rows", info.rows},
           {"dimension", info.dimension},
           {"end_id", info.end_id},
           {"removed", info.end_id - info.rows},
           {"not_finite", info.not_finite},
           {"row_bytes", info.row_bytes},
           {"quantized_bytes", info.quantized_bytes},
           {"bytes", info.bytes}}};
}

}  // namespace

void add_vectors_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* group = add_group(app, "vectors", "Create, check and describe a store of vectors");
  const auto [command, flags] = add_command<VectorBuildFlags>(
      *group, "build", "Write the rows of a file to a store", global, build_vectors);
  add_input(*command, "--vectors", flags->vectors, vectors_help);
  add_choice(*command, "--format", flags->file.format,
             "Format of --vectors, whatever its name: npy, fvecs, bvecs, ivecs, fbin, u8bin, i8bin "
             "or hdf5 (default: by the file name)",
             choices_of<VectorFormat>());
  flags->file.dataset = "train";
  command->add_option("--dataset", flags->file.dataset, "Dataset of an HDF5 file (default: train)")
      ->type_name("NAME");
  add_element_flag(*command, flags->store.element,
                   {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8},
                   "float32, float16, bfloat16 or int8 (default: the one that represents the "
                   "file's numbers exactly)");
  command->add_flag(
      "--no-quantized-copy", flags->no_quantized_copy,
      "Omit the int8 copy of the rows that quantized searches use; a search then creates it first");
  add_out(*command, flags->out, "Output file of the store");
  add_inspections(*group, global, "store", InputKind::store, inspect_vectors);
}

}  // namespace Kindred::Tools
