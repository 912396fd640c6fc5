// SPDX-License-Identifier: Apache-2.0
#include "AnswerWhileReading.hpp"
#include "Batches.hpp"
#include "Commands.hpp"
#include "MatchClusters.hpp"
#include "MatchFlags.hpp"
#include "MatchFromStore.hpp"
#include "MatchPredictions.hpp"
#include "Progress.hpp"
#include "Session.hpp"
#include "io/AnswerLines.hpp"
#include "io/Errors.hpp"
#include "io/Output.hpp"
#include "io/SequenceReader.hpp"

#include <kindred/matcher/SequenceMatcher.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>

namespace Kindred::Tools {

namespace {

/// Queries that are answered by one call.
struct Batch {
  RaggedSpan<Symbol> symbols;
  const NameTable& names;
  std::size_t first_name = 0;   ///< index of the first query in `names`
  std::size_t first_index = 0;  ///< index of the first query among all
  const QueryEvents& events;    ///< from `first_name` on, if there are predictions
};

/// Answers batches of queries and prints one line per query.
class MatchAnswers {
 public:
  /// \param predictions null: print matches
  MatchAnswers(const SequenceMatcher& matcher, const Sequences& patterns,
               const MatchOptions& options, const MatchPredictions* predictions = nullptr)
      : m_matcher(matcher), m_patterns(patterns), m_options(options), m_predictions(predictions) {
    if (m_predictions == nullptr) return;
    m_options.top = std::max<std::size_t>(patterns.size(), 1);
    m_options.blocks = false;  // only those of the predictions are printed
    m_report_blocks = options.blocks;
  }

  void print(const Batch& batch, Session& session) {
    const MatchResults results =
        session.timed(Phase::compute, [&] { return m_matcher.match(batch.symbols, m_options); });
    if (m_predictions == nullptr) {
      print(results, batch.names, batch.first_name, batch.first_index);
      return;
    }
    for (std::size_t i = 0; i < results.matches.rows(); ++i) {
      append_query(m_output.text(), batch.names[batch.first_name + i], batch.first_index + i);
      append_predictions(batch, i, results.matches[i], session);
      m_output.flush_if_large();
    }
  }
  /// Prints one line for every row of \p results.
  void print(const MatchResults& results, const NameTable& names, std::size_t first_name,
             std::size_t first_index) {
    std::size_t row = 0;  // of results.blocks
    for (std::size_t i = 0; i < results.matches.rows(); ++i) {
      append_query(m_output.text(), names[first_name + i], first_index + i);
      append_results(m_output.text(), results, i, row,
                     [&](std::uint64_t index) { return m_patterns.names[index]; });
      m_output.flush_if_large();
    }
  }
  void flush() { m_output.flush(); }

