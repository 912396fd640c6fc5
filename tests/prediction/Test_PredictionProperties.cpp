// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Prediction.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "PredictionSupport.hpp"
#include "Properties.hpp"

namespace PredictionPropertiesTest {

using namespace Kindred;
using Testing::expect_property;
using Testing::flat;
using Testing::Memory;

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
    corpus.memory.learn(Testing::numbered("p", i), corpus.patterns.back(),
                        *rc::gen::inRange<std::uint64_t>(1, 5));
  }
  corpus.query = any_events(static_cast<char>(last + 1), 8);
  return corpus;
}

SymbolTexts without_empty(const EventTexts& events, EventTexts& kept) {
  for (const SymbolTexts& event : events)
    if (!event.empty()) kept.push_back(event);
  return flat(kept);
}

bool same(const Prediction& a, const Prediction& b) {
  return a.index == b.index && a.name == b.name && a.matches == b.matches && a.past == b.past &&
         a.present == b.present && a.future == b.future && a.missing == b.missing &&
         a.extras == b.extras && a.anomalies == b.anomalies && a.blocks == b.blocks &&
         a.itfdf_similarity == b.itfdf_similarity && a.bayesian_prior == b.bayesian_prior &&
         a.bayesian_posterior == b.bayesian_posterior &&
         a.predictive_information == b.predictive_information && a.potential == b.potential &&
         a.tfidf_score == b.tfidf_score && a.confluence == b.confluence;
}

TEST(PredictionProperties, SegmentsAndSetsAreConsistent) {
  expect_property("past, present and future are the pattern; missing and extras are sets", [] {
    const Corpus corpus = any_corpus();
    PredictionOptions options;
    options.threshold = *rc::gen::element(0.0, 0.1, 0.4);
    options.top = 1000;
    options.fuzzy_token_threshold = *rc::gen::element(0.0, 1.0);
    EventTexts query;
    const SymbolTexts observed = without_empty(corpus.query, query);
    const std::set<std::string> seen(observed.begin(), observed.end());
    double priors = 0;
    double posteriors = 0;
    const auto predictions = corpus.memory.predict(corpus.query, options);
    for (const Prediction& p : predictions) {
      EventTexts pattern;
      without_empty(corpus.patterns[p.index], pattern);
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
      const std::set<std::string> matches(p.matches.begin(), p.matches.end());
      const SymbolTexts present_list = flat(p.present);
      const std::set<std::string> present(present_list.begin(), present_list.end());
      for (std::size_t i = 0; i < p.missing.size(); ++i) {
        SymbolTexts expected;
        for (const std::string& text : p.present[i])
          if (!matches.contains(text)) expected.push_back(text);
        RC_ASSERT(p.missing[i] == expected);
      }
      for (const std::string& text : p.matches) RC_ASSERT(seen.contains(text));
      if (options.fuzzy_token_threshold == 0) {
        for (std::size_t j = 0; j < p.extras.size(); ++j) {
          SymbolTexts expected;
          for (const std::string& text : query[j])
            if (!present.contains(text)) expected.push_back(text);
          RC_ASSERT(p.extras[j] == expected);
        }
      }
      RC_ASSERT(p.evidence >= 0.0);
      RC_ASSERT(p.snr >= -1.0);
      RC_ASSERT(p.snr <= 1.0);
      RC_ASSERT(p.predictive_information >= 0.0);
      RC_ASSERT(p.predictive_information <= 1.0 + 1e-12);
      RC_ASSERT(p.itfdf_similarity >= 0.0);
      RC_ASSERT(p.itfdf_similarity <= 1.0);
      RC_ASSERT(p.confluence >= 0.0);
      RC_ASSERT(p.confluence <= 1.0);
      RC_ASSERT(std::isfinite(p.potential));
      priors += p.bayesian_prior;
      posteriors += p.bayesian_posterior;
    }
    if (!predictions.empty()) {
      RC_ASSERT(std::abs(priors - 1) < 1e-6);
      const bool likely = std::any_of(predictions.begin(), predictions.end(),
                                      [](const Prediction& p) { return p.similarity > 0; });
      RC_ASSERT(std::abs(posteriors - (likely ? 1 : 0)) < 1e-6);
    }
  });
}

