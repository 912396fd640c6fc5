// SPDX-License-Identifier: Apache-2.0
#include "Batches.hpp"
#include "Commands.hpp"
#include "Progress.hpp"
#include "VectorFlags.hpp"
#include "VectorInput.hpp"
#include "io/AnswerLines.hpp"
#include "io/Candidates.hpp"
#include "io/CheckOutputs.hpp"
#include "io/RankedOutput.hpp"
#include "program/Errors.hpp"
#include "program/Output.hpp"
#include "report/Html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace Kindred::Tools {

namespace {

struct ScoreFlags {
  VectorFlags vectors;
  std::string candidates;
  std::size_t top = 10;
};

void score(const GlobalOptions& global, const ScoreFlags& flags) {
  const VectorFlags& named = flags.vectors;
  check_outputs("score", {named.out_ids, named.out_scores},
                {named.vectors, named.store, named.queries, named.filter, flags.candidates});
  SearchOptions options = search_options("score", named);
  std::optional<RankedFiles> files;
  if (named.has_out_files()) files.emplace(named.out_ids, named.out_scores);
  Session session(global, "score");
  const VectorInput input = load_vectors(named, session);
  const std::vector<std::uint8_t> filter =
      load_filter(session, named.filter, named.rows(), input.end_id);
  options.filter = filter;
  const Candidates candidates = session.timed(Phase::load, [&] {
    return read_candidates(flags.candidates, input.end_id, session.read_progress(flags.candidates));
  });
  if (candidates.ids.rows() != input.queries.rows) {
    throw InputError(fmt::format("{}: {} lines; a line belongs to a row of {}, which has {}",
                                 flags.candidates, candidates.ids.rows(), flags.vectors.queries,
                                 input.queries.rows));
  }

  Output output;
  ReportHits report(session, hits_form(options.metric));
  const std::size_t width = std::min(flags.top, input.rows);
  options.top = width;
  if (files) files->begin(input.queries.rows, width);
  std::uint64_t found = 0;
  Progress progress("answering", !global.quiet, "queries");
  for_each_batch(input.queries.rows, batch_size(width), [&](std::size_t first, std::size_t count) {
    const RowSlice<std::uint64_t> ids(candidates.ids, first, count);
    const ScoreResults results = session.timed(Phase::compute, [&] {
      // Only the index knows which ids were removed.
      return reading_file([&] {
        return input.index->score(rows_of(input.queries, first, count), ids.span(), options);
      });
    });
    explain_path(global, "score", results.report);
    found += results.results.values.size();
    for (std::size_t i = 0; i < count; ++i)
      report_row(report, candidates.names[first + i], first + i, results.results[i]);
    if (files) {
      files->put(results.results, width, options.metric);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        append_query(output.text(), candidates.names[first + i], first + i);
        append_scored(output.text(), results.results[i]);
        output.flush_if_large();
      }
    }
    progress.update(first + count, input.queries.rows);
  });
  if (files) files->close();
  output.flush();
  report.finish();
  warn_without_results("score", input.queries.rows, found);
  report_input(session, named, input);
  session.add_input("candidates", flags.candidates,
                    Html::counted(candidates.ids.values.size(), "id", "ids"));
  session.add_to_report("requested", fmt::format("the best {}", width));
  session.finish();
}

}  // namespace

void add_score_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* command = app.add_subcommand(
      "score", "Score a list of candidate rows for each query and keep the best");
  const auto flags = std::make_shared<ScoreFlags>();
  add_vector_flags(*command, flags->vectors);
  add_file(*command, "--candidates", flags->candidates,
           "JSON lines {\"name\": \"…\", \"ids\": [3, 17]}: line i belongs to query row i")
      ->required();
  add_top(*command, flags->top);
  add_filter_flag(*command, flags->vectors.filter);
  add_out_flags(*command, flags->vectors.out_ids, flags->vectors.out_scores);
  command->callback([&global, flags] { score(global, *flags); });
}

}  // namespace Kindred::Tools
