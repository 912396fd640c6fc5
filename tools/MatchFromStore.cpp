// SPDX-License-Identifier: Apache-2.0
#include "MatchFromStore.hpp"

#include "AnswerWhileReading.hpp"
#include "Batches.hpp"
#include "MatchPredictions.hpp"
#include "Progress.hpp"
#include "Session.hpp"
#include "io/Affinities.hpp"
#include "io/AnswerLines.hpp"
#include "io/Output.hpp"
#include "io/PatternStoreInput.hpp"
#include "io/SequenceEvents.hpp"
#include "io/SequenceReader.hpp"

#include <kindred/matcher/PatternMemory.hpp>

#include <algorithm>
#include <vector>

namespace Kindred::Tools {

namespace {

/// Answers queries from a store and prints one line per query.
class StoreAnswers {
 public:
  StoreAnswers(const PatternMemory& memory, const MatchFlags& flags,
               const PredictionOptions& prediction)
      : m_memory(memory), m_flags(flags), m_prediction(prediction) {}

  /// \param first first query
  /// \param count number of queries
  /// \param first_index index of the first query among all
  void print(const QueryEvents& events, const NameTable& names, std::size_t first,
             std::size_t count, std::size_t first_index, Session& session) {
    if (m_flags.prediction.predict) {
      for (std::size_t i = 0; i < count; ++i) {
        append_query(m_output.text(), names[first + i], first_index + i);
        append_predictions(session.timed(Phase::compute, [&] {
          return m_memory.predict(events[first + i], m_flags.options, m_prediction).predictions;
        }));
        m_output.flush_if_large();
      }
      return;
    }
    Ragged<Symbol> queries;
    for (std::size_t i = 0; i < count; ++i) m_memory.encode(events[first + i], queries);
    const MatchResults results =
        session.timed(Phase::compute, [&] { return m_memory.match(queries, m_flags.options); });
    std::size_t row = 0;  // of results.blocks
    for (std::size_t i = 0; i < count; ++i) {
      append_query(m_output.text(), names[first + i], first_index + i);
      append_results(m_output.text(), results, i, row,
                     [&](std::uint64_t index) { return m_memory.pattern(index).name; });
      m_output.flush_if_large();
    }
  }
  void flush() { m_output.flush(); }

 private:
  void append_predictions(const std::vector<Prediction>& predictions) {
    std::string& out = m_output.text();
    out += ", \"results\": [";
    for (std::size_t k = 0; k < predictions.size(); ++k) {
      const Prediction& prediction = predictions[k];
      append_match(out, k, m_memory.pattern(prediction.index).name,
                   {prediction.index, prediction.similarity, prediction.matched});
      if (m_flags.options.blocks) append_blocks(out, prediction.blocks);
      MatchPredictions::append_fields(out, prediction);
      out += '}';
    }
    out += "]}\n";
  }

  const PatternMemory& m_memory;
  const MatchFlags& m_flags;
  const PredictionOptions& m_prediction;
  Output m_output;
};

}  // namespace

void match_from_store(const GlobalOptions& global, const MatchFlags& flags,
                      const PredictionOptions& given) {
  const bool streaming = flags.queries == "-";
  Session session(global, "match");
  const Level level = flags.level == "character" ? Level::character : Level::token;
  const PatternMemory memory =
      session.timed(Phase::load, [&] { return load_store(session.context(), flags.store, level); });
  // The texts of a query are looked up in the vocabulary of the store, not of the reader.
  SymbolEncoder encoder(Level::token);
  Sequences queries;
  QueryEvents events;
  SequenceReader reader(flags.queries, SequenceForm::json, encoder, Learning::off);
  reader.keep_events(events);
  if (!streaming) {
    session.timed(Phase::load, [&] {
      while (reader.next(queries)) continue;
    });
  }
  PredictionOptions prediction = given;
  std::vector<double> weights;
  if (!flags.prediction.affinity.empty()) {
    session.timed(Phase::load, [&] {
      weights = read_affinity_weights(flags.prediction.affinity, memory.vocabulary(),
                                      memory.symbol_frequencies());
    });
    prediction.weights = weights;
  }
  const std::size_t batch = batch_size(std::min<std::uint64_t>(flags.options.top, memory.size()));
  StoreAnswers answers(memory, flags, prediction);
  if (!streaming) {
    Progress progress("answering", !global.quiet);
    for_each_batch(queries.size(), batch, [&](std::size_t first, std::size_t count) {
      answers.print(events, queries.names, first, count, first, session);
      progress.update(first + count, queries.size());
    });
    answers.flush();
  } else {
    answer_while_reading(reader, batch, queries, events, [&](std::size_t first, std::size_t count) {
      answers.print(events, queries.names, 0, count, first, session);
      answers.flush();
    });
  }
  report_match(session, flags, memory.size());
  session.finish();
}

}  // namespace Kindred::Tools
