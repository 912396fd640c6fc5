// SPDX-License-Identifier: Apache-2.0
// Calls of the C interface on vectors and graphs in the memory of a device.
#include "DeviceTensor.hpp"

#include <Support.hpp>

#include <vector>

namespace DeviceVectorsOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

using Floats = TwoTensors<float>;
using Ids = TwoTensors<std::int64_t>;
class CDeviceVectors : public OnDevice {};

constexpr std::int64_t dimension = 24;
constexpr std::int64_t size = 200;
constexpr std::int64_t queries = 6;
constexpr std::int64_t top = 7;

TEST_F(CDeviceVectors, CallsOnIndexesAndRowsAreThoseOnTheHost) {
  Floats rows(random_rows("CDeviceVectors rows", size * dimension), {size, dimension});
  Floats asked(random_rows("CDeviceVectors queries", queries * dimension), {queries, dimension});
  std::vector<std::int64_t> candidates;
  for (std::int64_t i = 0; i < queries * 20; ++i) candidates.push_back(i * 37 % (size + 9) - 4);
  Ids lists(candidates, {queries, 20});
  Floats scores({queries, top}), list_scores({queries, top}), row_scores({queries, top}),
      all({queries, size}), of_rows({queries, size});
  Ids ids({queries, top}), list_ids({queries, top}), row_ids({queries, top});
  std::vector<float> none(dimension);
  Tensor no_rows(none.data(), KINDRED_FLOAT32, 0, dimension);
  const Place device{true};
  kindred_index_options resident = KINDRED_INDEX_OPTIONS_INIT;
  resident.residency = KINDRED_RESIDENCY_BOTH;
  const auto index = result_of(kindred_index_create, c_context(), &no_rows, nullptr, &resident);
  EXPECT_EQ(result_of(kindred_index_add, index, rows.at(device), nullptr), 0U);
  for (const std::int32_t metric : {KINDRED_COSINE, KINDRED_IP, KINDRED_L2})
    expect_same_on_device(
        {&scores, &ids, &list_scores, &list_ids, &row_scores, &row_ids, &all, &of_rows},
        [&](const Place& at) {
          kindred_search_options options =
              at.set(kindred_search_options KINDRED_SEARCH_OPTIONS_INIT);
          options.metric = metric;
          options.top = top;
          if (at.on_device) options.path = KINDRED_PATH_BRUTE_FORCE;
          kindred_score_options scoring = at.set(kindred_score_options KINDRED_SCORE_OPTIONS_INIT);
          scoring.metric = metric;
          kindred_record record = KINDRED_RECORD_INIT;
          kindred_search_report report = KINDRED_SEARCH_REPORT_INIT;
          ok(kindred_index_search(index, asked.at(at), &options, scores.at(at), ids.at(at), &report,
                                  &record));
          EXPECT_EQ(record.space == KINDRED_SPACE_CUDA, at.on_device);
          if (at.on_device) {
            EXPECT_STREQ(report.path, "brute_force");
          }
          options.path = KINDRED_PATH_ANY;
          ok(kindred_index_score_arrays(index, asked.at(at), lists.at(at), &options,
                                        list_scores.at(at), list_ids.at(at), nullptr));
          ok(kindred_index_score_all(index, asked.at(at), &scoring, all.at(at), nullptr));
          ok(kindred_row_scores(c_context(), asked.at(at), rows.at(at), nullptr, metric,
                                KINDRED_SPACE_ANY, of_rows.at(at)));
          ok(kindred_top_rows(c_context(), asked.at(at), rows.at(at), nullptr, metric,
                              KINDRED_SPACE_ANY, row_scores.at(at), row_ids.at(at)));
          if (at.on_device)  // tensors in different memories
            expect_refused(kindred_index_search(index, asked.at(at), &options, scores.at(Place()),
                                                ids.at(Place()), nullptr, nullptr));
        });
}

int count_release(void* count) { return ++*static_cast<int*>(count); }

TEST_F(CDeviceVectors, GraphsAreThoseOnTheHost) {
  constexpr std::int64_t nodes = 150;
  const GraphRows rows("CDeviceVectors graph", nodes, 5);
  const auto edges = static_cast<std::int64_t>(rows.ends.size());
  Ids offsets(rows.offsets, {nodes + 1});
  TwoTensors<std::int32_t> ends(rows.ends, {edges});
  Floats weights(rows.weights, {edges});
  Floats x(random_rows("CDeviceVectors x", nodes * 3), {nodes, 3});
  Ids source_offsets({0, 2, 2, 3}, {4});
  TwoTensors<std::int32_t> sources({4, 149, 77}, {3});
  Floats values({1, 0.5F, 0.75F}, {3});
  Floats along({nodes, 3}), against({nodes, 3});
  TwoTensors<std::uint32_t> engine_nodes({3, top}), linear_nodes({3, top});
  Floats engine_values({3, top}), linear_values({3, top});
  const Place device{true};
  int released = 0;
  kindred_graph_options resident = KINDRED_GRAPH_OPTIONS_INIT;
  resident.residency = KINDRED_RESIDENCY_BOTH;
  const auto graph =
      result_of(kindred_graph_create_csr, c_context(), offsets.at(device), ends.at(device),
                weights.at(device), &resident, &count_release, &released);
  EXPECT_EQ(released, 1) << "arrays on a device are copied";
  expect_same_on_device(
      {&along, &against, &engine_nodes, &linear_nodes, &engine_values, &linear_values},
      [&](const Place& at) {
        for (const std::int32_t direction : {KINDRED_HOP_ALONG, KINDRED_HOP_AGAINST}) {
          kindred_hop_options options = at.set(kindred_hop_options KINDRED_HOP_OPTIONS_INIT);
          options.direction = direction;
          Floats& y = direction == KINDRED_HOP_ALONG ? along : against;
          kindred_record record = KINDRED_RECORD_INIT;
          ok(kindred_graph_hop(graph, x.at(at), y.at(at), &options, &record));
          EXPECT_EQ(record.space == KINDRED_SPACE_CUDA, at.on_device);
          if (at.on_device)
            expect_refused(kindred_graph_hop(graph, x.at(at), y.at(Place()), &options, nullptr));
        }
        for (const std::int32_t mode : {KINDRED_SPREAD_ENGINE, KINDRED_SPREAD_LINEAR}) {
          const bool is_engine = mode == KINDRED_SPREAD_ENGINE;
          kindred_spread_options options =
              at.set(kindred_spread_options KINDRED_SPREAD_OPTIONS_INIT);
          options.mode = mode;
          options.top = top;
          ok(kindred_graph_spread_arrays(
              graph, source_offsets.at(at), sources.at(at), values.at(at), &options,
              (is_engine ? engine_nodes : linear_nodes).at(at),
              (is_engine ? engine_values : linear_values).at(at), nullptr));
        }
      });
}

}  // namespace DeviceVectorsOfCTest
