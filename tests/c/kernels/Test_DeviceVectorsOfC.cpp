// SPDX-License-Identifier: Apache-2.0
// Calls of the C interface on vectors and graphs in the memory of a device.
#include "DeviceTensor.hpp"

#include <Support.hpp>

#include <vector>

namespace DeviceVectorsOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

using Ids = Numbers<std::int64_t>;
class CDeviceVectors : public OnDevice {};

constexpr std::size_t dimension = 24;
constexpr std::size_t size = 200;
constexpr std::size_t queries = 6;
constexpr std::size_t top = 7;

TEST_F(CDeviceVectors, CallsOnIndexesAndRowsAreThoseOnTheHost) {
  Floats rows(random_rows("CDeviceVectors rows", size * dimension), dimension);
  Floats asked(random_rows("CDeviceVectors queries", queries * dimension), dimension);
  std::vector<std::int64_t> candidates;
  for (std::size_t i = 0; i < queries * 20; ++i)
    candidates.push_back(static_cast<std::int64_t>(i * 37 % (size + 9)) - 4);
  Ids lists(candidates, 20);
  Ranked best(queries, top), of_lists(queries, top), of_top_rows(queries, top);
  Floats all(queries, size), of_rows(queries, size), no_rows(0, dimension);
  Place device(true);
  kindred_index_options resident = KINDRED_INDEX_OPTIONS_INIT;
  resident.residency = KINDRED_RESIDENCY_BOTH;
  const auto index = result_of(kindred_index_create, c_context(), &no_rows, nullptr, &resident);
  EXPECT_EQ(result_of(kindred_index_add, index, device(rows), nullptr), 0U);
  for (const std::int32_t metric : {KINDRED_COSINE, KINDRED_IP, KINDRED_L2})
    expect_same_on_device(
        std::tie(best.scores, best.ids, of_lists.scores, of_lists.ids, of_top_rows.scores,
                 of_top_rows.ids, all, of_rows),
        [&](Place& at) {
          kindred_search_options options =
              at.set(kindred_search_options KINDRED_SEARCH_OPTIONS_INIT);
          options.metric = metric;
          options.top = top;
          if (at.on_device) options.path = KINDRED_PATH_BRUTE_FORCE;
          kindred_score_options scoring = at.set(kindred_score_options KINDRED_SCORE_OPTIONS_INIT);
          scoring.metric = metric;
          kindred_record record = KINDRED_RECORD_INIT;
          kindred_search_report report = KINDRED_SEARCH_REPORT_INIT;
          ok(kindred_index_search(index, at(asked), &options, at(best.scores), at(best.ids),
                                  &report, &record));
          EXPECT_EQ(record.space == KINDRED_SPACE_CUDA, at.on_device);
          if (at.on_device) {
            EXPECT_STREQ(report.path, "brute_force");
          }
          options.path = KINDRED_PATH_ANY;
          ok(kindred_index_score_arrays(index, at(asked), at(lists), &options, at(of_lists.scores),
                                        at(of_lists.ids), nullptr));
          ok(kindred_index_score_all(index, at(asked), &scoring, at(all), nullptr));
          ok(kindred_row_scores(c_context(), at(asked), at(rows), nullptr, metric,
                                KINDRED_SPACE_ANY, at(of_rows)));
          ok(kindred_top_rows(c_context(), at(asked), at(rows), nullptr, metric, KINDRED_SPACE_ANY,
                              at(of_top_rows.scores), at(of_top_rows.ids)));
          if (at.on_device)  // tensors in different memories
            expect_refused(kindred_index_search(index, at(asked), &options, &best.scores, &best.ids,
                                                nullptr, nullptr));
        });
}

int count_release(void* count) { return ++*static_cast<int*>(count); }

TEST_F(CDeviceVectors, GraphsAreThoseOnTheHost) {
  constexpr std::size_t nodes = 150;
  const GraphRows rows("CDeviceVectors graph", nodes, 5);
  Ids offsets(rows.offsets);
  Numbers<std::int32_t> ends(rows.ends);
  Floats weights(rows.weights);
  Floats x(random_rows("CDeviceVectors x", nodes * 3), 3);
  Ids source_offsets({0, 2, 2, 3});
  Numbers<std::int32_t> sources({4, 149, 77});
  Floats values({1, 0.5F, 0.75F});
  Floats along(nodes, 3), against(nodes, 3);
  Numbers<std::uint32_t> engine_nodes(3, top), linear_nodes(3, top);
  Floats engine_values(3, top), linear_values(3, top);
  Place device(true);
  int released = 0;
  kindred_graph_options resident = KINDRED_GRAPH_OPTIONS_INIT;
  resident.residency = KINDRED_RESIDENCY_BOTH;
  const auto graph = result_of(kindred_graph_create_csr, c_context(), device(offsets), device(ends),
                               device(weights), &resident, &count_release, &released);
  EXPECT_EQ(released, 1) << "arrays on a device are copied";
  expect_same_on_device(
      std::tie(along, against, engine_nodes, linear_nodes, engine_values, linear_values),
      [&](Place& at) {
        for (const std::int32_t direction : {KINDRED_HOP_ALONG, KINDRED_HOP_AGAINST}) {
          kindred_hop_options options = at.set(kindred_hop_options KINDRED_HOP_OPTIONS_INIT);
          options.direction = direction;
          Floats& y = direction == KINDRED_HOP_ALONG ? along : against;
          kindred_record record = KINDRED_RECORD_INIT;
          ok(kindred_graph_hop(graph, at(x), at(y), &options, &record));
          EXPECT_EQ(record.space == KINDRED_SPACE_CUDA, at.on_device);
          if (at.on_device) expect_refused(kindred_graph_hop(graph, at(x), &y, &options, nullptr));
        }
        for (const std::int32_t mode : {KINDRED_SPREAD_ENGINE, KINDRED_SPREAD_LINEAR}) {
          const bool is_engine = mode == KINDRED_SPREAD_ENGINE;
          kindred_spread_options options =
              at.set(kindred_spread_options KINDRED_SPREAD_OPTIONS_INIT);
          options.mode = mode;
          options.top = top;
          ok(kindred_graph_spread_arrays(graph, at(source_offsets), at(sources), at(values),
                                         &options, at(is_engine ? engine_nodes : linear_nodes),
                                         at(is_engine ? engine_values : linear_values), nullptr));
        }
      });
}

}  // namespace DeviceVectorsOfCTest
