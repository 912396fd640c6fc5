// SPDX-License-Identifier: Apache-2.0
// Calls of the C interface on vectors and graphs in the memory of a device.
#include "DeviceTensor.hpp"

#include <Support.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace Kindred::Testing {
namespace {

using Floats = DeviceTensor<float>;
using Ids = DeviceTensor<std::int64_t>;

/// Runs \p body without a stream and with one; it waits for the stream by the second argument.
template <class Body>
void with_streams(const Body& body) {
  const auto own = std::make_shared<DeviceStream>(context());
  body(0, nullptr, [] {});
  body(1, own->stream().handle(), [&] { own->wait(); });
}

TEST(CDeviceVectors, CallsOnAnIndexAreThoseOnTheHost) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  constexpr std::int64_t dimension = 24;
  constexpr std::int64_t size = 200;
  constexpr std::int64_t queries = 6;
  constexpr std::int64_t top = 7;
  const std::vector<float> rows = random_rows("CDeviceVectors rows", size * dimension);
  const std::vector<float> asked = random_rows("CDeviceVectors queries", queries * dimension);
  const std::vector<std::int64_t> lists = [] {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < queries * 20; ++i) out.push_back(i * 37 % (size + 9) - 4);
    return out;
  }();
  Tensor none(rows.data(), KINDRED_FLOAT32, 0, dimension);
  Floats device_rows(rows, KINDRED_FLOAT32, {size, dimension});
  with_streams([&](std::int32_t has_stream, void* stream, const auto& wait) {
    Owned<kindred_index> index;
    kindred_index_options resident = KINDRED_INDEX_OPTIONS_INIT;
    resident.residency = KINDRED_RESIDENCY_BOTH;
    KINDRED_ASSERT_OK(kindred_index_create(c_context(), &none, nullptr, &resident, &index));
    std::uint64_t first = 9;
    KINDRED_ASSERT_OK(kindred_index_add(index, &device_rows, nullptr, &first));
    EXPECT_EQ(first, 0U);

    std::vector<float> scores(queries * top);
    std::vector<std::int64_t> ids(queries * top);
    std::vector<float> whole(queries * size);
    Tensor query_tensor(asked.data(), KINDRED_FLOAT32, queries, dimension);
    Tensor list_tensor(lists.data(), KINDRED_INT64, queries, 20);
    Tensor score_tensor(scores.data(), KINDRED_FLOAT32, queries, top);
    Tensor id_tensor(ids.data(), KINDRED_INT64, queries, top);
    Tensor whole_tensor(whole.data(), KINDRED_FLOAT32, queries, size);
    Floats device_queries(asked, KINDRED_FLOAT32, {queries, dimension});
    Ids device_lists(lists, KINDRED_INT64, {queries, 20});
    Floats device_scores(std::vector<float>(scores.size(), -7), KINDRED_FLOAT32, {queries, top});
    Ids device_ids(std::vector<std::int64_t>(ids.size(), -7), KINDRED_INT64, {queries, top});
    Floats device_whole(std::vector<float>(whole.size(), -7), KINDRED_FLOAT32, {queries, size});
    for (const std::int32_t metric : {KINDRED_COSINE, KINDRED_IP, KINDRED_L2}) {
      kindred_search_options on_host = KINDRED_SEARCH_OPTIONS_INIT;
      on_host.metric = metric;
      on_host.top = top;
      kindred_search_options on_device = on_host;
      on_device.has_stream = has_stream;
      on_device.stream = stream;
      on_device.path = KINDRED_PATH_BRUTE_FORCE;
      kindred_record record = KINDRED_RECORD_INIT;
      kindred_search_report report = KINDRED_SEARCH_REPORT_INIT;
      KINDRED_ASSERT_OK(kindred_index_search(index, &query_tensor, &on_host, &score_tensor,
                                             &id_tensor, nullptr, nullptr));
      KINDRED_ASSERT_OK(kindred_index_search(index, &device_queries, &on_device, &device_scores,
                                             &device_ids, &report, &record));
      EXPECT_EQ(record.space, KINDRED_SPACE_CUDA);
      EXPECT_STREQ(report.path, "brute_force");
      wait();
      EXPECT_EQ(device_scores.values(), scores);
      EXPECT_EQ(device_ids.values(), ids);

      KINDRED_ASSERT_OK(kindred_index_score_arrays(index, &query_tensor, &list_tensor, &on_host,
                                                   &score_tensor, &id_tensor, nullptr));
      KINDRED_ASSERT_OK(kindred_index_score_arrays(
          index, &device_queries, &device_lists, &on_device, &device_scores, &device_ids, &record));
      wait();
      EXPECT_EQ(device_scores.values(), scores);
      EXPECT_EQ(device_ids.values(), ids);

      kindred_score_options scoring = KINDRED_SCORE_OPTIONS_INIT;
      scoring.metric = metric;
      KINDRED_ASSERT_OK(
          kindred_index_score_all(index, &query_tensor, &scoring, &whole_tensor, nullptr));
      scoring.has_stream = has_stream;
      scoring.stream = stream;
      KINDRED_ASSERT_OK(
          kindred_index_score_all(index, &device_queries, &scoring, &device_whole, nullptr));
      wait();
      EXPECT_EQ(device_whole.values(), whole);

      // Tensors in different memories are refused.
      EXPECT_EQ(kindred_index_search(index, &device_queries, &on_device, &score_tensor, &id_tensor,
                                     nullptr, nullptr),
                KINDRED_INVALID);
    }
  });
}

