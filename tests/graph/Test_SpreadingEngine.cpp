// SPDX-License-Identifier: Apache-2.0
#include "RefusedCalls.hpp"
#include "SpreadingSupport.hpp"

namespace SpreadingEngineTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;
using ::testing::ElementsAre;
using Testing::ragged;

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
    Graph graph{leaves + 1};
    Sources sources;
    for (std::uint32_t v = 1; v <= leaves; ++v) {
      graph.edges.push_back({v, 0, 1.0F / static_cast<float>(v)});
      graph.edges.push_back({0, v, 0.9F});
      if (v % 3 == 0) sources.push_back({v, 1.0F / static_cast<float>(v)});
    }
    for (const SpreadOptions& options : {constant_at(0.7, 0.01), linear(constant(0.7))})
      expect_reference(graph, {sources}, options);
  }
}

TEST(SpreadingEngine, AHubWithAMillionEdgesIsExact) {
  constexpr std::uint32_t leaves = 1'000'000;
  Graph graph{leaves + 1};
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
         {constant_at(0.01, 0.001), constant_at(0.02, 0.0, 2), linear(constant(0.01))})
      expect_reference(graph, {query}, options);
  }
}

TEST(SpreadingEngine, RandomGraphsMatchReference) {
  auto generator = Testing::generator("SpreadingEngine.random");
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
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
    expect_reference(graph, {sources}, options);
  }
}

// ---- Reproducible bits ----

TEST(SpreadingEngine, ABatchEqualsALoop) {
  auto generator = Testing::generator("SpreadingEngine.batch");
  const Graph graph = random_graph(700, {5000, 300, 40}, 4000, 0, 1, generator);
  for (const std::size_t queries : {0U, 1U, 2U, 8U, 9U, 32U, 33U, 70U}) {
    const Queries all = random_queries(700, queries, 0, 1, generator);
    for (const SpreadOptions& options : {constant_at(0.05, 0.01), linear(constant(0.01))}) {
      expect_reference(graph, all, options);
      for (const Sources& query : all) expect_reference(graph, {query}, options);
    }
  }
}

TEST(SpreadingEngine, ModesAndWidthsCanAlternateOnOneEngine) {
  auto generator = Testing::generator("SpreadingEngine.modes");
  const Graph graph = random_graph(700, {5000, 300, 40}, 4000, 0, 1, generator);
  const SpreadingEngine engine = engine_of(graph);
  for (const std::size_t queries : {1U, 9U, 40U, 2U}) {
    Queries some;
    for (std::size_t i = 0; i < queries; ++i)
      some.push_back(random_sources(700, 400, 0, 1, generator));
    for (const SpreadOptions& options : {constant_at(0.05, 0.01), linear(constant(0.01))})
      expect_reference(engine, graph, some, options);
  }
}

TEST(SpreadingEngine, ThreadCountsAndRunsGiveTheSameBits) {
  auto generator = Testing::generator("SpreadingEngine.threads");
  const Graph graph = random_graph(3000, {20000, 9000}, 60000, 0, 1, generator);
  const auto queries = ragged<Activation>(
      {random_sources(3000, 4, 0, 1, generator), random_sources(3000, 900, 0, 1, generator)});
  const auto answers = [&](Context& context, Space space) {
    return bits(SpreadingEngine(context, graph).spread(queries, on(space, constant_at(0.01, 0.0))));
  };
  const auto expected = answers(Testing::context(), Space::serial);
  for (const int threads : {1, 2, 3, 7}) {
    Context context(ContextOptions{.threads = threads, .load_profile = false});
    for (int run = 0; run < 2; ++run) EXPECT_EQ(answers(context, Space::openmp), expected);
  }
}

TEST(SpreadingEngine, LittleMemorySplitsTheBatchWithoutChangingTheBits) {
  auto generator = Testing::generator("SpreadingEngine.memory");
  const Graph graph = random_graph(20000, {}, 40000, 0, 1, generator);
  Ragged<Activation> queries;
  for (int i = 0; i < 32; ++i) queries.push_row(random_sources(20000, 9000, 0, 1, generator));
  constexpr std::uint64_t budget = 5'000'000;
  Context roomy(ContextOptions{.load_profile = false});
  Context small(ContextOptions{.host_budget = budget, .load_profile = false});
  const SpreadOptions options = on(Space::serial, constant_at(0.3, 0.0, 2));
  EXPECT_EQ(bits(SpreadingEngine(small, graph).spread(queries, options)),
            bits(SpreadingEngine(roomy, graph).spread(queries, options)));
  EXPECT_GT(roomy.memory_statistics(Space::serial).bytes_peak, budget)
      << "the whole batch fits into the budget";
}

