// SPDX-License-Identifier: Apache-2.0
// Calls on arrays in the memory of a space: what a call on a stream launches, on every space, and
// the calls of the engine on a device.
#include <gtest/gtest.h>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "ColumnsOf.hpp"
#include "SpreadingSupport.hpp"
#include "ToSpace.hpp"
#include "graph/GraphStore.hpp"
#include "graph/QueryGroups.hpp"
#include "graph/SpreadingWorkspace.hpp"

namespace DeviceArraysTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;

template <class ExecutionSpace, class T>
using View = Kokkos::View<T*, typename ExecutionSpace::memory_space>;

template <class ExecutionSpace, class T>
std::vector<T> on_host(const ExecutionSpace& exec_space, const View<ExecutionSpace, T>& view) {
  std::vector<T> values(view.extent(0));
  Impl::download(exec_space, values.data(), view, values.size());
  return values;
}

/// Sources of queries in one memory space, with the arrays for their results.
template <class ExecutionSpace>
struct Placed {
  View<ExecutionSpace, std::int64_t> offsets;
  View<ExecutionSpace, std::uint32_t> nodes;
  View<ExecutionSpace, float> values;
  View<ExecutionSpace, std::uint32_t> out_nodes;
  View<ExecutionSpace, float> out_values;
  std::size_t queries;
  std::size_t top;

  Placed(const ExecutionSpace& exec_space, const std::vector<Sources>& lists, std::size_t places)
      : queries(lists.size()), top(places) {
    std::vector<std::int64_t> ends{0};
    std::vector<std::uint32_t> of_nodes;
    std::vector<float> of_values;
    for (const Sources& sources : lists) {
      for (const Activation& source : sources) {
        of_nodes.push_back(source.node);
        of_values.push_back(source.value);
      }
      ends.push_back(static_cast<std::int64_t>(of_nodes.size()));
    }
    offsets = Testing::to_space(exec_space, ends);
    nodes = Testing::to_space(exec_space, of_nodes);
    values = Testing::to_space(exec_space, of_values);
    out_nodes = Testing::to_space(exec_space, std::vector<std::uint32_t>(queries * top, 7));
    out_values = Testing::to_space(exec_space, std::vector<float>(queries * top, 7.0F));
  }

  Impl::ArrayQueries<ExecutionSpace> views() const {
    Impl::ArrayQueries<ExecutionSpace> all;
    all.sources.offsets = offsets;
    all.sources.nodes = nodes;
    all.sources.values = values;
    all.queries = queries;
    all.top = top;
    all.nodes = out_nodes;
    all.values = out_values;
    return all;
  }
  template <class Of>
  static auto array_of(const Of& view, DataType type, const std::vector<std::int64_t>& shape) {
    const int device = Testing::context().info(Space::cuda).device_index;
    return Kindred::Array(view.data(), type, shape, {}, ArrayMemory::device, device);
  }
  SpreadSources sources() const {
    const auto count = static_cast<std::int64_t>(nodes.extent(0));
    return {array_of(offsets, DataType::int64, {static_cast<std::int64_t>(queries + 1)}),
            array_of(nodes, DataType::uint32, {count}),
            array_of(values, DataType::float32, {count})};
  }
  SpreadOutput output() const {
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(queries),
                                          static_cast<std::int64_t>(top)};
    return {array_of(out_nodes, DataType::uint32, shape),
            array_of(out_values, DataType::float32, shape)};
  }
  /// Compares the results with those of lists.
  void expect(const ExecutionSpace& exec_space, const SpreadResults& expected) const {
    const auto got_nodes = on_host(exec_space, out_nodes);
    const auto got_values = on_host(exec_space, out_values);
    for (std::size_t q = 0; q < queries; ++q) {
      const auto row = expected.activations[q];
      for (std::size_t i = 0; i < top; ++i) {
        const std::size_t at = q * top + i;
        ASSERT_EQ(got_nodes[at], i < row.size() ? row[i].node : 0xFFFFFFFFU) << q << ", " << i;
        ASSERT_EQ(std::bit_cast<std::uint32_t>(got_values[at]),
                  std::bit_cast<std::uint32_t>(i < row.size() ? row[i].value : 0.0F));
      }
    }
  }
};

