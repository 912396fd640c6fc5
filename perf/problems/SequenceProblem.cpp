// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Similarity.hpp>
#include <kindred/reference/Reference.hpp>

#include "problems/Checking.hpp"
#include "problems/ProblemFactories.hpp"

#include <algorithm>
#include <optional>

namespace Kindred::Perf {

namespace {

class MatchProblem final : public Problem {
 public:
  MatchProblem(std::shared_ptr<const PatternSet> patterns, Ragged<Symbol> queries,
               const MatchOptions& options)
      : m_patterns(std::move(patterns)), m_queries(std::move(queries)), m_options(options) {
    const auto count = static_cast<double>(m_patterns->rows.rows());
    name = "BM_Match_" + std::string(to_string(options.measure));
    arguments = {{"patterns", static_cast<std::int64_t>(m_patterns->rows.rows())},
                 {"length", static_cast<std::int64_t>(m_patterns->rows.length)},
                 {"query", static_cast<std::int64_t>(m_queries[0].size())}};
    if (m_queries.rows() > 1)
      arguments.emplace_back("queries", static_cast<std::int64_t>(m_queries.rows()));
    items = count * static_cast<double>(m_queries.rows());
    const auto symbols = static_cast<double>(m_patterns->rows.values.size());
    const std::uint32_t vocabulary = m_patterns->vocabulary;
    bytes = symbols * (vocabulary <= 0xFFU ? 1 : vocabulary <= 0xFFFFU ? 2 : 4);
    cell_updates = symbols * static_cast<double>(m_queries.values.size());
    unit = "patterns";
    if (options.measure == Measure::lcs) job = "lcs";
    if (options.measure == Measure::difflib) job = "difflib";
  }

  bool reaches(Space space) const override { return m_patterns->matcher.bytes(space) > 0; }
  DispatchRecord run(std::optional<Space> space) override {
    m_options.space = space;
    m_answer = m_patterns->matcher.match(m_queries, m_options);
    return m_answer.record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const std::uint64_t offset : m_answer.matches.offsets) digest.add(offset);
    for (const Match& match : m_answer.matches.values) {
      digest.add(match.index);
      digest.add(match.similarity);
      digest.add(std::uint64_t{match.matched});
    }
    return digest.value();
  }
  std::string check() const override {
    const std::span<const Symbol> query = m_queries[0];
    const std::span<const Match> answer = m_answer.matches[0];
    const auto precedes = [](const Match& a, const Match& b) {
      return a.similarity != b.similarity ? a.similarity > b.similarity : a.index < b.index;
    };
    for (const Match& match : answer.first(std::min(answer.size(), sample_size))) {
      const Match expected = reference(match.index, query);
      if (expected.matched != match.matched)
        return difference("matched", match.index, match.matched, expected.matched);
      if (expected.similarity != match.similarity)
        return difference("similarity", match.index, match.similarity, expected.similarity);
    }
    if (!std::is_sorted(answer.begin(), answer.end(), precedes)) return "the order is not total";
    for (const std::uint64_t row : sample(m_patterns->rows.rows())) {
      const Match expected = reference(row, query);
      if (expected.similarity < m_options.threshold) continue;
      const bool full = answer.size() == m_options.top;
      if (full && precedes(answer.back(), expected)) continue;
      if (std::find(answer.begin(), answer.end(), expected) == answer.end())
        return "pattern " + std::to_string(row) + " is missing";
    }
    return {};
  }

