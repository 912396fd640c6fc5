// SPDX-License-Identifier: Apache-2.0
#include "SpreadingSupport.hpp"

namespace Kindred::Testing::Graphs::SpreadArraysTest {

/// Sources and results of queries in arrays on the host.
struct Arrays : FlatQueries {
  std::vector<std::int32_t> short_offsets;
  std::vector<std::int32_t> signed_nodes;
  std::size_t top;
  std::vector<std::uint32_t> out_nodes;
  std::vector<float> out_values;

  Arrays(const Queries& queries, std::size_t places)
      : FlatQueries(queries),
        short_offsets(offsets.begin(), offsets.end()),
        signed_nodes(nodes.begin(), nodes.end()),
        top(places),
        out_nodes(queries.size() * top, 7),
        out_values(queries.size() * top, 7.0F) {}
  SpreadSources sources() const { return {offsets, nodes, values}; }
  SpreadSources short_sources() const { return {short_offsets, signed_nodes, values}; }
  /// Node numbers are int32, so that none is −1.
  SpreadOutput output() {
    const auto queries = static_cast<std::int64_t>(offsets.size() - 1);
    const auto places = static_cast<std::int64_t>(top);
    return {shaped(out_nodes, {queries, places}, DataType::int32),
            shaped(out_values, {queries, places})};
  }
  void expect(const SpreadResults& results) const {
    const PaddedResults padded(results, top);
    EXPECT_EQ(out_nodes, padded.nodes);
    EXPECT_EQ(out_values, padded.values);
  }
};

TEST(SpreadArrays, HoldThePaddedRowsOfTheResults) {
  const Graph graph = random_graph(300, row_lengths, 2000);
  const SpreadingEngine engine = engine_of(graph);
  for (const std::size_t queries : {0, 1, 2, 3, 31, 32, 33, 70}) {
    const Queries lists = random_queries(graph.nodes, queries, 0, 0.5F);
    for (const std::size_t top : {1, 3, 200, 400}) {
      Arrays arrays(lists, top);
      for (const Space space : spaces()) {
        SpreadOptions options = on(space, constant(0.3));
        options.top = top;
        const SpreadResults expected = engine.spread(ragged(lists), options);
        for (const SpreadSources& sources : {arrays.sources(), arrays.short_sources()}) {
          arrays.out_nodes.assign(arrays.out_nodes.size(), 7);
          options.top = 1;  // is not used
          engine.spread(sources, options, arrays.output());
          arrays.expect(expected);
        }
      }
    }
  }
}

TEST(SpreadArrays, TakeParametersPerQueryAndPageRank) {
  const SpreadingEngine engine = engine_of(chain(4, 0.5F));
  const Queries lists{{{0, 1}}, {{1, 1}}};
  const std::vector<SpreadQuery> own{{.hops = 1}, {.hops = 2}};
  SpreadOptions per_query = constant_at(1, 0);
  per_query.per_query = own;
  for (const SpreadOptions& options : {per_query, page_rank()}) {
    Arrays arrays(lists, 4);
    engine.spread(arrays.sources(), options, arrays.output());
    arrays.expect(engine.spread(ragged(lists), options));
  }
}

TEST(SpreadArrays, InvalidArraysAreRejectedAndNothingIsWritten) {
  const SpreadingEngine engine = engine_of(Graph{3, {{0, 1, 0.5F}}});
  Arrays valid({{{0, 1}}, {{1, 0.5F}}}, 2);
  const std::vector<double> doubles(4);
  const std::vector<std::int64_t> none;
  const std::vector<std::int64_t> decreasing{0, 2, 1};
  const std::vector<std::int64_t> negative{-1, 1, 2};
  const auto [offsets, nodes, values] = valid.sources();
  const auto [to_nodes, to_values] = valid.output();
  const auto call = [&](const SpreadSources& sources, const SpreadOutput& output,
                        const SpreadOptions& options = {}) {
    return [&engine, sources, output, options] { engine.spread(sources, options, output); };
  };
  const auto with_output = [&](const Array& out_nodes, const Array& out_values) {
    return call(valid.sources(), {out_nodes, out_values});
  };
  const auto with_sources = [&](const ConstArray& of, const ConstArray& from,
                                const ConstArray& with) {
    return call({of, from, with}, valid.output());
  };
  expect_refused({
      {with_sources(doubles, nodes, values), "offsets is float64 [4]"},
      {with_sources({}, nodes, values), "offsets is float32 [0]"},
      {with_sources(none, nodes, values), "offsets has no elements"},
      {with_sources(offsets, doubles, values), "nodes is float64 [4]"},
      {with_sources(offsets, nodes, shaped(valid.values, {1})), "values is float32 [1]"},
      {with_sources(decreasing, nodes, values), "lie outside"},
      {with_sources(negative, nodes, values), "lie outside"},
      {with_output(to_nodes, valid.out_values), "output.values is float32 [4]"},
      {with_output(shaped(valid.out_nodes, {2, 0}), to_values), "at least one place"},
      {with_output(to_nodes, shaped(valid.out_nodes, {2, 2}, DataType::float32)),
       "output.nodes and output.values overlap"},
      {call(valid.sources(), valid.output(), {.trace_paths = 1}), "trace_paths is set"},
      {call(valid.sources(), valid.output(), {.stream = Stream::cuda(nullptr)}),
       "a stream is given"},
  });
  for (const auto& [queries, words] :
       {std::pair<Queries, const char*>{{{{3, 1}}}, "source node 3: the graph has 3 nodes"},
        {{{{0, 1}}, {{1, 1.5F}}}, "outside [0, 1]"}}) {
    Arrays bad(queries, 2);
    expect_refused({{call(bad.sources(), bad.output()), words}});
    EXPECT_EQ(bad.out_nodes[0], 7U);
  }
  EXPECT_EQ(valid.out_nodes, std::vector<std::uint32_t>(4, 7));
}

}  // namespace Kindred::Testing::Graphs::SpreadArraysTest
