// SPDX-License-Identifier: Apache-2.0
// Calls on arrays in the memory of a space: what a call on a stream launches, on every space, and
// the calls of the engine on a device.
#include <kindred/core/arch/Fence.hpp>

#include "GraphSupport.hpp"
#include "graph/GraphStore.hpp"
#include "graph/QueryGroups.hpp"
#include "graph/SpreadingWorkspace.hpp"

namespace Kindred::Testing::Graphs::DeviceArraysTest {

/// The array of the device behind \p view: of constant elements for input.
template <class View>
auto array_of(const View& view, DataType type, const std::vector<std::int64_t>& shape) {
  using array_type =
      std::conditional_t<std::is_const_v<typename View::value_type>, ConstArray, Kindred::Array>;
  const int device = context().info(Space::cuda).device_index;
  return array_type(view.data(), type, shape, {}, ArrayMemory::device, device);
}
/// The same of columns with a row per node.
template <class View>
Kindred::Array vectors(const View& view, std::size_t columns) {
  const auto width = static_cast<std::int64_t>(columns);
  return array_of(view, DataType::float32,
                  {static_cast<std::int64_t>(view.extent(0)) / width, width});
}

/// Sources of queries in one memory space, with the arrays for their results.
template <class ExecutionSpace>
struct Placed {
  SpaceArrays<ExecutionSpace> arrays;
  Impl::ArrayQueries<ExecutionSpace> views;

  Placed(const ExecutionSpace& exec_space, const Queries& lists, std::size_t places)
      : arrays(exec_space) {
    const FlatQueries flat(lists);
    views.sources.offsets = arrays.copy(flat.offsets);
    views.sources.nodes = arrays.copy(flat.nodes);
    views.sources.values = arrays.copy(flat.values);
    views.queries = lists.size();
    views.top = places;
    views.nodes = arrays.copy(std::vector<std::uint32_t>(lists.size() * places, 7));
    views.values = arrays.copy(std::vector<float>(lists.size() * places, 7.0F));
  }
  SpreadSources sources() const {
    const auto count = static_cast<std::int64_t>(views.sources.nodes.extent(0));
    const auto queries = static_cast<std::int64_t>(views.queries);
    return {array_of(views.sources.offsets, DataType::int64, {queries + 1}),
            array_of(views.sources.nodes, DataType::uint32, {count}),
            array_of(views.sources.values, DataType::float32, {count})};
  }
  SpreadOutput output() const {
    const auto queries = static_cast<std::int64_t>(views.queries);
    const auto top = static_cast<std::int64_t>(views.top);
    return {array_of(views.nodes, DataType::uint32, {queries, top}),
            array_of(views.values, DataType::float32, {queries, top})};
  }
  /// Compares the results with those of lists; query \p faulty has none.
  void expect(const ExecutionSpace& exec_space, const SpreadResults& expected,
              std::optional<std::size_t> faulty = {}) const {
    PaddedResults padded(expected, views.top);
    if (faulty)
      std::fill_n(&padded.values[*faulty * views.top], views.top,
                  std::bit_cast<float>(canonical_nan_bits));
    ASSERT_EQ(to_host(exec_space, views.nodes), padded.nodes);
    ASSERT_EQ(bits(to_host(exec_space, views.values)), bits(padded.values));
  }
};

template struct Placed<HostSpace>;  // all of it compiles without a device, too

/// Calls `body(exec_space, workspace, view)` on every space with a view of the graph.
template <class Body>
void with_workspaces(const Graph& graph, const Body& body) {
  const Impl::GraphStore store(context(), graph, GraphOptions{});
  const auto snapshot = store.snapshot();
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space) {
    Impl::SpreadingWorkspace<ExecutionSpace> workspace(context().memory(space));
    body(exec_space, workspace, snapshot->view(exec_space));
    Arch::fence(exec_space, "Kindred::Testing::workspace");
  });
}

