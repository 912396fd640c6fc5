// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "SpreadingSupport.hpp"
#include "TempFolder.hpp"

namespace SpreadingEngineTest {

using namespace Kindred;
using namespace Kindred::Testing::SpreadingSupport;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- Compared with the reference ----

TEST(SpreadingEngine, AChainOfAnyLengthIsFollowedToItsEnd) {
  for (const std::uint32_t nodes : {10U, 100U, 512U, 1000U, 5000U}) {
    const float weight = 0.9995F;
    const float decay = 0.9995F;
    Answer expected{{0, 1}};
    while (expected.size() < nodes) {
      const double product =
          static_cast<double>(expected.back().value) * static_cast<double>(weight);
      expected.push_back({static_cast<std::uint32_t>(expected.size()),
                          static_cast<float>(static_cast<double>(decay) * product)});
    }
    EXPECT_EQ(spread(chain(nodes, weight), {{0, 1}}, constant_at(decay, 0.0001, nodes)), expected);
  }
}

TEST(SpreadingEngine, StarsMatchReference) {
  for (const std::uint32_t leaves : {100U, 100'000U}) {
    Graph graph{leaves + 1, {}};
    Sources sources;
    for (std::uint32_t v = 1; v <= leaves; ++v) {
      graph.edges.push_back({v, 0, 1.0F / static_cast<float>(v)});
      graph.edges.push_back({0, v, 0.9F});
      if (v % 3 == 0) sources.push_back({v, 1.0F / static_cast<float>(v)});
    }
    EXPECT_EQ(spread(graph, sources, constant_at(0.7, 0.01)),
              reference(graph, sources, constant_at(0.7, 0.01)));
    EXPECT_EQ(spread(graph, sources, linear(constant(0.7))),
              reference(graph, sources, linear(constant(0.7))));
  }
}

TEST(SpreadingEngine, AHubWithAMillionEdgesIsExact) {
  constexpr std::uint32_t leaves = 1'000'000;
  Graph graph{leaves + 1, {}};
  Sources sources;
  for (std::uint32_t v = 1; v <= leaves; ++v) {
    graph.edges.push_back({v, 0, std::ldexp(1.0F, -20)});
    sources.push_back({v, 0.5F});
  }
  // 10⁶ · 2⁻²¹ is exact in double.
  SpreadOptions options = constant(1, 1);
  options.top = 1;
  EXPECT_THAT(spread(graph, sources, options), ElementsAre(Activation{1, 0.5F}));
  sources.push_back({0, 0.25F});
  EXPECT_THAT(spread(graph, sources, options),
              ElementsAre(Activation{0, 0.25F + 1e6F * std::ldexp(1.0F, -21)}));
}

TEST(SpreadingEngine, RowsOfEveryLengthMatchReference) {
  auto generator = Testing::generator("SpreadingEngine.rows");
  const Graph graph = random_graph(2000, row_lengths, 5000, 0, 1, generator);
  for (const std::size_t sources : {1U, 5U, 2000U}) {
    const Sources query = random_sources(2000, sources, 0, 1, generator);
    for (const SpreadOptions& options :
         {constant_at(0.01, 0.001), constant_at(0.02, 0.0, 2), linear(constant(0.01))}) {
      EXPECT_EQ(spread(graph, query, options), reference(graph, query, options)) << sources;
    }
  }
}

TEST(SpreadingEngine, RandomGraphsMatchReference) {
  auto generator = Testing::generator("SpreadingEngine.random");
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t nodes = 1 + generator() % 200;
    const bool is_linear = trial % 2 == 1;
    const Graph graph = random_graph(nodes, {}, generator() % 1500, is_linear ? -2.0F : 0.0F,
                                     is_linear ? 2.0F : 1.0F, generator);
    const Sources sources =
        random_sources(nodes, generator() % 12, is_linear ? -1.0F : 0.0F, 1.0F, generator);
    SpreadOptions options;
    options.decay.kind = static_cast<Decay::Kind>(trial % 4);
    options.decay.parameter = static_cast<double>(generator() % 100) / 80;
    options.hops = static_cast<std::uint32_t>(generator() % 7);
    if (trial % 3 == 0) options.threshold = static_cast<double>(generator() % 50) / 200;
    if (is_linear) options.mode = SpreadMode::linear;
    options.top = trial % 5 == 0 ? 7 : 1000;
    EXPECT_EQ(spread(graph, sources, options), reference(graph, sources, options)) << trial;
  }
}

TEST(SpreadingEngine, LinearModeIsCloseToDenseDoubleAndLinear) {
  auto generator = Testing::generator("SpreadingEngine.dense");
  constexpr std::size_t n = 60;
  const Graph graph = random_graph(n, {}, 400, -0.2F, 0.2F, generator);
  const SpreadOptions options = linear(constant(0.8, 5));
  const auto values = [&](const Sources& sources) {
    std::vector<double> dense(n);
    for (const Activation& node : spread(graph, sources, options)) dense[node.node] = node.value;
    return dense;
  };
  std::vector<double> x(n);
  Sources sources;
  Sources doubled;
  for (std::uint32_t v = 0; v < n; ++v) {
    sources.push_back({v, static_cast<float>(v) / n});
    doubled.push_back({v, 2 * static_cast<float>(v) / n});
    x[v] = sources.back().value;
  }
  std::vector<double> sum = x;
  for (int hop = 0; hop < 5; ++hop) {
    std::vector<double> next(n);
    for (const Edge& edge : graph.edges) next[edge.to] += 0.8F * x[edge.from] * edge.weight;
    x = next;
    for (std::size_t v = 0; v < n; ++v) sum[v] += x[v];
  }
  const std::vector<double> once = values(sources);
  const std::vector<double> twice = values(doubled);
  for (std::size_t v = 0; v < n; ++v) {
    EXPECT_NEAR(once[v], sum[v], 1e-6 * (1 + std::abs(sum[v])));
    EXPECT_EQ(twice[v], 2 * once[v]);
  }
}

// ---- Reproducible bits ----

TEST(SpreadingEngine, ABatchEqualsALoop) {
  auto generator = Testing::generator("SpreadingEngine.batch");
  const Graph graph = random_graph(700, {5000, 300, 40}, 4000, 0, 1, generator);
  for (const std::size_t queries : {0U, 1U, 2U, 8U, 9U, 32U, 33U, 70U}) {
    std::vector<Sources> all;
    for (std::size_t i = 0; i < queries; ++i)
      all.push_back(random_sources(700, i % 7, 0, 1, generator));
    for (const SpreadOptions& options : {constant_at(0.05, 0.01), linear(constant(0.01))}) {
      std::vector<Answer> loop;
      for (const Sources& sources : all) loop.push_back(spread(graph, sources, options));
      for (const Space space : Testing::spaces())
        EXPECT_EQ(spread(Testing::context(), graph, all, options, space), loop) << queries;
    }
  }
}

TEST(SpreadingEngine, ModesAndWidthsCanAlternateOnOneEngine) {
  auto generator = Testing::generator("SpreadingEngine.modes");
  const Graph graph = random_graph(700, {5000, 300, 40}, 4000, 0, 1, generator);
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  std::vector<Sources> all;
  for (std::size_t i = 0; i < 40; ++i) all.push_back(random_sources(700, 400, 0, 1, generator));
  for (const Space space : Testing::spaces()) {
    for (const std::size_t queries : {1U, 9U, 40U, 2U}) {
      const std::vector<Sources> some(all.begin(), all.begin() + queries);
      for (SpreadOptions options : {constant_at(0.05, 0.01), linear(constant(0.01))}) {
        options.space = space;
        const SpreadResults results = engine.spread(ragged(some), options);
        const auto fresh = spread(Testing::context(), graph, some, options, space);
        for (std::size_t i = 0; i < queries; ++i)
          EXPECT_EQ(Answer(results.activations[i].begin(), results.activations[i].end()), fresh[i]);
      }
    }
  }
}

TEST(SpreadingEngine, ThreadCountsAndRunsGiveTheSameBits) {
  auto generator = Testing::generator("SpreadingEngine.threads");
  const Graph graph = random_graph(3000, {20000, 9000}, 60000, 0, 1, generator);
  const std::vector<Sources> queries{random_sources(3000, 4, 0, 1, generator),
                                     random_sources(3000, 900, 0, 1, generator)};
  const auto expected =
      spread(Testing::context(), graph, queries, constant_at(0.01, 0.0), Space::serial);
  for (const int threads : {1, 2, 3, 7}) {
    ContextOptions options;
    options.threads = threads;
    options.load_profile = false;
    Context context(options);
    for (int run = 0; run < 2; ++run)
      EXPECT_EQ(spread(context, graph, queries, constant_at(0.01, 0.0), Space::openmp), expected);
  }
}

TEST(SpreadingEngine, LittleMemorySplitsTheBatchWithoutChangingTheBits) {
  auto generator = Testing::generator("SpreadingEngine.memory");
  const Graph graph = random_graph(20000, {}, 40000, 0, 1, generator);
  std::vector<Sources> queries;
  for (int i = 0; i < 32; ++i) queries.push_back(random_sources(20000, 9000, 0, 1, generator));
  const SpreadOptions options = constant_at(0.3, 0.0, 2);
  constexpr std::uint64_t budget = 5'000'000;
  ContextOptions context_options;
  context_options.load_profile = false;
  Context roomy(context_options);
  context_options.host_budget = budget;
  Context small(context_options);
  EXPECT_EQ(spread(small, graph, queries, options, Space::serial),
            spread(roomy, graph, queries, options, Space::serial));
  EXPECT_GT(roomy.memory_statistics(Space::serial).bytes_peak, budget)
      << "the whole batch fits into the budget";
}

TEST(SpreadingEngine, AHigherThresholdActivatesNoMoreNodes) {
  auto generator = Testing::generator("SpreadingEngine.monotone");
  std::size_t left_out = 0;
  for (int trial = 0; trial < 20; ++trial) {
    // Without cycles and with one hop, a value depends only on its own threshold.
    const Graph graph = random_graph(100, {}, 300, 0, 1, generator);
    const Sources sources = random_sources(100, 5, 0, 1, generator);
    std::size_t before = graph.nodes + 1;
    for (const double threshold : {0.0, 0.1, 0.2, 0.4, 0.8, 1.0}) {
      const std::size_t now = spread(graph, sources, constant_at(0.5, threshold, 1)).size();
      EXPECT_LE(now, before);
      left_out += threshold > 0 && now < before ? 1 : 0;
      before = now;
    }
  }
  EXPECT_GT(left_out, 20U) << "no threshold leaves anything out";
}

TEST(SpreadingEngine, AHopEqualsTheReproducibleProduct) {
  auto generator = Testing::generator("SpreadingEngine.hop");
  const Graph graph = random_graph(1500, row_lengths, 3000, -1, 1, generator);
  std::vector<float> x(graph.nodes);
  for (float& value : x) value = std::uniform_real_distribution<float>(-1, 1)(generator);
  std::vector<std::vector<Edge>> rows(graph.nodes);
  for (const Edge& edge : graph.edges) rows[edge.to].push_back(edge);
  std::vector<float> expected;
  for (auto& row : rows) {
    std::ranges::stable_sort(row, {}, &Edge::from);
    std::vector<double> terms;
    for (const Edge& edge : row)
      terms.push_back(static_cast<double>(x[edge.from]) * static_cast<double>(edge.weight));
    expected.push_back(static_cast<float>(Reference::reproducible_sum(terms)));
  }
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  for (const Space space : Testing::spaces()) {
    std::vector<float> y(graph.nodes, -7.0F);
    EXPECT_EQ(engine.hop(std::span(x), std::span(y), {.space = space}).chosen, space);
    EXPECT_EQ(y, expected);
  }
}

TEST(SpreadingEngine, TheResidencyOfAGraphDoesNotChangeTheBits) {
  auto generator = Testing::generator("SpreadingAccuracy.residency");
  const Graph graph = random_graph(500, row_lengths, 3000, 0, 1, generator);
  const Testing::TempFolder folder;
  const GraphSpan span{graph.nodes, graph.edges};
  Context& context = Testing::context();
  std::vector<SpreadingEngine> engines;
  engines.emplace_back(context, span, GraphOptions{.residency = Residency::host});
  engines.front().save(folder / "graph");
  engines.push_back(SpreadingEngine::load(context, folder / "graph"));
  engines.emplace_back(context, span, GraphOptions{});
  if (context.is_usable(Space::cuda)) {
    engines.emplace_back(context, span, GraphOptions{.residency = Residency::device});
    engines.push_back(SpreadingEngine::load(context, folder / "graph",
                                            GraphOptions{.residency = Residency::both}));
  }
  std::vector<Sources> queries;
  for (std::size_t i = 0; i < 9; ++i) queries.push_back(random_sources(500, i, 0, 1, generator));
  SpreadOptions ranked = constant_at(0.5, 0);
  ranked.mode = SpreadMode::pagerank;
  const std::vector<float> x(graph.nodes, 0.3F);
  for (const SpreadOptions& options : {constant_at(0.05, 0.01), linear(constant(0.01)), ranked}) {
    std::optional<std::vector<std::uint32_t>> expected;
    for (const SpreadingEngine& engine : engines) {
      const SpreadResults results = engine.spread(ragged(queries), options);
      std::vector<Answer> answers;
      for (std::size_t i = 0; i < queries.size(); ++i)
        answers.emplace_back(results.activations[i].begin(), results.activations[i].end());
      if (!expected) expected = bits(answers);
      EXPECT_EQ(bits(answers), *expected);
    }
  }
  std::optional<std::vector<float>> product;
  for (const SpreadingEngine& engine : engines) {
    std::vector<float> y(graph.nodes);
    engine.hop(std::span(x), std::span(y));
    if (!product) product = y;
    EXPECT_EQ(y, *product);
  }
}

// ---- Invalid input ----

TEST(SpreadingEngine, RejectsBadGraphs) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const auto make = [](const Graph& graph) {
    const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  };
  EXPECT_THROW(make({2, {{0, 2, 1}}}), InvalidArgument);
  EXPECT_THROW(make({2, {{2, 0, 1}}}), InvalidArgument);
  EXPECT_THROW(make({0, {{0, 0, 1}}}), InvalidArgument);
  EXPECT_THROW(make({2, {{0, 1, nan}}}), InvalidArgument);
  EXPECT_THROW(make({2, {{0, 1, inf}}}), InvalidArgument);
  GraphOptions options;
  options.weights = static_cast<EdgeWeights>(3);
  EXPECT_THROW(SpreadingEngine(Testing::context(), GraphSpan{2}, options), InvalidArgument);
}