std::vector<Sources> random_lists(std::size_t queries, std::size_t nodes,
                                  std::mt19937_64& generator) {
  std::vector<Sources> lists;
  for (std::size_t q = 0; q < queries; ++q)
    lists.push_back(random_sources(nodes, q % 7, 0, 0.4F, generator));
  return lists;
}

TEST(DeviceArrays, LaunchedSpreadsMatchTheEngineOnEverySpace) {
  auto generator = Testing::generator("DeviceArrays.spread");
  const Graph graph = random_graph(300, row_lengths, 2000, 0, 1, generator);
  const std::vector<std::uint8_t> kinds = [&] {
    std::vector<std::uint8_t> of(graph.edges.size());
    for (std::uint8_t& kind : of) kind = static_cast<std::uint8_t>(generator() % 3);
    return of;
  }();
  const GraphSpan span{graph.nodes, graph.edges, kinds};
  const SpreadingEngine engine(Testing::context(), span, GraphOptions{});
  const Impl::GraphStore store(Testing::context(), span, GraphOptions{});
  const auto snapshot = store.snapshot();
  for (const Space space : Testing::spaces()) {
    SCOPED_TRACE(to_string(space));
    Impl::with_instance(
        Testing::context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
          Impl::SpreadingWorkspace<ExecutionSpace> workspace(Testing::context().memory(space));
          for (const std::size_t queries : {0, 1, 2, 8, 9, 32, 33, 70}) {
            const std::vector<Sources> lists = random_lists(queries, graph.nodes, generator);
            for (const bool is_engine : {true, false}) {
              for (const int form : {0, 1, 2}) {
                SpreadOptions options = constant(0.4, 5);
                if (!is_engine) options.mode = SpreadMode::linear;
                if (form == 1) options.kinds = EdgeKinds(5);
                if (form == 2) options.activations = ActivationPrecision::bfloat16;
                options.top = queries == 8 ? 500 : 20;
                options.space = space;
                const Placed<ExecutionSpace> placed(exec_space, lists, options.top);
                const auto groups = Impl::group_queries(options, 1);
                const Impl::SpreadRequest& request = groups.front().request;
                const auto view = snapshot->view(exec_space);
                for (const bool is_again : {false, true}) {
                  const auto side = workspace.along(exec_space, view, request.rules);
                  const bool is_ready = workspace.is_ready_to_spread(view, placed.views(), request);
                  // The kinds of form 1 are sent by the first call that has queries and kinds.
                  if (form != 1 || (is_again && queries > 0)) {
                    EXPECT_EQ(is_ready, is_again);
                  }
                  workspace.launch_spread(exec_space, side, placed.views(), request);
                }
                placed.expect(exec_space, engine.spread(ragged(lists), options));
              }
            }
          }
        });
  }
}

TEST(DeviceArrays, QueriesWithFaultsHaveNoResultsAndOthersHaveTheirs) {
  auto generator = Testing::generator("DeviceArrays.faults");
  const Graph graph = random_graph(64, {3, 40}, 300, 0, 1, generator);
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  const Impl::GraphStore store(Testing::context(), GraphSpan{graph.nodes, graph.edges},
                               GraphOptions{});
  const std::vector<Sources> valid{{{3, 0.5F}}, {}, {{7, 0.25F}, {3, 0.5F}}};
  std::vector<Sources> lists = valid;
  lists[1] = {{64, 0.5F}, {3, 0.5F}};
  SpreadOptions options = constant(0.5);
  options.top = 70;
  const SpreadResults expected = engine.spread(ragged(valid), options);
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(
        Testing::context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
          Impl::SpreadingWorkspace<ExecutionSpace> workspace(Testing::context().memory(space));
          const Placed<ExecutionSpace> placed(exec_space, lists, options.top);
          const auto groups = Impl::group_queries(options, 1);
          const auto view = store.snapshot()->view(exec_space);
          workspace.launch_spread(exec_space, workspace.along(exec_space, view, {}), placed.views(),
                                  groups.front().request);
          const auto nodes = on_host(exec_space, placed.out_nodes);
          const auto values = on_host(exec_space, placed.out_values);
          for (std::size_t i = 0; i < options.top; ++i) {
            EXPECT_EQ(nodes[options.top + i], 0xFFFFFFFFU);
            EXPECT_NE(values[options.top + i], values[options.top + i]);
          }
          for (const std::size_t q : {0, 2}) {
            for (std::size_t i = 0; i < expected.activations[q].size(); ++i) {
              EXPECT_EQ(nodes[q * options.top + i], expected.activations[q][i].node);
              EXPECT_EQ(values[q * options.top + i], expected.activations[q][i].value);
            }
          }
        });
  }
}