  void write(JobFolder& folder) const override {
    const SymbolRows& rows = m_patterns->rows;
    const std::vector<std::uint16_t> patterns(rows.values.begin(), rows.values.end());
    const std::vector<std::uint16_t> query(m_queries.values.begin(), m_queries.values.end());
    folder.add<std::uint16_t>("patterns", "uint16", patterns, {rows.rows(), rows.length});
    folder.add<std::uint16_t>("query", "uint16", query, {query.size()});
    folder.parameters["vocabulary"] = m_patterns->vocabulary;
    folder.parameters["threshold"] = m_options.threshold;
  }
  std::string compare(const std::string& peer, const PeerAnswer& answer) override {
    const bool is_best_only = peer.find("extract") != std::string::npos;
    const bool is_every_count = !is_best_only && m_options.measure == Measure::lcs;
    MatchOptions options = m_options;
    if (is_best_only) options.threshold = 0.1;
    if (is_every_count) options.top = m_patterns->rows.rows();
    MatchResults ours = m_patterns->matcher.match(m_queries, options);
    std::vector<Match>& matches = ours.matches.values;
    if (!is_best_only) std::ranges::sort(matches, {}, &Match::index);
    std::vector<double> values;
    for (const Match& match : matches)
      values.push_back(is_every_count ? match.matched : match.similarity);
    for (std::size_t i = 0; i < std::min(matches.size(), answer.ids.size()) && !is_best_only; ++i) {
      if (static_cast<std::int64_t>(matches[i].index) != answer.ids[i])
        return difference("pattern", i, static_cast<double>(matches[i].index),
                          static_cast<double>(answer.ids[i]));
    }
    // RapidFuzz computes a similarity as 1 − distance; matched counts and difflib's ratios are
    // exact.
    return compare_values(values, answer.scores, is_best_only ? 1e-12 : 0.0);
  }

 private:
  Match reference(std::uint64_t row, std::span<const Symbol> query) const {
    const std::span<const Symbol> pattern = m_patterns->rows[row];
    const bool lcs = m_options.measure == Measure::lcs;
    Match out;
    out.index = row;
    if (const auto measure = pair_measure(m_options.measure)) {
      const auto longest = static_cast<double>(std::max(pattern.size(), query.size()));
      out.matched =
          counts_edits(m_options.measure)
              ? static_cast<std::uint32_t>(longest - Reference::distance(*measure, pattern, query))
              : matched(m_options.measure, pattern, query);
      out.similarity = Reference::normalized_similarity(*measure, pattern, query);
      return out;
    }
    out.matched = lcs ? Reference::lcs(pattern, query) : Reference::difflib(pattern, query);
    out.similarity =
        Reference::similarity(lcs ? Reference::Matched::lcs : Reference::Matched::difflib,
                              out.matched, pattern.size(), query.size());
    return out;
  }

  /// The oracle's name of a measure other than `lcs` and `difflib`.
  static std::optional<Reference::PairMeasure> pair_measure(Measure measure) {
    switch (measure) {
      case Measure::levenshtein:
        return Reference::PairMeasure::levenshtein;
      case Measure::osa:
        return Reference::PairMeasure::osa;
      case Measure::prefix:
        return Reference::PairMeasure::prefix;
      case Measure::postfix:
        return Reference::PairMeasure::postfix;
      case Measure::jaro_winkler:
        return Reference::PairMeasure::jaro_winkler;
      default:
        return std::nullopt;
    }
  }

  std::shared_ptr<const PatternSet> m_patterns;
  Ragged<Symbol> m_queries;
  MatchOptions m_options;
  MatchResults m_answer;
};

}  // namespace

PatternSet::PatternSet(Context& context, std::size_t count, std::size_t length,
                       std::uint32_t symbols, std::uint64_t seed)
    : vocabulary(symbols),
      rows(zipf_rows(count, length, symbols, seed, context.threads())),
      matcher(context, rows.span()) {}

PatternSet::PatternSet(Context& context, SymbolRows symbols, std::uint32_t size)
    : vocabulary(size), rows(std::move(symbols)), matcher(context, rows.span()) {}

std::unique_ptr<Problem> match_problem(std::shared_ptr<const PatternSet> patterns,
                                       Ragged<Symbol> queries, const MatchOptions& options) {
  return std::make_unique<MatchProblem>(std::move(patterns), std::move(queries), options);
}
Ragged<Symbol> zipf_queries(std::size_t count, std::size_t length, std::uint32_t vocabulary,
                            std::uint64_t seed) {
  const SymbolRows rows = zipf_rows(count, length, vocabulary, seed, 1);
  Ragged<Symbol> out;
  for (std::size_t row = 0; row < count; ++row) out.push_row(rows[row]);
  return out;
}

Ragged<Symbol> noisy_query(const PatternSet& patterns, std::size_t row, std::size_t length,
                           std::uint64_t seed) {
  Ragged<Symbol> out;
  out.push_row(noisy_copy(patterns.rows[row], 0.3, patterns.vocabulary, length, seed));
  return out;
}

}  // namespace Kindred::Perf
