// SPDX-License-Identifier: Apache-2.0
// Wrote the files of this folder, with the library of commit 71553dc: see README.md. It is kept to
// show what is in them, and belongs to no build.
#include <kindred/backends/Dispatcher.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include "../../StoredAnswers.hpp"

#include <fstream>
#include <random>

namespace {

using namespace Kindred;
using Testing::stored_events;

void make_patterns(Context& context, const std::string& folder) {
  PatternSettings settings;
  settings.background_sync = false;
  PatternMemory memory(context, settings);
  memory.learn(stored_events({{"a", "b"}, {"c"}}), "first");
  memory.learn(stored_events({{"x"}, {"\xC3\xA9"}}));
  memory.learn(stored_events({{"b"}, {"a"}}), "gone");
  memory.learn(stored_events({{"a", "b"}, {"c"}}), {}, 4);
  memory.learn(stored_events({}), "empty");
  for (int i = 0; i < 8; ++i) {
    const std::string text = "s" + std::to_string(i);
    memory.learn(stored_events({{"a"}, {text, "b"}, {"", "c"}}), "numbered " + text);
  }
  memory.forget("gone");
  memory.sync();
  memory.save(folder + "/patterns.knd");
  // A second commit: new, seen again, forgotten, and learned again.
  memory.learn(stored_events({{"later"}, {"b", "a"}}), "later");
  memory.learn(stored_events({{"x"}, {"\xC3\xA9"}}), {}, 2);
  memory.forget("numbered s3");
  memory.learn(stored_events({{"b"}, {"a"}}), "gone");
  memory.append(folder + "/patterns.knd");
  memory.vocabulary().save(folder + "/vocabulary.knd");
}

std::vector<float> some_floats(std::size_t count) {
  std::mt19937 generator(17);  // its numbers are the standard's
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(static_cast<int>(generator() % 2001) - 1000) / 250;
  return values;
}

void make_vectors(Context& context, const std::string& folder) {
  const std::size_t dimension = 5;
  const std::vector<float> rows = some_floats(20 * dimension);
  {
    VectorIndex index(context, rows, dimension);
    index.append({std::span(rows).first(2 * dimension), dimension});
    index.remove(std::vector<std::uint64_t>{3, 11});
    SearchOptions options;
    options.path = SearchPath::screen;  // makes the int8 rows that are stored, too
    index.search(std::span(rows).first(dimension), options);
    index.save(folder + "/vectors.knd");
  }
  std::vector<std::byte> values(rows.size());
  std::vector<float> scales(20);
  encode_rows(rows, dimension, DataType::int8, values, scales);
  VectorIndex index(context, VectorSpan(DataType::int8, values, dimension, scales), {});
  index.save(folder + "/vectors-int8.knd");
}

void make_hnsw(Context& context, const std::string& folder) {
  HnswSettings settings;
  settings.metric = Metric::l2;
  settings.m = 3;
  settings.ef_construction = 10;
  HnswIndex index = HnswIndex::build(context, some_floats(40 * 3), 3, settings);
  index.remove(std::vector<std::uint64_t>{4, 30});
  index.save(folder + "/hnsw.knd");
}

void make_graph(Context& context, const std::string& folder) {
  const std::vector<Edge> edges{{0, 1, 0.5F}, {2, 1, 1}, {2, 1, 0.25F}, {4, 4, 0.125F},
                                {1, 3, 1},    {1, 5, 1}, {5, 0, -0.75F}};
  const std::vector<std::uint8_t> edge_kinds{1, 6, 1, 9, 9, 1, 0};
  const std::vector<std::uint8_t> node_kinds{1, 2, 3, 0, 0, 1};
  Ragged<char> names;
  for (const std::string_view name : {"a", "", "\xC3\xA9", "gone", "e", "f"})
    names.push_row({name.data(), name.size()});
  SpreadingEngine engine(context, GraphSpan{6, edges, edge_kinds, node_kinds, names}, {});
  engine.remove_nodes(std::vector<std::uint32_t>{3});
  engine.save(folder + "/graph.knd");
}

/// A layer with a history, in all states, with every schedule under way.
void make_seeds(Context& context, const std::string& folder) {
  SeedLayerOptions options;
  options.hidden = 9;
  options.seeds = 12;
  SeedLayer layer(context, options);
  layer.add_blueprint("first", std::vector<float>{1.5F, -2, 0.25F, 3, 1, 1, -1, 0.5F, 8});
  layer.add_blueprint("gone", std::vector<float>(9, 1.5F));
  layer.add_blueprint("\xC3\xA9", std::vector<float>(9, -2.0F));
  layer.replace_blueprint(2, std::vector<float>(9, -0.5F));
  layer.remove_blueprint(1);
  SeedState state(12);
  for (std::size_t i = 0; i < 12; ++i) {
    state.lifecycle[i] = static_cast<Lifecycle>(i % 11);
    state.blueprint[i] = i % 2 == 0 ? 0 : 2;
    state.alpha[i] = 0.125F * static_cast<float>(i % 8);
    state.mode[i] = static_cast<ApplyMode>(i % 4);
    if (i < 5) state.lifecycle[i] = Lifecycle::grafting;
    state.schedule[i] = static_cast<AlphaSchedule>(i % 5);
    state.parent[i] = static_cast<Lifecycle>(i % 3);
  }
  layer.set_state(state);
  SeedMetrics metrics;
  const std::vector<float> weights{1, 2};
  metrics.weights = weights;
  metrics.performance_delta = 0.3;
  for (int i = 0; i < 7; ++i) layer.step(metrics);
  layer.report_error(5);
  layer.germinate(11, 2, ApplyMode::linear);
  layer.request(11, Lifecycle::training);
  layer.save(folder + "/seeds.knd");
  layer.blueprints().save(folder + "/blueprints.knd");
}

void make_profile(const std::string& folder) {
  Dispatcher::Options options;
  options.machine = "a machine";
  Dispatcher dispatcher(SpaceSet::host(), 2, options);
  for (const double work : {1e3, 1e6}) {
    dispatcher.calibrate(Operation::lcs, Space::serial, work, work * 1e-9);
    dispatcher.calibrate(Operation::lcs, Space::openmp, work, 1e-5 + work * 5e-10);
  }
  dispatcher.calibrate_transfer(2e10, 1e-5);
  dispatcher.calibrate_batch(Operation::transform, std::uint64_t{1} << 24U);
  std::ofstream(folder + "/profile.json") << dispatcher.profile_json() << '\n';
}

}  // namespace

int main(int /*argc*/, char** argv) {
  const std::string folder = argv[1];
  Kindred::ContextOptions options;
  options.load_profile = false;
  Kindred::Context context(options);
  make_patterns(context, folder);
  make_vectors(context, folder);
  make_hnsw(context, folder);
  make_graph(context, folder);
  make_seeds(context, folder);
  make_profile(folder);
  nlohmann::json expected;
  for (const auto& kind : Kindred::Testing::stored_kinds)
    expected[kind.file] = kind.answer(context, folder + "/" + kind.file);
  std::ofstream(folder + "/expected.json") << expected.dump(1) << '\n';
}
