// SPDX-License-Identifier: Apache-2.0
#include "CandidateEvaluator.hpp"
#include "PredictionFields.hpp"
#include "PredictionQuery.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Prediction.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace {

using Impl::CandidateEvaluator;
using Impl::EnsembleSums;
using Impl::Evaluation;
using Impl::FutureKey;

/// What is kept of a candidate between the two passes.
struct Record {
  std::uint64_t index = 0;
  std::size_t position = 0;  ///< in the source
  double similarity = 0;
  std::uint64_t frequency = 0;
  double value = 0;     ///< of the field to rank by, as far as it depends on the candidate alone
  double distance = 0;  ///< 1 − cosine
  FutureKey future;
  std::uint32_t blocks = 0;
  bool survives = false;
};

struct FutureHash {
  std::size_t operator()(const FutureKey& key) const noexcept { return key.low; }
};

class Predictor {
 public:
  Predictor(const Context& context, RaggedSpan<std::string_view> query,
            const CandidateSource& candidates, const SymbolStatistics& statistics,
            const Vocabulary& vocabulary, const PredictionOptions& options)
      : m_candidates(candidates),
        m_statistics(statistics),
        m_vocabulary(vocabulary),
        m_options(options),
        m_query(query, statistics, vocabulary, options),
        m_flat(options.single_symbol_fast_path && m_query.symbols.size() == 1),
        m_workers(Impl::host_workers(context, Space::openmp)
                      .with_count(static_cast<std::size_t>(
                          options.threads > 0 ? options.threads : context.threads()))) {}

  std::vector<Prediction> predict() {
    if (m_query.symbols.empty()) return {};
    start_workers(m_candidates.size());
    m_records.resize(m_candidates.size());
    m_workers.for_each_item(m_records.size(), chunk, candidate_nanoseconds,
                            [this](std::size_t worker, std::size_t position) {
                              m_records[position] = record(worker, position);
                            });
    std::erase_if(m_records, [](const Record& record) { return !record.survives; });
    const auto by_index = [](const Record& a, const Record& b) { return a.index < b.index; };
    if (!std::is_sorted(m_records.begin(), m_records.end(), by_index))
      std::sort(m_records.begin(), m_records.end(), by_index);
    if (!m_flat) sum();
    const std::vector<std::size_t> best = best_records();
    std::vector<Prediction> predictions(best.size());
    m_workers.for_each_item(best.size(), chunk, candidate_nanoseconds,
                            [&](std::size_t worker, std::size_t place) {
                              predictions[place] = prediction(worker, m_records[best[place]]);
                            });
    return predictions;
  }

 private:
  static constexpr std::size_t chunk = 64;  ///< candidates that a worker takes at a time
  static constexpr double candidate_nanoseconds = 200;

  void start_workers(std::size_t items) {
    const std::size_t count =
        Impl::useful_threads(m_workers.count(), candidate_nanoseconds * static_cast<double>(items));
    m_scratch.resize(count);
    m_evaluators.reserve(count);
    for (std::size_t worker = 0; worker < count; ++worker)
      m_evaluators.emplace_back(m_query, m_statistics, m_vocabulary, m_options, m_flat);
  }

  const Evaluation& evaluate(std::size_t worker, std::size_t position) {
    return m_evaluators[worker].evaluate(m_candidates.events(position, m_scratch[worker]));
  }

  /// The first pass: evaluates a candidate.
  Record record(std::size_t worker, std::size_t position) {
    const Candidate candidate = m_candidates.candidate(position);
    Record record;
    record.index = candidate.index;
    record.position = position;
    record.similarity = candidate.similarity;
    record.frequency = candidate.frequency;
    if (!m_flat && !(candidate.similarity >= m_options.threshold)) return record;
    const Evaluation& found = evaluate(worker, position);
    record.blocks = static_cast<std::uint32_t>(found.blocks.size());
    record.survives = m_flat ? record.blocks == 1 && found.blocks.front().pattern_begin == 0
                             : record.blocks > 0 || m_options.threshold == 0;
    if (!record.survives) return record;
    record.distance = found.distance;
    record.value = value(found, worker, candidate.frequency);
    if (!m_flat) record.future = m_evaluators[worker].future_key();
    return record;
  }

