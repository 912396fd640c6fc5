// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_ROWS_ROW_OPTIONS_HPP
#define KINDRED_PERF_ROWS_ROW_OPTIONS_HPP

#include "rows/Row.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>

namespace Kindred::Perf {

/// Options of all commands that run rows.
struct RowsContext {
  double scale = 1;
  int threads = 0;
  std::uint64_t seed = 7;
};

inline void add_row_filter(CLI::App& command, RowFilter& filter) {
  command.add_option("--only", filter.only, "Comma-separated names of rows")->delimiter(',');
  command
      .add_option("--tag", filter.tags,
                  "Comma-separated: an engine (sequences, texts, vectors, graphs, ...) or a "
                  "collection (h200, peers, scaling, kato, memory, hnsw, published); rows have all")
      ->delimiter(',');
}

inline void add_rows_context(CLI::App& command, RowsContext& on) {
  command.add_option("--scale", on.scale, "Scale of the sizes; the targets apply at 1")
      ->check(CLI::Range(1e-6, 100.0));
  command.add_option("--threads", on.threads, "Threads of the space openmp")
      ->check(CLI::Range(1, 512));
  command.add_option("--seed", on.seed, "Seed of the data");
}

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_ROWS_ROW_OPTIONS_HPP
