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
        m_rank_by(m_flat ? RankBy::potential : options.rank_by),
        m_workers(Impl::host_workers(context, Space::openmp)
                      .with_count(static_cast<std::size_t>(
                          options.threads > 0 ? std::min(options.threads, context.threads())
                                              : context.threads()))) {}

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
    record.value = m_evaluators[worker].value(m_rank_by, candidate.frequency);
    if (!m_flat) record.future = m_evaluators[worker].future_key();
    return record;
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

  /// The value of a field. \param own \see CandidateEvaluator::value
  double field(RankBy by, const Record& record, double own) const {
    const auto frequency = static_cast<double>(record.frequency);
    switch (by) {
      case RankBy::potential:
        return own + field(RankBy::itfdf_similarity, record, 0) + Impl::cohesion(record.blocks);
      case RankBy::similarity:
      case RankBy::bayesian_likelihood:
        return record.similarity;
      case RankBy::fragmentation:
        return static_cast<double>(record.blocks) - 1;
      case RankBy::frequency:
        return frequency;
      case RankBy::itfdf_similarity:
        return Impl::itfdf_similarity(record.distance, frequency, m_sums);
      case RankBy::predictive_information:
        if (!record.future.exists) return 0;
        return Impl::predictive_information(record.similarity, frequency,
                                            m_futures.at(record.future), m_sums);
      case RankBy::bayesian_posterior:
        return Impl::bayesian_posterior(record.similarity, frequency, m_sums);
      case RankBy::bayesian_prior:
        return Impl::bayesian_prior(frequency, m_sums);
      default:
        return own;
    }
  }

  /// The records to return, best first.
  std::vector<std::size_t> best_records() {
    std::vector<std::size_t> order(m_records.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      m_records[i].value = field(m_rank_by, m_records[i], m_records[i].value);
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
    evaluate(worker, record.position);
    const auto value = [&](RankBy by) {
      return field(by, record, m_evaluators[worker].value(by, record.frequency));
    };
    Prediction out;
    out.index = record.index;
    out.name = m_candidates.name(record.position);
    out.matched = m_candidates.candidate(record.position).matched;
    out.frequency = record.frequency;
    m_evaluators[worker].describe(out);
    out.evidence = value(RankBy::evidence);
    out.confidence = value(RankBy::confidence);
    out.similarity = record.similarity;
    out.fragmentation = value(RankBy::fragmentation);
    out.snr = value(RankBy::snr);
    out.entropy = m_evaluators[worker].entropy();
    out.normalized_entropy = value(RankBy::normalized_entropy);
    out.global_normalized_entropy = value(RankBy::global_normalized_entropy);
    out.confluence = value(RankBy::confluence);
    out.tfidf_score = value(RankBy::tfidf_score);
    if (!m_flat) {
      out.itfdf_similarity = value(RankBy::itfdf_similarity);
      out.bayesian_prior = value(RankBy::bayesian_prior);
      out.bayesian_likelihood = record.similarity;
      out.bayesian_posterior = value(RankBy::bayesian_posterior);
      out.predictive_information = value(RankBy::predictive_information);
    }
    out.potential = value(RankBy::potential);
    if (!m_options.weights.empty()) {
      out.weighted_similarity = value(RankBy::weighted_similarity);
      out.weighted_evidence = value(RankBy::weighted_evidence);
      out.weighted_confidence = value(RankBy::weighted_confidence);
      out.weighted_snr = value(RankBy::weighted_snr);
    }
    return out;
  }

  const CandidateSource& m_candidates;
  const SymbolStatistics& m_statistics;
  const Vocabulary& m_vocabulary;
  const PredictionOptions& m_options;
  Impl::PredictionQuery m_query;
  bool m_flat;
  RankBy m_rank_by;
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

/// \throws InvalidArgument
void check(const PredictionOptions& options) {
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
}

}  // namespace

double candidate_threshold(const PredictionOptions& options, std::size_t symbols) try {
  check(options);
  return options.single_symbol_fast_path && symbols == 1 ? 0.0 : options.threshold;
} catch (...) {
  Impl::rethrow_translated("Kindred::candidate_threshold");
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
