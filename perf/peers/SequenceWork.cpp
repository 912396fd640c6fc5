// SPDX-License-Identifier: Apache-2.0
#include "common/ProblemFactories.hpp"
#include "peers/CompareValues.hpp"
#include "peers/WorkFactories.hpp"

#include <algorithm>
#include <cmath>

namespace Kindred::Perf {

namespace {

class SequenceWork final : public Work {
 public:
  SequenceWork(Context& context, std::size_t count, std::uint32_t vocabulary, Measure measure,
               double threshold, std::uint64_t seed)
      : m_patterns(context, count, 100, vocabulary, seed),
        m_queries(measure == Measure::lcs ? zipf_queries(1, 64, vocabulary, seed + 1)
                                          : noisy_query(m_patterns, 7, 80, seed + 1)) {
    kind = measure == Measure::lcs ? "lcs" : "difflib";
    unit = "patterns";
    items = static_cast<double>(count);
    const double words = std::ceil(static_cast<double>(m_queries.values.size()) / 64);
    bytes = items * 100 * (vocabulary <= 0xFFU ? 1 : 2);
    if (measure == Measure::lcs) word_steps = items * 100 * words;
    m_options.measure = measure;
    m_options.threshold = threshold;
    // For LCS, the best 100 (RapidFuzz's `extract` returns that many, above 0.1); users of difflib
    // take every pattern that reaches the threshold.
    m_options.top = measure == Measure::lcs ? 100 : count;
  }

  void write(JobFolder& folder) const override {
    const std::vector<std::uint16_t> patterns(m_patterns.rows.values.begin(),
                                              m_patterns.rows.values.end());
    const std::vector<std::uint16_t> query(m_queries.values.begin(), m_queries.values.end());
    folder.add<std::uint16_t>("patterns", "uint16", patterns, {m_patterns.rows.rows(), 100});
    folder.add<std::uint16_t>("query", "uint16", query, {query.size()});
    folder.parameters["vocabulary"] = m_patterns.vocabulary;
    folder.parameters["threshold"] = m_options.threshold;
  }
  void run(Space space) const override {
    MatchOptions options = m_options;
    options.space = space;
    m_patterns.matcher.match(m_queries, options);
  }
  std::string compare(const std::string& peer, const PeerAnswer& answer) const override {
    const bool best_only = peer.find("extract") != std::string::npos;
    const bool every_count = !best_only && m_options.measure == Measure::lcs;
    MatchOptions options = m_options;
    if (best_only) options.threshold = 0.1;
    if (every_count) options.top = m_patterns.rows.rows();
    MatchResults ours = m_patterns.matcher.match(m_queries, options);
    std::vector<Match>& matches = ours.matches.values;
    if (!best_only) {
      std::sort(matches.begin(), matches.end(),
                [](const Match& a, const Match& b) { return a.index < b.index; });
    }
    std::vector<double> values;
    for (const Match& match : matches)
      values.push_back(every_count ? match.matched : match.similarity);
    if (!best_only && !every_count) {
      for (std::size_t i = 0; i < std::min(matches.size(), answer.ids.size()); ++i) {
        if (static_cast<std::int64_t>(matches[i].index) != answer.ids[i])
          return "result " + std::to_string(i) + " is pattern " + std::to_string(matches[i].index) +
                 ", theirs " + std::to_string(answer.ids[i]);
      }
    }
    // RapidFuzz computes a similarity as 1 − distance; matched counts and difflib's ratios are
    // exact.
    return compare_values(values, answer.scores, best_only ? 1e-12 : 0.0);
  }

 private:
  PatternSet m_patterns;
  Ragged<Symbol> m_queries;
  MatchOptions m_options;
};

}  // namespace

std::unique_ptr<Work> sequence_work(Context& context, std::size_t count, std::uint32_t vocabulary,
                                    Measure measure, double threshold, std::uint64_t seed) {
  return std::make_unique<SequenceWork>(context, count, vocabulary, measure, threshold, seed);
}

}  // namespace Kindred::Perf