TEST(SpreadingEngine, RejectsBadCallsAndIsUnchanged) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const SpreadingEngine engine(Testing::context(), {3, std::vector<Edge>{{0, 1, 0.5F}}});
  const auto call = [&](const Sources& sources, const SpreadOptions& options) {
    return engine.spread(ragged({sources}), options);
  };
  const auto with = [](auto change) {
    SpreadOptions options;
    change(options);
    return options;
  };
  EXPECT_THROW(call({{3, 0.5F}}, {}), InvalidArgument);
  EXPECT_THROW(call({{0, 1.5F}}, {}), InvalidArgument);
  EXPECT_THROW(call({{0, -0.5F}}, {}), InvalidArgument);
  EXPECT_THROW(call({{0, nan}}, {}), InvalidArgument);
  EXPECT_THROW(call({{0, nan}}, linear({})), InvalidArgument);
  EXPECT_THROW(call({{0, 1}}, with([](SpreadOptions& o) { o.top = 0; })), InvalidArgument);
  EXPECT_THROW(call({{0, 1}}, with([](SpreadOptions& o) { o.threshold = -0.1; })), InvalidArgument);
  EXPECT_THROW(call({{0, 1}}, with([&](SpreadOptions& o) { o.threshold = nan; })), InvalidArgument);
  EXPECT_THROW(call({{0, 1}}, with([&](SpreadOptions& o) { o.decay.parameter = nan; })),
               InvalidArgument);
  EXPECT_THROW(call({{0, 1}}, with([](SpreadOptions& o) { o.decay.parameter = -1; })),
               InvalidArgument);
  EXPECT_THROW(
      call({{0, 1}}, with([](SpreadOptions& o) { o.modifiers.emplace().fans[1].factor = -1; })),
      InvalidArgument);
  SpreadOptions pagerank;
  pagerank.mode = SpreadMode::pagerank;
  EXPECT_NO_THROW(call({{0, 1}}, pagerank));
  pagerank.kinds.reset(9);
  EXPECT_THROW(call({{0, 1}}, pagerank), InvalidArgument);
  const std::vector<std::uint64_t> beyond{0, 2};
  const Sources one{{0, 1}};
  EXPECT_THROW(engine.spread(RaggedSpan<Activation>{beyond, one}), InvalidArgument);
  std::vector<float> y(2);
  const std::vector<float> x(3);
  EXPECT_THROW(engine.hop(std::span(x), std::span(y)), InvalidArgument);
  EXPECT_THAT(call({{0, 1}}, constant(1)).activations.values,
              ElementsAre(Activation{0, 1}, Activation{1, 0.5F}));
  if (!Testing::context().is_usable(Space::cuda)) {
    EXPECT_THROW(call({{0, 1}}, with([](SpreadOptions& o) { o.space = Space::cuda; })),
                 SpaceUnavailable);
  }
}

