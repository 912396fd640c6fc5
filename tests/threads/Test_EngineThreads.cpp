// SPDX-License-Identifier: Apache-2.0
// Concurrent callers of engines that do not change, or that change during calls.
#include <gtest/gtest.h>
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "OneThread.hpp"
#include "Support.hpp"

namespace EngineThreadsTest {

using namespace Kindred;
using Testing::by_threads;
using Testing::context;
using Testing::random_values;

using Sequence = std::vector<Symbol>;

Sequence random_sequence(std::mt19937_64& generator, std::size_t length, Symbol symbols) {
  Sequence sequence(length);
  for (Symbol& symbol : sequence) symbol = static_cast<Symbol>(generator() % symbols);
  return sequence;
}

TEST(SequenceThreads, ConcurrentCallersGetTheSameAnswersAndStopAllocating) {
  auto generator = Testing::generator("SequenceThreads");
  Ragged<Symbol> patterns;
  for (int i = 0; i < 20000; ++i) patterns.push_row(random_sequence(generator, 12, 30));
  const SequenceMatcher matcher(context(), patterns);
  std::vector<Ragged<Symbol>> queries(4);
  for (auto& query : queries) query.push_row(random_sequence(generator, 20, 30));
  for (const Space space : Testing::spaces()) {
    for (const Measure measure : {Measure::lcs, Measure::difflib}) {
      MatchOptions options;
      options.space = space;
      options.measure = measure;
      options.threshold = 0;
      options.top = 5;
      const auto answer = [&](std::size_t query) {
        return matcher.match(queries[query], options).matches.values;
      };
      std::vector<std::vector<Match>> alone;
      for (std::size_t query = 0; query < queries.size(); ++query) alone.push_back(answer(query));
      std::vector<std::vector<Match>> found(queries.size());
      by_threads(queries.size(), [&](std::size_t caller) {
        for (int repeat = 0; repeat < 4; ++repeat) found[caller] = answer(caller);
      });
      EXPECT_EQ(found, alone) << to_string(measure) << " on " << to_string(space);
      answer(0);  // allocates one workspace
      const auto before = context().memory_statistics(space);
      for (int repeat = 0; repeat < 3; ++repeat) answer(0);
      EXPECT_EQ(context().memory_statistics(space).allocations_total, before.allocations_total);
    }
  }
}

TEST(SequenceThreads, CallersMayUseDifferentSpaces) {
  auto generator = Testing::generator("SequenceThreads.spaces");
  Ragged<Symbol> patterns;
  for (int i = 0; i < 1000; ++i) patterns.push_row(random_sequence(generator, 40, 15));
  const SequenceMatcher matcher(context(), patterns);
  Ragged<Symbol> query;
  query.push_row(random_sequence(generator, 50, 15));
  MatchOptions options;
  options.measure = Measure::difflib;
  options.threshold = 0.1;
  options.top = 10;
  options.space = Space::serial;
  const std::vector<Match> expected = matcher.match(query, options).matches.values;
  const std::vector<Space> spaces = Testing::spaces();
  std::vector<std::vector<Match>> found(6);
  by_threads(found.size(), [&](std::size_t caller) {
    MatchOptions own = options;
    own.space = spaces[caller % spaces.size()];
    for (int repeat = 0; repeat < 5; ++repeat)
      found[caller] = matcher.match(query, own).matches.values;
  });
  for (const auto& answer : found) EXPECT_EQ(answer, expected);
}

TEST(SimilarityThreads, APreparedQueryCanBeSharedByThreads) {
  auto generator = Testing::generator("SimilarityThreads");
  std::vector<Sequence> patterns;
  for (int i = 0; i < 200; ++i) patterns.push_back(random_sequence(generator, 80, 12));
  const PreparedQuery query(Measure::difflib, patterns[7]);
  std::vector<double> expected;
  for (const Sequence& pattern : patterns) expected.push_back(query.similarity(pattern, 0.3));
  std::vector<std::vector<double>> found(4);
  by_threads(found.size(), [&](std::size_t caller) {
    for (const Sequence& pattern : patterns)
      found[caller].push_back(query.similarity(pattern, 0.3));
  });
  for (const auto& own : found) EXPECT_EQ(own, expected);
}

TEST(SimilarityThreads, AnyThreadCanBeTheFirstToAskForBlocks) {
  auto generator = Testing::generator("SimilarityThreads.blocks");
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Sequence pattern = random_sequence(generator, 80, 12);
    const Sequence sought = random_sequence(generator, 80, 12);
    const std::vector<Block> expected = blocks(Measure::lcs, pattern, sought);
    const PreparedQuery query(Measure::lcs, sought);
    std::vector<std::vector<Block>> found(4);
    by_threads(found.size(), [&](std::size_t caller) {
      if (caller % 2 == 0) query.similarity(pattern);
      found[caller] = query.blocks(pattern);
    });
    for (const auto& own : found) EXPECT_EQ(own, expected);
  }
}

