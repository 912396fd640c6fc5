// SPDX-License-Identifier: Apache-2.0
// Concurrent callers of engines that do not change, or that change during calls.
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <algorithm>
#include <map>

#include "EngineCalls.hpp"
#include "OneThread.hpp"

namespace EngineThreadsTest {

using namespace Kindred;
using Testing::beside;
using Testing::by_threads;
using Testing::context;
using Testing::random_values;

using Sequence = std::vector<Symbol>;

Sequence random_sequence(std::mt19937_64& generator, std::size_t length, Symbol symbols) {
  Sequence sequence(length);
  for (Symbol& symbol : sequence) symbol = static_cast<Symbol>(generator() % symbols);
  return sequence;
}

class EngineThreads : public testing::TestWithParam<Testing::EngineCall> {};

TEST_P(EngineThreads, CallersOnAnySpaceGetTheResultsOfOneAndStopAllocating) {
  if (!GetParam().is_shared) GTEST_SKIP() << "its results are kept by the engine";
  const auto run = GetParam().make(context());
  const std::vector<Space> spaces = Testing::spaces();
  constexpr std::size_t callers = 4;
  std::map<std::pair<Space, std::size_t>, std::string> alone;
  for (const Space space : spaces)
    for (std::size_t caller = 0; caller < callers; ++caller)
      alone[{space, caller}] = run(space, caller);
  std::atomic<int> wrong{0};
  by_threads(callers, [&](std::size_t caller) {
    for (std::size_t repeat = 0; repeat < 8; ++repeat) {
      const Space space = spaces[(caller + repeat) % spaces.size()];
      if (run(space, caller) != alone.at({space, caller})) ++wrong;
      const std::string chosen = run({}, caller);
      const auto is_chosen = [&](Space one) { return chosen == alone.at({one, caller}); };
      if (std::none_of(spaces.begin(), spaces.end(), is_chosen)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
  for (const Space space : spaces) {
    run(space);  // allocates one workspace
    const auto before = context().memory_statistics(space);
    for (int repeat = 0; repeat < 3; ++repeat) run(space);
    EXPECT_EQ(context().memory_statistics(space).allocations_total, before.allocations_total);
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, EngineThreads, testing::ValuesIn(Testing::engine_calls()),
                         Testing::name_of_engine_call);

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

TEST(VectorThreads, AnIndexCanChangeWhileItIsSearched) {
  auto generator = Testing::generator("VectorThreads.changes");
  constexpr std::size_t dimension = 12;
  const std::vector<float> rows = random_values(generator, 200 * dimension);
  const std::vector<float> query = random_values(generator, dimension);
  VectorIndex index(context(), rows, dimension);
  const auto search = [&] {
    const SearchResults results = index.search(query, {.top = 50});
    EXPECT_TRUE(std::is_sorted(results.scores.rbegin(), results.scores.rend()));
    EXPECT_LE(index.statistics().rows, 201U);
  };
  beside({search}, [&] {
    for (std::uint64_t id = 0; id < 60; ++id) {
      const VectorSpan row = VectorSpan(rows, dimension).rows(id, 1);
      index.add(row);
      index.remove({{id}});
      index.replace(100, row);
    }
  });
  EXPECT_EQ(index.size(), 200U);
}

TEST(HnswThreads, AGraphAnswersConcurrentCallers) {
  auto generator = Testing::generator("HnswThreads");
  constexpr std::size_t dimension = 16;
  const std::vector<float> rows = random_values(generator, 400 * dimension);
  const HnswSettings settings{.m = 8, .ef_construction = 40};
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
  const HnswSettings settings{.metric = Metric::l2, .m = 8, .ef_construction = 40};
  HnswIndex index = HnswIndex::build(context(), rows, dimension, settings);
  std::atomic<int> wrong{0};
  const std::function<void()> read = [&] {
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
  };
  beside({read, read, read}, [&] {
    for (int change = 0; change < 30; ++change) {
      const std::uint64_t first = index.add(some);
      index.remove(std::vector<std::uint64_t>{first, first + 1, first + 2, first + 3, first + 4});
      if (change % 10 == 9) index.repair();
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
  const std::function<void()> read = [&, generator = Testing::generator("reader")]() mutable {
    const Symbol known = reported.load();
    if (known == 0) return;
    const auto symbol = static_cast<Symbol>(generator() % known);
    if (words.find(word(symbol)) != symbol) ++wrong;
    const auto last = static_cast<Symbol>(words.size() - 1);
    if (words.text(last) != word(last)) ++wrong;
    const Symbol next = words.find(word(known));
    if (next != unknown_symbol && next != known) ++wrong;
  };
  beside({read, read, read}, [&] {
    for (Symbol s = 0; s < count; ++s) {
      if (words.add(word(s)) != s) ++wrong;
      reported.store(s + 1);
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
