// SPDX-License-Identifier: Apache-2.0
#include "MatchFromStore.hpp"

#include "AnswerWhileReading.hpp"
#include "Batches.hpp"
#include "MatchInput.hpp"
#include "MatchPredictions.hpp"
#include "MatchWriter.hpp"
#include "Progress.hpp"
#include "Session.hpp"
#include "io/Affinities.hpp"
#include "io/FollowedStore.hpp"
#include "io/SequenceEvents.hpp"
#include "io/SequenceReader.hpp"
#include "program/Log.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/PatternMemory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Tools {

namespace {

/// Answers queries from a store.
class StoreAnswers {
 public:
  /// \param store must not change during a call of `print`
  StoreAnswers(const FollowedStore& store, const MatchFlags& flags,
               const PredictionOptions& prediction, Session& session)
      : m_store(store), m_flags(flags), m_prediction(prediction), m_writer(flags, session) {}

  /// Reads the weights of the symbols of the current store, if there are any.
  void weigh(Session& session) {
    if (m_flags.prediction.affinity.empty()) return;
    session.timed(Phase::load, [&] {
      const PatternMemory& memory = m_store.memory();
      m_weights = read_affinity_weights(m_flags.prediction.affinity, memory.vocabulary(),
                                        memory.symbol_frequencies());
    });
    m_prediction.weights = m_weights;
  }

  /// \param first first query
  /// \param count number of queries
  /// \param first_index index of the first query among all
  void print(const QueryEvents& events, const Sequences& queries, std::size_t first,
             std::size_t count, std::size_t first_index, Session& session) {
    const PatternMemory& memory = m_store.memory();
    if (m_flags.prediction.predict) {
      for (std::size_t i = 0; i < count; ++i) {
        if (print_skipped(queries, first + i)) continue;
        m_writer.begin(queries.names[first + i], first_index + i);
        print_predictions(session.timed(Phase::compute, [&] {
          return memory.predict(events[first + i], m_flags.options, m_prediction).predictions;
        }));
        m_writer.end();
      }
      return;
    }
    Ragged<Symbol> symbols;
    for (std::size_t i = 0; i < count; ++i) {
      if (queries.skipped_at(first + i) != nullptr) {
        symbols.close_row();
      } else {
        memory.encode(events[first + i], symbols);
      }
    }
    const MatchResults results =
        session.timed(Phase::compute, [&] { return memory.match(symbols, m_flags.options); });
    std::size_t row = 0;  // of results.blocks
    for (std::size_t i = 0; i < count; ++i) {
      if (print_skipped(queries, first + i)) continue;
      m_writer.begin(queries.names[first + i], first_index + i);
      for (const Match& match : results.matches[i]) {
        m_writer.result(memory.pattern(match.index).name, match,
                        results.blocks.rows() > 0 ? results.blocks[row] : std::span<const Block>());
        ++row;
      }
      m_writer.end();
    }
  }
  void flush() { m_writer.flush(); }
  void finish() { m_writer.finish(m_store.memory().size()); }
  void finish_early() { m_writer.finish_early(); }

 private:
  bool print_skipped(const Sequences& queries, std::size_t row) {
    const SkippedLine* const skipped = queries.skipped_at(row);
    if (skipped != nullptr) m_writer.skipped(*skipped);
    return skipped != nullptr;
  }
  void print_predictions(const std::vector<Prediction>& predictions) {
    for (const Prediction& prediction : predictions) {
      m_writer.result(m_store.memory().pattern(prediction.index).name,
                      {prediction.index, prediction.similarity, prediction.matched},
                      prediction.blocks);
      m_writer.json_fields(
          [&](std::string& out) { MatchPredictions::append_fields(out, prediction); });
    }
  }

  const FollowedStore& m_store;
  const MatchFlags& m_flags;
  PredictionOptions m_prediction;
  std::vector<double> m_weights;
  MatchWriter m_writer;
};

/// \brief Loads a store again before an answer if it has changed. While it is removed, answers come
/// from its last state.
class StoreFollower {
 public:
  StoreFollower(FollowedStore& store, const std::string& path, Session& session)
      : m_store(store), m_path(path), m_session(session) {}

  void update(StoreAnswers& answers) {
    FollowedStore::Change change = m_store.change();
    if (change == FollowedStore::Change::changed) {
      try {
        m_session.timed(Phase::load, [&] { m_store.load(); });
        answers.weigh(m_session);
      } catch (const NotFound&) {
        change = FollowedStore::Change::removed;
      }
    }
    const bool was_removed = std::exchange(m_removed, change == FollowedStore::Change::removed);
    if (m_removed && !was_removed) {
      Log::warning(fmt::format(
          "{}: the store was removed; answers come from its last state until it exists again",
          m_path));
    }
    if (was_removed && !m_removed) Log::info(fmt::format("{}: the store exists again", m_path));
  }

 private:
  FollowedStore& m_store;
  const std::string& m_path;
  Session& m_session;
  bool m_removed = false;
};

}  // namespace

void match_from_store(const GlobalOptions& global, const MatchFlags& flags,
                      const PredictionOptions& prediction) {
  Session session(global, "match");
  const Level level = flags.level == "character" ? Level::character : Level::token;
  FollowedStore store(session.context(), flags.store, level);
  session.timed(Phase::load, [&] { store.load(); });
  warn_without_patterns(flags.store, store.memory().size());
  // The texts of a query are looked up in the vocabulary of the store, not of the reader.
  SymbolEncoder encoder(Level::token);
  Sequences queries;
  QueryEvents events;
  SequenceReader reader(flags.queries, SequenceForm::json, encoder, Learning::off);
  reader.keep_events(events);
  if (flags.skip_bad) reader.skip_bad_lines();
  if (!flags.streaming()) {
    session.timed(Phase::load, [&] {
      while (reader.next(queries)) continue;
    });
  }
  StoreAnswers answers(store, flags, prediction, session);
  answers.weigh(session);
  const std::size_t batch =
      batch_size(std::min<std::uint64_t>(flags.options.top, store.memory().size()));
  if (!flags.streaming()) {
    Progress progress("answering", !global.quiet);
    for_each_batch(queries.size(), batch, [&](std::size_t first, std::size_t count) {
      answers.print(events, queries, first, count, first, session);
      progress.update(first + count, queries.size());
    });
  } else {
    StoreFollower follower(store, flags.store, session);
    answer_while_reading(reader, batch, queries, events, answers,
                         [&](std::size_t first, std::size_t count) {
                           if (flags.follow) follower.update(answers);
                           answers.print(events, queries, 0, count, first, session);
                           answers.flush();
                         });
  }
  answers.finish();
  report_match(session, flags, store.memory().size());
  session.finish();
}

}  // namespace Kindred::Tools