TEST(SpreadingEngine, TheResidencyOfAGraphDoesNotChangeTheBits) {
  auto generator = Testing::generator("SpreadingAccuracy.residency");
  const Graph graph = random_graph(500, row_lengths, 3000, 0, 1, generator);
  std::vector<SpreadingEngine> engines;
  engines.push_back(engine_of(graph, {.residency = Residency::host}));
  const std::vector<std::byte> file = engines.front().to_bytes();
  Context& context = Testing::context();
  engines.push_back(SpreadingEngine::load(context, file));
  engines.push_back(engine_of(graph));
  if (context.is_usable(Space::cuda)) {
    engines.push_back(engine_of(graph, {.residency = Residency::device}));
    engines.push_back(SpreadingEngine::load(context, file, {.residency = Residency::both}));
  }
  Queries queries;
  for (std::size_t i = 0; i < 9; ++i) queries.push_back(random_sources(500, i, 0, 1, generator));
  const std::vector<float> x(graph.nodes, 0.3F);
  const auto product = bits_of(reference_hop(graph, x, 1, {}));
  for (const SpreadOptions& options :
       {constant_at(0.05, 0.01), linear(constant(0.01)), page_rank()}) {
    const auto expected = bits(reference(graph, queries, options));
    for (const SpreadingEngine& engine : engines)
      EXPECT_EQ(bits(engine.spread(ragged(queries), options)), expected);
  }
  for (const SpreadingEngine& engine : engines)
    EXPECT_EQ(bits_of(hopped(engine, x, 1, {})), product);
}

// ---- Invalid input ----

TEST(SpreadingEngine, RejectsBadCallsAndIsUnchanged) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const SpreadingEngine engine = engine_of(Graph{3, {{0, 1, 0.5F}}});
  const auto call = [&](const Sources& sources, const SpreadOptions& options = {}) {
    return [&engine, sources, options] { engine.spread(ragged<Activation>({sources}), options); };
  };
  const auto with = [&](auto change) {
    SpreadOptions options;
    change(options);
    return call({{0, 1}}, options);
  };
  const std::vector<std::uint64_t> beyond{0, 2};
  const Sources one{{0, 1}};
  Testing::expect_refused({
      {call({{3, 0.5F}}), ""},
      {call({{0, 1.5F}}), ""},
      {call({{0, -0.5F}}), ""},
      {call({{0, NAN}}), ""},
      {call({{0, NAN}}, linear({})), ""},
      {with([](auto& options) { options.top = 0; }), ""},
      {with([](auto& options) { options.threshold = -0.1; }), ""},
      {with([&](auto& options) { options.threshold = nan; }), ""},
      {with([&](auto& options) { options.decay.parameter = nan; }), ""},
      {with([](auto& options) { options.decay.parameter = -1; }), ""},
      {with([](auto& options) { options.modifiers.emplace().fans[1].factor = -1; }), ""},
      {with([](auto& options) { options.stream = Stream::cuda(nullptr); }), ""},
      {[&] {
         engine.spread(RaggedSpan<Activation>{beyond, one});
       },
       ""},
  });
  EXPECT_THAT(engine.spread(ragged<Activation>({one}), constant(1)).activations.values,
              ElementsAre(Activation{0, 1}, Activation{1, 0.5F}));
  if (!Testing::context().is_usable(Space::cuda)) {
    Testing::expect_refused<SpaceUnavailable>(
        {{with([](auto& options) { options.space = Space::cuda; }), ""}});
  }
}

// ---- Sizes ----

TEST(SpreadingEngine, ReportsItsSize) {
  const Graph graph{3, {{0, 1, 0.5F}}};
  const SpreadingEngine engine = engine_of(graph);
  EXPECT_EQ(engine.nodes(), 3U);
  EXPECT_EQ(engine.edges(), 1U);
  EXPECT_GE(engine.bytes(Space::serial), 4 * 8 + 4 + 4U);
  EXPECT_EQ(engine_of(graph, {.residency = Residency::host}).bytes(Space::cuda), 0U);
  EXPECT_EQ(engine.bytes(Space::cuda) > 0, Testing::context().is_usable(Space::cuda));
}

TEST(SpreadingEngine, ReportsItsWorkspaceAndCaches) {
  const SpreadingEngine engine = engine_of(chain(100));
  const auto sources = ragged<Activation>({{{0, 1}}});
  for (const Space space : Testing::spaces()) {
    const std::uint64_t bare = engine.bytes(space);
    SpreadOptions options = on(space, constant(1));
    options.modifiers = SpreadModifiers::engram();
    engine.spread(sources, options);
    EXPECT_EQ(engine.bytes(space), bare + 99 * sizeof(float)) << to_string(space);
  }
  const std::uint64_t before = engine.bytes(Space::serial);
  engine.spread(sources, on(Space::serial, page_rank()));
  EXPECT_EQ(engine.bytes(Space::serial), before + 100 * 2 * sizeof(double));
  EXPECT_EQ(engine.statistics().bytes[space_index(Space::serial)], engine.bytes(Space::serial));
}

TEST(SpreadingEngine, RepeatedCallsAllocateNothing) {
  Context context(ContextOptions{.load_profile = false});
  auto generator = Testing::generator("SpreadingEngine.allocations");
  const Graph graph = random_graph(400, {5000}, 4000, 0, 1, generator);
  const SpreadingEngine engine(context, graph);
  Ragged<Activation> queries;
  for (int i = 0; i < 9; ++i) queries.push_row(random_sources(400, 60, 0, 1, generator));
  for (const Space space : {Space::serial, Space::openmp}) {
    const SpreadOptions options = on(space, constant_at(0.1, 0));
    engine.spread(queries, options);
    const auto before = context.memory_statistics(space).allocations_total;
    for (int i = 0; i < 3; ++i) engine.spread(queries, options);
    EXPECT_EQ(context.memory_statistics(space).allocations_total, before);
  }
}

}  // namespace SpreadingEngineTest
