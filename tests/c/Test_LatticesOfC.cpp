// SPDX-License-Identifier: Apache-2.0
// Functions of lattices and their batches: each returns what the object of C++ behind the handle
// does.
#include "CppArguments.hpp"
#include "Given.hpp"
#include "Members.hpp"

#include <Support.hpp>
#include <TempFolder.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace LatticesOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// Compares what a lattice, or a task, has found.
void expect_found(const kindred_lattice_statistics& found, const LatticeStatistics& of) {
  expect_members(found, of, "edges_low edges_high");
  EXPECT_EQ(
      numbers(found.edges_low, found.edges_high),
      numbers(static_cast<std::uint64_t>(of.edges), static_cast<std::uint64_t>(of.edges >> 64U)));
}
void expect_found(const kindred_lattice* lattice) {
  expect_found(statistics_of<kindred_lattice_statistics>(lattice),
               C::lattice_of(lattice).statistics());
}

TEST(CLattice, PathsDistancesAndStructureAreThoseOfCpp) {
  const TempFolder folder;
  const std::string path = folder / "lattice.knd";
  const std::uint64_t blocked[] = {5};
  const kindred_lattice_pair blocked_edge[] = {{0, 1}};
  const auto lattice =
      result_of(kindred_lattice_create, c_context(), 3, 4, blocked, 1, blocked_edge, 1);
  const Lattice& inside = C::lattice_of(lattice);
  expect_found(lattice);
  for (const std::uint64_t node : {5, 6})
    EXPECT_EQ(result_of(kindred_lattice_is_blocked, lattice, node), node == 5 ? 1 : 0);
  const kindred_lattice_pair pairs[] = {{0, 63}, {0, 1}};
  const LatticePair of_cpp[] = {{0, 63}, {0, 1}};
  const std::uint64_t sources[] = {0, 9};
  const std::uint64_t targets[] = {63, 3};
  for (const std::int32_t space : c_spaces()) {
    const LatticeOptions options{.space = static_cast<Space>(space)};
    const auto found = result_of(kindred_lattice_rows, lattice, space);
    const LatticeRows rows = inside.rows(options);
    expect_results(found, Ragged<std::uint32_t>{rows.offsets, rows.ends});
    EXPECT_EQ(view_of(found).record->space, space);
    expect_results(result_of(kindred_lattice_paths, lattice, pairs, 2, space),
                   inside.paths(of_cpp, options).paths);
    for (const std::size_t count : {0, 2}) {  // to all nodes, or to two
      std::optional<std::span<const std::uint64_t>> some;
      if (count > 0) some = targets;
      const LatticeDistances expected = inside.distances(sources, some, options);
      std::vector<std::uint32_t> distances(count == 0 ? 64 : count);
      std::uint64_t reached = 0;
      std::uint32_t farthest = 0;
      ok(kindred_lattice_distances(lattice, sources, 2, count == 0 ? nullptr : targets, count,
                                   space, distances.data(), distances.size(), &reached, &farthest,
                                   nullptr));
      EXPECT_EQ(distances, expected.distances);
      EXPECT_EQ(numbers(reached, farthest), numbers(expected.reached, expected.farthest));
    }
    expect_members(result_of(kindred_lattice_measure, lattice, space), inside.measure(options));
  }
  std::uint32_t two[2] = {};
  expect_refused(kindred_lattice_distances(lattice, sources, 2, nullptr, 0, KINDRED_SPACE_ANY, two,
                                           2, nullptr, nullptr, nullptr));
  expect_results(result_of(kindred_lattice_all_paths, lattice, 0, 10, 8, 1000),
                 inside.all_paths(0, 10, 8));
  std::vector<std::uint8_t> dense(64 * 64);
  ok(kindred_lattice_dense(lattice, dense.data(), dense.size()));
  EXPECT_EQ(dense, inside.dense());
  expect_refused(kindred_lattice_dense(lattice, dense.data(), dense.size() - 1));
  ok(kindred_lattice_save(lattice, path.c_str(), KINDRED_SPACE_ANY));
  const kindred_graph_file_info info = result_of(kindred_graph_inspect, path.c_str(), 1);
  EXPECT_EQ(numbers(info.nodes, info.edges), numbers(64, 2 * inside.statistics().edges));
}

