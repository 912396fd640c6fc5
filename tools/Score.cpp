// SPDX-License-Identifier: Apache-2.0
#include "Batches.hpp"
#include "Commands.hpp"
#include "Progress.hpp"
#include "VectorFlags.hpp"
#include "io/Answer.hpp"
#include "io/Candidates.hpp"
#include "io/InputError.hpp"
#include "io/Output.hpp"
#include "io/Text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <memory>

namespace Kindred::Tools {

namespace {

struct ScoreFlags {
  VectorFlags vectors;
  std::string candidates;
  std::size_t top = 10;
};

void score(const GlobalOptions& global, const ScoreFlags& flags) {
  SearchOptions options = search_options("score", flags.vectors);
  options.top = flags.top;
  Session session(global, "score");
  const VectorInput input = load_vectors(flags.vectors, session);
  const Candidates candidates = session.timed(Phase::load, [&] {
    return read_candidates(flags.candidates, input.end_id, session.read_progress(flags.candidates));
  });
  if (candidates.ids.rows() != input.queries.rows) {
    throw InputError(fmt::format("{}: {} lines; a line belongs to a row of {}, which has {}",
                                 flags.candidates, candidates.ids.rows(), flags.vectors.queries,
                                 input.queries.rows));
  }

  Output output;
  Progress progress("answering", !global.quiet);
  for_each_batch(
      input.queries.rows, batch_size(flags.top), [&](std::size_t first, std::size_t count) {
        const RowSlice<std::uint64_t> ids(candidates.ids, first, count);
        ScoreResults results;
        if (input.index) {
          results = session.timed(Phase::compute, [&] {
            // An id that was removed is known to the index only.
            return reading_file([&] {
              return input.index->score(rows_of(input.queries, first, count), ids.span(), options);
            });
          });
        }
        for (std::size_t i = 0; i < count; ++i) {
          append_query(output.text(), candidates.names[first + i], first + i);
          append_scored(output.text(),
                        input.index ? results.results[i] : std::span<const ScoredId>());
          output.flush_if_large();
        }
        progress.update(first + count, input.queries.rows);
      });
  output.flush();
  session.finish();
}

}  // namespace

void add_score_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* command =
      app.add_subcommand("score", "Score a list of candidate rows for each query, keep the best");
  const auto flags = std::make_shared<ScoreFlags>();
  add_vector_flags(*command, flags->vectors);
  command
      ->add_option("--candidates", flags->candidates,
                   "JSON lines {\"name\": \"…\", \"ids\": [3, 17]}: line i belongs to query row i")
      ->type_name("FILE")
      ->required();
  add_count(*command, "--top", flags->top, "Results a query at most (default: 10)");
  command->callback([&global, flags] { score(global, *flags); });
}

}  // namespace Kindred::Tools