TEST(PredictionProperties, BlocksMatchReference) {
  expect_property("the blocks are those of the serial oracle", [] {
    const Corpus corpus = any_corpus();
    PredictionOptions options;
    options.threshold = 0;
    options.top = 1000;
    std::vector<Symbol> query;
    for (const std::string& text : flat(corpus.query))
      query.push_back(corpus.memory.vocabulary.find(text));
    for (const Prediction& p : corpus.memory.predict(corpus.query, options)) {
      std::vector<Symbol> pattern;
      for (const std::string& text : flat(corpus.patterns[p.index]))
        pattern.push_back(corpus.memory.vocabulary.find(text));
      const auto blocks = Reference::blocks(pattern, query);
      RC_ASSERT(p.blocks == blocks);
      std::size_t matched = 0;
      for (const Block& block : blocks) matched += block.length;
      RC_ASSERT(p.matches.size() == matched);
    }
  });
}

/// Long patterns with repeats against a query of many runs, which are rare among short random
/// patterns.
TEST(PredictionProperties, BlocksOfLongPatternsMatchReference) {
  auto random = Testing::generator("long blocks");
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t alphabet = 2 + random() % 12;
    const auto sequence = [&](std::size_t length) {
      EventTexts made;
      for (std::size_t i = 0; i < length; ++i)
        made.push_back({std::string(1, static_cast<char>('a' + random() % alphabet))});
      return made;
    };
    Memory memory;
    std::vector<EventTexts> patterns;
    for (int i = 0; i < 10; ++i) {
      patterns.push_back(sequence(random() % 200));
      memory.learn("p", patterns.back());
    }
    const EventTexts query = sequence(1 + random() % 200);
    std::vector<Symbol> symbols;
    for (const SymbolTexts& event : query) symbols.push_back(memory.vocabulary.find(event[0]));
    const auto predictions = memory.predict(query, 0.0);
    ASSERT_EQ(predictions.size(), patterns.size());
    for (const Prediction& p : predictions) {
      std::vector<Symbol> pattern;
      for (const SymbolTexts& event : patterns[p.index])
        pattern.push_back(memory.vocabulary.find(event[0]));
      ASSERT_EQ(p.blocks, Reference::blocks(pattern, symbols));
    }
  }
}

/// 4000 patterns, enough for several threads. Any two of the symbols are similar.
struct Many {
  Memory memory;
  EventTexts query = Testing::events("xa xb | xc xd | xe");
  Many() {
    auto random = Testing::generator("many");
    for (int i = 0; i < 4000; ++i) {
      EventTexts pattern;
      for (std::uint64_t n = 1 + random() % 5; n > 0; --n) {
        pattern.emplace_back();
        for (std::uint64_t m = 1 + random() % 3; m > 0; --m)
          pattern.back().push_back({'x', static_cast<char>('a' + random() % 12)});
      }
      memory.learn(Testing::numbered("p", i), pattern, 1 + random() % 100);
    }
  }
};

TEST(PredictionProperties, NeitherThreadsNorTheOrderOfCandidatesChangeABit) {
  const Many many;
  Testing::ListedCandidates candidates = many.memory.candidates(many.query, 0.1);
  ASSERT_GT(candidates.size(), 2000U);
  PredictionOptions options;
  options.top = 500;
  options.threads = 1;
  for (const double fuzzy : {0.0, 0.5}) {
    options.fuzzy_token_threshold = fuzzy;
    options.threads = 1;
    const auto expected = many.memory.predict(many.query, candidates, options);
    EXPECT_EQ(std::ranges::any_of(expected, [](const auto& p) { return !p.anomalies.empty(); }),
              fuzzy > 0);
    auto random = Testing::generator("order");
    for (const int threads : {1, 2, 3, 8}) {
      std::shuffle(candidates.entries.begin(), candidates.entries.end(), random);
      options.threads = threads;
      const auto found = many.memory.predict(many.query, candidates, options);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_TRUE(same(found[i], expected[i])) << threads << " threads, position " << i;
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
  const Many many;
  const Testing::ListedCandidates candidates = many.memory.candidates(many.query, 0.1);
  const Failing failing(candidates);
  PredictionOptions options;
  for (const int threads : {1, 4}) {
    options.threads = threads;
    EXPECT_THROW(many.memory.predict(many.query, failing, options), std::runtime_error);
  }
}

}  // namespace PredictionPropertiesTest
