// SPDX-License-Identifier: Apache-2.0
// Concurrent callers of engines that do not change, or that change during calls.
#include <kindred/Graph.hpp>
#include <kindred/Hnsw.hpp>
#include <kindred/Seed.hpp>
#include <kindred/Sequence.hpp>
#include <kindred/Vector.hpp>

#include <algorithm>
#include <map>

#include "EngineCalls.hpp"
#include "OneThread.hpp"
#include "PatternMemorySupport.hpp"
#include "TempFolder.hpp"

namespace EngineThreadsTest {

using namespace Kindred;
using namespace Testing;

class EngineThreads : public testing::TestWithParam<EngineCall> {};

TEST_P(EngineThreads, CallersOnAnySpaceGetTheResultsOfOneAndStopAllocating) {
  if (!GetParam().is_shared) GTEST_SKIP() << "its results are kept by the engine";
  const auto run = GetParam().make(context());
  const std::vector<Space> spaces = Testing::spaces();
  constexpr std::size_t callers = 4;
  std::map<std::pair<Space, std::size_t>, std::string> alone;
  for (const Space space : spaces)
    for (std::size_t caller = 0; caller < callers; ++caller)
      alone[{space, caller}] = run(space, caller);
  by_threads(callers, [&](std::size_t caller) {
    for (std::size_t repeat = 0; repeat < 8; ++repeat) {
      const Space space = spaces[(caller + repeat) % spaces.size()];
      EXPECT_EQ(run(space, caller), alone.at({space, caller}));
      const std::string chosen = run({}, caller);
      const auto is_chosen = [&](Space one) { return chosen == alone.at({one, caller}); };
      EXPECT_TRUE(std::any_of(spaces.begin(), spaces.end(), is_chosen));
    }
  });
  for (const Space space : spaces) {
    run(space);  // allocates one workspace
    const auto before = context().memory_statistics(space);
    for (int repeat = 0; repeat < 3; ++repeat) run(space);
    EXPECT_EQ(context().memory_statistics(space).allocations_total, before.allocations_total);
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, EngineThreads, testing::ValuesIn(engine_calls()),
                         name_of_engine_call);

TEST(SimilarityThreads, APreparedQueryGivesAllThreadsWhatItGivesTheFirst) {
  const auto random_sequence = [] {
    std::vector<Symbol> sequence(80);
    for (Symbol& symbol : sequence) symbol = static_cast<Symbol>(random_below(12));
    return sequence;
  };
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Measure measure = repeat % 2 == 0 ? Measure::lcs : Measure::difflib;
    const std::vector<Symbol> pattern = random_sequence();
    const std::vector<Symbol> sought = random_sequence();
    const std::vector<Block> expected = blocks(measure, pattern, sought);
    const double similarity = Kindred::similarity(measure, pattern, sought);
    const PreparedQuery query(measure, sought);
    by_threads(4, [&](std::size_t caller) {
      EXPECT_TRUE(caller % 2 == 0 || query.similarity(pattern) == similarity);
      EXPECT_EQ(query.blocks(pattern), expected);
      EXPECT_EQ(query.similarity(pattern), similarity);
    });
  }
}

TEST(HnswThreads, CallsReadAWholeChange) {
  constexpr std::size_t dimension = 16;
  constexpr std::size_t count = 200;
  const std::vector<float> rows = normal_values(count * dimension);
  const std::span<const float> some = std::span(rows).first(5 * dimension);
  const HnswSettings settings{.metric = Metric::l2, .m = 8, .ef_construction = 40};
  HnswIndex index = HnswIndex::build(context(), rows, dimension, settings);
  const std::function<void()> read = [&] {
    // The rows that are added are the first ones once more.
    const HnswResults found = index.search(some, {.top = 2});
    std::vector<float> row(dimension);
    index.rows(std::vector<std::uint64_t>{7}, row);
    const HnswStatistics statistics = index.statistics();
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_TRUE(found.ids[2 * i] == static_cast<std::int64_t>(i) && found.scores[2 * i] == 0);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), rows.begin() + 7 * dimension));
    EXPECT_TRUE(statistics.rows == count || statistics.rows == count + 5);
    EXPECT_TRUE(index.size() == count || index.size() == count + 5);
    EXPECT_TRUE(index.contains(7));
  };
  beside({read, read, read}, [&] {
    for (int change = 0; change < 30; ++change) {
      const std::uint64_t first = index.add(some);
      index.remove(std::vector<std::uint64_t>{first, first + 1, first + 2, first + 3, first + 4});
      if (change % 10 == 9) index.repair();
    }
  });
  EXPECT_EQ(index.size(), count);
  EXPECT_EQ(index.end_id(), count + 150);
}