TEST(DeviceArrays, LaunchedSpreadsMatchTheEngineOnEverySpace) {
  Graph graph = random_graph(300, row_lengths, 2000);
  graph.kinds = random_kinds(graph.edges.size(), 3);
  const SpreadingEngine engine = engine_of(graph);
  with_workspaces(graph, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                                   auto& workspace, const auto& view) {
    for (const std::size_t queries : {0, 1, 2, 8, 9, 32, 33, 70}) {
      const Queries lists = random_queries(graph.nodes, queries, 0, 0.4F);
      for (const SpreadMode mode : spread_modes) {
        for (const int form : {0, 1, 2}) {
          SpreadOptions options = constant(0.4, 5);
          options.mode = mode;
          if (form == 1) options.kinds = EdgeKinds(5);
          if (form == 2) options.activations = ActivationPrecision::bfloat16;
          options.top = queries == 8 ? 500 : 20;
          const Placed<ExecutionSpace> placed(exec_space, lists, options.top);
          const auto groups = Impl::group_queries(options, 1);
          const Impl::SpreadRequest& request = groups.front().request;
          for (const bool is_again : {false, true}) {
            const auto side = workspace.along(exec_space, view, request.rules);
            const bool is_ready = workspace.is_ready_to_spread(view, placed.views, request);
            // The kinds of form 1 are sent by the first call that has queries and kinds.
            if (form != 1 || (is_again && queries > 0)) {
              EXPECT_EQ(is_ready, is_again);
            }
            workspace.launch_spread(exec_space, side, placed.views, request);
          }
          placed.expect(exec_space, engine.spread(ragged(lists), on(Space::serial, options)));
        }
      }
    }
  });
}

TEST(DeviceArrays, QueriesWithFaultsHaveNoResultsAndOthersHaveTheirs) {
  const Graph graph = random_graph(64, {3, 40}, 300);
  SpreadOptions options = constant(0.5);
  options.top = 70;
  const auto groups = Impl::group_queries(options, 1);
  for (const auto& [queries, faulty] : {std::pair(3UL, 1UL), {40UL, 35UL}}) {
    Queries lists = random_queries(graph.nodes, queries, 0, 0.4F);
    lists[faulty].clear();
    const SpreadResults expected = engine_of(graph).spread(ragged(lists), options);
    lists[faulty] = {{64, 0.5F}, {3, 0.5F}};
    with_workspaces(graph,
                    [&, &faulty = faulty]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                                                auto& workspace, const auto& view) {
                      const Placed<ExecutionSpace> placed(exec_space, lists, options.top);
                      workspace.launch_spread(exec_space, workspace.along(exec_space, view, {}),
                                              placed.views, groups.front().request);
                      placed.expect(exec_space, expected, faulty);
                    });
  }
}

TEST(DeviceArrays, LaunchedHopsAreReadyOnceTheyHaveRun) {
  Graph graph = random_graph(100, {3, 40, 9000}, 300, -1);
  graph.node_kinds.assign(graph.nodes, 1);
  with_workspaces(graph, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                                   auto& workspace, const auto& view) {
    SpaceArrays<ExecutionSpace> arrays(exec_space);
    for (const std::size_t columns : {1, 33, 8}) {
      for (const int form : {0, 1, 2}) {
        Impl::HopRequest request;
        request.count = graph.nodes * columns;
        request.x = arrays.template zeros<float>(request.count).data();
        request.y = arrays.template zeros<float>(request.count).data();
        request.columns = columns;
        request.is_placed = true;
        if (form == 1) request.rules.kinds = EdgeKinds(1);
        if (form == 2) request.rules.modifiers.emplace();
        workspace.hop(exec_space, view, request);
        EXPECT_TRUE(workspace.is_ready_to_hop(view, request));
        request.rules.kinds = EdgeKinds(2);
        EXPECT_FALSE(workspace.is_ready_to_hop(view, request));
      }
    }
    Arch::fence(exec_space, "Kindred::Testing::ready");
  });
}

