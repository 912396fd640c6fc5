// SPDX-License-Identifier: Apache-2.0
#include "VectorInput.hpp"

#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include <filesystem>

namespace Kindred::Tools {

namespace {

/// The rows of a file, in an element type that holds its numbers exactly.
VectorArray read_array(const std::string& path, const VectorFileOptions& options,
                       const ReadProgress& progress) {
  return reading_file([&] {
    const VectorFile file(path, options);
    return read_rows(file, natural_element(file.type()), [&](std::uint64_t rows) {
      progress(rows * file.row_bytes(), file.rows() * file.row_bytes());
    });
  });
}

}  // namespace

void warn_if_all_nan(const std::string& path, std::uint64_t rows, std::size_t dimension,
                     const std::function<void(std::uint64_t, std::span<float>)>& read) {
  std::vector<float> row(dimension);
  for (std::uint64_t i = 0; i < rows; ++i) {
    read(i, row);
    if (std::none_of(row.begin(), row.end(), [](float x) { return std::isnan(x); })) return;
  }
  if (rows > 0) {
    Log::warning(
        fmt::format("{}: every row contains NaN, so every score is NaN (printed as null)", path));
  }
}

void check_some_rows(const std::string& path, std::uint64_t rows) {
  if (rows == 0)
    throw InputError(fmt::format("{}: has 0 rows; there must be at least 1 to find", path));
}

std::vector<std::uint8_t> load_filter(Session& session, const std::string& filter,
                                      const std::string& rows, std::uint64_t end_id) {
  if (filter.empty()) return {};
  std::vector<std::uint8_t> mask =
      session.timed(Phase::load, [&] { return reading_file([&] { return read_mask(filter); }); });
  if (mask.size() != end_id) {
    throw InputError(fmt::format("{}: a mask of {} ids; those of {} are below {}", filter,
                                 mask.size(), rows, end_id));
  }
  return mask;
}

VectorInput load_vectors(const VectorFlags& flags, Session& session) {
  if (!flags.vectors.empty()) check_kind(flags.vectors, InputKind::rows, flags.format.has_value());
  if (!flags.store.empty()) check_kind(flags.store, InputKind::vectors);
  check_kind(flags.queries, InputKind::queries, flags.format.has_value());
  VectorInput input;
  const VectorFileOptions rows_options = vector_file_options(flags.vectors, flags.format, "train");
  VectorFileOptions query_options = vector_file_options(flags.queries, flags.format, "test");
  query_options.one_row = true;
  VectorArray array;
  StoredVectors stored;
  session.timed(Phase::load, [&] {
    input.queries = read_matrix(flags.queries, query_options);
    if (flags.store.empty()) {
      array = read_array(flags.vectors, rows_options, session.read_progress(flags.vectors));
      stored.rows = array.span();
      stored.end_id = stored.rows.count();
    } else {
      stored =
          reading_file([&] { return StoredVectors::load(flags.store, session.options().threads); });
    }
  });
  const VectorSpan& rows = stored.rows;
  check_some_rows(flags.rows(), rows.count());
  if (rows.dimension != input.queries.columns) {
    throw InputError(fmt::format("{}: queries of dimension {}; the vectors in {} have dimension {}",
                                 flags.queries, input.queries.columns, flags.rows(),
                                 rows.dimension));
  }
  const auto warn = [](const std::string& path, const VectorSpan& array) {
    warn_if_all_nan(
        path, array.count(), array.dimension,
        [&](std::uint64_t i, std::span<float> row) { decode_rows(array.rows(i, 1), row); });
  };
  warn(flags.rows(), rows);
  warn(flags.queries, VectorSpan(input.queries.span(), input.queries.columns));
  input.rows = rows.count();
  input.end_id = stored.end_id;
  const VectorIndexOptions options;
  session.timed(Phase::upload, [&] {
    if (flags.store.empty()) {
      input.index.emplace(session.context(), rows, options);
    } else {
      input.index.emplace(session.context(), stored, options);
    }
  });
  return input;
}

std::string rows_text(std::uint64_t rows, std::uint64_t dimension) {
  return fmt::format("{} of dimension {}", Html::counted(rows, "row", "rows"), dimension);
}

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
  add_input(command, "--queries", flags.queries,
            "The queries, q × d, in a file of the same formats (.hdf5: dataset test); a .npy "
            "file may also contain one query of d numbers");
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