 private:
  void append_predictions(const Batch& batch, std::size_t query, std::span<const Match> matches,
                          Session& session) {
    const Ragged<std::string_view> events = batch.events[batch.first_name + query];
    const auto predictions = session.timed(Phase::compute, [&] {
      return m_predictions->predict(events, batch.symbols[query], matches);
    });
    std::string& out = m_output.text();
    out += ", \"results\": [";
    for (std::size_t k = 0; k < predictions.size(); ++k) {
      const Prediction& prediction = predictions[k];
      append_match(out, k, m_patterns.names[prediction.index],
                   {prediction.index, prediction.similarity, prediction.matched});
      if (m_report_blocks) append_blocks(out, prediction.blocks);
      MatchPredictions::append_fields(out, prediction);
      out += '}';
    }
    out += "]}\n";
  }
  const SequenceMatcher& m_matcher;
  const Sequences& m_patterns;
  MatchOptions m_options;
  const MatchPredictions* m_predictions;
  bool m_report_blocks = false;  // of predictions
  Output m_output;
};

/// Checks combinations of values, which the parser cannot check.
void check(MatchFlags& flags) {
  if (flags.self && !flags.queries.empty())
    throw UsageError("match: --self uses the patterns as queries; omit --queries");
  if (flags.self && !flags.threshold)
    throw UsageError("match: --threshold is required with --self");
  if (!flags.self && flags.queries.empty())
    throw UsageError("match: --queries is required (or --self)");
  if (!flags.patterns.empty() + !flags.lines.empty() + !flags.store.empty() != 1)
    throw UsageError("match: exactly one of --patterns, --lines and --store is required");
  if (!flags.store.empty() && flags.self)
    throw UsageError("match: --self does not go with --store: no two of its patterns are equal");
  if (flags.measure == "difflib") {
    flags.options.measure = Measure::difflib;
  } else if (flags.measure != "lcs" && flags.measure != "indel") {
    throw UsageError(
        fmt::format("match: --measure: '{}' is not one of lcs, indel, difflib", flags.measure));
  }
  if (flags.options.autojunk && flags.options.measure != Measure::difflib)
    throw UsageError("match: --autojunk is a heuristic of difflib: use --measure difflib");
  if (!flags.level.empty() && flags.level != "token" && flags.level != "character")
    throw UsageError(
        fmt::format("match: --level: '{}' is not one of token, character", flags.level));
  if (!flags.lines.empty() && flags.level == "token")
    throw UsageError(
        "match: --level: token does not go with --lines, whose symbols are characters");
  if (flags.patterns == "-" || flags.lines == "-" || flags.store == "-" ||
      flags.prediction.affinity == "-")
    throw UsageError("match: only --queries can be - (standard input)");
  if (flags.prediction.predict && !flags.lines.empty())
    throw UsageError("match: --predict requires events, which --lines does not provide");
  if (flags.prediction.predict && flags.self)
    throw UsageError("match: --predict does not go with --self");
  if (flags.prediction.predict && flags.options.autojunk)
    throw UsageError("match: --predict does not go with --autojunk: KATO's blocks are without it");
  check_clusters(flags);
  if (flags.threshold) flags.options.threshold = *flags.threshold;
  if (flags.self) flags.options.top = std::numeric_limits<std::size_t>::max();
  if (flags.top > 0) flags.options.top = flags.top;
}

/// Matches every pattern against the preceding ones.
void match_self(const SequenceMatcher& matcher, const Sequences& patterns, const MatchFlags& flags,
                Session& session) {
  Progress progress("answering", !session.options().quiet);
  MatchAnswers answers(matcher, patterns, flags.options);
  session.timed(Phase::compute, [&] {
    matcher.match_self(flags.options, [&](std::size_t first, const MatchResults& results) {
      answers.print(results, patterns.names, first, first);
      progress.update(first + results.matches.rows(), patterns.size());
    });
  });
  answers.flush();
}

void match(const GlobalOptions& global, MatchFlags flags) {
  check(flags);
  const PredictionOptions prediction = prediction_options(global, flags.prediction, flags.options);
  if (!flags.store.empty()) {
    match_from_store(global, flags, prediction);
    return;
  }
  const bool predicts = flags.prediction.predict;
  const bool plain = !flags.lines.empty();
  const SequenceForm form = plain ? SequenceForm::lines : SequenceForm::json;
  const bool streaming = flags.queries == "-";
  Session session(global, "match");
  SymbolEncoder encoder(plain || flags.level == "character" ? Level::character : Level::token);
  Sequences patterns;
  Sequences queries;
  PatternEvents pattern_events;
  QueryEvents query_events;
  const std::string& path = plain ? flags.lines : flags.patterns;
  session.timed(Phase::load, [&] {
    SequenceReader reader(path, form, encoder, Learning::on, session.read_progress(path));
    if (predicts) reader.keep_events(pattern_events);
    while (reader.next(patterns)) continue;
  });
  std::optional<SequenceReader> reader;
  if (!flags.self) reader.emplace(flags.queries, form, encoder, Learning::off);
  if (predicts) reader->keep_events(query_events);
  // A file is read completely before the first answer, so that an invalid line leaves no partial
  // output.
  if (!streaming && !flags.self) {
    session.timed(Phase::load, [&] {
      while (reader->next(queries)) continue;
    });
  }
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
  if (predicts) {
    predictions.emplace(session.context(), *matcher, pattern_events, patterns.names,
                        encoder.tokens(), flags.options, prediction);
    if (!flags.prediction.affinity.empty())
      session.timed(Phase::load, [&] { predictions->weigh(flags.prediction.affinity); });
  }
  const std::size_t batch =
      batch_size(predicts ? patterns.size() : std::min(flags.options.top, patterns.size()));
  MatchAnswers answers(*matcher, patterns, flags.options, predictions ? &*predictions : nullptr);
  if (!streaming) {
    Progress progress("answering", !global.quiet);
    for_each_batch(queries.size(), batch, [&](std::size_t first, std::size_t count) {
      const RowSlice<Symbol> rows(queries.symbols, first, count);
      answers.print({rows.span(), queries.names, first, first, query_events}, session);
      progress.update(first + count, queries.size());
    });
    answers.flush();
  } else {
    answer_while_reading(
        *reader, batch, queries, query_events, [&](std::size_t first, std::size_t count) {
          const RowSlice<Symbol> rows(queries.symbols, 0, count);
          answers.print({rows.span(), queries.names, 0, first, query_events}, session);
          answers.flush();
        });
  }
  report_match(session, flags, patterns.size());
  session.finish();
}

}  // namespace

void add_match_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* command =
      app.add_subcommand("match", "Find the patterns most like each query, exactly");
  const auto flags = std::make_shared<MatchFlags>();
  command
      ->add_option(
          "--patterns", flags->patterns,
          "JSON lines {\"name\": \"…\", \"events\": [[\"a\", \"b\"], [\"c\"]]} or {\"name\": "
          "\"…\", \"tokens\": [\"a\", \"b\"]}; \"index\" in the output counts lines from 0")
      ->type_name("FILE");
  command
      ->add_option("--lines", flags->lines,
                   "Instead of --patterns: each line is a string of characters; the same holds for "
                   "the queries")
      ->type_name("FILE");
  command
      ->add_option("--store", flags->store,
                   "Instead of --patterns: a store created by `kindred patterns build`; \"index\" "
                   "counts different patterns in the order in which they were learned")
      ->type_name("FILE");
  command
      ->add_option("--queries", flags->queries,
                   "Queries in the format of the patterns; - reads standard input and answers each "
                   "line immediately")
      ->type_name("FILE");
  command->add_flag("--self", flags->self,
                    "Instead of --queries: match every pattern against the preceding ones "
                    "(duplicates); requires --threshold");
  command
      ->add_option("--measure", flags->measure,
                   "lcs: longest common subsequence, the same as indel; difflib: same as Python's "
                   "difflib with autojunk=False (default: lcs)")
      ->type_name("NAME");
  command->add_flag("--autojunk", flags->options.autojunk,
                    "difflib with Python's default autojunk=True: in a query of 200 symbols or "
                    "more, frequent symbols do not start a block");
  command
      ->add_option("--level", flags->level,
                   "token: each string is a symbol; character: strings are joined by one space, "
                   "and each code point is a symbol (default: token)")
      ->type_name("NAME");
  add_number(*command, "--threshold", flags->threshold,
             "Minimum similarity, inclusive; 0 returns everything (default: 0.1)", 0, 1);
  add_count(*command, "--top", flags->top,
            "Maximum number of results per query (default: 10; with --self: all)");
  command->add_flag(
      "--blocks", flags->options.blocks,
      "Print the matching blocks [pattern begin, query begin, length] of the measure");
  add_clusters_flag(*command, *flags);
  add_prediction_flags(*command, flags->prediction);
  command->callback([&global, flags] { match(global, *flags); });
}

}  // namespace Kindred::Tools
