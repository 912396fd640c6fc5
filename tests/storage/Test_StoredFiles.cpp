// SPDX-License-Identifier: Apache-2.0
// The answers of the files in tests/storage/stored. Only results with guaranteed bits are
// requested, and none that uses `exp` or `log` of a C library.
#include <gmock/gmock.h>

#include "RaggedRows.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

#include <kindred/backends/Dispatcher.hpp>
#include <kindred/matcher/BlueprintRegistry.hpp>
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/matcher/SeedLayer.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace StoredFilesTest {

using namespace Kindred;
using namespace Kindred::Testing;
using nlohmann::json;
using ::testing::HasSubstr;

using Answer = json (*)(Context& context, const std::string& path);

template <class List>
json numbers(const List& list) {
  return std::vector(list.begin(), list.end());
}

json patterns_answer(Context& context, const std::string& path) {
  PatternMemory memory = PatternMemory::load(context, path);
  json out;
  out["size"] = memory.size();
  out["learned"] = memory.statistics().learned;
  out["symbol_frequencies"] = numbers(memory.symbol_frequencies());
  for (std::uint64_t i = 0; i < memory.statistics().learned; ++i) {
    json row = {{"frequency", memory.frequency(i)}};
    if (memory.frequency(i) > 0) {
      const StoredPattern pattern = memory.pattern(i);
      if (pattern.name) row["name"] = *pattern.name;
      for (std::size_t event = 0; event < pattern.events.rows(); ++event)
        row["events"].push_back(numbers(memory.vocabulary().decode(pattern.events[event])));
    }
    out["patterns"].push_back(row);
  }
  Ragged<Symbol> queries;
  memory.encode(ragged<std::string_view>({{"a", "b"}, {"c"}, {"never"}}), queries);
  memory.encode(ragged<std::string_view>({{"x"}, {"\xC3\xA9"}, {"b", "a"}}), queries);
  for (const Measure measure : {Measure::lcs, Measure::difflib}) {
    const MatchResults results = memory.match(queries, {.measure = measure, .threshold = 0.1});
    for (std::size_t query = 0; query < queries.rows(); ++query) {
      json found = json::array();
      for (const Match& match : results.matches[query])
        found.push_back({match.index, match.matched, match.similarity});
      out["matches"].push_back(found);
    }
  }
  // Continues where the file ends.
  const LearnedPattern next = memory.learn(ragged<std::string_view>({{"new"}}), "new");
  out["next"] = {next.index, next.frequency, memory.vocabulary().find("new")};
  return out;
}

json vocabulary_answer(Context& /*context*/, const std::string& path) {
  const Vocabulary vocabulary = Vocabulary::load(path);
  json out;
  for (Symbol symbol = 0; symbol < vocabulary.size(); ++symbol)
    out["texts"].push_back(std::string(vocabulary.text(symbol)));
  out["number_of_b"] = vocabulary.find("b");
  return out;
}

json vectors_answer(Context& context, const std::string& path) {
  const VectorIndex index = VectorIndex::load(context, path);
  json out = {{"size", index.size()},
              {"end_id", index.end_id()},
              {"element", static_cast<int>(index.element())}};
  const std::vector<float> queries{1, 0.5F, -0.25F, 0, 3, 0, 0, 1.0F / 3, 2, -1};
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    for (const SearchPath path_of : {SearchPath::brute_force, SearchPath::quantized}) {
      SearchOptions options{.metric = metric, .top = 4};
      if (index.statistics().quantized_bytes > 0) options.path = path_of;
      const SearchResults results = index.search(queries, options);
      out["found"].push_back({{"ids", results.ids}, {"scores", numbers(results.scores)}});
    }
  }
  return out;
}

json hnsw_answer(Context& context, const std::string& path) {
  HnswIndex index = HnswIndex::load(context, path);
  const HnswStatistics statistics = index.statistics();
  json out = {
      {"rows", statistics.rows},     {"removed", statistics.removed},
      {"end_id", statistics.end_id}, {"levels", statistics.levels},
      {"links", statistics.links},   {"traversal", static_cast<int>(index.settings().traversal)}};
  const std::vector<float> queries{0.5F, -1, 2, 0, 0, 0, -3, 1, 0.25F};
  const HnswResults results = index.search(queries, {.top = 3, .ef = 5});
  out["ids"] = results.ids;
  out["scores"] = numbers(results.scores);
  std::vector<float> row(index.dimension());
  index.rows(std::vector<std::uint64_t>{7}, row);
  out["row_7"] = numbers(row);
  out["next"] = index.add(std::vector<float>{9, 9, 9});
  return out;
}

