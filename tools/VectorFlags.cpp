// SPDX-License-Identifier: Apache-2.0
#include "VectorFlags.hpp"

#include <filesystem>
#include <utility>

namespace Kindred::Tools {

VectorFileOptions vector_file_options(const std::string& path, std::optional<VectorFormat> format,
                                      const char* dataset) {
  VectorFileOptions options;
  options.dataset = dataset;
  const std::string extension = std::filesystem::path(path).extension().string();
  const bool is_known =
      !extension.empty() && (extension == ".h5" || from_string<VectorFormat>(extension.substr(1)));
  if (!is_known) options.format = format;
  return options;
}

CLI::Option* add_metric_flag(CLI::App& command, Metric& metric, const std::string& help) {
  return add_choice(command, "--metric", metric, help, choices_of<Metric>(),
                    {{"L2", "l2"},
                     {"euclidean", "l2"},
                     {"dot", "ip"},
                     {"inner", "ip"},
                     {"inner_product", "ip"},
                     {"IP", "ip"},
                     {"angular", "cosine"}});
}

void add_format_flag(CLI::App& command, std::optional<VectorFormat>& format,
                     const std::string& files) {
  add_choice(command, "--format", format,
             "Format of " + files +
                 " if the file name does not end with it: npy, fvecs, bvecs, ivecs, fbin, u8bin, "
                 "i8bin or hdf5",
             choices_of<VectorFormat>());
}

void add_element_flag(CLI::App& command, std::optional<DataType>& element,
                      const std::vector<DataType>& elements, const std::string& help) {
  Choices<DataType> choices;
  for (const DataType type : elements) choices.emplace_back(to_string(type), type);
  add_choice(command, "--element", element, help, std::move(choices));
}

std::vector<CLI::Option*> add_rows_flags(CLI::App& command, std::string& vectors,
                                         std::string& store, const std::string& help) {
  std::vector<CLI::Option*> options{
      add_file(command, "--vectors", vectors, help),
      add_file(command, "--store", store,
               "Instead of --vectors: a store created by `vectors build`")};
  exclude_each_other(options);
  return options;
}

void add_vector_flags(CLI::App& command, VectorFlags& flags) {
  flags.sources = add_rows_flags(command, flags.vectors, flags.store, vectors_help);
  add_file(command, "--queries", flags.queries,
           "The queries, q × d, in a file of the same formats (.hdf5: dataset test); a .npy "
           "file may also contain one query of d numbers")
      ->required();
  add_format_flag(command, flags.format, "--vectors and --queries");
  add_metric_flag(command, flags.metric, metric_help);
}

void add_filter_flag(CLI::App& command, std::string& filter) {
  add_file(command, "--filter", filter,
           "Rows that may be returned: .npy, bool or uint8, one number per id (default: all)")
      ->type_name("FILE.npy");
}

std::vector<CLI::Option*> add_out_flags(CLI::App& command, std::string& ids, std::string& scores) {
  return {add_file(command, "--out-ids", ids,
                   "Write the ids, int64, q × k, instead of printing lines; -1 where a query has "
                   "fewer results")
              ->type_name("FILE.npy"),
          add_file(command, "--out-scores", scores,
                   "Write the scores, float32, q × k, instead of printing lines; -inf (l2: inf) "
                   "where a query has fewer results")
              ->type_name("FILE.npy")};
}

}  // namespace Kindred::Tools