/// Calls `body(own)` with an instance on a stream of its own; skips the test without a device.
template <class Body>
void on_device(const Body& body) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  Impl::with_instance(context(), Space::cuda,
                      [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                        if constexpr (Arch::is_device<ExecutionSpace>)
                          body(Impl::instance_beside(exec_space));
                      });
}

/// No stream, then the stream of \p own twice.
template <class ExecutionSpace>
std::vector<std::optional<Stream>> without_and_with(const ExecutionSpace& own) {
  return {{}, Stream::cuda(own.cuda_stream()), Stream::cuda(own.cuda_stream())};
}

TEST(DeviceArrays, HopsOfTheEngineMatchThoseOnTheHost) {
  on_device([]<class ExecutionSpace>(const ExecutionSpace& own) {
    Graph graph = random_graph(300, row_lengths, 2000, -1);
    graph.kinds = random_kinds(graph.edges.size(), 3);
    SpreadingEngine engine = engine_of(graph);
    const SpreadModifiers engram = SpreadModifiers::engram();
    for (std::uint32_t round = 0; round < 2; ++round) {
      for (const std::size_t columns : {1, 2, 8, 33, 41}) {
        const std::vector<float> x = random_values(engine.nodes() * columns);
        const auto device_x = to_space(own, x);
        for (const HopDirection direction : directions) {
          for (HopOptions options : {HopOptions{direction}, HopOptions{direction, EdgeKinds(5)},
                                     HopOptions{.direction = direction, .modifiers = engram}}) {
            options.space = Space::serial;
            const auto expected = bits(hopped(engine, x, columns, options));
            options.space = {};
            for (const auto& stream : without_and_with(own)) {
              const auto device_y = to_space(own, std::vector<float>(x.size(), 7.0F));
              options.stream = stream;
              const auto record =
                  engine.hop(vectors(device_x, columns), vectors(device_y, columns), options);
              EXPECT_EQ(record.chosen, Space::cuda);
              EXPECT_EQ(bits(to_host(own, device_y)), expected) << columns;
            }
          }
        }
      }
      const std::uint32_t node = engine.add_nodes(2);
      engine.add_edges({{{node, 3, 0.5F}, {7, node + 1, 0.25F}}});
      engine.remove_nodes({{11 + round}});
    }
  });
}

