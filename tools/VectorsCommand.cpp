// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "Properties.hpp"
#include "Session.hpp"
#include "VectorFlags.hpp"
#include "VectorInput.hpp"
#include "io/CheckOutputs.hpp"
#include "io/InputKind.hpp"
#include "program/Errors.hpp"
#include "program/Log.hpp"

#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Tools {

namespace {

struct VectorBuildFlags {
  std::string vectors;
  VectorFileOptions file;
  std::string out;
  bool no_quantized_copy = false;
  StoredVectorsOptions store;
};

/// Warns if every row has a NaN. Stops at the first other row.
void warn_if_all_nan(const VectorFile& file) {
  if (file.type() != DataType::float32 && file.type() != DataType::float16) return;
  std::vector<float> row(file.dimension());
  for (std::uint64_t i = 0; i < file.rows(); ++i) {
    file.read(i, 1, std::span<float>(row));
    if (std::none_of(row.begin(), row.end(), [](float x) { return std::isnan(x); })) return;
  }
  if (file.rows() > 0) {
    Log::warning(
        fmt::format("{}: every row contains NaN, so every score will be NaN", file.path()));
  }
}

void build(const GlobalOptions& global, const VectorBuildFlags& flags) {
  StoredVectorsOptions store = flags.store;
  store.quantized_copy = !flags.no_quantized_copy;
  check_output("vectors build", flags.out, {flags.vectors});
  Session session(global, "vectors build");
  check_kind(flags.vectors, InputKind::rows, flags.file.format.has_value());
  const VectorFile file = reading_file([&] { return VectorFile(flags.vectors, flags.file); });
  reading_file([&] { warn_if_all_nan(file); });
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

StoredVectorsFileInfo inspect_vectors(const GlobalOptions& global, const std::string& path) {
  check_kind(path, InputKind::store);
  return with_clock("checking " + path, !global.quiet, [&] {
    return reading_file([&] { return StoredVectors::inspect(path, global.threads); });
  });
}

void describe_vectors(const GlobalOptions& global, const std::string& path) {
  const StoredVectorsFileInfo info = inspect_vectors(global, path);
  print_properties(global, "store", path,
                   {{"element", std::string(to_string(info.element))},
                    {"rows", info.rows},
                    {"dimension", info.dimension},
                    {"end_id", info.end_id},
                    {"removed", info.end_id - info.rows},
                    {"not_finite", info.not_finite},
                    {"row_bytes", info.row_bytes},
                    {"quantized_bytes", info.quantized_bytes},
                    {"bytes", info.bytes}});
}

void verify_vectors(const GlobalOptions& global, const std::string& path) {
  const StoredVectorsFileInfo info = inspect_vectors(global, path);
  print_intact(global, "store", path, fmt::format("{} rows", info.rows), info.bytes);
}

}  // namespace

void add_vectors_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* group = app.add_subcommand("vectors", "Create, check and describe a store of vectors");
  group->require_subcommand(1);
  CLI::App* command = group->add_subcommand("build", "Write the rows of a file to a store");
  const auto flags = std::make_shared<VectorBuildFlags>();
  add_file(*command, "--vectors", flags->vectors, vectors_help)->required();
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
  command->callback([&global, flags] { build(global, *flags); });
  add_store_reader(*group, "STORE", "vectors build", "info", "Describe the contents of a store",
                   global, describe_vectors);
  add_store_reader(*group, "STORE", "vectors build", "verify",
                   "Check every byte of a store; exit status 3 on any damage", global,
                   verify_vectors);
}

}  // namespace Kindred::Tools