  const Impl::Shares& shares(const Evaluation& found) const {
    return m_options.weights.empty() ? found.shares : found.weighted;
  }

  /// (evidence + confidence) · snr, the part of the potential that depends on one candidate.
  double signal(const Evaluation& found) const {
    const Impl::Shares& by = shares(found);
    return (by.evidence + by.confidence) * by.snr;
  }

  double value(const Evaluation& found, std::size_t worker, std::uint64_t frequency) {
    if (m_flat) return signal(found);
    switch (m_options.rank_by) {
      case RankBy::potential:
        return signal(found);
      case RankBy::evidence:
        return found.shares.evidence;
      case RankBy::confidence:
        return found.shares.confidence;
      case RankBy::snr:
        return found.shares.snr;
      case RankBy::weighted_similarity:
        return found.weighted_similarity;
      case RankBy::weighted_evidence:
        return found.weighted.evidence;
      case RankBy::weighted_confidence:
        return found.weighted.confidence;
      case RankBy::weighted_snr:
        return found.weighted.snr;
      default:
        return m_evaluators[worker].intrinsic(m_options.rank_by, frequency);
    }
  }

  /// Computes the sums over all candidates, in the order of their indices.
  void sum() {
    for (const Record& record : m_records)
      m_sums.frequency += static_cast<double>(record.frequency);
    for (const Record& record : m_records) {
      const auto frequency = static_cast<double>(record.frequency);
      m_sums.likelihood += record.similarity * Impl::bayesian_prior(frequency, m_sums);
      if (!record.future.exists) continue;
      m_futures[record.future] += frequency * record.similarity;
      m_sums.with_future += frequency * record.similarity;
    }
  }

  double itfdf(const Record& record) const {
    return Impl::itfdf_similarity(record.distance, static_cast<double>(record.frequency), m_sums);
  }
  double information(const Record& record) const {
    if (!record.future.exists) return 0;
    return Impl::predictive_information(record.similarity, static_cast<double>(record.frequency),
                                        m_futures.at(record.future), m_sums);
  }
  double potential(const Record& record, double signal) const {
    return signal + itfdf(record) + Impl::cohesion(record.blocks);
  }

  /// The value of the field to rank by.
  double rank(const Record& record) const {
    const auto frequency = static_cast<double>(record.frequency);
    if (m_flat) return potential(record, record.value);
    switch (m_options.rank_by) {
      case RankBy::potential:
        return potential(record, record.value);
      case RankBy::similarity:
      case RankBy::bayesian_likelihood:
        return record.similarity;
      case RankBy::fragmentation:
        return static_cast<double>(record.blocks) - 1;
      case RankBy::frequency:
        return frequency;
      case RankBy::itfdf_similarity:
        return itfdf(record);
      case RankBy::predictive_information:
        return information(record);
      case RankBy::bayesian_posterior:
        return Impl::bayesian_posterior(record.similarity, frequency, m_sums);
      case RankBy::bayesian_prior:
        return Impl::bayesian_prior(frequency, m_sums);
      default:
        return record.value;
    }
  }

