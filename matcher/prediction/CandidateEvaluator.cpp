// SPDX-License-Identifier: Apache-2.0
#include "CandidateEvaluator.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

namespace Kindred::Impl {

namespace {

/// A bijection with good mixing (SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

}  // namespace

CandidateEvaluator::CandidateEvaluator(const PredictionQuery& query,
                                       const SymbolStatistics& statistics,
                                       const Vocabulary& vocabulary,
                                       const PredictionOptions& options, bool flat)
    : m_query(query),
      m_statistics(statistics),
      m_vocabulary(vocabulary),
      m_options(options),
      m_flat(flat),
      m_blocks(query.symbols),
      m_taken(query.symbols.size()) {
  m_tokens.restart(query.token_symbols.size());
  for (std::uint32_t token = 0; token < query.token_symbols.size(); ++token) {
    if (query.token_symbols[token] == unknown_symbol) continue;
    m_tokens.insert(query.token_symbols[token]);
    m_token_of.push_back(token);
  }
  if (options.fuzzy_token_threshold > 0 && !flat)
    m_fuzzy.emplace(query.token_texts, vocabulary, options.fuzzy_token_threshold);
}

const Evaluation& CandidateEvaluator::evaluate(RaggedSpan<Symbol> events) {
  m_now = {};
  m_now.events = events;
  if (events.rows() > 0) {
    m_now.symbols = events.values.subspan(events.offsets.front(),
                                          events.offsets.back() - events.offsets.front());
  }
  m_now.blocks = m_blocks.blocks(m_now.symbols, m_block_workspace);
  find_matches();
  align();
  measure();
  return m_now;
}

void CandidateEvaluator::find_matches() {
  if (m_fuzzy) {
    find_misspellings();
    return;
  }
  std::fill(m_taken.begin(), m_taken.end(), char{0});
  for (const Block& block : m_now.blocks) {
    std::fill_n(m_taken.begin() + block.query_begin, block.length, char{1});
    m_now.matches += block.length;
  }
}

/// Assigns to every token of the query the nearest symbol of the pattern; among equally near ones,
/// the first.
void CandidateEvaluator::find_misspellings() {
  m_nearest.assign(m_query.token_texts.size(), {0, 0.0});
  for (const Symbol symbol : m_now.symbols) {
    for (const FuzzyTokens::Hit& hit : m_fuzzy->near(symbol)) {
      FuzzyTokens::Hit& nearest = m_nearest[hit.token];
      if (hit.similarity > nearest.similarity) nearest = {symbol, hit.similarity};
    }
  }
  for (std::size_t j = 0; j < m_taken.size(); ++j) {
    m_taken[j] = m_nearest[m_query.tokens[j]].similarity > 0 ? 1 : 0;
    m_now.matches += static_cast<std::uint64_t>(m_taken[j]);
  }
}

void CandidateEvaluator::align() {
  const std::size_t event_count = m_now.events.rows();
  if (m_now.blocks.empty()) {
    m_now.present_end = event_count;
    m_now.present = m_now.symbols;
    return;
  }
  const Block& last = m_now.blocks.back();
  if (m_flat) {
    m_now.present = m_now.symbols.subspan(
        m_now.blocks.front().pattern_begin,
        last.pattern_begin + last.length - m_now.blocks.front().pattern_begin);
    return;
  }
  // The present extends from the event of the first matched symbol to that of the last one.
  const auto& offsets = m_now.events.offsets;
  const auto event_of = [&](std::uint64_t position) {
    const auto behind =
        std::upper_bound(offsets.begin(), offsets.end(), offsets.front() + position);
    return static_cast<std::size_t>(behind - offsets.begin()) - 1;
  };
  m_now.present_begin = event_of(m_now.blocks.front().pattern_begin);
  m_now.present_end = event_of(last.pattern_begin + last.length - 1) + 1;
  m_now.present = m_now.events.values.subspan(
      offsets[m_now.present_begin], offsets[m_now.present_end] - offsets[m_now.present_begin]);
}

double CandidateEvaluator::weigh(std::span<const Symbol> symbols) const {
  double sum = 0;
  for (const Symbol symbol : symbols) sum += weight(m_options, symbol);
  return sum;
}

void CandidateEvaluator::measure() {
  const auto matches = static_cast<double>(m_now.matches);
  m_now.shares.evidence = share(matches, static_cast<double>(m_now.symbols.size()));
  m_now.shares.confidence = share(matches, static_cast<double>(m_now.present.size()));
  const std::uint64_t extras = m_query.symbols.size() - m_now.matches;
  m_now.shares.snr = m_flat ? share(matches, matches + static_cast<double>(extras))
                            : signal_to_noise(m_now.matches, extras);
  if (!m_flat) m_now.distance = distance();
  if (m_options.weights.empty()) return;
  double found = 0;
  double extra = 0;
  double query = 0;
  for (std::size_t j = 0; j < m_taken.size(); ++j) {
    (m_taken[j] != 0 ? found : extra) += m_query.weights[j];
    query += m_query.weights[j];
  }
  const double pattern = weigh(m_now.symbols);
  m_now.weighted_similarity = share(2 * found, query + pattern);
  m_now.weighted.evidence = share(found, pattern);
  m_now.weighted.confidence = share(found, weigh(m_now.present));
  m_now.weighted.snr = share(found, found + extra);
}

double CandidateEvaluator::distance() {
  double product = 0;
  double squares = 0;
  for (const auto& [symbol, count] : m_counts.of(m_now.present)) {
    const double component = count * probability(m_statistics, symbol);
    squares += component * component;
    const std::uint32_t known = m_tokens.find(symbol);
    if (known != SymbolTable::absent) product += component * m_query.components[m_token_of[known]];
  }
  const double norms = std::sqrt(squares) * m_query.norm;
  return norms > 0 ? 1 - std::min(product / norms, 1.0) : 1.0;
}

double CandidateEvaluator::value(RankBy field, std::uint64_t frequency) {
  const Shares& shares = m_options.weights.empty() ? m_now.shares : m_now.weighted;
  switch (field) {
    case RankBy::potential:
      return (shares.evidence + shares.confidence) * shares.snr;
    case RankBy::evidence:
      return m_now.shares.evidence;
    case RankBy::confidence:
      return m_now.shares.confidence;
    case RankBy::snr:
      return m_now.shares.snr;
    case RankBy::weighted_similarity:
      return m_now.weighted_similarity;
    case RankBy::weighted_evidence:
      return m_now.weighted.evidence;
    case RankBy::weighted_confidence:
      return m_now.weighted.confidence;
    case RankBy::weighted_snr:
      return m_now.weighted.snr;
    case RankBy::normalized_entropy:
      return normalized_entropy(m_counts.of(m_now.symbols), m_now.symbols.size(), m_statistics);
    case RankBy::global_normalized_entropy:
      return global_normalized_entropy(m_counts.of(m_now.symbols), m_statistics);
    case RankBy::tfidf_score:
      return tfidf_score(m_counts.of(m_now.symbols), m_now.symbols.size(), m_statistics);
    case RankBy::confluence:
      return confluence(m_now.present, frequency, m_statistics);
    default:
      return 0;
  }
}

double CandidateEvaluator::entropy() {
  return Impl::entropy(m_counts.of(m_now.symbols), m_now.symbols.size());
}

FutureKey CandidateEvaluator::future_key() {
  FutureKey key;
  const auto add = [&key](std::uint64_t value) {
    key.high = mixed(key.high ^ (value + 1));
    key.low = mixed(key.low + (value + 1) * 0x9E3779B97F4A7C15ULL);
  };
  for (std::size_t event = m_now.present_end; event < m_now.events.rows(); ++event) {
    const auto symbols = m_now.events[event];
    if (symbols.empty()) continue;
    key.exists = true;
    m_event.assign(symbols.begin(), symbols.end());
    std::sort(m_event.begin(), m_event.end());
    add(0x100000000ULL + m_event.size());
    for (const Symbol symbol : m_event) add(symbol);
  }
  return key;
}

EventTexts CandidateEvaluator::event_texts(std::size_t begin, std::size_t end) const {
  EventTexts texts;
  for (std::size_t event = begin; event < end; ++event) {
    const auto symbols = m_now.events[event];
    if (symbols.empty()) continue;
    SymbolTexts& list = texts.emplace_back();
    for (const Symbol symbol : symbols) list.push_back(text(symbol));
  }
  return texts;
}

void CandidateEvaluator::describe(Prediction& prediction) const {
  prediction.flat = m_flat;
  prediction.blocks.assign(m_now.blocks.begin(), m_now.blocks.end());
  std::unordered_set<Symbol> found;  // symbols of the pattern that were observed
  for (std::size_t j = 0; j < m_taken.size(); ++j) {
    if (m_taken[j] == 0) continue;
    prediction.matches.emplace_back(m_query.texts[j]);
    if (!m_fuzzy) {
      found.insert(m_query.symbols[j]);
      continue;
    }
    const std::uint32_t token = m_query.tokens[j];
    const auto& [expected, similarity] = m_nearest[token];
    found.insert(expected);
    if (m_query.symbols[j] != expected) {
      prediction.anomalies.push_back({std::string(m_query.texts[j]), text(expected), similarity});
    }
  }
  if (m_flat) {
    // The first symbol counts as the match.
    prediction.present = {{text(m_now.symbols.front())}};
    if (m_now.symbols.size() > 1) {
      SymbolTexts& rest = prediction.future.emplace_back();
      for (const Symbol symbol : m_now.symbols.subspan(1)) rest.push_back(text(symbol));
    }
    return;
  }
  prediction.past = event_texts(0, m_now.present_begin);
  prediction.present = event_texts(m_now.present_begin, m_now.present_end);
  prediction.future = event_texts(m_now.present_end, m_now.events.rows());
  for (std::size_t event = m_now.present_begin; event < m_now.present_end; ++event) {
    const auto symbols = m_now.events[event];
    if (symbols.empty()) continue;
    SymbolTexts& list = prediction.missing.emplace_back();
    for (const Symbol symbol : symbols)
      if (!found.contains(symbol)) list.push_back(text(symbol));
  }
  const std::unordered_set<Symbol> present(m_now.present.begin(), m_now.present.end());
  for (std::size_t event = 0; event + 1 < m_query.events.size(); ++event) {
    SymbolTexts& list = prediction.extras.emplace_back();
    for (std::size_t j = m_query.events[event]; j < m_query.events[event + 1]; ++j) {
      const bool expected = m_fuzzy ? m_taken[j] != 0 : present.contains(m_query.symbols[j]);
      if (!expected) list.emplace_back(m_query.texts[j]);
    }
  }
}

}  // namespace Kindred::Impl