TEST(CLattice, NodesAreThoseOfCpp) {
  const auto lattice = result_of(kindred_lattice_create, c_context(), 3, 4, nullptr, 0, nullptr, 0);
  const LatticeShape& shape = C::lattice_of(lattice).shape();
  std::vector<std::uint32_t> coordinates(3);
  for (const std::uint64_t node : {0U, 1U, 21U, 63U}) {
    ok(kindred_lattice_coordinates(lattice, node, coordinates.data(), 3));
    EXPECT_EQ(coordinates, shape.coordinates(node));
    EXPECT_EQ(result_of(kindred_lattice_index, lattice, coordinates.data(), 3), node);
    EXPECT_EQ(list_from(kindred_lattice_neighbours, lattice, node), shape.neighbours(node));
    EXPECT_EQ(result_of(kindred_lattice_distance, lattice, node, 42), shape.distance(node, 42));
  }
  coordinates = {0, 0, 4};
  for (const std::size_t dimensions : {3, 2})
    expect_no_result("", kindred_lattice_index, lattice, coordinates.data(), dimensions);
  expect_refused(kindred_lattice_coordinates(lattice, 64, coordinates.data(), 3));
  expect_refused(kindred_lattice_coordinates(lattice, 0, coordinates.data(), 2));

  // With more edges than 64 bits count.
  const auto large = result_of(kindred_lattice_create, c_context(), 19, 10, nullptr, 0, nullptr, 0);
  EXPECT_GT(C::lattice_of(large).statistics().edges >> 64U, 0U);
  expect_found(large);
  std::uint8_t byte = 0;
  expect_refused(kindred_lattice_dense(large, &byte, 1));
}

TEST(CLattice, AnyUndirectedGraphIsMeasured) {
  // A triangle and a node beside it.
  const std::vector<std::uint64_t> offsets{0, 2, 4, 6, 6};
  const std::vector<std::uint32_t> ends{1, 2, 0, 2, 0, 1};
  const auto structure = result_of(kindred_measure_structure, offsets.data(), 4, ends.data());
  expect_members(structure, measure_structure(offsets, ends));
  EXPECT_EQ(structure.diameter, KINDRED_UNSET);
  const std::pair<std::vector<std::uint32_t>, const char*> wrong[] = {
      {{1, 4, 0, 2, 0, 1}, "4 nodes"},
      {{0, 1, 0, 2, 0, 1}, "loop"},
      {{2, 1, 0, 2, 0, 1}, "ascend"},
      {{1, 3, 0, 2, 0, 1}, "both directions"}};
  for (const auto& [of, words] : wrong)
    expect_no_result(words, kindred_measure_structure, offsets.data(), 4, of.data());
  EXPECT_EQ(result_of(kindred_measure_structure, offsets.data(), 0, nullptr).nodes, 0U);
}

/// What a callback has received.
struct Received {
  std::vector<std::uint64_t> tasks;
  std::vector<std::int32_t> works;
  std::vector<std::string> errors;
  std::vector<kindred_lattice_statistics> statistics;
  std::vector<kindred_graph_structure> structures;
  std::vector<std::vector<std::int64_t>> nodes;
  std::size_t reports = 0;
  std::size_t records = 0;
  std::uint64_t cancel_at = KINDRED_UNSET;
};

int receive(void* user, std::uint64_t task, const kindred_lattice_result* result) {
  auto& received = *static_cast<Received*>(user);
  received.tasks.push_back(task);
  received.works.push_back(result->work);
  received.errors.emplace_back(result->error);
  EXPECT_EQ(result->status, received.errors.back().empty() ? KINDRED_OK : KINDRED_INVALID);
  EXPECT_GE(result->seconds, 0);
  if (result->statistics != nullptr) received.statistics.push_back(*result->statistics);
  if (result->structure != nullptr) received.structures.push_back(*result->structure);
  if (result->report != nullptr) received.reports += result->report->batches;
  if (result->record != nullptr) ++received.records;
  if (result->nodes != nullptr) {
    const kindred_results_view view = view_of(result->nodes);
    received.nodes.push_back(list_of(view.ids, view.offsets[view.rows]));
  }
  return task == received.cancel_at ? 1 : 0;
}

