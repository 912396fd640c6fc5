// SPDX-License-Identifier: Apache-2.0
#include "SpreadingSupport.hpp"

namespace Kindred::Testing::Graphs::SpreadingEngineTest {

// ---- Compared with the reference ----

TEST(SpreadingEngine, SmallGraphsMatchReferenceInEveryMode) {
  const float almost = std::nextafter(1.0F, 0.0F);
  const float tiny = std::ldexp(1.0F, -26);  // lost where it is added to `almost`
  const std::vector<std::pair<Graph, Queries>> worlds{
      {{1}, {{{0, almost}, {0, tiny}, {0, tiny}}, {{0, 2 * tiny}, {0, 2 * tiny}, {0, almost}}}},
      {{3}, {{{1, 0.5F}}, {}, {{0, 1}, {2, 1}}}},
      {{3, {{0, 1, 0.25F}, {1, 2, 1}}}, {{{0, 1}}}},
      {{3, {{0, 1, 0.02F}, {0, 2, 0.02F}}}, {{{0, 1}, {1, 0.001F}}, {{0, 1}, {1, 0}}}},
      {{6, {{0, 1, 1}, {1, 3, 0.04F}, {0, 2, 1}, {2, 4, 1}, {4, 3, 0.06F}, {4, 5, 0.06F}}},
       {{{0, 1}}}},
      {ring(6, 0.5F), {{{0, 0.5F}}}},
      {complete(0.2F), {{{0, 0.5F}, {1, 0.5F}, {2, 0.5F}, {3, 0.5F}, {4, 0.5F}}, {{0, 1}, {4, 0}}}},
      {chain(5000), {{{0, 1}}, {{4999, 1}}, {{2500, 1}, {0, 0.5F}}}}};
  const std::vector<SpreadOptions> all_options{{},
                                               constant(1, 3),
                                               constant_at(1, 0, 600),
                                               constant_at(1, 0.25),
                                               constant_at(1, std::nextafter(0.25F, 1.0F)),
                                               constant_at(0.5, 0.125),
                                               linear(constant(0.7, 3)),
                                               page_rank()};
  EXPECT_THAT(spread({0}, {}, {}), ::testing::IsEmpty());
  for (const auto& [graph, queries] : worlds) {
    const SpreadingEngine engine = engine_of(graph);
    for (const SpreadOptions& options : all_options)
      expect_reference(engine, graph, queries, options);
  }
}

TEST(SpreadingEngine, StarsMatchReferenceInEveryMode) {
  Graph star{100'001};
  Sources leaves;
  for (std::uint32_t v = 1; v <= 100'000; ++v) {
    star.edges.push_back({v, 0, 1.0F / static_cast<float>(v)});
    if (v % 2 == 0) star.edges.push_back({0, v, 0.9F});
    if (v % 3 == 0) leaves.push_back({v, 1.0F / static_cast<float>(v)});
  }
  for (const SpreadOptions& options : {constant_at(0.7, 0.01), linear(constant(0.7)), page_rank()})
    expect_reference(star, {leaves, {{77, 1}}, {{0, 1}}}, options);
}

TEST(SpreadingEngine, ManySourcesAreAddedInInputOrder) {
  Sources sources;
  for (int i = 0; i < 5000; ++i) {
    sources.push_back(
        {46 * random_node(1500), static_cast<float>(random_below(1000) + 1) * 1.3e-5F});
  }
  // Node numbers with three significant bytes.
  expect_reference({70'000}, {sources}, linear(constant(1, 0)));
}

TEST(SpreadingEngine, DecaysAndTiersMatchTheirNames) {
  EXPECT_FLOAT_EQ(decay_at({Decay::Kind::exponential, 0.7}, 3), std::exp(-2.1F));
  EXPECT_EQ(decay_at({Decay::Kind::power, 2}, 1), 0.25F);
  EXPECT_EQ(decay_at({Decay::Kind::power, 0}, 9), 1.0F);
  EXPECT_EQ(decay_at({Decay::Kind::constant, 0.3}, 7), 0.3F);
  for (const auto& [hop, decay] : {std::pair(1U, 0.75F), {4U, 0.0F}, {9U, 0.0F}})
    EXPECT_EQ(decay_at({Decay::Kind::linear, 0.25}, hop), decay);
  EXPECT_THAT((std::vector<int>{tier_at(0), tier_at(1), tier_at(2), tier_at(3), tier_at(99)}),
              ElementsAre(0, 1, 1, 2, 2));
}

TEST(SpreadingEngine, AHubWithAMillionEdgesIsExact) {
  Graph graph{1'000'001};
  Sources sources;
  for (std::uint32_t v = 1; v < graph.nodes; ++v) {
    graph.edges.push_back({v, 0, 0x1p-20F});
    sources.push_back({v, 0.5F});
  }
  sources.push_back({0, 0.25F});
  SpreadOptions options = constant(1, 1);
  options.top = 2;
  // 10⁶ · 2⁻²¹ is exact in double.
  EXPECT_THAT(spread(graph, sources, options),
              ElementsAre(Activation{0, 0.25F + 1e6F * 0x1p-21F}, Activation{1, 0.5F}));
}

// ---- Reproducible bits ----

TEST(SpreadingEngine, ABatchEqualsALoop) {
  // Of any size, on one engine with rows of every length, whose modes and widths alternate.
  const Graph graph = random_graph(700, row_lengths, 4000);
  const SpreadingEngine engine = engine_of(graph);
  SpreadOptions rounded = linear(constant(0.5));
  rounded.activations = ActivationPrecision::bfloat16;
  for (const std::size_t queries : {0, 1, 2, 8, 9, 32, 33, 70, 2}) {
    Queries all = random_queries(700, queries);
    if (queries == 9 || queries == 33) all.back() = random_sources(700, 400);
    for (const SpreadOptions& options :
         {constant_at(0.05, 0.01), linear(constant(0.01)), rounded}) {
      const bool is_rounded = options.activations == ActivationPrecision::bfloat16;
      EXPECT_EQ(engine.spread(ragged(all), options).not_guaranteed, is_rounded && queries > 0);
      expect_reference(engine, graph, all, options);
      for (const Sources& query : all) expect_reference(engine, graph, {query}, options);
    }
  }
}

TEST(SpreadingEngine, ThreadCountsAndRunsGiveTheSameBits) {
  const Graph graph = random_graph(3000, {20000, 9000}, 60000);
  const auto queries = ragged<Activation>({random_sources(3000, 4), random_sources(3000, 900)});
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
  const Graph graph = random_graph(20000, {}, 40000);
  Ragged<Activation> queries;
  for (int i = 0; i < 32; ++i) queries.push_row(random_sources(20000, 9000));
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
  const Graph graph = random_graph(500, row_lengths, 3000);
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
  for (std::size_t i = 0; i < 9; ++i) queries.push_back(random_sources(500, i));
  const std::vector<float> x(graph.nodes, 0.3F);
  const auto product = bits(reference_hop(graph, x, 1, {}));
  for (const SpreadingEngine& engine : engines) {
    EXPECT_EQ(bits(hopped(engine, x, 1, {})), product);
    for (const SpreadOptions& options :
         {constant_at(0.05, 0.01), linear(constant(0.01)), page_rank()})
      EXPECT_EQ(bits(engine.spread(ragged(queries), options)),
                bits(reference(graph, queries, options)));
  }
}

// ---- Invalid input ----

TEST(SpreadingEngine, RejectsBadCallsAndIsUnchanged) {
  constexpr SpreadMode rank = SpreadMode::pagerank;
  const Sources one{{0, 1}};
  const std::vector<std::uint64_t> offsets{0, 2};
  const RaggedSpan<Activation> beyond{offsets, one};
  const SpreadingEngine engine = engine_of(Graph{3, {{0, 1, 0.5F}}});
  const SpreadingEngine negative = engine_of(Graph{4, {{0, 1, 1}, {2, 3, 1}, {2, 1, -0.5F}}});
  const auto call = [&](const Sources& sources, const SpreadOptions& options = {}) {
    return spreading(engine, sources, options);
  };
  SpreadModifiers modifiers;
  modifiers.fans[1].factor = -1;
  expect_refused({
      {call({{3, 0.5F}}), ""},
      {call({{0, 1.5F}}), ""},
      {call({{0, -0.5F}}), ""},
      {call({{0, NAN}}), ""},
      {call({{0, NAN}}, linear({})), ""},
      {call(one, {.top = 0}), ""},
      {call(one, {.threshold = -0.1}), ""},
      {call(one, {.threshold = NAN}), ""},
      {call(one, {.decay = {Decay::Kind::exponential, NAN}}), ""},
      {call(one, {.decay = {Decay::Kind::exponential, -1}}), ""},
      {call(one, {.modifiers = modifiers}), ""},
      {call(one, {.stream = Stream::cuda(nullptr)}), ""},
      {[&] { engine.spread(beyond); }, ""},
      {call({{3, 1}}, page_rank()), "source node 3"},
      {call({{0, -1}}, page_rank()), "-1"},
      {call({{0, INFINITY}}, page_rank()), "inf"},
      {call({{0, 3e38F}, {0, 3e38F}}, page_rank()), "float32"},
      {call(one, {.mode = rank, .damping = -0.1}), "damping"},
      {call(one, {.mode = rank, .damping = 1}), "damping"},
      {call(one, {.mode = rank, .damping = 2}), "damping"},
      {call(one, {.mode = rank, .damping = NAN}), "damping"},
      {call(one, {.mode = rank, .tolerance = -1e-9}), "tolerance"},
      {call(one, {.mode = rank, .tolerance = NAN}), "tolerance"},
      {call(one, {.mode = rank, .max_iterations = 0}), "iteration"},
      {call(one, {.mode = rank, .kinds = EdgeKinds().set().reset(9)}), ""},
      {call(one, {.mode = rank, .trace_paths = 1}), ""},
      {spreading(negative, one, page_rank()), "the edge 2 → 1 has the weight -0.5"},
  });
  for (const SpreadOptions& options : {constant(1), page_rank()})
    expect_reference(engine, {3, {{0, 1, 0.5F}}}, {one}, options);
  if (!Testing::context().is_usable(Space::cuda))
    expect_refused<SpaceUnavailable>({{call(one, {.space = Space::cuda}), ""}});
}

// ---- Sizes ----

TEST(SpreadingEngine, ReportsItsSizeWithItsWorkspaceAndCaches) {
  const Graph graph = chain(100);
  const SpreadingEngine engine = engine_of(graph);
  EXPECT_EQ(engine.nodes(), 100U);
  EXPECT_EQ(engine.edges(), 99U);
  EXPECT_GE(engine.bytes(Space::serial), 101 * 8 + 99 * (4 + 4U));
  EXPECT_EQ(engine_of(graph, {.residency = Residency::host}).bytes(Space::cuda), 0U);
  EXPECT_EQ(engine.bytes(Space::cuda) > 0, Testing::context().is_usable(Space::cuda));
  const auto sources = query_of({{0, 1}});
  for (const Space space : spaces()) {
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
  const Graph graph = random_graph(400, {5000}, 4000);
  const SpreadingEngine engine(context, graph);
  Ragged<Activation> queries;
  for (int i = 0; i < 9; ++i) queries.push_row(random_sources(400, 60));
  for (const Space space : {Space::serial, Space::openmp}) {
    const SpreadOptions options = on(space, constant_at(0.1, 0));
    engine.spread(queries, options);
    const auto before = context.memory_statistics(space).allocations_total;
    for (int i = 0; i < 3; ++i) engine.spread(queries, options);
    EXPECT_EQ(context.memory_statistics(space).allocations_total, before);
  }
}

}  // namespace Kindred::Testing::Graphs::SpreadingEngineTest
