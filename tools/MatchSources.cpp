// SPDX-License-Identifier: Apache-2.0
#include "MatchSources.hpp"

#include "Batches.hpp"
#include "io/FollowedStore.hpp"

namespace Kindred::Tools {

namespace {

/// \brief The weight of every symbol of \p vocabulary, from lines {"symbol": "…", "affinity": 0.5}.
///
/// Affinities of a repeated symbol are added; symbols that no pattern has are ignored.
/// \param occurrences per symbol, as `PatternEvents::occurrences`
/// \throws InputError with file, line, value and limit
std::vector<double> read_affinity_weights(const std::string& path, const Vocabulary& vocabulary,
                                          std::span<const std::uint64_t> occurrences) {
  constexpr double affinity_max = 1e99;
  std::vector<double> affinities(vocabulary.size(), 0.0);
  read_json_lines(path, {"symbol", "affinity"}, {}, [&](const JsonRecord& record) {
    const JsonValue& symbol = record.at("symbol");
    if (symbol.kind != JsonKind::string)
      throw RecordError("\"symbol\" must be a string, but is " + symbol.shown());
    const JsonValue& affinity = record.at("affinity");
    if (!affinity.is_number() || !(std::abs(affinity.real) <= affinity_max)) {
      throw RecordError("\"affinity\" must be a number in [-1e99, 1e99], but is " +
                        affinity.shown());
    }
    const Symbol known = vocabulary.find(symbol.text);
    if (known != unknown_symbol) affinities[known] += affinity.real;
  });
  for (double& affinity : affinities) affinity = std::clamp(affinity, -affinity_max, affinity_max);
  std::vector<double> weights = affinity_weights(affinities, occurrences);
  if (weights.empty())
    weights.push_back(weight_floor);  // weights were given, but there are no symbols
  return weights;
}

/// The matches of one query.
class MatchedPatterns final : public CandidateSource {
 public:
  MatchedPatterns(std::span<const Match> matches, const MatchInput& input)
      : m_matches(matches), m_input(input) {}

  std::size_t size() const override { return m_matches.size(); }
  Candidate candidate(std::size_t position) const override {
    const Match& match = m_matches[position];
    return {match.index, match.similarity, match.matched,
            m_input.pattern_events.frequency(match.index)};
  }
  RaggedSpan<Symbol> events(std::size_t position, Ragged<Symbol>&) const override {
    return m_input.pattern_events[m_matches[position].index];
  }
  std::string name(std::size_t position) const override {
    return std::string(m_input.patterns.names[m_matches[position].index].value_or(""));
  }

 private:
  std::span<const Match> m_matches;
  const MatchInput& m_input;
};

class FilePatterns final : public PatternSource {
 public:
  FilePatterns(Session& session, const MatchInput& input, const SequenceMatcher& matcher,
               const MatchFlags& flags)
      : m_session(session),
        m_input(input),
        m_matcher(matcher),
        m_options(flags.options),
        m_prediction(flags.prediction) {
    if (!flags.predict) return;
    // The best predictions are not those of the best matches.
    m_options.top = std::max<std::size_t>(size(), 1);
    m_options.blocks = false;  // only those of the predictions are printed
    if (flags.affinity.empty()) return;
    m_weights = session.timed(Phase::load, [&] {
      return read_affinity_weights(flags.affinity, input.encoder.tokens(),
                                   input.pattern_events.occurrences());
    });
    m_prediction.weights = m_weights;
  }

