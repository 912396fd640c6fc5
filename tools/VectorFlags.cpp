// SPDX-License-Identifier: Apache-2.0
#include "VectorFlags.hpp"

#include "Log.hpp"
#include "io/InputError.hpp"

#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include <fmt/format.h>

namespace Kindred::Tools {

namespace {

SearchPath path_from_string(const std::string& name) {
  for (const SearchPath path : {SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm}) {
    if (to_string(path) == name) return path;
  }
  // Names used by earlier versions.
  if (name == "plain") return SearchPath::brute_force;
  if (name == "screen") return SearchPath::quantized;
  if (name == "matrix") return SearchPath::gemm;
  throw UsageError(fmt::format("--path: '{}' is not one of brute_force, quantized, gemm", name));
}

/// The rows of a file, in an element type that holds its numbers exactly.
VectorArray read_array(const std::string& path, const ReadProgress& progress) {
  return reading_file([&] {
    const VectorFile file(path);
    return read_rows(file, natural_element(file.type()), [&](std::uint64_t rows) {
      progress(rows * file.row_bytes(), file.rows() * file.row_bytes());
    });
  });
}

}  // namespace

Metric metric_from_string(const std::string& name) {
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    if (to_string(metric) == name) return metric;
  }
  throw UsageError(fmt::format("--metric: '{}' is not one of cosine, ip, l2", name));
}

void add_vector_flags(CLI::App& command, VectorFlags& flags) {
  command.add_option("--vectors", flags.vectors, vectors_help)->type_name("FILE");
  command
      .add_option("--store", flags.store,
                  "Instead of --vectors: a store created by `vectors build`")
      ->type_name("FILE");
  command
      .add_option("--queries", flags.queries,
                  "The queries, q × d, in a file of the same formats (.hdf5: dataset test); a .npy "
                  "file may also contain one query of d numbers")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--metric", flags.metric,
                  "cosine or ip (larger is better), l2 (smaller is better) (default: cosine)")
      ->type_name("NAME");
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
          "Write the ids, int64, q × k, instead of JSON lines; -1 if a query has fewer results")
      ->type_name("FILE.npy");
  command
      .add_option("--out-scores", scores,
                  "Write the scores, float32, q × k; -inf (l2: inf) if a query has fewer results")
      ->type_name("FILE.npy");
}

void check_rows_flags(const char* command, const std::string& vectors, const std::string& store) {
  if (vectors.empty() != store.empty()) return;
  throw UsageError(fmt::format("{}: {} of --vectors and --store is needed", command,
                               store.empty() ? "one" : "only one"));
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

SearchOptions search_options(const char* command, const VectorFlags& flags) {
  check_rows_flags(command, flags.vectors, flags.store);
  SearchOptions options;
  options.metric = metric_from_string(flags.metric);
  if (!flags.path.empty()) options.path = path_from_string(flags.path);
  return options;
}

VectorInput load_vectors(const VectorFlags& flags, Session& session) {
  VectorInput input;
  VectorArray array;
  StoredVectors stored;
  session.timed(Phase::load, [&] {
    input.queries = read_matrix(flags.queries, {.dataset = "test", .one_row = true});
    if (flags.store.empty()) {
      array = read_array(flags.vectors, session.read_progress(flags.vectors));
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

void report_input(Session& session, const VectorFlags& flags, const VectorInput& input) {
  session.add_to_report("vectors", fmt::format("{} of dimension {} in {}", input.rows,
                                               input.queries.columns, flags.rows()));
  session.add_to_report("queries", fmt::format("{} in {}", input.queries.rows, flags.queries));
  session.add_to_report("metric", flags.metric);
  if (!flags.filter.empty()) session.add_to_report("filter", flags.filter);
}

std::span<const float> rows_of(const Matrix& queries, std::size_t first, std::size_t count) {
  return queries.span().subspan(first * queries.columns, count * queries.columns);
}

void explain_path(const GlobalOptions& global, const char* command, const SearchReport& report) {
  if (!global.explain) return;
  Log::line(fmt::format(R"({{"op": "{}", "path": "{}", "prefiltered": {}, "survivors": {}}})",
                        command, report.path, report.prefiltered, report.survivors));
}

}  // namespace Kindred::Tools