TEST(SpreadingThreads, CallersOnDifferentSpacesDoNotInterfere) {
  auto generator = Testing::generator("SpreadingThreads.callers");
  constexpr std::uint32_t nodes = 500;
  std::vector<Edge> edges;
  for (int i = 0; i < 4000; ++i) {
    edges.push_back({static_cast<std::uint32_t>(generator() % nodes),
                     static_cast<std::uint32_t>(generator() % nodes),
                     static_cast<float>(generator() % 1000) / 1000.0F});
  }
  const SpreadingEngine engine(context(), GraphSpan{nodes, edges}, GraphOptions());
  SpreadOptions options;
  options.decay = {Decay::Kind::constant, 0.1};
  options.threshold = 0;
  options.top = nodes;
  std::vector<Ragged<Activation>> queries(4);
  std::vector<std::vector<Activation>> expected;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::vector<Activation> sources;
    for (std::size_t s = 0; s < 3 + 40 * i; ++s)
      sources.push_back({static_cast<std::uint32_t>(s * 7 % nodes), 0.5F});
    queries[i].push_row(sources);
    expected.push_back(engine.spread(queries[i], options).activations.values);
  }
  const std::vector<Space> spaces = Testing::spaces();
  std::atomic<int> wrong{0};
  by_threads(queries.size(), [&](std::size_t caller) {
    SpreadOptions own = options;
    for (std::size_t run = 0; run < 20; ++run) {
      own.space = spaces[run % spaces.size()];
      if (engine.spread(queries[caller], own).activations.values != expected[caller]) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(VectorThreads, AnIndexAnswersConcurrentCallers) {
  auto generator = Testing::generator("VectorThreads");
  constexpr std::size_t dimension = 48;
  const std::vector<float> rows = random_values(generator, 1500 * dimension);
  const VectorIndex index(context(), rows, dimension);
  struct Call {
    std::vector<float> queries;
    SearchOptions options;
    SearchResults expected;
  };
  const std::vector<Space> spaces = Testing::spaces();
  std::vector<Call> calls(8);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Call& call = calls[i];
    call.queries = random_values(generator, (1 + i) * dimension);
    call.options.metric = static_cast<Metric>(i % 3);
    call.options.top = 3 + i;
    call.options.space = Space::serial;
    call.expected = index.search(call.queries, call.options);
    call.options.space.reset();
    if (i % 2 == 0) call.options.space = spaces[i / 2 % spaces.size()];
  }
  std::atomic<int> wrong{0};
  by_threads(calls.size(), [&](std::size_t caller) {
    const Call& call = calls[caller];
    for (int run = 0; run < 8; ++run) {
      const SearchResults found = index.search(call.queries, call.options);
      if (found.ids != call.expected.ids || found.scores != call.expected.scores) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(VectorThreads, AnIndexCanChangeWhileItIsSearched) {
  auto generator = Testing::generator("VectorThreads.changes");
  constexpr std::size_t dimension = 12;
  const std::vector<float> rows = random_values(generator, 200 * dimension);
  const std::vector<float> query = random_values(generator, dimension);
  VectorIndex index(context(), rows, dimension);
  std::thread writer([&] {
    for (std::uint64_t id = 0; id < 60; ++id) {
      const VectorSpan row(std::span<const float>(rows).subspan(id * dimension, dimension),
                           dimension);
      index.add(row);
      const std::uint64_t removed[] = {id};
      index.remove(removed);
      index.replace(100, row);
    }
  });
  for (int i = 0; i < 60; ++i) {
    SearchOptions options;
    options.top = 50;
    const SearchResults results = index.search(query, options);
    EXPECT_TRUE(std::is_sorted(results.scores.rbegin(), results.scores.rend()));
    EXPECT_LE(index.statistics().rows, 201U);
  }
  writer.join();
  EXPECT_EQ(index.size(), 200U);
}

TEST(HnswThreads, AGraphAnswersConcurrentCallers) {
  auto generator = Testing::generator("HnswThreads");
  constexpr std::size_t dimension = 16;
  const std::vector<float> rows = random_values(generator, 400 * dimension);
  HnswSettings settings;
  settings.m = 8;
  settings.ef_construction = 40;
  HnswIndex index = HnswIndex::build(context(), rows, dimension, settings);
  const std::uint64_t removed[] = {3};
  index.remove(removed);
  const std::vector<float> queries = random_values(generator, 5 * dimension);
  const HnswResults expected = index.search(queries);
  std::atomic<int> wrong{0};
  by_threads(4, [&](std::size_t) {
    for (int run = 0; run < 10; ++run) {
      if (index.search(queries).ids != expected.ids) ++wrong;
      if (index.contains(3) || !index.contains(7)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(HnswThreads, CallsReadAWholeChange) {
  auto generator = Testing::generator("HnswThreads changes");
  constexpr std::size_t dimension = 16;
  constexpr std::size_t count = 200;
  const std::vector<float> rows = random_values(generator, count * dimension);
  const std::span<const float> some = std::span(rows).first(5 * dimension);
  HnswSettings settings;
  settings.m = 8;
  settings.ef_construction = 40;
  settings.metric = Metric::l2;
  HnswIndex index = HnswIndex::build(context(), rows, dimension, settings);
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  by_threads(4, [&](std::size_t caller) {
    if (caller == 0) {
      for (int change = 0; change < 30; ++change) {
        const std::uint64_t first = index.add(some);
        index.remove(std::vector<std::uint64_t>{first, first + 1, first + 2, first + 3, first + 4});
        if (change % 10 == 9) index.repair();
      }
      done = true;
      return;
    }
    while (!done) {
      // The rows that are added are the first ones once more.
      const HnswResults found = index.search(some, {.top = 2});
      std::vector<float> row(dimension);
      index.rows(std::vector<std::uint64_t>{7}, row);
      const HnswStatistics statistics = index.statistics();
      for (std::size_t i = 0; i < 5; ++i)
        if (found.ids[2 * i] != static_cast<std::int64_t>(i) || found.scores[2 * i] != 0) ++wrong;
      if (!std::equal(row.begin(), row.end(), rows.begin() + 7 * dimension)) ++wrong;
      if (statistics.rows != count && statistics.rows != count + 5) ++wrong;
      if (index.size() != count && index.size() != count + 5) ++wrong;
      if (!index.contains(7)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(index.size(), count);
  EXPECT_EQ(index.end_id(), count + 150);
}

std::string word(std::size_t number) {
  std::string text = "w";
  return text += std::to_string(number);
}

TEST(VocabularyThreads, CanBeReadWhileItGrows) {
  constexpr Symbol count = 30000;
  Vocabulary words;
  std::atomic<Symbol> reported{0};
  std::atomic<int> wrong{0};
  by_threads(4, [&](std::size_t caller) {
    if (caller == 0) {
      for (Symbol s = 0; s < count; ++s) {
        if (words.add(word(s)) != s) ++wrong;
        reported.store(s + 1);
      }
      return;
    }
    auto generator = Testing::generator("reader" + std::to_string(caller));
    while (reported.load() < count) {
      const Symbol known = reported.load();
      if (known == 0) continue;
      const auto symbol = static_cast<Symbol>(generator() % known);
      if (words.find(word(symbol)) != symbol) ++wrong;
      const auto last = static_cast<Symbol>(words.size() - 1);
      if (words.text(last) != word(last)) ++wrong;
      const Symbol next = words.find(word(known));
      if (next != unknown_symbol && next != known) ++wrong;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(words.size(), count);
}

TEST(VocabularyThreads, EveryTextHasOneNumberForSeveralWriters) {
  Vocabulary words;
  std::vector<std::vector<Symbol>> given(4);
  by_threads(given.size(), [&](std::size_t caller) {
    for (int i = 0; i < 5000; ++i) given[caller].push_back(words.add(word(i)));
  });
  EXPECT_EQ(words.size(), 5000U);
  for (const auto& own : given) EXPECT_EQ(own, given[0]);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(words.text(given[0][i]), word(i));
}

}  // namespace EngineThreadsTest