  std::uint64_t size() const override { return m_input.patterns.size(); }
  std::optional<std::string> name(std::uint64_t index) const override {
    const auto name = m_input.patterns.names[index];
    return name ? std::optional<std::string>(*name) : std::nullopt;
  }
  MatchResults match(const MatchBatch& batch) override {
    const RowSlice<Symbol> rows(batch.queries.symbols, batch.first, batch.count);
    return m_matcher.match(rows.span(), m_options);
  }
  std::vector<Prediction> predict(const MatchBatch& batch, std::size_t query,
                                  std::span<const Match> matches) override {
    const Ragged<std::string_view> events = batch.events[batch.first + query];
    const auto answer = [&](std::span<const Match> found) {
      return Kindred::predict(m_session.context(), events, MatchedPatterns(found, m_input),
                              m_input.pattern_events.statistics(), m_input.encoder.tokens(),
                              m_prediction);
    };
    if (!m_prediction.single_symbol_fast_path || events.values.size() != 1) return answer(matches);
    MatchOptions all = m_options;  // the fast path has no threshold
    all.threshold = 0;
    const RowSlice<Symbol> row(batch.queries.symbols, batch.first + query, 1);
    return answer(m_matcher.match(row.span(), all).matches[0]);
  }

 private:
  Session& m_session;
  const MatchInput& m_input;
  const SequenceMatcher& m_matcher;
  MatchOptions m_options;
  PredictionOptions m_prediction;
  std::vector<double> m_weights;
};

class StoredPatterns final : public PatternSource {
 public:
  StoredPatterns(Session& session, const MatchFlags& flags)
      : m_session(session),
        m_flags(flags),
        m_store(session.context(), flags.store, flags.level.value_or(Level::token)),
        m_prediction(flags.prediction) {
    load();
  }

  std::uint64_t size() const override { return memory().size(); }
  std::optional<std::string> name(std::uint64_t index) const override {
    return memory().pattern(index).name;
  }
  void update() override {
    if (!m_flags.follow) return;
    FollowedStore::Change change = m_store.change();
    if (change == FollowedStore::Change::changed) {
      try {
        load();
      } catch (const NotFound&) {
        change = FollowedStore::Change::removed;
      }
    }
    const bool was_removed = std::exchange(m_removed, change == FollowedStore::Change::removed);
    if (m_removed && !was_removed) {
      Log::warning(fmt::format(
          "{}: the store was removed; answers come from its last state until it exists again",
          m_flags.store));
    }
    if (was_removed && !m_removed)
      Log::info(fmt::format("{}: the store exists again", m_flags.store));
  }
  MatchResults match(const MatchBatch& batch) override {
    if (m_flags.predict) return {};
    Ragged<Symbol> symbols;
    for (std::size_t i = batch.first; i < batch.first + batch.count; ++i) {
      if (batch.queries.skipped_at(i) != nullptr) {
        symbols.close_row();
      } else {
        memory().encode(batch.events[i], symbols);
      }
    }
    return memory().match(symbols, m_flags.options);
  }
  std::vector<Prediction> predict(const MatchBatch& batch, std::size_t query,
                                  std::span<const Match>) override {
    return memory()
        .predict(batch.events[batch.first + query], m_flags.options, m_prediction)
        .predictions;
  }

 private:
  const PatternMemory& memory() const { return m_store.memory(); }
  /// Loads the store, and the weights of its symbols if there are any.
  void load() {
    m_session.timed(Phase::load, [&] {
      m_store.load();
      if (m_flags.affinity.empty()) return;
      m_weights = read_affinity_weights(m_flags.affinity, memory().vocabulary(),
                                        memory().symbol_frequencies());
      m_prediction.weights = m_weights;
    });
  }

  Session& m_session;
  const MatchFlags& m_flags;
  FollowedStore m_store;
  PredictionOptions m_prediction;
  std::vector<double> m_weights;
  bool m_removed = false;
};

}  // namespace

std::unique_ptr<PatternSource> patterns_of_file(Session& session, const MatchInput& input,
                                                const SequenceMatcher& matcher,
                                                const MatchFlags& flags) {
  return std::make_unique<FilePatterns>(session, input, matcher, flags);
}

std::unique_ptr<PatternSource> patterns_of_store(Session& session, const MatchFlags& flags) {
  return std::make_unique<StoredPatterns>(session, flags);
}

}  // namespace Kindred::Tools