TEST(SpreadingEngine, EngineModeNamesTheWeightThatItCannotUse) {
  const SpreadingEngine engine(Testing::context(),
                               {3, std::vector<Edge>{{0, 1, 0.5F}, {1, 2, -0.5F}}});
  EXPECT_NO_THROW(engine.spread(ragged({{{0, 1}}}), linear({})));
  try {
    engine.spread(ragged({{{0, 1}}}));
    FAIL() << "a weight of −0.5 was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("edge 1 → 2"));
  }
}

TEST(SpreadingEngine, ReportsItsSize) {
  const SpreadingEngine engine(Testing::context(), {3, std::vector<Edge>{{0, 1, 0.5F}}});
  EXPECT_EQ(engine.nodes(), 3U);
  EXPECT_EQ(engine.edges(), 1U);
  EXPECT_GE(engine.bytes(Space::serial), 4 * 8 + 4 + 4U);
  const SpreadingEngine host_only(Testing::context(), {3, std::vector<Edge>{{0, 1, 0.5F}}},
                                  {.residency = Residency::host});
  EXPECT_EQ(host_only.bytes(Space::cuda), 0U);
  EXPECT_EQ(engine.bytes(Space::cuda) > 0, Testing::context().is_usable(Space::cuda));
}

TEST(SpreadingEngine, ReportsItsWorkspaceAndCaches) {
  const SpreadingEngine engine(Testing::context(), {100, chain(100).edges});
  for (const Space space : Testing::spaces()) {
    const std::uint64_t bare = engine.bytes(space);
    SpreadOptions options = constant(1);
    options.space = space;
    options.modifiers = SpreadModifiers::engram();
    engine.spread(ragged({{{0, 1}}}), options);
    EXPECT_EQ(engine.bytes(space), bare + 99 * sizeof(float)) << to_string(space);
  }
  std::uint64_t before = engine.bytes(Space::serial);
  SpreadOptions ranked;
  ranked.mode = SpreadMode::pagerank;
  ranked.space = Space::serial;
  engine.spread(ragged({{{0, 1}}}), ranked);
  EXPECT_EQ(engine.bytes(Space::serial), before + 100 * 2 * sizeof(double));
  EXPECT_EQ(engine.statistics().bytes[space_index(Space::serial)], engine.bytes(Space::serial));
}

TEST(SpreadingEngine, RepeatedCallsAllocateNothing) {
  ContextOptions options;
  options.load_profile = false;
  Context context(options);
  auto generator = Testing::generator("SpreadingEngine.allocations");
  const Graph graph = random_graph(400, {5000}, 4000, 0, 1, generator);
  const SpreadingEngine engine(context, {graph.nodes, graph.edges});
  std::vector<Sources> queries;
  for (int i = 0; i < 9; ++i) queries.push_back(random_sources(400, 60, 0, 1, generator));
  for (const Space space : {Space::serial, Space::openmp}) {
    SpreadOptions spread_options = constant_at(0.1, 0);
    spread_options.space = space;
    engine.spread(ragged(queries), spread_options);
    const auto before = context.memory_statistics(space).allocations_total;
    for (int i = 0; i < 3; ++i) engine.spread(ragged(queries), spread_options);
    EXPECT_EQ(context.memory_statistics(space).allocations_total, before);
  }
}

}  // namespace SpreadingEngineTest
