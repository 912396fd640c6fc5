// SPDX-License-Identifier: Apache-2.0
// Graphs as compressed sparse rows, and spreads and hops on arrays: the results of the C interface
// are those of the C++ interface.
#include "CSupport.hpp"
#include "ColumnsOf.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>

#include <Support.hpp>

#include <random>
#include <vector>

namespace Kindred::Testing {
namespace {

/// A random graph as rows of C and of C++.
struct CsrRows {
  explicit CsrRows(std::uint32_t nodes_)
      : nodes(nodes_),
        offset_tensor(nullptr, 0, 0, 0),
        end_tensor(nullptr, 0, 0, 0),
        weight_tensor(nullptr, 0, 0, 0) {
    auto generator = Testing::generator("CCsr");
    for (std::uint32_t node = 0; node < nodes; ++node) {
      const std::uint32_t degree = node % 7;
      for (std::uint32_t i = 0; i < degree; ++i) {
        ends.push_back(static_cast<std::int32_t>(generator() % nodes));
        weights.push_back(static_cast<float>(generator() % 1000) / 1000);
        edges.push_back({node, static_cast<std::uint32_t>(ends.back()), weights.back()});
      }
      offsets.push_back(static_cast<std::int64_t>(ends.size()));
    }
    short_offsets.assign(offsets.begin(), offsets.end());
    set(offset_tensor, offsets.data(), KINDRED_INT64, offsets.size());
    set(end_tensor, ends.data(), KINDRED_INT32, ends.size());
    set(weight_tensor, weights.data(), KINDRED_FLOAT32, weights.size());
  }
  static void set(Tensor& tensor, const void* data, std::uint32_t type, std::size_t size) {
    tensor.shape[0] = static_cast<std::int64_t>(size);
    tensor.tensor = kindred_tensor(data, type, 1, tensor.shape);
  }