json graph_answer(Context& context, const std::string& path) {
  SpreadingEngine engine = SpreadingEngine::load(context, path);
  json out = {{"nodes", engine.nodes()}, {"edges", engine.edges()}};
  for (std::uint32_t node = 0; node < engine.nodes(); ++node)
    out["names"].push_back(engine.has_node(node) ? std::string(engine.name(node)) : "removed");
  const Ragged<Activation> sources = ragged<Activation>({{{0, 1}, {4, 0.5F}}, {{2, 0.75F}}});
  for (const bool some_kinds : {false, true}) {
    SpreadOptions options{
        .mode = SpreadMode::linear, .hops = 3, .decay = {Decay::Kind::constant, 0.5}};
    if (some_kinds) options.kinds = EdgeKinds().set(1).set(9);
    const SpreadResults results = engine.spread(sources, options);
    for (std::size_t query = 0; query < sources.rows(); ++query) {
      json reached = json::array();
      for (const Activation& node : results.activations[query])
        reached.push_back({node.node, node.value});
      out["activations"].push_back(reached);
    }
  }
  out["next"] = engine.add_nodes(std::vector<std::string_view>{"new"});
  return out;
}

json blueprints_answer(Context& /*context*/, const std::string& path) {
  const BlueprintRegistry registry = BlueprintRegistry::load(path);
  json out = {{"size", registry.size()}};
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(registry.size()); ++id) {
    if (!registry.contains(id)) continue;
    out["sets"].push_back({{"id", id},
                           {"name", registry.name(id)},
                           {"version", registry.version(id)},
                           {"weights", numbers(registry.weights(id))}});
  }
  return out;
}

/// The blueprints of the layer are in a file next to its checkpoint.
json seeds_answer(Context& context, const std::string& path) {
  SeedLayer layer(context, {.hidden = 9, .seeds = 12});
  layer.restore_blueprints(path.substr(0, path.find_last_of('/')) + "/blueprints.knd");
  layer.restore(path);
  const SeedState state = layer.state();
  json out = {{"epoch", layer.epoch()},
              {"lifecycle", numbers(state.lifecycle)},
              {"blueprint", numbers(state.blueprint)},
              {"mode", numbers(state.mode)},
              {"alpha", numbers(state.alpha)},
              {"schedule", numbers(state.schedule)},
              {"epochs", numbers(state.epochs)},
              {"parent", numbers(state.parent)},
              {"errors", numbers(state.errors)}};
  for (std::uint32_t seed = 0; seed < layer.seeds(); ++seed) {
    const auto numbers_of = layer.schedule_state(seed);
    out["schedule_state"].push_back(numbers_of ? numbers(*numbers_of) : json());
    json history = json::array();
    for (const SeedChange& change : state.history(seed))
      history.push_back({static_cast<int>(change.from), static_cast<int>(change.to)});
    out["history"].push_back(history);
  }
  std::vector<float> x(18);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 8 - 1;
  std::vector<float> y(x.size());
  layer.forward(std::span(x), std::span(y));
  out["y"] = numbers(y);
  return out;
}

/// A stored file and the function that reads it.
struct StoredKind {
  const char* file;
  Answer answer;
};
constexpr StoredKind stored_kinds[] = {{"patterns.knd", patterns_answer},
                                       {"vocabulary.knd", vocabulary_answer},
                                       {"vectors.knd", vectors_answer},
                                       {"vectors-int8.knd", vectors_answer},
                                       {"hnsw.knd", hnsw_answer},
                                       {"graph.knd", graph_answer},
                                       {"blueprints.knd", blueprints_answer},
                                       {"seeds.knd", seeds_answer}};

/// The folders of tests/storage/stored, each written by the code of a particular commit.
std::vector<std::string> versions() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(KINDRED_TEST_STORED))
    if (entry.is_directory()) out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(StoredFiles, OfEarlierVersionsGiveTheirAnswersOrNameTheConversionCommand) {
  ASSERT_FALSE(versions().empty());
  for (const std::string& folder : versions()) {
    const json expected = json::parse(read_all(folder + "/expected.json"));
    EXPECT_EQ(expected.size(), std::size(stored_kinds)) << folder;
    for (const StoredKind& kind : stored_kinds) {
      const std::string path = folder + "/" + kind.file;
      const std::string before = read_all(path);
      try {
        const json found = kind.answer(context(), path);
        EXPECT_EQ(found, expected.at(kind.file)) << path << "\n"
                                                 << json::diff(expected.at(kind.file), found);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("convert it with: kindred ")) << path;
      }
      EXPECT_EQ(read_all(path), before) << path;
    }
  }
}

TEST(StoredFiles, AnEarlierProfileIsUsedOrNamesTheCommandThatReplacesIt) {
  ASSERT_FALSE(versions().empty());
  for (const std::string& folder : versions()) {
    Dispatcher::Options options;
    options.machine = "a machine";
    Dispatcher dispatcher(SpaceSet::host(), 2, options);
    try {
      dispatcher.load_profile_json(read_all(folder + "/profile.json"));
      EXPECT_TRUE(dispatcher.calibrated());
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr("kindred calibrate"));
    }
  }
}

}  // namespace StoredFilesTest