TEST(CLattice, BatchesReportEveryTaskInOrder) {
  const TempFolder folder;
  const std::string path = folder / "lattice.knd";
  const std::uint64_t blocked[] = {1};
  const kindred_lattice_pair blocked_edges[] = {{4, 8}};
  const LatticePair expected_edges[] = {{4, 8}};
  Numbers<std::uint8_t> bytes({1, 2, 3}), key({3, 2, 1}), mixed({0, 0, 0});
  Floats a(random_rows("CLattice a", 6), 3);
  Floats b(random_rows("CLattice b", 6), 2);
  Floats product(2, 2);
  constexpr std::int32_t works[] = {
      KINDRED_LATTICE_ANALYZE,   KINDRED_LATTICE_MEASURE,  KINDRED_LATTICE_FIND_PATH,
      KINDRED_LATTICE_FIND_PATH, KINDRED_LATTICE_BUILD,    KINDRED_LATTICE_SAVE,
      KINDRED_LATTICE_XOR_BYTES, KINDRED_LATTICE_MULTIPLY,
  };
  std::vector<kindred_lattice_task> tasks(std::size(works), KINDRED_LATTICE_TASK_INIT);
  std::vector<const kindred_lattice_task*> list;
  for (kindred_lattice_task& task : tasks) {
    task.work = works[list.size()];
    task.dimensions = 2;
    task.size = 4;
    list.push_back(&task);
  }
  tasks[2].ends = {0, 15};
  tasks[2].blocked_nodes = blocked;
  tasks[2].blocked_edges = blocked_edges;
  tasks[2].node_count = tasks[2].edge_count = 1;
  tasks[3].ends = {0, 16};  // fails
  tasks[5].path = path.c_str();
  std::tie(tasks[6].a, tasks[6].b, tasks[6].c) = std::tuple(&bytes, &key, &mixed);
  std::tie(tasks[7].a, tasks[7].b, tasks[7].c) = std::tuple(&a, &b, &product);
  const Lattice whole(context(), 2, 4);
  const std::vector<std::uint64_t> way =
      Lattice(context(), 2, 4, {blocked, expected_edges}).path(0, 15);
  const LatticeRows rows = whole.rows();
  EXPECT_FALSE(way.empty());
  for (const std::int32_t workers : {1, 3}) {
    const kindred_lattice_batch_options options = Given::lattice_batch_options{.workers = workers};
    Received received;
    std::uint64_t failed = 0;
    const auto run = [&] {
      return kindred_run_lattices(c_context(), list.data(), list.size(), &options, receive,
                                  &received, &failed);
    };
    ok(run());
    EXPECT_EQ(received.tasks, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_TRUE(has_values(works, received.works));
    EXPECT_EQ(failed, 1U);
    for (std::size_t task = 0; task < tasks.size(); ++task)
      EXPECT_EQ(received.errors[task].empty(), task != 3) << received.errors[task];
    ASSERT_EQ(numbers(received.statistics.size(), received.structures.size()), numbers(2, 1));
    expect_found(received.statistics[0], whole.statistics());
    expect_members(received.structures[0], whole.measure());
    EXPECT_EQ(received.nodes, (std::vector<std::vector<std::int64_t>>{
                                  {way.begin(), way.end()}, {rows.ends.begin(), rows.ends.end()}}));
    EXPECT_EQ(numbers(received.reports, received.records), numbers(2, 3));
    EXPECT_EQ(mixed.values, (std::vector<std::uint8_t>{2, 0, 2}));
    EXPECT_FLOAT_EQ(product.values[0], a.values[0] * b.values[0] + a.values[1] * b.values[2] +
                                           a.values[2] * b.values[4]);
    EXPECT_TRUE(std::filesystem::exists(path));
    std::filesystem::remove(path);
    tasks[7].b = &a;  // 2 × 3 by 2 × 3
    expect_refused(run(), "tasks[7].b is float32 [2, 3]");
    EXPECT_FALSE(std::filesystem::exists(path)) << "no task runs if one is refused";
    tasks[7].b = &b;
  }
}

TEST(CLattice, ACallbackThatReturnsNonzeroEndsTheBatch) {
  const kindred_lattice_task task = KINDRED_LATTICE_TASK_INIT;
  const std::vector<const kindred_lattice_task*> list(100, &task);
  for (const std::int32_t workers : {1, 3}) {
    const kindred_lattice_batch_options options = Given::lattice_batch_options{.workers = workers};
    Received received;
    received.cancel_at = 5;
    expect_refused(kindred_run_lattices(c_context(), list.data(), list.size(), &options, receive,
                                        &received, nullptr),
                   "", KINDRED_CANCELLED);
    EXPECT_EQ(received.tasks.size(), 6U);
  }
  ok(kindred_run_lattices(c_context(), list.data(), 3, nullptr, nullptr, nullptr, nullptr));
  ok(kindred_run_lattices(c_context(), nullptr, 0, nullptr, nullptr, nullptr, nullptr));
}

TEST(CLattice, WrongTasksAreRefusedBeforeAnyStarts) {
  Received received;
  const kindred_lattice_task good = KINDRED_LATTICE_TASK_INIT;
  std::vector<kindred_lattice_task> wrong(5, good);
  std::int32_t works[] = {-1, 7, KINDRED_LATTICE_SAVE, KINDRED_LATTICE_XOR_BYTES,
                          KINDRED_LATTICE_MULTIPLY};
  for (std::size_t i = 0; i < wrong.size(); ++i) wrong[i].work = works[i];
  wrong.push_back(good);
  wrong.back().reserved = 1;
  wrong.push_back(good);
  wrong.back().work = KINDRED_LATTICE_FIND_PATH;
  wrong.back().node_count = 1;
  for (const kindred_lattice_task& task : wrong) {
    const kindred_lattice_task* list[] = {&good, &task};
    expect_refused(kindred_run_lattices(c_context(), list, 2, nullptr, receive, &received, nullptr),
                   "tasks[1]");
  }
  const kindred_lattice_batch_options options = Given::lattice_batch_options{.workers = 513};
  expect_refused(
      kindred_run_lattices(c_context(), nullptr, 0, &options, receive, &received, nullptr));
  EXPECT_TRUE(received.tasks.empty());
}

}  // namespace LatticesOfCTest