TEST(CDeviceVectors, FunctionsOfRowsAreThoseOnTheHost) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  constexpr std::int64_t dimension = 20;
  constexpr std::int64_t size = 129;
  constexpr std::int64_t top = 5;
  const std::vector<float> rows = random_rows("CDeviceVectors rows", size * dimension);
  const std::vector<float> asked = random_rows("CDeviceVectors queries", 2 * dimension);
  std::vector<float> whole(2 * size);
  std::vector<float> scores(2 * top);
  std::vector<std::int64_t> ids(2 * top);
  Tensor row_tensor(rows.data(), KINDRED_FLOAT32, size, dimension);
  Tensor query_tensor(asked.data(), KINDRED_FLOAT32, 2, dimension);
  Tensor whole_tensor(whole.data(), KINDRED_FLOAT32, 2, size);
  Tensor score_tensor(scores.data(), KINDRED_FLOAT32, 2, top);
  Tensor id_tensor(ids.data(), KINDRED_INT64, 2, top);
  Floats device_rows(rows, KINDRED_FLOAT32, {size, dimension});
  Floats device_queries(asked, KINDRED_FLOAT32, {2, dimension});
  Floats device_whole(std::vector<float>(whole.size()), KINDRED_FLOAT32, {2, size});
  Floats device_scores(std::vector<float>(scores.size()), KINDRED_FLOAT32, {2, top});
  Ids device_ids(std::vector<std::int64_t>(ids.size()), KINDRED_INT64, {2, top});
  for (const std::int32_t metric : {KINDRED_COSINE, KINDRED_IP, KINDRED_L2}) {
    KINDRED_ASSERT_OK(kindred_row_scores(c_context(), &query_tensor, &row_tensor, nullptr, metric,
                                         KINDRED_SPACE_ANY, &whole_tensor));
    KINDRED_ASSERT_OK(kindred_row_scores(c_context(), &device_queries, &device_rows, nullptr,
                                         metric, KINDRED_SPACE_ANY, &device_whole));
    EXPECT_EQ(device_whole.values(), whole);
    KINDRED_ASSERT_OK(kindred_top_rows(c_context(), &query_tensor, &row_tensor, nullptr, metric,
                                       KINDRED_SPACE_ANY, &score_tensor, &id_tensor));
    KINDRED_ASSERT_OK(kindred_top_rows(c_context(), &device_queries, &device_rows, nullptr, metric,
                                       KINDRED_SPACE_ANY, &device_scores, &device_ids));
    EXPECT_EQ(device_scores.values(), scores);
    EXPECT_EQ(device_ids.values(), ids);
  }
}

int count_release(void* count) { return ++*static_cast<int*>(count); }

