// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "PrintIntact.hpp"
#include "Session.hpp"
#include "VectorFlags.hpp"
#include "VectorInput.hpp"
#include "io/AppendJson.hpp"
#include "io/CheckOutputs.hpp"
#include "io/InputKind.hpp"
#include "program/Errors.hpp"
#include "program/Log.hpp"
#include "program/Output.hpp"

#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>
#include <kindred/memory/AtomicFile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Tools {

namespace {

struct VectorBuildFlags {
  std::string vectors;
  std::string format;
  std::string dataset = "train";
  std::string element;
  std::string out;
  bool no_quantized_copy = false;
};

DataType element_from_string(const std::string& name) {
  for (const DataType element :
       {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8}) {
    if (to_string(element) == name) return element;
  }
  throw UsageError(
      fmt::format("--element: {} is not one of float32, float16, bfloat16, int8", in_quotes(name)));
}

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
  VectorFileOptions options;
  options.dataset = flags.dataset;
  if (!flags.format.empty()) options.format = format_from_string(flags.format);
  StoredVectorsOptions store;
  store.quantized_copy = !flags.no_quantized_copy;
  if (!flags.element.empty()) store.element = element_from_string(flags.element);
  check_outputs("vectors build", {flags.out}, {flags.vectors});
  { const AtomicFile probe(flags.out); }  // fails before hours of work
  Session session(global, "vectors build");
  check_kind(flags.vectors, InputKind::rows, flags.format);
  const VectorFile file = reading_file([&] { return VectorFile(flags.vectors, options); });
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
  const std::array numbers{std::pair("rows", info.rows),
                           std::pair("dimension", info.dimension),
                           std::pair("end_id", info.end_id),
                           std::pair("removed", info.end_id - info.rows),
                           std::pair("not_finite", info.not_finite),
                           std::pair("row_bytes", info.row_bytes),
                           std::pair("quantized_bytes", info.quantized_bytes),
                           std::pair("bytes", info.bytes)};
  Output output;
  std::string& out = output.text();
  if (global.json) {
    out = "{\"store\": ";
    append_json(out, path);
    fmt::format_to(std::back_inserter(out), ", \"element\": \"{}\"", to_string(info.element));
    for (const auto& [name, number] : numbers)
      fmt::format_to(std::back_inserter(out), ", \"{}\": {}", name, number);
    out += "}\n";
  } else {
    fmt::format_to(std::back_inserter(out), "{:18} {}\n", "element", to_string(info.element));
    for (const auto& [name, number] : numbers)
      fmt::format_to(std::back_inserter(out), "{:18} {}\n", name, number);
  }
  output.flush();
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
  command
      ->add_option(
          "--format", flags->format,
          "Format of --vectors, whatever its name: npy, fvecs, bvecs, ivecs, fbin, u8bin, i8bin "
          "or hdf5 (default: by the file name)")
      ->type_name("NAME");
  command->add_option("--dataset", flags->dataset, "Dataset of an HDF5 file (default: train)")
      ->type_name("NAME");
  command
      ->add_option("--element", flags->element,
                   "float32, float16, bfloat16 or int8 (default: the one that represents the "
                   "file's numbers exactly)")
      ->type_name("NAME");
  command->add_flag(
      "--no-quantized-copy", flags->no_quantized_copy,
      "Omit the int8 copy of the rows that quantized searches use; a search then creates it first");
  refuse_renamed(*command, "vectors build", "--no-shadow", "--no-quantized-copy");
  add_file(*command, "--out", flags->out, "Output file of the store; an existing file is replaced")
      ->required();
  command->callback([&global, flags] { build(global, *flags); });
  add_store_reader(*group, "STORE", "--store", "vectors build", "info",
                   "Describe the contents of a store", global, describe_vectors);
  add_store_reader(*group, "STORE", "--store", "vectors build", "verify",
                   "Check every byte of a store; exit status 3 on any damage", global,
                   verify_vectors);
}

}  // namespace Kindred::Tools