  std::uint32_t nodes;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> short_offsets;
  std::vector<std::int32_t> ends;
  std::vector<float> weights;
  std::vector<Edge> edges;
  Tensor offset_tensor;
  Tensor end_tensor;
  Tensor weight_tensor;
};

int count_release(void* count) { return ++*static_cast<int*>(count); }

TEST(CCsr, GraphsAreThoseOfTheirEdges) {
  for (const std::uint32_t nodes : {0U, 1U, 2U, 33U, 129U}) {
    CsrRows rows(nodes);
    const SpreadingEngine expected(context(), {nodes, rows.edges}, {.residency = Residency::host});
    const std::vector<float> x = random_rows("CCsr x", std::size_t{nodes} * 2);
    std::vector<float> y(x.size());
    std::vector<float> expected_y(x.size());
    Tensor x_tensor(x.data(), KINDRED_FLOAT32, nodes, 2);
    Tensor y_tensor(y.data(), KINDRED_FLOAT32, nodes, 2);
    int released = 0;
    kindred_graph* graph = nullptr;
    KINDRED_ASSERT_OK(kindred_graph_create_csr(c_context(), &rows.offset_tensor, &rows.end_tensor,
                                               &rows.weight_tensor, nullptr, &count_release,
                                               &released, &graph));
    Owned<kindred_graph> narrow;
    CsrRows::set(rows.offset_tensor, rows.short_offsets.data(), KINDRED_INT32,
                 rows.short_offsets.size());
    KINDRED_ASSERT_OK(kindred_graph_create_csr(c_context(), &rows.offset_tensor, &rows.end_tensor,
                                               &rows.weight_tensor, nullptr, nullptr, nullptr,
                                               &narrow));
    for (const std::int32_t direction : {KINDRED_HOP_ALONG, KINDRED_HOP_AGAINST}) {
      const auto which = static_cast<HopDirection>(direction);
      expected.hop(Testing::columns_of(x, 2), Testing::columns_of(expected_y, 2),
                   {.direction = which});
      for (const std::int32_t space : c_spaces()) {
        kindred_hop_options options = KINDRED_HOP_OPTIONS_INIT;
        options.direction = direction;
        options.space = space;
        kindred_record record = KINDRED_RECORD_INIT;
        for (kindred_graph* const of : {graph, narrow.handle}) {
          KINDRED_ASSERT_OK(kindred_graph_hop(of, &x_tensor, &y_tensor, &options, &record));
          EXPECT_EQ(y, expected_y);
        }
        KINDRED_ASSERT_OK(kindred_hop_csr_arrays(c_context(), &rows.offset_tensor, &rows.end_tensor,
                                                 &rows.weight_tensor, &x_tensor, direction, space,
                                                 &y_tensor, &record));
        EXPECT_EQ(y, expected_y);
      }
      std::vector<float> column(x.begin(), x.begin() + nodes);
      std::vector<float> out(nodes);
      std::vector<float> expected_out(nodes);
      KINDRED_ASSERT_OK(kindred_hop_csr(c_context(), rows.short_offsets.data(), rows.ends.data(),
                                        rows.weights.data(), nodes, column.data(), out.data(),
                                        direction));
      expected.hop(std::span(column), std::span(expected_out), {.direction = which});
      EXPECT_EQ(out, expected_out);
    }
    EXPECT_EQ(released, 0);
    KINDRED_EXPECT_OK(kindred_destroy(graph));
    EXPECT_EQ(released, 1);
  }
}

TEST(CCsr, MissingWeightsAreOne) {
  CsrRows rows(33);
  for (Edge& edge : rows.edges) edge.weight = 1;
  const SpreadingEngine expected(context(), {rows.nodes, rows.edges},
                                 {.residency = Residency::host});
  const std::vector<float> x = random_rows("CCsr ones", rows.nodes);
  std::vector<float> y(x.size());
  std::vector<float> expected_y(x.size());
  expected.hop(std::span(x), std::span(expected_y), {.direction = HopDirection::against});
  KINDRED_ASSERT_OK(kindred_hop_csr(c_context(), rows.short_offsets.data(), rows.ends.data(),
                                    nullptr, rows.nodes, x.data(), y.data(), KINDRED_HOP_AGAINST));
  EXPECT_EQ(y, expected_y);
}

TEST(CCsr, InvalidRowsAreRefusedAndNotReleased) {
  CsrRows rows(33);
  int released = 0;
  kindred_graph* graph = nullptr;
  const auto create = [&] {
    return kindred_graph_create_csr(c_context(), &rows.offset_tensor, &rows.end_tensor,
                                    &rows.weight_tensor, nullptr, &count_release, &released,
                                    &graph);
  };
  std::vector<float> x(33, 1);
  std::vector<float> y(33, -1);
  const auto hop = [&](std::int32_t direction) {
    return kindred_hop_csr(c_context(), rows.short_offsets.data(), rows.ends.data(),
                           rows.weights.data(), 33, x.data(), y.data(), direction);
  };
  EXPECT_EQ(hop(2), KINDRED_INVALID);
  rows.ends[5] = 33;
  EXPECT_EQ(create(), KINDRED_INVALID);
  EXPECT_EQ(hop(KINDRED_HOP_AGAINST), KINDRED_INVALID);
  rows.ends[5] = 0;
  rows.offsets[0] = 1;
  EXPECT_EQ(create(), KINDRED_INVALID);
  rows.offsets[0] = 0;
  rows.short_offsets[33] = -1;
  EXPECT_EQ(hop(KINDRED_HOP_ALONG), KINDRED_INVALID);
  rows.weight_tensor.shape[0] -= 1;
  EXPECT_EQ(create(), KINDRED_INVALID);
  EXPECT_EQ(kindred_hop_csr(c_context(), rows.short_offsets.data(), rows.ends.data(), nullptr,
                            SIZE_MAX, x.data(), y.data(), KINDRED_HOP_ALONG),
            KINDRED_INVALID);
  EXPECT_EQ(released, 0);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(y, std::vector<float>(33, -1));
}

TEST(CGraphArrays, SpreadsAreThoseOfCpp) {
  constexpr std::int64_t top = 9;
  CsrRows rows(129);
  const SpreadingEngine expected(context(), {rows.nodes, rows.edges},
                                 {.residency = Residency::host});
  Owned<kindred_graph> graph;
  KINDRED_ASSERT_OK(kindred_graph_create_csr(c_context(), &rows.offset_tensor, &rows.end_tensor,
                                             &rows.weight_tensor, nullptr, nullptr, nullptr,
                                             &graph));
  const std::vector<std::int64_t> offsets{0, 2, 2, 3};
  std::vector<std::int32_t> nodes{1, 20, 128};
  const std::vector<float> values{1, 0.5F, 0.25F};
  Tensor offset_tensor(nullptr, 0, 0, 0);
  Tensor node_tensor(nullptr, 0, 0, 0);
  Tensor value_tensor(nullptr, 0, 0, 0);
  CsrRows::set(offset_tensor, offsets.data(), KINDRED_INT64, 4);
  CsrRows::set(node_tensor, nodes.data(), KINDRED_INT32, 3);
  CsrRows::set(value_tensor, values.data(), KINDRED_FLOAT32, 3);
  std::vector<std::uint32_t> out_nodes(3 * top);
  std::vector<float> out_values(3 * top);
  Tensor out_node_tensor(out_nodes.data(), KINDRED_UINT32, 3, top);
  Tensor out_value_tensor(out_values.data(), KINDRED_FLOAT32, 3, top);
  Ragged<Activation> sources;
  sources.offsets = {0, 2, 2, 3};
  sources.values = {{1, 1}, {20, 0.5F}, {128, 0.25F}};
  const auto spread = [&](const kindred_spread_options& options) {
    return kindred_graph_spread_arrays(graph, &offset_tensor, &node_tensor, &value_tensor, &options,
                                       &out_node_tensor, &out_value_tensor, nullptr);
  };
  kindred_spread_options options = KINDRED_SPREAD_OPTIONS_INIT;
  options.top = top;
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear, SpreadMode::pagerank})
    for (const std::int32_t space : c_spaces()) {
      options.mode = static_cast<std::int32_t>(mode);
      options.space = space;
      KINDRED_ASSERT_OK(spread(options));
      const SpreadResults found = expected.spread(sources, {.mode = mode, .top = top});
      for (std::size_t i = 0; i < out_nodes.size(); ++i) {
        const auto row = found.activations[i / top];
        const bool is_found = i % top < row.size();
        EXPECT_EQ(out_nodes[i], is_found ? row[i % top].node : UINT32_MAX);
        EXPECT_EQ(out_values[i], is_found ? row[i % top].value : 0);
      }
    }
  options = KINDRED_SPREAD_OPTIONS_INIT;
  EXPECT_EQ(spread(options), KINDRED_INVALID) << "the default of 10 results";
  options.top = top;
  options.trace_paths = 1;
  EXPECT_EQ(spread(options), KINDRED_INVALID);
  options.trace_paths = 0;
  options.has_stream = 1;
  EXPECT_EQ(spread(options), KINDRED_INVALID);
  options.has_stream = 0;
  options.reserved = 1;
  EXPECT_EQ(spread(options), KINDRED_INVALID);
  options.reserved = 0;
  nodes[0] = -1;
  EXPECT_EQ(spread(options), KINDRED_INVALID);
  nodes[0] = 1;
  node_tensor.shape[0] = 2;
  EXPECT_EQ(spread(options), KINDRED_INVALID);
  kindred_hop_options hopping = KINDRED_HOP_OPTIONS_INIT;
  hopping.has_stream = 1;
  std::vector<float> x(129, 1);
  std::vector<float> y(129);
  Tensor x_tensor(x.data(), KINDRED_FLOAT32, 129, 1);
  Tensor y_tensor(y.data(), KINDRED_FLOAT32, 129, 1);
  EXPECT_EQ(kindred_graph_hop(graph, &x_tensor, &y_tensor, &hopping, nullptr), KINDRED_INVALID);
  EXPECT_EQ(kindred_graph_hop(graph, &x_tensor, &x_tensor, nullptr, nullptr), KINDRED_INVALID)
      << "y overlaps x";
}

}  // namespace
}  // namespace Kindred::Testing
