// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "PredictionSupport.hpp"
#include "Properties.hpp"
#include "ResultText.hpp"

namespace PredictionPropertiesTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// Event lists over few symbols; a query may hold unknown ones.
struct Corpus {
  Memory memory;
  std::vector<EventTexts> patterns;
  EventTexts query;
};

EventTexts any_events(char last, std::size_t most) {
  const auto symbol = rc::gen::map(rc::gen::inRange('a', static_cast<char>(last + 1)),
                                   [](char c) { return std::string(1, c); });
  const auto event = rc::gen::resize(4, rc::gen::container<SymbolTexts>(symbol));
  return *rc::gen::resize(static_cast<int>(most), rc::gen::container<EventTexts>(event));
}

Corpus any_corpus() {
  Corpus corpus;
  const char last = *rc::gen::element('b', 'd', 'h');
  for (int i = *rc::gen::inRange(0, 25); i > 0; --i) {
    corpus.patterns.push_back(any_events(last, 8));
    corpus.memory.learn(numbered('p', i), corpus.patterns.back(),
                        *rc::gen::inRange<std::uint64_t>(1, 5));
  }
  corpus.query = any_events(static_cast<char>(last + 1), 8);
  return corpus;
}

EventTexts without_empty(EventTexts events) {
  std::erase_if(events, [](const SymbolTexts& event) { return event.empty(); });
  return events;
}
/// The texts that \p left_out does not contain.
SymbolTexts without(const SymbolTexts& event, const SymbolTexts& left_out) {
  SymbolTexts kept;
  for (const std::string& text : event)
    if (std::ranges::find(left_out, text) == left_out.end()) kept.push_back(text);
  return kept;
}

std::string bits_of(const Prediction& p) {
  return texts_of(p, p.itfdf_similarity, p.bayesian_prior, p.bayesian_posterior,
                  p.predictive_information, p.tfidf_score, p.confluence);
}

TEST(PredictionProperties, SegmentsAndSetsAreConsistent) {
  expect_property("past, present and future are the pattern; missing and extras are sets", [] {
    const Corpus corpus = any_corpus();
    const PredictionOptions options{.top = 1000,
                                    .threshold = *rc::gen::element(0.0, 0.1, 0.4),
                                    .fuzzy_token_threshold = *rc::gen::element(0.0, 1.0)};
    const EventTexts query = without_empty(corpus.query);
    double priors = 0;
    double posteriors = 0;
    const auto predictions = corpus.memory.predict(corpus.query, options);
    for (const Prediction& p : predictions) {
      const EventTexts pattern = without_empty(corpus.patterns[p.index]);
      EventTexts together = p.past;
      together.insert(together.end(), p.present.begin(), p.present.end());
      together.insert(together.end(), p.future.begin(), p.future.end());
      RC_ASSERT(together == pattern);
      if (!p.blocks.empty()) {
        const std::size_t begin = flat(p.past).size();
        const std::size_t end = begin + flat(p.present).size();
        const std::size_t first = p.blocks.front().pattern_begin;
        const std::size_t last = p.blocks.back().pattern_begin + p.blocks.back().length - 1;
        RC_ASSERT(begin <= first);
        RC_ASSERT(first < begin + p.present.front().size());
        RC_ASSERT(last < end);
        RC_ASSERT(last >= end - p.present.back().size());
      } else {
        RC_ASSERT(p.present == pattern);
      }
      RC_ASSERT(p.missing.size() == p.present.size());
      RC_ASSERT(p.extras.size() == query.size());
      for (std::size_t i = 0; i < p.missing.size(); ++i)
        RC_ASSERT(p.missing[i] == without(p.present[i], p.matches));
      RC_ASSERT(without(p.matches, flat(query)).empty());
      for (std::size_t j = 0; options.fuzzy_token_threshold == 0 && j < p.extras.size(); ++j)
        RC_ASSERT(p.extras[j] == without(query[j], flat(p.present)));
      RC_ASSERT(p.evidence >= 0.0);
      RC_ASSERT(p.snr >= -1.0);
      RC_ASSERT(p.snr <= 1.0);
      for (const double share :
           {p.predictive_information / (1 + 1e-12), p.itfdf_similarity, p.confluence})
        RC_ASSERT(share >= 0.0 && share <= 1.0);
      RC_ASSERT(std::isfinite(p.potential));
      priors += p.bayesian_prior;
      posteriors += p.bayesian_posterior;
    }
    if (!predictions.empty()) {
      RC_ASSERT(std::abs(priors - 1) < 1e-6);
      const bool likely =
          std::ranges::any_of(predictions, [](const auto& p) { return p.similarity > 0; });
      RC_ASSERT(std::abs(posteriors - (likely ? 1 : 0)) < 1e-6);
    }
  });
}

