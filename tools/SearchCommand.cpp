// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "RankedAnswers.hpp"
#include "VectorInput.hpp"
#include "io/Candidates.hpp"

namespace Kindred::Tools {

namespace {

/// Flags of `search` and `score`.
struct SearchFlags {
  VectorFlags vectors;
  std::optional<SearchPath> path;
  std::string candidates;  ///< of `score`
  std::size_t top = 10;
  std::optional<double> at_least;  ///< of `search`
};

Candidates load_candidates(const SearchFlags& flags, const VectorInput& input, Session& session) {
  Candidates candidates = session.timed(Phase::load, [&] {
    return read_candidates(flags.candidates, input.end_id, session.read_progress(flags.candidates));
  });
  if (candidates.ids.rows() == input.queries.rows) return candidates;
  throw InputError(fmt::format("{}: {} lines; a line belongs to a row of {}, which has {}",
                               flags.candidates, candidates.ids.rows(), flags.vectors.queries,
                               input.queries.rows));
}

void report_run(Session& session, const SearchFlags& flags, const VectorInput& input,
                std::size_t top, const Candidates& candidates) {
  const VectorFlags& files = flags.vectors;
  session.add_input(files.store.empty() ? "vectors" : "store", files.rows(),
                    rows_text(input.rows, input.queries.columns));
  session.add_input("queries", files.queries, rows_text(input.queries.rows, input.queries.columns));
  if (!files.filter.empty())
    session.add_input("filter", files.filter, fmt::format("a mask of {} ids", input.end_id));
  session.add_to_report("metric", std::string(to_string(files.metric)));
  if (!flags.candidates.empty())
    session.add_input("candidates", flags.candidates,
                      Html::counted(candidates.ids.values.size(), "id", "ids"));
  session.add_to_report("requested", flags.at_least
                                         ? fmt::format("scores of {:g} or better", *flags.at_least)
                                         : fmt::format("the best {}", top));
}

/// \param name of the command
void search_rows(const CLI::App& command, const GlobalOptions& global, const SearchFlags& flags) {
  const std::string& name = command.get_name();
  const VectorFlags& files = flags.vectors;
  require_one(command, files.sources);
  check_outputs(name, {files.out_ids, files.out_scores},
                {files.vectors, files.store, files.queries, files.filter, flags.candidates});
  RankedAnswers answers(name, files.out_ids, files.out_scores);
  Session session(global, name);
  const VectorInput input = load_vectors(files, session);
  const std::vector<std::uint8_t> filter =
      load_filter(session, files.filter, files.rows(), input.end_id);
  SearchOptions options;
  options.metric = files.metric;
  options.path = flags.path;
  options.filter = filter;
  options.top = std::min(flags.top, input.rows);
  // Prints the path that a call used and how many rows passed its filter.
  const auto explained = [&](auto results) {
    if (global.explain)
      Log::line(fmt::format(R"({{"op": "{}", "path": "{}", "prefiltered": {}, "survivors": {}}})",
                            name, results.report.path, results.report.prefiltered,
                            results.report.survivors));
    return results;
  };
  using Rows = std::span<const float>;
  Candidates candidates;
  if (!flags.candidates.empty()) {
    candidates = load_candidates(flags, input, session);
    answers.answer(
        session, options.metric, input.queries, options.top,
        [&](Rows rows, std::size_t first, std::size_t count) {
          const RowSlice<std::uint64_t> ids(candidates.ids, first, count);
          // Only the index knows which ids were removed.
          return reading_file(
              [&] { return explained(input.index->score(rows, ids.span(), options)); });
        },
        &candidates.names);
  } else if (flags.at_least) {
    answers.answer(session, options.metric, input.queries, input.rows,
                   [&](Rows rows, std::size_t, std::size_t) {
                     return explained(input.index->search_at_least(
                         rows, static_cast<float>(*flags.at_least), options));
                   });
  } else {
    answers.answer(session, options.metric, input.queries, options.top,
                   [&](Rows rows, std::size_t, std::size_t) {
                     return explained(input.index->search(rows, options));
                   });
  }
  answers.finish();
  report_run(session, flags, input, options.top, candidates);
  session.finish();
}

}  // namespace

void add_search_command(CLI::App& app, const GlobalOptions& global) {
  const auto [command, flags] = add_command<SearchFlags>(
      app, "search", "Find the rows nearest to each query, exactly", global, search_rows);
  add_vector_flags(*command, flags->vectors);
  CLI::Option* const top = add_top(*command, flags->top);
  CLI::Option* const at_least =
      add_number(*command, "--at-least", flags->at_least,
                 "Instead of --top: every row whose score is X or better (l2: at most X)",
                 std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max());
  add_choice(*command, "--path", flags->path,
             "Algorithm: brute_force, quantized or gemm. Changes speed only, never results "
             "(default: the one predicted to be fastest)",
             choices_of<SearchPath>());
  add_filter_flag(*command, flags->vectors.filter);
  // It gives a different number of results per query.
  at_least->excludes(top);
  for (CLI::Option* out :
       add_out_flags(*command, flags->vectors.out_ids, flags->vectors.out_scores))
    at_least->excludes(out);
}

void add_score_command(CLI::App& app, const GlobalOptions& global) {
  const auto [command, flags] = add_command<SearchFlags>(
      app, "score", "Score a list of candidate rows for each query and keep the best", global,
      search_rows);
  add_vector_flags(*command, flags->vectors);
  add_input(*command, "--candidates", flags->candidates,
            "JSON lines {\"name\": \"…\", \"ids\": [3, 17]}: line i belongs to query row i");
  add_top(*command, flags->top);
  add_filter_flag(*command, flags->vectors.filter);
  add_out_flags(*command, flags->vectors.out_ids, flags->vectors.out_scores);
}

}  // namespace Kindred::Tools
