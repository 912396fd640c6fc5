// SPDX-License-Identifier: Apache-2.0
#include "VectorFlags.hpp"

#include "program/Errors.hpp"
#include "program/Log.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace Kindred::Tools {

namespace {

SearchPath path_from_string(const std::string& name) {
  if (const auto path = from_string<SearchPath>(name)) return *path;
  constexpr std::array<std::pair<std::string_view, SearchPath>, 3> renamed{
      {{"plain", SearchPath::brute_force},
       {"screen", SearchPath::quantized},
       {"matrix", SearchPath::gemm}}};
  for (const auto& [old, now] : renamed) {
    if (name == old)
      throw UsageError(fmt::format("--path: instead of {} use {}", old, to_string(now)));
  }
  throw UsageError(fmt::format("--path: '{}' is not one of brute_force, quantized, gemm", name));
}

}  // namespace

Metric metric_from_string(const std::string& name) {
  if (const auto metric = from_string<Metric>(name)) return *metric;
  constexpr std::array<std::pair<std::string_view, Metric>, 7> synonyms{
      {{"L2", Metric::l2},
       {"euclidean", Metric::l2},
       {"dot", Metric::ip},
       {"inner", Metric::ip},
       {"inner_product", Metric::ip},
       {"IP", Metric::ip},
       {"angular", Metric::cosine}}};
  std::string fix;
  for (const auto& [other, metric] : synonyms) {
    if (name == other) fix = fmt::format("; did you mean {}?", to_string(metric));
  }
  throw UsageError(fmt::format("--metric: '{}' is not one of cosine, ip, l2{}", name, fix));
}

VectorFormat format_from_string(const std::string& name) {
  if (const auto format = from_string<VectorFormat>(name)) return *format;
  throw UsageError(
      fmt::format("--format: {} is not one of npy, fvecs, bvecs, ivecs, fbin, u8bin, i8bin, hdf5",
                  in_quotes(name)));
}

VectorFileOptions vector_file_options(const std::string& path, const std::string& format,
                                      const char* dataset) {
  VectorFileOptions options;
  options.dataset = dataset;
  if (format.empty()) return options;
  const VectorFormat given = format_from_string(format);
  const std::string extension = std::filesystem::path(path).extension().string();
  const bool is_known =
      !extension.empty() && (extension == ".h5" || from_string<VectorFormat>(extension.substr(1)));
  if (!is_known) options.format = given;
  return options;
}

void add_format_flag(CLI::App& command, std::string& format, const std::string& files) {
  command
      .add_option("--format", format,
                  "Format of " + files +
                      " if the file name does not end with it: npy, fvecs, bvecs, ivecs, fbin, "
                      "u8bin, i8bin or hdf5")
      ->type_name("NAME");
}

void add_vector_flags(CLI::App& command, VectorFlags& flags) {
  add_file(command, "--vectors", flags.vectors, vectors_help);
  add_file(command, "--store", flags.store,
           "Instead of --vectors: a store created by `vectors build`");
  add_file(command, "--queries", flags.queries,
           "The queries, q × d, in a file of the same formats (.hdf5: dataset test); a .npy "
           "file may also contain one query of d numbers")
      ->required();
  add_format_flag(command, flags.format, "--vectors and --queries");
  command.add_option("--metric", flags.metric, metric_help)->type_name("NAME");
}

void add_filter_flag(CLI::App& command, std::string& filter) {
  command
      .add_option(
          "--filter", filter,
          "Rows that may be returned: .npy, bool or uint8, one number per id (default: all)")
      ->type_name("FILE.npy");
}

void add_out_flags(CLI::App& command, std::string& ids, std::string& scores) {
  command
      .add_option(
          "--out-ids", ids,
          "Write the ids, int64, q × k, instead of printing lines; -1 where a query has fewer "
          "results")
      ->type_name("FILE.npy");
  command
      .add_option("--out-scores", scores,
                  "Write the scores, float32, q × k, instead of printing lines; -inf (l2: inf) "
                  "where a query has fewer results")
      ->type_name("FILE.npy");
}

void check_rows_flags(const char* command, const std::string& vectors, const std::string& store) {
  if (vectors.empty() != store.empty()) return;
  throw UsageError(fmt::format("{}: {} of --vectors and --store must be given", command,
                               store.empty() ? "one" : "only one"));
}

SearchOptions search_options(const char* command, const VectorFlags& flags) {
  check_rows_flags(command, flags.vectors, flags.store);
  SearchOptions options;
  options.metric = metric_from_string(flags.metric);
  if (!flags.path.empty()) options.path = path_from_string(flags.path);
  return options;
}

void explain_path(const GlobalOptions& global, const char* command, const SearchReport& report) {
  if (!global.explain) return;
  Log::line(fmt::format(R"({{"op": "{}", "path": "{}", "prefiltered": {}, "survivors": {}}})",
                        command, report.path, report.prefiltered, report.survivors));
}

}  // namespace Kindred::Tools