TEST(DeviceArrays, LaunchedHopsAreReadyOnceTheyHaveRun) {
  auto generator = Testing::generator("DeviceArrays.ready");
  const Graph graph = random_graph(100, {3, 40, 9000}, 300, -1, 1, generator);
  const std::vector<std::uint8_t> node_kinds(graph.nodes, 1);
  const Impl::GraphStore store(Testing::context(),
                               GraphSpan{graph.nodes, graph.edges, {}, node_kinds}, GraphOptions{});
  const auto snapshot = store.snapshot();
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(
        Testing::context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
          Impl::SpreadingWorkspace<ExecutionSpace> workspace(Testing::context().memory(space));
          const auto view = snapshot->view(exec_space);
          for (const std::size_t columns : {1, 33, 8}) {
            const View<ExecutionSpace, float> x("x", graph.nodes * columns);
            const View<ExecutionSpace, float> y("y", graph.nodes * columns);
            for (const int form : {0, 1, 2}) {
              Impl::HopRequest request;
              request.x = x.data();
              request.y = y.data();
              request.columns = columns;
              request.count = x.size();
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
}

/// Calls `body(own)` with an instance on a stream of its own; skips the test without a device.
template <class Body>
void on_device(const Body& body) {
  if (!Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  Impl::with_instance(Testing::context(), Space::cuda,
                      [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                        if constexpr (Arch::is_device<ExecutionSpace>)
                          body(Impl::instance_beside(exec_space));
                      });
}

template <class View>
Kindred::Array vectors(const View& view, std::size_t nodes, std::size_t columns) {
  const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(nodes),
                                          static_cast<std::int64_t>(columns)};
  return {view.data(), DataType::float32,   shape,
          {},          ArrayMemory::device, Testing::context().info(Space::cuda).device_index};
}

TEST(DeviceArrays, HopsOfTheEngineMatchThoseOnTheHost) {
  on_device([]<class ExecutionSpace>(const ExecutionSpace& own) {
    auto generator = Testing::generator("DeviceArrays.hop");
    const Graph graph = random_graph(300, row_lengths, 2000, -1, 1, generator);
    std::vector<std::uint8_t> kinds(graph.edges.size());
    for (std::uint8_t& kind : kinds) kind = static_cast<std::uint8_t>(generator() % 3);
    SpreadingEngine engine(Testing::context(), GraphSpan{graph.nodes, graph.edges, kinds},
                           GraphOptions{});
    for (int round = 0; round < 2; ++round) {
      const std::size_t nodes = engine.nodes();
      for (const std::size_t columns : {1, 2, 8, 33, 41}) {
        std::vector<float> x(nodes * columns);
        for (float& value : x) value = static_cast<float>(generator() % 1000) / 7 - 70;
        const auto device_x = Testing::to_space(own, x);
        const auto device_y = Testing::to_space(own, std::vector<float>(x.size(), 7.0F));
        for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
          for (const int form : {0, 1, 2}) {
            HopOptions options{direction};
            if (form == 1) options.kinds = EdgeKinds(5);
            if (form == 2) options.modifiers = SpreadModifiers::engram();
            std::vector<float> expected(x.size());
            options.space = Space::serial;
            engine.hop(Testing::columns_of(x, columns), Testing::columns_of(expected, columns),
                       options);
            options.space = {};
            for (const bool has_stream : {false, true, true}) {
              Impl::upload(own, device_y, std::vector<float>(x.size(), 7.0F).data(), x.size());
              if (has_stream) options.stream = Stream::cuda(own.cuda_stream());
              const auto record = engine.hop(vectors(device_x, nodes, columns),
                                             vectors(device_y, nodes, columns), options);
              EXPECT_EQ(record.chosen, Space::cuda);
              EXPECT_EQ(bits_of(on_host(own, device_y)), bits_of(expected)) << columns;
              options.stream = {};
            }
          }
        }
      }
      const std::uint32_t node = engine.add_nodes(2);
      engine.add_edges({{{node, 3, 0.5F}, {7, node + 1, 0.25F}}});
      engine.remove_nodes({{static_cast<std::uint32_t>(11 + round)}});
    }
  });
}

TEST(DeviceArrays, HopsOnTwoStreamsOutliveChangesAndMergesOfTheGraph) {
  on_device([]<class ExecutionSpace>(const ExecutionSpace& own) {
    const ExecutionSpace other = Impl::instance_beside(own);
    auto generator = Testing::generator("DeviceArrays.streams");
    const std::size_t nodes = 20'000;
    const Graph graph = random_graph(nodes, {3, 40, 90'000}, 400'000, -1, 1, generator);
    GraphOptions graph_options;
    graph_options.merge_share = 1e9;
    SpreadingEngine engine(Testing::context(), GraphSpan{nodes, graph.edges}, graph_options);
    std::vector<float> x(nodes * 33);
    for (float& value : x) value = static_cast<float>(generator() % 1000) / 7 - 70;
    const auto device_x = Testing::to_space(own, x);
    std::vector<std::vector<float>> expected;
    std::vector<View<ExecutionSpace, float>> results;
    for (int round = 0; round < 12; ++round) {
      HopOptions options;
      const std::size_t columns = round % 2 == 0 ? 33 : 1;
      const std::size_t count = nodes * columns;
      const std::vector<float> some(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
      expected.emplace_back(count);
      options.space = Space::openmp;
      engine.hop(Testing::columns_of(some, columns), Testing::columns_of(expected.back(), columns),
                 options);
      options.space = {};
      results.push_back(Testing::to_space(own, std::vector<float>(count, 7.0F)));
      const ExecutionSpace& used = round % 3 == 0 ? other : own;
      options.stream = Stream::cuda(used.cuda_stream());
      for (int again = 0; again < 5; ++again)
        engine.hop(vectors(device_x, nodes, columns), vectors(results.back(), nodes, columns),
                   options);
      engine.add_edges({{{static_cast<std::uint32_t>(round), 5, 0.5F}}});
      if (round % 4 == 3) engine.merge();
    }
    Arch::fence(other, "Kindred::Testing::streams");
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(bits_of(on_host(own, results[i])), bits_of(expected[i])) << i;
  });
}

TEST(DeviceArrays, AnEngineWaitsForItsCallsBeforeItEnds) {
  on_device([]<class ExecutionSpace>(const ExecutionSpace& own) {
    auto generator = Testing::generator("DeviceArrays.end");
    const Graph graph = random_graph(5000, {3, 90'000}, 100'000, -1, 1, generator);
    const std::vector<float> x(graph.nodes, 0.5F);
    std::vector<float> expected(x.size());
    const auto device_x = Testing::to_space(own, x);
    const auto device_y = Testing::to_space(own, std::vector<float>(x.size(), 7.0F));
    {
      const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
      engine.hop(std::span(x), std::span(expected));
      HopOptions options;
      options.stream = Stream::cuda(own.cuda_stream());
      for (int i = 0; i < 20; ++i)
        engine.hop(vectors(device_x, graph.nodes, 1), vectors(device_y, graph.nodes, 1), options);
    }
    EXPECT_EQ(bits_of(on_host(own, device_y)), bits_of(expected));
  });
}

TEST(DeviceArrays, SpreadsOfTheEngineMatchThoseOnTheHost) {
  on_device([]<class ExecutionSpace>(const ExecutionSpace& own) {
    auto generator = Testing::generator("DeviceArrays.engine_spread");
    const Graph graph = random_graph(300, row_lengths, 2000, 0, 1, generator);
    SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
    engine.add_edges({{{5, 6, 0.5F}}});
    engine.remove_nodes({{17}});
    for (const std::size_t queries : {0, 1, 3, 33, 70}) {
      std::vector<Sources> lists = random_lists(queries, graph.nodes, generator);
      for (Sources& sources : lists) {
        for (Activation& source : sources) source.node += source.node == 17 ? 1 : 0;
      }
      for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
        for (const std::size_t top : {1, 40, 400}) {
          SpreadOptions options = constant(0.4, 20);
          options.mode = mode;
          options.top = top;
          options.space = Space::serial;
          const SpreadResults expected = engine.spread(ragged(lists), options);
          options.space = {};
          for (const bool has_stream : {false, true, true}) {
            const Placed<ExecutionSpace> placed(own, lists, top);
            options.stream = {};
            if (has_stream) options.stream = Stream::cuda(own.cuda_stream());
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
    EXPECT_EQ(on_host(own, removed.out_nodes)[0], 0xFFFFFFFFU);
    EXPECT_NE(on_host(own, removed.out_nodes)[2], 0xFFFFFFFFU);
    options.mode = SpreadMode::pagerank;
    EXPECT_THROW(engine.spread(removed.sources(), options, removed.output()), InvalidArgument);
  });
}

TEST(DeviceArrays, OfAGraphThatIsNotOnTheDeviceAreRejected) {
  on_device([]<class ExecutionSpace>(const ExecutionSpace& own) {
    const Graph graph{3, {{0, 1, 0.5F}}};
    const SpreadingEngine engine(Testing::context(), GraphSpan{graph.nodes, graph.edges},
                                 {.residency = Residency::host});
    const auto x = Testing::to_space(own, std::vector<float>(3));
    const auto y = Testing::to_space(own, std::vector<float>(3));
    EXPECT_THROW(engine.hop(vectors(x, 3, 1), vectors(y, 3, 1)), SpaceUnavailable);
    const SpreadingEngine there(Testing::context(), GraphSpan{graph.nodes, graph.edges});
    HopOptions options;
    options.space = Space::serial;
    EXPECT_THROW(there.hop(vectors(x, 3, 1), vectors(y, 3, 1), options), InvalidArgument);
  });
}

TEST(DeviceArrays, RowsOnTheDeviceMakeTheSameGraph) {
  on_device([]<class ExecutionSpace>(const ExecutionSpace& own) {
    const auto offsets = Testing::to_space(own, std::vector<std::int64_t>{0, 2, 3, 3});
    const auto ends = Testing::to_space(own, std::vector<std::uint32_t>{1, 2, 0});
    const auto weights = Testing::to_space(own, std::vector<float>{0.5F, 0.25F, 1});
    const int device = Testing::context().info(Space::cuda).device_index;
    const auto array_of = [&](const auto& view, DataType type) {
      const std::array<std::int64_t, 1> shape{static_cast<std::int64_t>(view.extent(0))};
      return ConstArray(view.data(), type, shape, {}, ArrayMemory::device, device);
    };
    const SpreadingEngine engine(
        Testing::context(),
        CsrGraph{array_of(offsets, DataType::int64), array_of(ends, DataType::uint32),
                 array_of(weights, DataType::float32)});
    const std::vector<float> x{1, 2, 4};
    std::vector<float> y(3);
    engine.hop(std::span(x), std::span(y));
    EXPECT_EQ(y, std::vector<float>({2, 0.5F, 0.25F}));
  });
}

}  // namespace DeviceArraysTest