TEST(DeviceArrays, HopsOnTwoStreamsOutliveChangesAndMergesOfTheGraphAndItsEngine) {
  on_device([]<class ExecutionSpace>(const ExecutionSpace& own) {
    const ExecutionSpace other = Impl::instance_beside(own);
    const std::size_t nodes = 20'000;
    std::optional<SpreadingEngine> engine(
        engine_of(random_graph(nodes, {3, 40, 90'000}, 400'000, -1), by_hand()));
    const std::vector<float> wide = random_values(nodes * 33);
    const std::vector<float> narrow(wide.begin(), wide.begin() + nodes);
    const auto device_wide = to_space(own, wide);
    const auto device_narrow = to_space(own, narrow);
    std::vector<std::vector<float>> expected;
    std::vector<Testing::Array<ExecutionSpace, float>> results;
    for (std::uint32_t round = 0; round < 12; ++round) {
      const bool is_wide = round % 2 == 0;
      const std::size_t columns = is_wide ? 33 : 1;
      expected.push_back(
          hopped(*engine, is_wide ? wide : narrow, columns, {.space = Space::openmp}));
      results.push_back(to_space(own, std::vector<float>(nodes * columns, 7.0F)));
      HopOptions options;
      options.stream = Stream::cuda((round % 3 == 0 ? other : own).cuda_stream());
      for (int again = 0; again < 5; ++again)
        engine->hop(vectors(is_wide ? device_wide : device_narrow, columns),
                    vectors(results.back(), columns), options);
      engine->add_edges({{{round, 5, 0.5F}}});
      if (round % 4 == 3 && round < 11) engine->merge();
    }
    engine.reset();  // which waits for its calls
    Arch::fence(other, "Kindred::Testing::streams");
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(bits(to_host(own, results[i])), bits(expected[i])) << i;
  });
}

TEST(DeviceArrays, SpreadsOfTheEngineMatchThoseOnTheHost) {
  on_device([]<class ExecutionSpace>(const ExecutionSpace& own) {
    const Graph graph = random_graph(300, row_lengths, 2000);
    SpreadingEngine engine = engine_of(graph);
    engine.add_edges({{{5, 6, 0.5F}}});
    engine.remove_nodes({{17}});
    for (const std::size_t queries : {0, 1, 3, 33, 70}) {
      Queries lists = random_queries(graph.nodes, queries, 0, 0.4F);
      for (Sources& sources : lists) {
        for (Activation& source : sources) source.node += source.node == 17 ? 1 : 0;
      }
      for (const SpreadMode mode : spread_modes) {
        for (const std::size_t top : {1, 40, 400}) {
          SpreadOptions options = constant(0.4, 20);
          options.mode = mode;
          options.top = top;
          const SpreadResults expected = engine.spread(ragged(lists), on(Space::serial, options));
          for (const auto& stream : without_and_with(own)) {
            const Placed<ExecutionSpace> placed(own, lists, top);
            options.stream = stream;
            engine.spread(placed.sources(), options, placed.output());
            placed.expect(own, expected);
          }
        }
      }
    }
    // A removed node is refused without a stream, and marked on one.
    const Placed<ExecutionSpace> removed(own, {{{17, 0.5F}}, {{3, 0.5F}}}, 2);
    EXPECT_THROW(engine.spread(removed.sources(), {}, removed.output()), InvalidArgument);
    SpreadOptions options;
    options.stream = Stream::cuda(own.cuda_stream());
    engine.spread(removed.sources(), options, removed.output());
    const auto nodes = to_host(own, removed.views.nodes);
    EXPECT_EQ(nodes[0], 0xFFFFFFFFU);
    EXPECT_NE(nodes[2], 0xFFFFFFFFU);
    options.mode = SpreadMode::pagerank;
    EXPECT_THROW(engine.spread(removed.sources(), options, removed.output()), InvalidArgument);
  });
}

TEST(DeviceArrays, OfAGraphThatIsNotOnTheDeviceAreRejected) {
  on_device([]<class ExecutionSpace>(const ExecutionSpace& own) {
    const Graph graph{3, {{0, 1, 0.5F}}};
    const auto x = to_space(own, std::vector<float>(3));
    const auto y = to_space(own, std::vector<float>(3));
    EXPECT_THROW(engine_of(graph, {.residency = Residency::host}).hop(vectors(x, 1), vectors(y, 1)),
                 SpaceUnavailable);
    EXPECT_THROW(
        engine_of(graph).hop(vectors(x, 1), vectors(y, 1), HopOptions{.space = Space::serial}),
        InvalidArgument);
  });
}

TEST(DeviceArrays, RowsOnTheDeviceMakeTheSameGraph) {
  on_device([]<class ExecutionSpace>(const ExecutionSpace& own) {
    const auto offsets = to_space(own, std::vector<std::int64_t>{0, 2, 3, 3});
    const auto ends = to_space(own, std::vector<std::uint32_t>{1, 2, 0});
    const auto weights = to_space(own, std::vector<float>{0.5F, 0.25F, 1});
    const SpreadingEngine engine(context(), CsrGraph{array_of(offsets, DataType::int64, {4}),
                                                     array_of(ends, DataType::uint32, {3}),
                                                     array_of(weights, DataType::float32, {3})});
    EXPECT_EQ(hopped(engine, {1, 2, 4}, 1, {}), std::vector<float>({2, 0.5F, 0.25F}));
  });
}

}  // namespace Kindred::Testing::Graphs::DeviceArraysTest
