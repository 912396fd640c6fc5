// SPDX-License-Identifier: Apache-2.0
#include "AnswerWhileReading.hpp"
#include "Batches.hpp"
#include "Commands.hpp"
#include "MatchClusters.hpp"
#include "MatchFlags.hpp"
#include "MatchFromStore.hpp"
#include "MatchInput.hpp"
#include "MatchPredictions.hpp"
#include "MatchWriter.hpp"
#include "Progress.hpp"
#include "Session.hpp"

#include <kindred/matcher/SequenceMatcher.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace Kindred::Tools {

namespace {

/// Queries that are answered by one call.
struct Batch {
  RaggedSpan<Symbol> symbols;
  const Sequences& queries;
  std::size_t first = 0;        ///< of the batch in `queries`
  std::size_t first_index = 0;  ///< index of the first query among all
  const QueryEvents& events;    ///< of `queries`, if there are predictions
};

/// Answers batches of queries.
class MatchAnswers {
 public:
  /// \param predictions null: print matches
  MatchAnswers(const SequenceMatcher& matcher, const Sequences& patterns, const MatchFlags& flags,
               Session& session, const MatchPredictions* predictions = nullptr)
      : m_matcher(matcher),
        m_patterns(patterns),
        m_options(flags.options),
        m_predictions(predictions),
        m_writer(flags, session) {
    if (m_predictions == nullptr) return;
    m_options.top = std::max<std::size_t>(patterns.size(), 1);
    m_options.blocks = false;  // only those of the predictions are printed
  }

  void print(const Batch& batch, Session& session) {
    const MatchResults results =
        session.timed(Phase::compute, [&] { return m_matcher.match(batch.symbols, m_options); });
    if (m_predictions == nullptr) {
      print(results, batch.queries, batch.first, batch.first_index);
      return;
    }
    for (std::size_t i = 0; i < results.matches.rows(); ++i) {
      if (print_skipped(batch.queries, batch.first + i)) continue;
      m_writer.begin(batch.queries.names[batch.first + i], batch.first_index + i);
      print_predictions(batch, i, results.matches[i], session);
      m_writer.end();
    }
  }
  /// Prints an answer for every row of \p results.
  void print(const MatchResults& results, const Sequences& queries, std::size_t first,
             std::size_t first_index) {
    std::size_t row = 0;  // of results.blocks
    for (std::size_t i = 0; i < results.matches.rows(); ++i) {
      if (print_skipped(queries, first + i)) continue;
      m_writer.begin(queries.names[first + i], first_index + i);
      for (const Match& match : results.matches[i]) {
        m_writer.result(m_patterns.names[match.index], match,
                        results.blocks.rows() > 0 ? results.blocks[row] : std::span<const Block>());
        ++row;
      }
      m_writer.end();
    }
  }
  void flush() { m_writer.flush(); }
  void finish() { m_writer.finish(m_patterns.size()); }
  void finish_early() { m_writer.finish_early(); }

 private:
  bool print_skipped(const Sequences& queries, std::size_t row) {
    const SkippedLine* const skipped = queries.skipped_at(row);
    if (skipped != nullptr) m_writer.skipped(*skipped);
    return skipped != nullptr;
  }
  void print_predictions(const Batch& batch, std::size_t query, std::span<const Match> matches,
                         Session& session) {
    const Ragged<std::string_view> events = batch.events[batch.first + query];
    const auto predictions = session.timed(Phase::compute, [&] {
      return m_predictions->predict(events, batch.symbols[query], matches);
    });
    for (const Prediction& prediction : predictions) {
      m_writer.result(m_patterns.names[prediction.index],
                      {prediction.index, prediction.similarity, prediction.matched},
                      prediction.blocks);
      m_writer.json_fields(
          [&](std::string& out) { MatchPredictions::append_fields(out, prediction); });
    }
  }
  const SequenceMatcher& m_matcher;
  const Sequences& m_patterns;
  MatchOptions m_options;
  const MatchPredictions* m_predictions;
  MatchWriter m_writer;
};

/// Matches every pattern against the preceding ones.
void match_self(const SequenceMatcher& matcher, const Sequences& patterns, const MatchFlags& flags,
                Session& session) {
  Progress progress("answering", !session.options().quiet);
  MatchAnswers answers(matcher, patterns, flags, session);
  session.timed(Phase::compute, [&] {
    matcher.match_self(flags.options, [&](std::size_t first, const MatchResults& results) {
      answers.print(results, patterns, first, first);
      progress.update(first + results.matches.rows(), patterns.size());
    });
  });
  answers.finish();
}

/// Answers the queries that were read, or those that arrive.
void answer(MatchInput& input, MatchAnswers& answers, std::size_t batch, const MatchFlags& flags,
            Session& session) {
  Sequences& queries = input.queries;
  if (!flags.streaming()) {
    Progress progress("answering", !session.options().quiet);
    for_each_batch(queries.size(), batch, [&](std::size_t first, std::size_t count) {
      const RowSlice<Symbol> rows(queries.symbols, first, count);
      answers.print({rows.span(), queries, first, first, input.query_events}, session);
      progress.update(first + count, queries.size());
    });
  } else {
    answer_while_reading(
        *input.reader, batch, queries, input.query_events, answers,
        [&](std::size_t first, std::size_t count) {
          const RowSlice<Symbol> rows(queries.symbols, 0, count);
          answers.print({rows.span(), queries, 0, first, input.query_events}, session);
          answers.flush();
        });
  }
  answers.finish();
}

void match(const GlobalOptions& global, MatchFlags flags) {
  check_match_flags(global, flags);
  const PredictionOptions prediction = prediction_options(global, flags.prediction, flags.options);
  if (!flags.store.empty()) {
    match_from_store(global, flags, prediction);
    return;
  }
  Session session(global, "match");
  MatchInput input(flags, session);
  Sequences& patterns = input.patterns;
  std::optional<SequenceMatcher> matcher;
  session.timed(Phase::upload, [&] { matcher.emplace(session.context(), patterns.symbols); });
  if (flags.self) {
    if (flags.clusters.empty()) {
      match_self(*matcher, patterns, flags, session);
    } else {
      print_clusters(*matcher, patterns.names, flags, session);
    }
    report_match(session, flags, patterns.size());
    session.finish();
    return;
  }
  patterns.symbols = {};  // held by the matcher
  std::optional<MatchPredictions> predictions;
  if (flags.prediction.predict) {
    predictions.emplace(session.context(), *matcher, input.pattern_events, patterns.names,
                        input.encoder.tokens(), flags.options, prediction);
    if (!flags.prediction.affinity.empty())
      session.timed(Phase::load, [&] { predictions->weigh(flags.prediction.affinity); });
  }
  const std::size_t batch =
      batch_size(predictions ? patterns.size() : std::min(flags.options.top, patterns.size()));
  MatchAnswers answers(*matcher, patterns, flags, session, predictions ? &*predictions : nullptr);
  answer(input, answers, batch, flags, session);
  report_match(session, flags, patterns.size());
  session.finish();
}

}  // namespace

void add_match_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* command =
      app.add_subcommand("match", "Find the patterns most like each query, exactly");
  const auto flags = std::make_shared<MatchFlags>();
  add_match_flags(*command, *flags);
  command->callback([&global, flags] { match(global, *flags); });
}

}  // namespace Kindred::Tools
