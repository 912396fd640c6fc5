// SPDX-License-Identifier: Apache-2.0
// The results of the C interface are those of the C++ interface.
#include "CSupport.hpp"

#include <kindred/matcher/Lattice.hpp>

#include <Support.hpp>
#include <TempFolder.hpp>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace Kindred::Testing {
namespace {

TEST(CLattice, IsThatOfCpp) {
  const TempFolder folder;
  const std::uint64_t blocked[] = {5};
  const kindred_lattice_pair blocked_edge[] = {{0, 1}};
  const LatticePair expected_edge[] = {{0, 1}};
  Owned<kindred_lattice> lattice;
  KINDRED_ASSERT_OK(
      kindred_lattice_create(c_context(), 2, 4, blocked, 1, blocked_edge, 1, &lattice));
  const Lattice expected(context(), 2, 4, {blocked, expected_edge});
  kindred_lattice_statistics statistics = KINDRED_LATTICE_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_get_statistics(lattice, &statistics));
  EXPECT_EQ(statistics.nodes, 16U);
  EXPECT_EQ(statistics.edges, 24);
  EXPECT_EQ(statistics.greatest_degree, 4U);
  std::int32_t is_blocked = 0;
  KINDRED_ASSERT_OK(kindred_lattice_is_blocked(lattice, 5, &is_blocked));
  EXPECT_EQ(is_blocked, 1);
  EXPECT_EQ(kindred_lattice_is_blocked(lattice, 16, &is_blocked), KINDRED_INVALID);
  for (const std::int32_t space : c_spaces()) {
    Owned<kindred_results> rows;
    KINDRED_ASSERT_OK(kindred_lattice_rows(lattice, space, &rows));
    const LatticeRows expected_rows = expected.rows();
    ASSERT_EQ(view_of(rows).offsets[16], expected_rows.ends.size());
    for (std::size_t i = 0; i < expected_rows.ends.size(); ++i)
      EXPECT_EQ(view_of(rows).ids[i], expected_rows.ends[i]);
    const kindred_lattice_pair pairs[] = {{0, 15}, {0, 1}};
    const LatticePair expected_pairs[] = {{0, 15}, {0, 1}};
    Owned<kindred_results> paths;
    KINDRED_ASSERT_OK(kindred_lattice_paths(lattice, pairs, 2, space, &paths));
    const LatticePaths found = expected.paths(expected_pairs);
    for (std::size_t i = 0; i <= 2; ++i)
      EXPECT_EQ(view_of(paths).offsets[i], found.paths.offsets[i]);
    for (std::size_t i = 0; i < found.paths.values.size(); ++i)
      EXPECT_EQ(view_of(paths).ids[i], static_cast<std::int64_t>(found.paths.values[i]));
    const std::uint64_t sources[] = {0};
    std::vector<std::uint32_t> distances(16);
    std::uint64_t reached = 0;
    std::uint32_t farthest = 0;
    KINDRED_ASSERT_OK(kindred_lattice_distances(lattice, sources, 1, nullptr, 0, space,
                                                distances.data(), 16, &reached, &farthest,
                                                nullptr));
    const LatticeDistances expected_distances = expected.distances(sources);
    EXPECT_EQ(distances, expected_distances.distances);
    EXPECT_EQ(reached, expected_distances.reached);
    EXPECT_EQ(farthest, expected_distances.farthest);
  }
  const std::uint64_t sources[] = {0};
  const std::uint64_t targets[] = {15, 3};
  std::uint32_t two[2] = {};
  KINDRED_ASSERT_OK(kindred_lattice_distances(lattice, sources, 1, targets, 2, KINDRED_SPACE_ANY,
                                              two, 2, nullptr, nullptr, nullptr));
  EXPECT_EQ(two[0], 6U);
  EXPECT_EQ(kindred_lattice_distances(lattice, sources, 1, nullptr, 0, KINDRED_SPACE_ANY, two, 2,
                                      nullptr, nullptr, nullptr),
            KINDRED_INVALID);
  Owned<kindred_results> all;
  KINDRED_ASSERT_OK(kindred_lattice_all_paths(lattice, 0, 15, 8, 1000, &all));
  const Ragged<std::uint64_t> expected_all = expected.all_paths(0, 15, 8);
  EXPECT_EQ(view_of(all).rows, expected_all.rows());
  kindred_results* refused = nullptr;
  EXPECT_EQ(kindred_lattice_all_paths(lattice, 0, 15, 8, 1, &refused), KINDRED_INVALID);
  const std::string path = folder / "lattice.knd";
  KINDRED_ASSERT_OK(kindred_lattice_save(lattice, path.c_str(), KINDRED_SPACE_ANY));
  kindred_graph_file_info info = KINDRED_GRAPH_FILE_INFO_INIT;
  KINDRED_ASSERT_OK(kindred_graph_inspect(path.c_str(), 1, &info));
  EXPECT_EQ(info.nodes, 16U);
  EXPECT_EQ(info.edges, 48U);
}

