// SPDX-License-Identifier: Apache-2.0
#include "Batches.hpp"
#include "Commands.hpp"
#include "Progress.hpp"
#include "VectorFlags.hpp"
#include "VectorInput.hpp"
#include "io/AnswerLines.hpp"
#include "io/CheckOutputs.hpp"
#include "io/RankedOutput.hpp"
#include "program/Errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Tools {

namespace {

struct SearchFlags {
  VectorFlags vectors;
  std::size_t top = 0;  // 0: not given
  std::optional<double> at_least;
};

void check(const SearchFlags& flags) {
  const VectorFlags& files = flags.vectors;
  check_outputs("search", {files.out_ids, files.out_scores},
                {files.vectors, files.store, files.queries, files.filter});
  if (flags.at_least && (flags.top > 0 || files.has_out_files())) {
    throw UsageError(
        fmt::format("search: --at-least gives a different number of results per query and does not "
                    "go with {}; omit one of them",
                    flags.top > 0           ? "--top"
                    : files.out_ids.empty() ? "--out-scores"
                                            : "--out-ids"));
  }
}

/// Number of results per query: the given or default k, at most the number of rows.
std::size_t top_of(const SearchFlags& flags, std::size_t rows) {
  constexpr std::size_t top_default = 10;
  return std::min(flags.top > 0 ? flags.top : top_default, rows);
}

/// Outputs the best rows of each query, to the files if any are given.
void put_best(const VectorInput& input, const SearchOptions& options, Session& session,
              std::optional<RankedFiles>& files, RankedLines& lines, ReportHits& report,
              std::size_t first, std::size_t count, std::uint64_t& found) {
  const SearchResults results = session.timed(Phase::compute, [&] {
    return input.index->search(rows_of(input.queries, first, count), options);
  });
  explain_path(session.options(), "search", results.report);
  found += count_results(results.ids);
  report_rows(report, results, first, count);
  if (files) {
    files->put(results);
  } else {
    lines.put(results, first, count);
  }
}

/// Outputs all rows of each query whose score is at least as good as \p score.
void put_at_least(const VectorInput& input, float score, const SearchOptions& options,
                  Session& session, RankedLines& lines, ReportHits& report, std::size_t first,
                  std::size_t count, std::uint64_t& found) {
  const ScoreResults results = session.timed(Phase::compute, [&] {
    return input.index->search_at_least(rows_of(input.queries, first, count), score, options);
  });
  explain_path(session.options(), "search", results.report);
  found += results.results.values.size();
  for (std::size_t i = 0; i < count; ++i) {
    lines.put(results.results[i], first + i);
    report_row(report, {}, first + i, results.results[i]);
  }
}

void search(const GlobalOptions& global, const SearchFlags& flags) {
  check(flags);
  SearchOptions options = search_options("search", flags.vectors);
  std::optional<RankedFiles> files;
  if (flags.vectors.has_out_files()) files.emplace(flags.vectors.out_ids, flags.vectors.out_scores);
  Session session(global, "search");
  const VectorInput input = load_vectors(flags.vectors, session);
  const std::vector<std::uint8_t> filter =
      load_filter(session, flags.vectors.filter, flags.vectors.rows(), input.end_id);
  options.filter = filter;
  options.top = top_of(flags, input.rows);

  RankedLines lines;
  ReportHits report(session, hits_form(options.metric));
  if (files) files->begin(input.queries.rows, options.top);
  std::uint64_t found = 0;
  Progress progress("answering", !global.quiet, "queries");
  for_each_batch(input.queries.rows, batch_size(flags.at_least ? input.rows : options.top),
                 [&](std::size_t first, std::size_t count) {
                   if (flags.at_least) {
                     put_at_least(input, static_cast<float>(*flags.at_least), options, session,
                                  lines, report, first, count, found);
                   } else {
                     put_best(input, options, session, files, lines, report, first, count, found);
                   }
                   progress.update(first + count, input.queries.rows);
                 });
  if (files) {
    files->close();
  } else {
    lines.close();
  }
  report.finish();
  warn_without_results("search", input.queries.rows, found);
  report_input(session, flags.vectors, input);
  session.add_to_report("requested", flags.at_least
                                         ? fmt::format("scores of {:g} or better", *flags.at_least)
                                         : fmt::format("the best {}", options.top));
  session.finish();
}

}  // namespace

void add_search_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* command = app.add_subcommand("search", "Find the rows nearest to each query, exactly");
  const auto flags = std::make_shared<SearchFlags>();
  add_vector_flags(*command, flags->vectors);
  add_top(*command, flags->top);
  add_number(*command, "--at-least", flags->at_least,
             "Instead of --top: every row whose score is X or better (l2: at most X)",
             std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max());
  command
      ->add_option("--path", flags->vectors.path,
                   "Algorithm: brute_force, quantized or gemm. Changes speed only, never results "
                   "(default: the one predicted to be fastest)")
      ->type_name("NAME");
  add_filter_flag(*command, flags->vectors.filter);
  add_out_flags(*command, flags->vectors.out_ids, flags->vectors.out_scores);
  command->callback([&global, flags] { search(global, *flags); });
}

}  // namespace Kindred::Tools