TEST(VocabularyThreads, CanBeReadWhileItGrows) {
  constexpr Symbol count = 30000;
  Vocabulary words;
  std::atomic<Symbol> reported{0};
  const std::function<void()> read = [&, generator = generator("reader")]() mutable {
    const Symbol known = reported.load();
    if (known == 0) return;
    const auto symbol = static_cast<Symbol>(generator() % known);
    EXPECT_EQ(words.find(numbered('w', symbol)), symbol);
    const auto last = static_cast<Symbol>(words.size() - 1);
    EXPECT_EQ(words.text(last), numbered('w', last));
    const Symbol next = words.find(numbered('w', known));
    EXPECT_TRUE(next == unknown_symbol || next == known);
  };
  beside({read, read, read}, [&] {
    for (Symbol s = 0; s < count; ++s) {
      EXPECT_EQ(words.add(numbered('w', s)), s);
      reported.store(s + 1);
    }
  });
  EXPECT_EQ(words.size(), count);
}

TEST(VocabularyThreads, EveryTextHasOneNumberForSeveralWriters) {
  Vocabulary words;
  std::vector<std::vector<Symbol>> given(4);
  by_threads(given.size(), [&](std::size_t caller) {
    for (int i = 0; i < 5000; ++i) given[caller].push_back(words.add(numbered('w', i)));
  });
  EXPECT_EQ(words.size(), 5000U);
  for (const auto& own : given) EXPECT_EQ(own, given[0]);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(words.text(given[0][i]), numbered('w', i));
}

std::vector<Activation> from_node_0(const SpreadingEngine& engine, const SpreadOptions& options) {
  Ragged<Activation> sources;
  sources.push_row(std::vector<Activation>{{0, 1}});
  return engine.spread(sources, options).activations.values;
}

/// The values that node 0 passes on in one hop, without decay.
std::vector<Activation> neighbours(const SpreadingEngine& engine) {
  return from_node_0(
      engine,
      {.mode = SpreadMode::linear, .hops = 1, .decay = {Decay::Kind::constant, 1}, .top = 100000});
}

TEST(SpreadingThreads, QueriesRanksAndFilesSeeWholeChangesDuringMerges) {
  // Node 0 has an edge of weight 1/i to both nodes of a pair, or to neither.
  constexpr std::uint32_t pairs = 200;
  const std::vector<Edge> edges{{0, 0, 0.5F}};
  SpreadingEngine engine(one_thread(), GraphSpan{1 + 2 * pairs, edges}, {.merge_share = 0.02});
  std::atomic<std::uint64_t> queries{0};
  std::atomic<std::uint64_t> ranks{0};
  std::atomic<std::uint64_t> saves{0};
  const auto query = [&] {
    std::vector<int> seen(pairs);
    for (const Activation& node : neighbours(engine)) {
      if (node.node == 0) continue;
      const std::uint32_t pair = (node.node - 1) / 2;
      seen[pair] += node.node % 2 == 0 ? -1 : 1;
      EXPECT_EQ(node.value, 1.0F / static_cast<float>(pair + 1));
    }
    for (const int half : seen) EXPECT_EQ(half, 0);
    EXPECT_EQ(engine.statistics().edges % 2, 1U);
    ++queries;
  };
  const auto rank = [&] {
    double mass = 0;
    for (const Activation& node :
         from_node_0(engine, {.mode = SpreadMode::pagerank, .top = 100000}))
      mass += static_cast<double>(node.value);
    EXPECT_NEAR(mass, 1, 1e-4);
    ++ranks;
  };
  const TempFolder folder;
  const auto save = [&] {
    engine.save(folder / "graph");
    EXPECT_EQ(SpreadingEngine::inspect(folder / "graph", 1).edges % 2, 1U);
    ++saves;
  };
  const auto merge = [&] {
    engine.merge();
    std::this_thread::yield();
  };
  beside({query, query, rank, save, merge}, [&] {
    by_threads(2, [&](std::size_t writer) {
      for (auto pair = static_cast<std::uint32_t>(writer); pair < pairs; pair += 2) {
        const float weight = 1.0F / static_cast<float>(pair + 1);
        const std::vector<Edge> both{{0, 1 + 2 * pair, weight}, {0, 2 + 2 * pair, weight}};
        engine.add_edges(both);
        if (pair % 3 == 0) engine.remove_edges({{{0, 1 + 2 * pair, {}}, {0, 2 + 2 * pair, {}}}});
        if (pair % 3 == 1) engine.remove_nodes({{1 + 2 * pair, 2 + 2 * pair}});
        if (pair % 10 == 0) engine.add_nodes(1);
      }
    });
    while (queries < 10 || ranks < 3 || saves < 3) std::this_thread::yield();
  });
  constexpr std::size_t left = 2 * (pairs / 3);  // those of which 3 leaves 2
  EXPECT_EQ(neighbours(engine).size(), 1 + left);
  EXPECT_EQ(engine.edges(), 1 + left);
  EXPECT_EQ(engine.nodes(), 1 + 2 * pairs + pairs / 10);
}

