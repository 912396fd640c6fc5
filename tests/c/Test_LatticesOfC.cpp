// SPDX-License-Identifier: Apache-2.0
// Functions of lattices and their batches: each returns what the object of C++ behind the handle
// does.
#include "Members.hpp"

#include <Lattice.hpp>

#include <Support.hpp>
#include <TempFolder.hpp>

#include <filesystem>
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
kindred_lattice_statistics statistics_of(const kindred_lattice* lattice) {
  kindred_lattice_statistics out = KINDRED_LATTICE_STATISTICS_INIT;
  ok(kindred_get_statistics(lattice, &out));
  return out;
}

TEST(CLattice, PathsDistancesAndStructureAreThoseOfCpp) {
  const TempFolder folder;
  const std::string path = folder / "lattice.knd";
  const std::uint64_t blocked[] = {5};
  const kindred_lattice_pair blocked_edge[] = {{0, 1}};
  Owned<kindred_lattice> lattice;
  ok(kindred_lattice_create(c_context(), 3, 4, blocked, 1, blocked_edge, 1, &lattice));
  const Lattice& inside = C::lattice_of(lattice);
  expect_found(statistics_of(lattice), inside.statistics());
  for (const std::uint64_t node : {5, 6}) {
    std::int32_t is_blocked = -1;
    ok(kindred_lattice_is_blocked(lattice, node, &is_blocked));
    EXPECT_EQ(is_blocked, node == 5 ? 1 : 0);
  }
  const kindred_lattice_pair pairs[] = {{0, 63}, {0, 1}};
  const LatticePair of_cpp[] = {{0, 63}, {0, 1}};
  const std::uint64_t sources[] = {0, 9};
  const std::uint64_t targets[] = {63, 3};
  for (const std::int32_t space : c_spaces()) {
    const LatticeOptions options{.space = static_cast<Space>(space)};
    Owned<kindred_results> found;
    ok(kindred_lattice_rows(lattice, space, &found));
    const LatticeRows rows = inside.rows(options);
    expect_results(found, Ragged<std::uint32_t>{rows.offsets, rows.ends});
    EXPECT_EQ(view_of(found).record->space, space);
    Owned<kindred_results> paths;
    ok(kindred_lattice_paths(lattice, pairs, 2, space, &paths));
    expect_results(paths, inside.paths(of_cpp, options).paths);
    for (const bool are_all : {true, false}) {
      std::vector<std::uint32_t> distances(are_all ? 64 : 2);
      std::uint64_t reached = 0;
      std::uint32_t farthest = 0;
      kindred_record record = KINDRED_RECORD_INIT;
      ok(kindred_lattice_distances(lattice, sources, 2, are_all ? nullptr : targets,
                                   are_all ? 0 : 2, space, distances.data(), distances.size(),
                                   &reached, &farthest, &record));
      std::optional<std::span<const std::uint64_t>> some;
      if (!are_all) some = targets;
      const LatticeDistances expected = inside.distances(sources, some, options);
      EXPECT_EQ(distances, expected.distances);
      EXPECT_EQ(numbers(reached, farthest), numbers(expected.reached, expected.farthest));
    }
    kindred_graph_structure structure = KINDRED_GRAPH_STRUCTURE_INIT;
    ok(kindred_lattice_measure(lattice, space, &structure));
    expect_members(structure, inside.measure(options));
  }
  std::uint32_t two[2] = {};
  expect_refused(kindred_lattice_distances(lattice, sources, 2, nullptr, 0, KINDRED_SPACE_ANY, two,
                                           2, nullptr, nullptr, nullptr));
  Owned<kindred_results> all;
  ok(kindred_lattice_all_paths(lattice, 0, 10, 8, 1000, &all));
  expect_results(all, inside.all_paths(0, 10, 8));
  std::vector<std::uint8_t> dense(64 * 64);
  ok(kindred_lattice_dense(lattice, dense.data(), dense.size()));
  EXPECT_EQ(dense, inside.dense());
  expect_refused(kindred_lattice_dense(lattice, dense.data(), dense.size() - 1));
  ok(kindred_lattice_save(lattice, path.c_str(), KINDRED_SPACE_ANY));
  kindred_graph_file_info info = KINDRED_GRAPH_FILE_INFO_INIT;
  ok(kindred_graph_inspect(path.c_str(), 1, &info));
  EXPECT_EQ(numbers(info.nodes, info.edges), numbers(64, 2 * inside.statistics().edges));
}