  /// The records to return, best first.
  std::vector<std::size_t> best_records() {
    std::vector<std::size_t> order(m_records.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      m_records[i].value = rank(m_records[i]);
    }
    const auto better = [this](std::size_t a, std::size_t b) {
      const Record& x = m_records[a];
      const Record& y = m_records[b];
      if (x.value != y.value) return x.value > y.value;
      if (x.similarity != y.similarity) return x.similarity > y.similarity;
      return x.index < y.index;
    };
    const std::size_t count = std::min(m_options.top, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), better);
    order.resize(count);
    return order;
  }

  /// The second pass: builds the prediction of a candidate that is returned.
  Prediction prediction(std::size_t worker, const Record& record) {
    const Evaluation& found = evaluate(worker, record.position);
    CandidateEvaluator& evaluator = m_evaluators[worker];
    const auto frequency = static_cast<double>(record.frequency);
    Prediction out;
    out.index = record.index;
    out.name = m_candidates.name(record.position);
    out.matched = m_candidates.candidate(record.position).matched;
    out.frequency = record.frequency;
    evaluator.describe(out);
    out.evidence = found.shares.evidence;
    out.confidence = found.shares.confidence;
    out.similarity = record.similarity;
    out.fragmentation = static_cast<double>(record.blocks) - 1;
    out.snr = found.shares.snr;
    out.entropy = evaluator.entropy();
    out.normalized_entropy = evaluator.intrinsic(RankBy::normalized_entropy, record.frequency);
    out.global_normalized_entropy =
        evaluator.intrinsic(RankBy::global_normalized_entropy, record.frequency);
    out.confluence = evaluator.intrinsic(RankBy::confluence, record.frequency);
    out.tfidf_score = evaluator.intrinsic(RankBy::tfidf_score, record.frequency);
    if (!m_flat) {
      out.itfdf_similarity = itfdf(record);
      out.bayesian_prior = Impl::bayesian_prior(frequency, m_sums);
      out.bayesian_likelihood = record.similarity;
      out.bayesian_posterior = Impl::bayesian_posterior(record.similarity, frequency, m_sums);
      out.predictive_information = information(record);
    }
    out.potential = potential(record, signal(found));
    if (!m_options.weights.empty()) {
      out.weighted_similarity = found.weighted_similarity;
      out.weighted_evidence = found.weighted.evidence;
      out.weighted_confidence = found.weighted.confidence;
      out.weighted_snr = found.weighted.snr;
    }
    return out;
  }

  const CandidateSource& m_candidates;
  const SymbolStatistics& m_statistics;
  const Vocabulary& m_vocabulary;
  const PredictionOptions& m_options;
  Impl::PredictionQuery m_query;
  bool m_flat;
  Impl::HostWorkers m_workers;
  std::vector<CandidateEvaluator> m_evaluators;  // one per worker
  std::vector<Ragged<Symbol>> m_scratch;         // one per worker
  std::vector<Record> m_records;
  EnsembleSums m_sums;
  std::unordered_map<FutureKey, double, FutureHash> m_futures;
};

void check_in_unit_interval(double value, const char* name) {
  KINDRED_THROW_IF(!(value >= 0.0 && value <= 1.0),
                   std::string(name) + " is " + std::to_string(value) + "; it must be in [0, 1]");
}

}  // namespace

double candidate_threshold(const PredictionOptions& options, std::size_t symbols) noexcept {
  return options.single_symbol_fast_path && symbols == 1 ? 0.0 : options.threshold;
}

void check(const PredictionOptions& options) try {
  check_in_unit_interval(options.threshold, "threshold");
  check_in_unit_interval(options.fuzzy_token_threshold, "fuzzy_token_threshold");
  KINDRED_THROW_IF(options.top == 0, "top is 0; it must be at least 1");
  KINDRED_THROW_IF(options.threads < 0, "threads is " + std::to_string(options.threads) +
                                            "; it must be 0 (all) or more");
  for (std::size_t symbol = 0; symbol < options.weights.size(); ++symbol) {
    const double weight = options.weights[symbol];
    KINDRED_THROW_IF(!(weight >= 0.0 && weight <= weight_max),
                     "the weight of symbol " + std::to_string(symbol) + " is " +
                         std::to_string(weight) + "; it must be in [0, 1e100]");
  }
  KINDRED_THROW_IF(
      is_weighted(options.rank_by) && options.weights.empty(),
      "ranking by " + std::string(to_string(options.rank_by)) +
          " requires weights, but there are none; set weights or rank by another field");
} catch (...) {
  Impl::rethrow_translated("Kindred::check");
}

std::vector<Prediction> predict(const Context& context, RaggedSpan<std::string_view> query,
                                const CandidateSource& candidates,
                                const SymbolStatistics& statistics, const Vocabulary& vocabulary,
                                const PredictionOptions& options) try {
  check(options);
  // Without symbols, one weight says that there are weights.
  KINDRED_THROW_IF(!options.weights.empty() &&
                       options.weights.size() != std::max<std::size_t>(vocabulary.size(), 1),
                   "there are " + std::to_string(options.weights.size()) +
                       " weights; the vocabulary has " + std::to_string(vocabulary.size()) +
                       " symbols, and each needs one");
  return Predictor(context, query, candidates, statistics, vocabulary, options).predict();
} catch (...) {
  Impl::rethrow_translated("Kindred::predict");
}

}  // namespace Kindred