TEST(CDeviceVectors, GraphsAreThoseOnTheHost) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  constexpr std::int64_t nodes = 150;
  constexpr std::int64_t top = 6;
  auto generator = Testing::generator("CDeviceVectors graph");
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> ends;
  std::vector<float> weights;
  for (std::int64_t node = 0; node < nodes; ++node) {
    for (std::int64_t i = 0; i < node % 5; ++i) {
      ends.push_back(static_cast<std::int32_t>(generator() % nodes));
      weights.push_back(static_cast<float>(generator() % 1000) / 1000);
    }
    offsets.push_back(static_cast<std::int64_t>(ends.size()));
  }
  const auto edges = static_cast<std::int64_t>(ends.size());
  DeviceTensor<std::int64_t> device_offsets(offsets, KINDRED_INT64, {nodes + 1});
  DeviceTensor<std::int32_t> device_ends(ends, KINDRED_INT32, {edges});
  Floats device_weights(weights, KINDRED_FLOAT32, {edges});
  const std::vector<float> x = random_rows("CDeviceVectors x", nodes * 3);
  const std::vector<std::int64_t> source_offsets{0, 2, 2, 3};
  const std::vector<std::int32_t> sources{4, 149, 77};
  const std::vector<float> values{1, 0.5F, 0.75F};
  with_streams([&](std::int32_t has_stream, void* stream, const auto& wait) {
    int released = 0;
    Owned<kindred_graph> graph;
    kindred_graph_options resident = KINDRED_GRAPH_OPTIONS_INIT;
    resident.residency = KINDRED_RESIDENCY_BOTH;
    KINDRED_ASSERT_OK(kindred_graph_create_csr(c_context(), &device_offsets, &device_ends,
                                               &device_weights, &resident, &count_release,
                                               &released, &graph));
    EXPECT_EQ(released, 1) << "arrays on a device are copied";

    std::vector<float> y(x.size());
    Tensor x_tensor(x.data(), KINDRED_FLOAT32, nodes, 3);
    Tensor y_tensor(y.data(), KINDRED_FLOAT32, nodes, 3);
    Floats device_x(x, KINDRED_FLOAT32, {nodes, 3});
    Floats device_y(std::vector<float>(x.size(), -7), KINDRED_FLOAT32, {nodes, 3});
    for (const std::int32_t direction : {KINDRED_HOP_ALONG, KINDRED_HOP_AGAINST}) {
      kindred_hop_options options = KINDRED_HOP_OPTIONS_INIT;
      options.direction = direction;
      KINDRED_ASSERT_OK(kindred_graph_hop(graph, &x_tensor, &y_tensor, &options, nullptr));
      options.has_stream = has_stream;
      options.stream = stream;
      kindred_record record = KINDRED_RECORD_INIT;
      KINDRED_ASSERT_OK(kindred_graph_hop(graph, &device_x, &device_y, &options, &record));
      EXPECT_EQ(record.space, KINDRED_SPACE_CUDA);
      wait();
      EXPECT_EQ(device_y.values(), y);
      EXPECT_EQ(kindred_graph_hop(graph, &device_x, &y_tensor, &options, nullptr), KINDRED_INVALID);
    }

    std::int64_t offset_shape[] = {4};
    std::int64_t source_shape[] = {3};
    std::vector<std::uint32_t> nodes_found(3 * top);
    std::vector<float> values_found(3 * top);
    DLTensor offset_tensor = kindred_tensor(source_offsets.data(), KINDRED_INT64, 1, offset_shape);
    DLTensor source_tensor = kindred_tensor(sources.data(), KINDRED_INT32, 1, source_shape);
    DLTensor value_tensor = kindred_tensor(values.data(), KINDRED_FLOAT32, 1, source_shape);
    Tensor node_tensor(nodes_found.data(), KINDRED_UINT32, 3, top);
    Tensor found_tensor(values_found.data(), KINDRED_FLOAT32, 3, top);
    Ids given_offsets(source_offsets, KINDRED_INT64, {4});
    DeviceTensor<std::int32_t> given_sources(sources, KINDRED_INT32, {3});
    Floats given_values(values, KINDRED_FLOAT32, {3});
    DeviceTensor<std::uint32_t> device_nodes(std::vector<std::uint32_t>(3 * top, 7), KINDRED_UINT32,
                                             {3, top});
    Floats device_found(std::vector<float>(3 * top, -7), KINDRED_FLOAT32, {3, top});
    for (const std::int32_t mode : {KINDRED_SPREAD_ENGINE, KINDRED_SPREAD_LINEAR}) {
      kindred_spread_options options = KINDRED_SPREAD_OPTIONS_INIT;
      options.mode = mode;
      options.top = top;
      KINDRED_ASSERT_OK(kindred_graph_spread_arrays(graph, &offset_tensor, &source_tensor,
                                                    &value_tensor, &options, &node_tensor,
                                                    &found_tensor, nullptr));
      options.has_stream = has_stream;
      options.stream = stream;
      KINDRED_ASSERT_OK(kindred_graph_spread_arrays(graph, &given_offsets, &given_sources,
                                                    &given_values, &options, &device_nodes,
                                                    &device_found, nullptr));
      wait();
      EXPECT_EQ(device_nodes.values(), nodes_found);
      EXPECT_EQ(device_found.values(), values_found);
    }
  });
}

}  // namespace
}  // namespace Kindred::Testing