TEST(CLattice, NodesAreThoseOfCpp) {
  Owned<kindred_lattice> lattice;
  ok(kindred_lattice_create(c_context(), 3, 4, nullptr, 0, nullptr, 0, &lattice));
  const LatticeShape& shape = C::lattice_of(lattice).shape();
  std::vector<std::uint32_t> coordinates(3);
  std::uint64_t number = 0;
  for (const std::uint64_t node : {0U, 1U, 21U, 63U}) {
    ok(kindred_lattice_coordinates(lattice, node, coordinates.data(), 3));
    EXPECT_EQ(coordinates, shape.coordinates(node));
    ok(kindred_lattice_index(lattice, coordinates.data(), 3, &number));
    EXPECT_EQ(number, node);
    std::uint64_t neighbours[6] = {};
    std::size_t count = 0;
    ok(kindred_lattice_neighbours(lattice, node, neighbours, 6, &count));
    EXPECT_EQ(list_of(neighbours, count), shape.neighbours(node));
    count = 0;
    expect_refused(kindred_lattice_neighbours(lattice, node, neighbours, 2, &count));
    EXPECT_GE(count, 3U);
    ok(kindred_lattice_distance(lattice, node, 42, &number));
    EXPECT_EQ(number, shape.distance(node, 42));
  }
  coordinates = {0, 0, 4};
  expect_refused(kindred_lattice_index(lattice, coordinates.data(), 3, &number));
  expect_refused(kindred_lattice_index(lattice, coordinates.data(), 2, &number));
  expect_refused(kindred_lattice_coordinates(lattice, 64, coordinates.data(), 3));
  expect_refused(kindred_lattice_coordinates(lattice, 0, coordinates.data(), 2));

  Owned<kindred_lattice> large;  // with more edges than 64 bits count
  ok(kindred_lattice_create(c_context(), 19, 10, nullptr, 0, nullptr, 0, &large));
  expect_found(statistics_of(large), C::lattice_of(large).statistics());
  EXPECT_GT(statistics_of(large).edges_high, 0U);
  std::uint8_t byte = 0;
  expect_refused(kindred_lattice_dense(large, &byte, 1));
}

TEST(CLattice, AnyUndirectedGraphIsMeasured) {
  // A triangle and a node beside it.
  const std::vector<std::uint64_t> offsets{0, 2, 4, 6, 6};
  const std::vector<std::uint32_t> ends{1, 2, 0, 2, 0, 1};
  kindred_graph_structure structure = KINDRED_GRAPH_STRUCTURE_INIT;
  const auto measure = [&](const std::vector<std::uint32_t>& of) {
    return kindred_measure_structure(offsets.data(), 4, of.data(), &structure);
  };
  ok(measure(ends));
  expect_members(structure, measure_structure(offsets, ends));
  EXPECT_EQ(structure.diameter, KINDRED_UNSET);
  expect_refused(measure({1, 4, 0, 2, 0, 1}), "4 nodes");
  expect_refused(measure({0, 1, 0, 2, 0, 1}), "loop");
  expect_refused(measure({2, 1, 0, 2, 0, 1}), "ascend");
  expect_refused(measure({1, 3, 0, 2, 0, 1}), "both directions");
  const std::uint64_t none[] = {0};
  ok(kindred_measure_structure(none, 0, nullptr, &structure));
  EXPECT_EQ(structure.nodes, 0U);
}

/// What a callback has received.
struct Received {
  std::vector<std::uint64_t> tasks;
  std::vector<std::int32_t> statuses;
  std::vector<std::int32_t> works;
  std::vector<std::string> errors;
  std::vector<kindred_lattice_statistics> statistics;
  std::vector<kindred_graph_structure> structures;
  std::vector<std::vector<std::int64_t>> nodes;
  std::vector<std::string> operations;
  std::size_t reports = 0;
  std::uint64_t cancel_at = KINDRED_UNSET;
};