void expect_structure(const kindred_graph_structure& found, const GraphStructure& expected) {
  EXPECT_EQ(found.nodes, expected.nodes);
  EXPECT_EQ(found.edges, expected.edges);
  EXPECT_EQ(found.components, expected.components);
  EXPECT_EQ(found.least_degree, expected.least_degree);
  EXPECT_EQ(found.greatest_degree, expected.greatest_degree);
  EXPECT_EQ(found.average_degree, expected.average_degree);
  EXPECT_EQ(found.density, expected.density);
  EXPECT_EQ(found.clustering, expected.clustering);
  EXPECT_EQ(found.diameter, expected.diameter.value_or(KINDRED_UNSET));
  EXPECT_EQ(found.searches, expected.searches);
}

TEST(CLattice, NodesAndStructureAreThoseOfCpp) {
  Owned<kindred_lattice> lattice;
  KINDRED_ASSERT_OK(kindred_lattice_create(c_context(), 3, 4, nullptr, 0, nullptr, 0, &lattice));
  const Lattice expected(context(), 3, 4);
  const LatticeShape& shape = expected.shape();
  for (const std::uint64_t node : {0U, 1U, 21U, 63U}) {
    std::uint32_t coordinates[3] = {};
    KINDRED_ASSERT_OK(kindred_lattice_coordinates(lattice, node, coordinates, 3));
    EXPECT_EQ(std::vector<std::uint32_t>(coordinates, coordinates + 3), shape.coordinates(node));
    std::uint64_t back = 0;
    KINDRED_ASSERT_OK(kindred_lattice_index(lattice, coordinates, 3, &back));
    EXPECT_EQ(back, node);
    std::uint64_t neighbours[6] = {};
    std::size_t count = 0;
    KINDRED_ASSERT_OK(kindred_lattice_neighbours(lattice, node, neighbours, 6, &count));
    EXPECT_EQ(std::vector<std::uint64_t>(neighbours, neighbours + count), shape.neighbours(node));
    count = 0;
    EXPECT_EQ(kindred_lattice_neighbours(lattice, node, neighbours, 2, &count), KINDRED_INVALID);
    EXPECT_GE(count, 3U);
    std::uint64_t distance = 0;
    KINDRED_ASSERT_OK(kindred_lattice_distance(lattice, node, 42, &distance));
    EXPECT_EQ(distance, shape.distance(node, 42));
  }
  std::uint64_t distance = 0;
  KINDRED_ASSERT_OK(kindred_lattice_distance(lattice, 21, 37, &distance));
  EXPECT_EQ(distance, 1U) << "of neighbours";
  std::uint32_t coordinates[] = {0, 0, 4};
  std::uint64_t number = 0;
  EXPECT_EQ(kindred_lattice_index(lattice, coordinates, 3, &number), KINDRED_INVALID);
  EXPECT_EQ(kindred_lattice_index(lattice, coordinates, 2, &number), KINDRED_INVALID);
  EXPECT_EQ(kindred_lattice_coordinates(lattice, 64, coordinates, 3), KINDRED_INVALID);
  EXPECT_EQ(kindred_lattice_coordinates(lattice, 0, coordinates, 2), KINDRED_INVALID);
  EXPECT_EQ(kindred_lattice_distance(lattice, 0, 64, &number), KINDRED_INVALID);
  EXPECT_EQ(kindred_lattice_distance(lattice, 64, 0, &number), KINDRED_INVALID);

  for (const std::int32_t space : c_spaces()) {
    kindred_graph_structure structure = KINDRED_GRAPH_STRUCTURE_INIT;
    KINDRED_ASSERT_OK(kindred_lattice_measure(lattice, space, &structure));
    expect_structure(structure, expected.measure());
  }
  const std::vector<std::uint8_t> expected_dense = expected.dense();
  std::vector<std::uint8_t> dense(expected_dense.size());
  KINDRED_ASSERT_OK(kindred_lattice_dense(lattice, dense.data(), dense.size()));
  EXPECT_EQ(dense, expected_dense);
  EXPECT_EQ(kindred_lattice_dense(lattice, dense.data(), dense.size() - 1), KINDRED_INVALID);

  // More edges than 64 bits count.
  Owned<kindred_lattice> large;
  KINDRED_ASSERT_OK(kindred_lattice_create(c_context(), 19, 10, nullptr, 0, nullptr, 0, &large));
  kindred_lattice_statistics statistics = KINDRED_LATTICE_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_get_statistics(large, &statistics));
  const WideCount edges = Lattice(context(), 19, 10).statistics().edges;
  EXPECT_EQ(statistics.edges_low, static_cast<std::uint64_t>(edges));
  EXPECT_EQ(statistics.edges_high, static_cast<std::uint64_t>(edges >> 64U));
  EXPECT_GT(statistics.edges_high, 0U);
  EXPECT_EQ(statistics.edges, static_cast<double>(edges));
  EXPECT_EQ(kindred_lattice_dense(large, dense.data(), dense.size()), KINDRED_INVALID);
}

