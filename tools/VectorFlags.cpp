// SPDX-License-Identifier: Apache-2.0
#include "VectorFlags.hpp"

#include "io/InputError.hpp"

#include <fmt/format.h>

namespace Kindred::Tools {

void add_vector_flags(CLI::App& command, VectorFlags& flags) {
  command
      .add_option("--vectors", flags.vectors,
                  "The rows, n × d: .npy, .fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin, or .hdf5 "
                  "(its dataset train)")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--queries", flags.queries,
                  "The queries, q × d, in a file of the same kinds (.hdf5: its dataset test); in a "
                  ".npy file also d numbers as one query")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--metric", flags.metric,
                  "cosine or ip (larger is better), l2 (smaller is better) (default: cosine)")
      ->type_name("NAME");
}

Metric metric_from_string(const std::string& name) {
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    if (to_string(metric) == name) return metric;
  }
  throw UsageError(fmt::format("--metric: '{}' is none of cosine, ip, l2", name));
}

VectorInput load_vectors(const VectorFlags& flags, Session& session) {
  VectorInput input;
  Matrix rows;
  session.timed(Phase::load, [&] {
    input.queries = read_matrix(flags.queries, {.dataset = "test", .one_row = true});
    rows = read_matrix(flags.vectors, {}, session.read_progress(flags.vectors));
  });
  if (rows.columns != input.queries.columns) {
    throw InputError(fmt::format("{}: queries of dimension {}; the vectors in {} have dimension {}",
                                 flags.queries, input.queries.columns, flags.vectors,
                                 rows.columns));
  }
  input.rows = rows.rows;
  if (rows.rows > 0) {
    session.timed(Phase::upload,
                  [&] { input.index.emplace(session.context(), rows.span(), rows.columns); });
  }
  return input;
}

std::span<const float> rows_of(const Matrix& queries, std::size_t first, std::size_t count) {
  return queries.span().subspan(first * queries.columns, count * queries.columns);
}

}  // namespace Kindred::Tools