int receive(void* user, std::uint64_t task, const kindred_lattice_result* result) {
  auto& received = *static_cast<Received*>(user);
  received.tasks.push_back(task);
  received.statuses.push_back(result->status);
  received.works.push_back(result->work);
  received.errors.emplace_back(result->error);
  EXPECT_GE(result->seconds, 0);
  if (result->statistics != nullptr) received.statistics.push_back(*result->statistics);
  if (result->structure != nullptr) received.structures.push_back(*result->structure);
  if (result->report != nullptr) received.reports += result->report->batches;
  if (result->record != nullptr) received.operations.emplace_back(result->record->operation);
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
  Numbers<std::uint8_t> bytes({1, 2, 3});
  Numbers<std::uint8_t> key({3, 2, 1});
  Numbers<std::uint8_t> mixed({0, 0, 0});
  Floats a(random_rows("CLattice a", 6), 3);
  Floats b(random_rows("CLattice b", 6), 2);
  Floats product(2, 2);
  std::vector<kindred_lattice_task> tasks;
  const auto add = [&](std::int32_t work) -> kindred_lattice_task& {
    tasks.push_back(KINDRED_LATTICE_TASK_INIT);
    tasks.back().dimensions = 2;
    tasks.back().size = 4;
    tasks.back().work = work;
    return tasks.back();
  };
  tasks.reserve(8);
  add(KINDRED_LATTICE_ANALYZE);
  add(KINDRED_LATTICE_MEASURE);
  kindred_lattice_task& find = add(KINDRED_LATTICE_FIND_PATH);
  find.ends = {0, 15};
  find.blocked_nodes = blocked;
  find.blocked_edges = blocked_edges;
  find.node_count = find.edge_count = 1;
  add(KINDRED_LATTICE_FIND_PATH).ends = {0, 16};  // fails
  add(KINDRED_LATTICE_BUILD);
  add(KINDRED_LATTICE_SAVE).path = path.c_str();
  kindred_lattice_task& mix = add(KINDRED_LATTICE_XOR_BYTES);
  mix.a = &bytes;
  mix.b = &key;
  mix.c = &mixed;
  kindred_lattice_task& multiply = add(KINDRED_LATTICE_MULTIPLY);
  multiply.a = &a;
  multiply.b = &b;
  multiply.c = &product;
  std::vector<const kindred_lattice_task*> list;
  std::vector<std::int32_t> works;
  for (const kindred_lattice_task& task : tasks) {
    list.push_back(&task);
    works.push_back(task.work);
  }
  const Lattice whole(context(), 2, 4);
  const std::vector<std::uint64_t> way =
      Lattice(context(), 2, 4, {blocked, expected_edges}).path(0, 15);
  const LatticeRows rows = whole.rows();
  for (const std::int32_t workers : {1, 3}) {
    kindred_lattice_batch_options options = KINDRED_LATTICE_BATCH_OPTIONS_INIT;
    options.workers = workers;
    Received received;
    std::uint64_t failed = 0;
    const auto run = [&] {
      return kindred_run_lattices(c_context(), list.data(), list.size(), &options, receive,
                                  &received, &failed);
    };
    ok(run());
    EXPECT_EQ(received.tasks, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(received.works, works);
    EXPECT_EQ(failed, 1U);
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      EXPECT_EQ(received.statuses[task], task == 3 ? KINDRED_INVALID : KINDRED_OK);
      EXPECT_EQ(received.errors[task].empty(), task != 3) << received.errors[task];
    }
    ASSERT_EQ(received.statistics.size(), 2U);
    expect_found(received.statistics[0], whole.statistics());
    ASSERT_EQ(received.structures.size(), 1U);
    expect_members(received.structures[0], whole.measure());
    EXPECT_EQ(received.nodes, (std::vector<std::vector<std::int64_t>>{
                                  {way.begin(), way.end()}, {rows.ends.begin(), rows.ends.end()}}));
    EXPECT_FALSE(way.empty());
    EXPECT_EQ(received.reports, 2U);
    EXPECT_EQ(received.operations.size(), 3U);
    EXPECT_EQ(mixed.values, (std::vector<std::uint8_t>{2, 0, 2}));
    EXPECT_FLOAT_EQ(product.values[0], a.values[0] * b.values[0] + a.values[1] * b.values[2] +
                                           a.values[2] * b.values[4]);
    EXPECT_TRUE(std::filesystem::exists(path));
    std::filesystem::remove(path);
    multiply.b = &a;  // 2 × 3 by 2 × 3
    expect_refused(run(), "tasks[7].b is float32 [2, 3]");
    EXPECT_FALSE(std::filesystem::exists(path)) << "no task runs if one is refused";
    multiply.b = &b;
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
  const auto refused = [&](void (*spoil)(kindred_lattice_task & task)) {
    const kindred_lattice_task good = KINDRED_LATTICE_TASK_INIT;
    kindred_lattice_task task = good;
    spoil(task);
    const kindred_lattice_task* list[] = {&good, &task};
    expect_refused(kindred_run_lattices(c_context(), list, 2, nullptr, receive, &received, nullptr),
                   "tasks[1]");
  };
  refused([](kindred_lattice_task& task) { task.work = -1; });
  refused([](kindred_lattice_task& task) { task.work = 7; });
  refused([](kindred_lattice_task& task) { task.work = KINDRED_LATTICE_SAVE; });
  refused([](kindred_lattice_task& task) { task.work = KINDRED_LATTICE_XOR_BYTES; });
  refused([](kindred_lattice_task& task) { task.work = KINDRED_LATTICE_MULTIPLY; });
  refused([](kindred_lattice_task& task) { task.reserved = 1; });
  refused([](kindred_lattice_task& task) {
    task.work = KINDRED_LATTICE_FIND_PATH;
    task.node_count = 1;
  });
  kindred_lattice_batch_options options = KINDRED_LATTICE_BATCH_OPTIONS_INIT;
  options.workers = 513;
  expect_refused(
      kindred_run_lattices(c_context(), nullptr, 0, &options, receive, &received, nullptr));
  EXPECT_TRUE(received.tasks.empty());
}

}  // namespace LatticesOfCTest