TEST(CLattice, AnyUndirectedGraphIsMeasured) {
  // A triangle and a node beside it.
  const std::vector<std::uint64_t> offsets{0, 2, 4, 6, 6};
  const std::vector<std::uint32_t> ends{1, 2, 0, 2, 0, 1};
  kindred_graph_structure structure = KINDRED_GRAPH_STRUCTURE_INIT;
  KINDRED_ASSERT_OK(kindred_measure_structure(offsets.data(), 4, ends.data(), &structure));
  expect_structure(structure, measure_structure(offsets, ends));
  EXPECT_EQ(structure.components, 2U);
  EXPECT_EQ(structure.diameter, KINDRED_UNSET);
  const auto refused = [&](const std::vector<std::uint32_t>& wrong, const char* what) {
    EXPECT_EQ(kindred_measure_structure(offsets.data(), 4, wrong.data(), &structure),
              KINDRED_INVALID);
    EXPECT_NE(std::strstr(kindred_last_error(), what), nullptr) << kindred_last_error();
  };
  refused({1, 4, 0, 2, 0, 1}, "4 nodes");
  refused({0, 1, 0, 2, 0, 1}, "loop");
  refused({2, 1, 0, 2, 0, 1}, "ascend");
  refused({1, 1, 0, 2, 0, 1}, "ascend");
  refused({1, 3, 0, 2, 0, 1}, "both directions");
  const std::uint64_t none[] = {0};
  KINDRED_EXPECT_OK(kindred_measure_structure(none, 0, nullptr, &structure));
  EXPECT_EQ(structure.nodes, 0U);
}

/// What a callback has received.
struct Received {
  std::vector<std::uint64_t> tasks;
  std::vector<std::int32_t> statuses;
  std::vector<std::string> errors;
  std::vector<kindred_lattice_statistics> statistics;
  std::vector<kindred_graph_structure> structures;
  std::vector<std::vector<std::int64_t>> nodes;
  std::vector<kindred_bulk_report> reports;
  std::uint64_t cancel_at = KINDRED_UNSET;
};

int receive(void* user, std::uint64_t task, const kindred_lattice_result* result) {
  auto& received = *static_cast<Received*>(user);
  received.tasks.push_back(task);
  received.statuses.push_back(result->status);
  received.errors.emplace_back(result->error);
  EXPECT_GE(result->seconds, 0);
  if (result->statistics != nullptr) received.statistics.push_back(*result->statistics);
  if (result->structure != nullptr) received.structures.push_back(*result->structure);
  if (result->report != nullptr) received.reports.push_back(*result->report);
  if (result->nodes != nullptr) {
    const kindred_results_view view = view_of(result->nodes);
    received.nodes.emplace_back(view.ids, view.ids + view.offsets[view.rows]);
  }
  return task == received.cancel_at ? 1 : 0;
}