TEST(PredictionProperties, BlocksMatchReference) {
  expect_property("the blocks are those of the serial oracle", [] {
    const Corpus corpus = any_corpus();
    const auto symbols = [&](const EventTexts& list) {
      std::vector<Symbol> found;
      for (const std::string& text : flat(list))
        found.push_back(corpus.memory.vocabulary.find(text));
      return found;
    };
    const std::vector<Symbol> query = symbols(corpus.query);
    const auto predictions = corpus.memory.predict(corpus.query, {.top = 1000, .threshold = 0});
    RC_ASSERT(predictions.size() == (query.empty() ? 0 : corpus.patterns.size()));
    for (const Prediction& p : predictions) {
      RC_ASSERT(p.blocks == Reference::blocks(symbols(corpus.patterns[p.index]), query));
      std::size_t matched = 0;
      for (const Block& block : p.blocks) matched += block.length;
      RC_ASSERT(p.matches.size() == matched);
    }
  });
}

/// Enough patterns for several threads. Any two of the symbols are similar.
const Memory& many() {
  static const Memory memory = random_memory("many", 4000, 5, 12, "x", 100);
  return memory;
}
const EventTexts of_many = events("xa xb | xc xd | xe");

TEST(PredictionProperties, NeitherThreadsNorTheOrderOfCandidatesChangeABit) {
  ListedCandidates candidates = many().candidates(of_many, 0.1);
  ASSERT_GT(candidates.size(), 2000U);
  PredictionOptions options{.top = 500};
  for (const double fuzzy : {0.0, 0.5}) {
    options.fuzzy_token_threshold = fuzzy;
    options.threads = 1;
    const auto expected = many().predict(of_many, candidates, options);
    EXPECT_EQ(std::ranges::any_of(expected, [](const auto& p) { return !p.anomalies.empty(); }),
              fuzzy > 0);
    auto random = generator("order");
    for (const int threads : {1, 2, 3, 8}) {
      std::shuffle(candidates.entries.begin(), candidates.entries.end(), random);
      options.threads = threads;
      const auto found = many().predict(of_many, candidates, options);
      ASSERT_TRUE(std::ranges::equal(found, expected, {}, bits_of, bits_of))
          << threads << " threads";
    }
  }
}

/// Fails at one candidate, as a source that reads a file may.
class Failing final : public CandidateSource {
 public:
  explicit Failing(const CandidateSource& good) : m_good(good) {}
  std::size_t size() const override { return m_good.size(); }
  Candidate candidate(std::size_t position) const override { return m_good.candidate(position); }
  RaggedSpan<Symbol> events(std::size_t position, Ragged<Symbol>& scratch) const override {
    if (position == m_good.size() / 2) throw std::runtime_error("candidate cannot be read");
    return m_good.events(position, scratch);
  }
  std::string name(std::size_t position) const override { return m_good.name(position); }

 private:
  const CandidateSource& m_good;
};

TEST(PredictionProperties, ExceptionsOfASourceReachTheCaller) {
  const ListedCandidates candidates = many().candidates(of_many, 0.1);
  const Failing failing(candidates);
  for (const int threads : {1, 4})
    EXPECT_THROW(many().predict(of_many, failing, {.threads = threads}), std::runtime_error);
}

}  // namespace PredictionPropertiesTest