TEST(SeedThreads, CallersSeeConsistentStates) {
  SeedLayer layer(one_thread(), {.hidden = 64, .seeds = 16});
  layer.add_blueprint("one", std::vector<float>(64, 1.0F));
  SeedState state(16);
  state.lifecycle.assign(16, Lifecycle::stabilization);
  state.mode.assign(16, ApplyMode::additive);
  state.blueprint.assign(16, 0);
  layer.set_state(state);
  std::atomic<int> forwards{0};
  const std::function<void()> forward = [&] {
    const std::vector<float> x(128, 2.0F);
    std::vector<float> y(128);
    layer.forward(std::span(x), std::span(y));
    ++forwards;
    // Seeds change together: a whole row must come from one state.
    for (const float value : y) {
      EXPECT_EQ(value, y[0]);
      EXPECT_TRUE(value == 2.0F || value == 3.0F);
    }
    if (layer.has_telemetry(0)) static_cast<void>(layer.state().history(3));
  };
  beside({forward, forward}, [&] {
    std::vector<SeedUpdate> updates(16);
    for (int i = 0; i < 200 || forwards < 200; ++i) {
      const Lifecycle lifecycle = i % 2 == 0 ? Lifecycle::dormant : Lifecycle::stabilization;
      for (std::uint32_t seed = 0; seed < 16; ++seed)
        updates[seed] = {.seed = seed, .mask = seed_lifecycle, .lifecycle = lifecycle};
      layer.update(updates);
      if (i < 200 && i % 10 == 0) layer.step();
    }
  });
  EXPECT_EQ(layer.epoch(), 20U);
}

TEST(SeedThreads, LayersMayBeCalledWhileASequenceRuns) {
  SeedLayer layer(one_thread(), {.hidden = 64, .seeds = 4});
  const std::vector<float> x(128, 2.0F);
  std::vector<float> y(128);
  SeedSequence sequence(one_thread(), Space::serial);
  sequence.add(layer, std::span(x), std::span(y));
  sequence.run();
  const std::vector<float> other(192, 3.0F);
  std::vector<float> out(192);
  beside({[&] { sequence.run(); }}, [&] {
    for (int i = 0; i < 200; ++i) {
      layer.forward(std::span(other), std::span(out));
      EXPECT_TRUE(layer.has_telemetry(0));
      // A forward pass sees 2 rows of the sequence or 3 rows of its own, each with 16 elements per
      // seed.
      const std::vector<SeedTelemetry> telemetry = layer.telemetry(0);
      for (const SeedTelemetry& seed : telemetry) {
        EXPECT_EQ(seed.count, telemetry[0].count);
        EXPECT_TRUE(seed.count == 32 || seed.count == 48) << seed.count;
      }
    }
  });
  EXPECT_EQ(out, other);
  EXPECT_EQ(y, x);
}

TEST(SeedThreads, CallbacksMayCallTheLayer) {
  SeedLayerOptions options{.hidden = 4, .seeds = 2};
  SeedLayer* self = nullptr;
  int reported = 0;
  options.on_transition = [&](std::uint32_t seed, SeedChange change) {
    ++reported;
    EXPECT_EQ(self->state().lifecycle[seed], change.to);
    if (change.to == Lifecycle::germinated) self->request(seed, Lifecycle::cancelled);
  };
  SeedLayer layer(one_thread(), options);
  self = &layer;
  EXPECT_TRUE(layer.request(1, Lifecycle::germinated).accepted);
  EXPECT_EQ(reported, 2);
  EXPECT_EQ(layer.state().lifecycle[1], Lifecycle::cancelled);
}

}  // namespace EngineThreadsTest
