// SPDX-License-Identifier: Apache-2.0
#include "Batches.hpp"
#include "Commands.hpp"
#include "MatchFlags.hpp"
#include "MatchInput.hpp"
#include "MatchSources.hpp"
#include "MatchWriter.hpp"

#include <kindred/matcher/SequenceMatcher.hpp>

namespace Kindred::Tools {

namespace {

/// Prints an answer for every row of \p results that is not skipped.
/// \param name_of the name of a pattern \param first query of the first row among \p queries
/// \param first_index its index among all queries
template <class NameOf>
void print_matches(MatchWriter& writer, const MatchResults& results, const NameOf& name_of,
                   const Sequences& queries, std::size_t first, std::size_t first_index) {
  std::size_t row = 0;  // of results.blocks
  for (std::size_t i = 0; i < results.matches.rows(); ++i) {
    if (const SkippedLine* const skipped = queries.skipped_at(first + i)) {
      writer.skipped(*skipped);
      continue;
    }
    writer.begin(queries.names[first + i], first_index + i);
    for (const Match& match : results.matches[i]) {
      writer.result(name_of(match.index), match,
                    results.blocks.rows() > 0 ? results.blocks[row] : std::span<const Block>());
      ++row;
    }
    writer.end();
  }
}

/// Answers batches of queries.
class MatchAnswers {
 public:
  MatchAnswers(PatternSource& source, const MatchFlags& flags, Session& session)
      : m_source(source), m_flags(flags), m_session(session), m_writer(flags, session) {}

  void print(const MatchBatch& batch) {
    const MatchResults results =
        m_session.timed(Phase::compute, [&] { return m_source.match(batch); });
    if (m_flags.predict) return print_predictions(batch, results);
    print_matches(
        m_writer, results, [&](std::uint64_t index) { return m_source.name(index); }, batch.queries,
        batch.first, batch.first_index);
  }

  /// \brief Answers queries as they arrive: takes those that are available, at most \p most,
  /// without waiting for more. Queries before an invalid line are answered before its error is
  /// thrown. Therefore the output does not depend on how the input is divided into writes.
  void print_while_reading(MatchInput& input, std::size_t most) {
    Sequences& queries = input.queries;
    for (std::size_t first = 0, count = 1; count > 0; first += count) {
      queries.clear();
      input.query_events.clear();
      count = 0;
      std::exception_ptr bad;
      try {
        while ((count == 0 || (count < most && input.reader->buffered())) &&
               input.reader->next(queries))
          ++count;
      } catch (...) {
        bad = std::current_exception();  // part of the invalid line may follow the other queries
      }
      if (count > 0) {
        m_source.update();
        print({queries, input.query_events, 0, count, first});
        m_writer.flush();
      }
      if (!bad) continue;
      m_writer.finish_early();
      std::rethrow_exception(bad);
    }
  }
  void finish() { m_writer.finish(m_source.size()); }

 private:
  void print_predictions(const MatchBatch& batch, const MatchResults& results) {
    for (std::size_t i = 0; i < batch.count; ++i) {
      if (const SkippedLine* const skipped = batch.queries.skipped_at(batch.first + i)) {
        m_writer.skipped(*skipped);
        continue;
      }
      m_writer.begin(batch.queries.names[batch.first + i], batch.first_index + i);
      const auto predictions = m_session.timed(Phase::compute, [&] {
        return m_source.predict(
            batch, i, results.matches.rows() > 0 ? results.matches[i] : std::span<const Match>());
      });
      for (const Prediction& prediction : predictions)
        m_writer.prediction(m_source.name(prediction.index), prediction);
      m_writer.end();
    }
  }

  PatternSource& m_source;
  const MatchFlags& m_flags;
  Session& m_session;
  MatchWriter m_writer;
};

/// Matches every pattern against the preceding ones.
void match_self(const SequenceMatcher& matcher, const Sequences& patterns, const MatchFlags& flags,
                Session& session) {
  Progress progress("answering", !session.options().quiet);
  MatchWriter writer(flags, session);
  session.timed(Phase::compute, [&] {
    matcher.match_self(flags.options, [&](std::size_t first, const MatchResults& results) {
      print_matches(
          writer, results, [&](std::uint64_t index) { return patterns.names[index]; }, patterns,
          first, first);
      progress.update(first + results.matches.rows(), patterns.size());
    });
  });
  writer.finish(patterns.size());
}

/// Answers the queries that were read, or those that arrive.
void answer(MatchInput& input, PatternSource& source, const MatchFlags& flags, Session& session) {
  MatchAnswers answers(source, flags, session);
  const std::size_t patterns = source.size();
  const std::size_t width = flags.predict ? patterns : std::min(flags.options.top, patterns);
  if (flags.streaming()) {
    answers.print_while_reading(input, batch_size(width));
  } else {
    answer_queries(session, input.queries.size(), width, [&](std::size_t first, std::size_t count) {
      answers.print({input.queries, input.query_events, first, count, first});
    });
  }
  answers.finish();
}

void match(const CLI::App& command, const GlobalOptions& global, MatchFlags flags) {
  check_match_flags(command, global, flags);
  Session session(global, "match");
  std::unique_ptr<PatternSource> source;
  if (!flags.store.empty()) {
    source = patterns_of_store(session, flags);
    warn_without_patterns(flags.store, source->size());
  }
  MatchInput input(flags, session);
  std::optional<SequenceMatcher> matcher;
  if (!source) {
    session.timed(Phase::upload,
                  [&] { matcher.emplace(session.context(), input.patterns.symbols); });
    if (!flags.self) {
      input.patterns.symbols = {};  // held by the matcher
      source = patterns_of_file(session, input, *matcher, flags);
    }
  }
  if (source) {
    answer(input, *source, flags, session);
  } else if (flags.clusters) {
    print_clusters(*matcher, input.patterns.names, flags, session);
  } else {
    match_self(*matcher, input.patterns, flags, session);
  }
  report_match(session, flags, source ? source->size() : input.patterns.size());
  session.finish();
}

}  // namespace

void add_match_command(CLI::App& app, const GlobalOptions& global) {
  const auto [command, flags] = add_command<MatchFlags>(
      app, "match", "Find the patterns most like each query, exactly", global, match);
  add_match_flags(*command, *flags);
}

}  // namespace Kindred::Tools