TEST(CLattice, BatchesReportEveryTaskInOrder) {
  const TempFolder folder;
  const std::string path = folder / "lattice.knd";
  const std::uint64_t blocked[] = {1};
  const kindred_lattice_pair blocked_edges[] = {{4, 8}};
  const LatticePair expected_edges[] = {{4, 8}};
  const std::vector<std::uint8_t> bytes{1, 2, 3};
  const std::vector<std::uint8_t> key{3, 2, 1};
  std::vector<std::uint8_t> mixed(3);
  const std::vector<float> a = random_rows("CLattice a", 6);
  const std::vector<float> b = random_rows("CLattice b", 6);
  std::vector<float> product(4);
  Tensor byte_tensor(bytes.data(), KINDRED_UINT8, 3);
  Tensor key_tensor(key.data(), KINDRED_UINT8, 3);
  Tensor mixed_tensor(mixed.data(), KINDRED_UINT8, 3);
  Tensor a_tensor(a.data(), KINDRED_FLOAT32, 2, 3);
  Tensor b_tensor(b.data(), KINDRED_FLOAT32, 3, 2);
  Tensor product_tensor(product.data(), KINDRED_FLOAT32, 2, 2);
  std::vector<kindred_lattice_task> tasks(8, kindred_lattice_task KINDRED_LATTICE_TASK_INIT);
  for (kindred_lattice_task& task : tasks) {
    task.dimensions = 2;
    task.size = 4;
  }
  tasks[1].work = KINDRED_LATTICE_MEASURE;
  tasks[2].work = KINDRED_LATTICE_FIND_PATH;
  tasks[2].ends = {0, 15};
  tasks[2].blocked_nodes = blocked;
  tasks[2].node_count = 1;
  tasks[2].blocked_edges = blocked_edges;
  tasks[2].edge_count = 1;
  tasks[3].work = KINDRED_LATTICE_FIND_PATH;
  tasks[3].ends = {0, 16};  // fails
  tasks[4].work = KINDRED_LATTICE_BUILD;
  tasks[5].work = KINDRED_LATTICE_SAVE;
  tasks[5].path = path.c_str();
  tasks[6].work = KINDRED_LATTICE_XOR_BYTES;
  tasks[6].a = &byte_tensor;
  tasks[6].b = &key_tensor;
  tasks[6].c = &mixed_tensor;
  tasks[7].work = KINDRED_LATTICE_MULTIPLY;
  tasks[7].a = &a_tensor;
  tasks[7].b = &b_tensor;
  tasks[7].c = &product_tensor;
  std::vector<const kindred_lattice_task*> list;
  for (const kindred_lattice_task& task : tasks) list.push_back(&task);
  const Lattice whole(context(), 2, 4);
  const Lattice with_blocks(context(), 2, 4, {blocked, expected_edges});
  for (const std::int32_t workers : {1, 3}) {
    kindred_lattice_batch_options options = KINDRED_LATTICE_BATCH_OPTIONS_INIT;
    options.workers = workers;
    Received received;
    std::uint64_t failed = 0;
    KINDRED_ASSERT_OK(kindred_run_lattices(c_context(), list.data(), list.size(), &options, receive,
                                           &received, &failed));
    EXPECT_EQ(received.tasks, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(failed, 1U);
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      EXPECT_EQ(received.statuses[task], task == 3 ? KINDRED_INVALID : KINDRED_OK);
      EXPECT_EQ(received.errors[task].empty(), task != 3) << received.errors[task];
    }
    ASSERT_EQ(received.statistics.size(), 2U);
    EXPECT_EQ(received.statistics[0].nodes, 16U);
    ASSERT_EQ(received.structures.size(), 1U);
    expect_structure(received.structures[0], whole.measure());
    ASSERT_EQ(received.nodes.size(), 2U);
    const std::vector<std::uint64_t> expected_path = with_blocks.path(0, 15);
    EXPECT_EQ(received.nodes[0],
              std::vector<std::int64_t>(expected_path.begin(), expected_path.end()));
    EXPECT_FALSE(expected_path.empty());
    const LatticeRows rows = whole.rows();
    EXPECT_EQ(received.nodes[1], std::vector<std::int64_t>(rows.ends.begin(), rows.ends.end()));
    EXPECT_EQ(received.reports.size(), 2U);
    EXPECT_EQ(mixed, (std::vector<std::uint8_t>{2, 0, 2}));
    EXPECT_FLOAT_EQ(product[0], a[0] * b[0] + a[1] * b[2] + a[2] * b[4]);
    EXPECT_TRUE(std::filesystem::exists(path));
    std::filesystem::remove(path);
    tasks[7].b = &a_tensor;  // 2 × 3 by 2 × 3
    EXPECT_EQ(kindred_run_lattices(c_context(), list.data(), list.size(), &options, receive,
                                   &received, &failed),
              KINDRED_INVALID);
    EXPECT_NE(std::string(kindred_last_error()).find("tasks[7].b is float32 [2, 3]"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(path)) << "no task runs if one is refused";
    tasks[7].b = &b_tensor;
  }
}

TEST(CLattice, ACallbackThatReturnsNonzeroEndsTheBatch) {
  const kindred_lattice_task task = KINDRED_LATTICE_TASK_INIT;
  const std::vector<const kindred_lattice_task*> list(100, &task);
  for (const std::int32_t workers : {1, 3}) {
    kindred_lattice_batch_options options = KINDRED_LATTICE_BATCH_OPTIONS_INIT;
    options.workers = workers;
    Received received;
    received.cancel_at = 5;
    EXPECT_EQ(kindred_run_lattices(c_context(), list.data(), list.size(), &options, receive,
                                   &received, nullptr),
              KINDRED_CANCELLED);
    EXPECT_EQ(received.tasks.size(), 6U);
  }
  KINDRED_EXPECT_OK(
      kindred_run_lattices(c_context(), list.data(), 3, nullptr, nullptr, nullptr, nullptr));
  KINDRED_EXPECT_OK(
      kindred_run_lattices(c_context(), nullptr, 0, nullptr, nullptr, nullptr, nullptr));
}

TEST(CLattice, WrongTasksAreRefusedBeforeAnyStarts) {
  Received received;
  const auto status = [&](const kindred_lattice_task& task) {
    const kindred_lattice_task good = KINDRED_LATTICE_TASK_INIT;
    const kindred_lattice_task* list[] = {&good, &task};
    const kindred_status result =
        kindred_run_lattices(c_context(), list, 2, nullptr, receive, &received, nullptr);
    EXPECT_NE(std::strstr(kindred_last_error(), "tasks[1]"), nullptr) << kindred_last_error();
    return result;
  };
  kindred_lattice_task task = KINDRED_LATTICE_TASK_INIT;
  for (const std::int32_t work : {-1, 7}) {
    task.work = work;
    EXPECT_EQ(status(task), KINDRED_INVALID);
  }
  for (const std::int32_t work :
       {KINDRED_LATTICE_SAVE, KINDRED_LATTICE_XOR_BYTES, KINDRED_LATTICE_MULTIPLY}) {
    task.work = work;
    EXPECT_EQ(status(task), KINDRED_INVALID);  // without a path or tensors
  }
  task = kindred_lattice_task KINDRED_LATTICE_TASK_INIT;
  task.reserved = 1;
  EXPECT_EQ(status(task), KINDRED_INVALID);
  task = kindred_lattice_task KINDRED_LATTICE_TASK_INIT;
  task.work = KINDRED_LATTICE_FIND_PATH;
  task.node_count = 1;
  EXPECT_EQ(status(task), KINDRED_INVALID);
  kindred_lattice_batch_options options = KINDRED_LATTICE_BATCH_OPTIONS_INIT;
  options.workers = 513;
  const kindred_lattice_task good = KINDRED_LATTICE_TASK_INIT;
  const kindred_lattice_task* list[] = {&good};
  EXPECT_EQ(kindred_run_lattices(c_context(), list, 1, &options, receive, &received, nullptr),
            KINDRED_INVALID);
  EXPECT_TRUE(received.tasks.empty());
}

}  // namespace
}  // namespace Kindred::Testing
