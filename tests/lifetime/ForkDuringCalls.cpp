// SPDX-License-Identifier: Apache-2.0
// In a process that was forked from one with contexts, also while other threads were in calls,
// every call of an object that has a context throws, and nothing hangs: neither calls nor
// destructors, when objects are destroyed and when the process ends.
#include <kindred/Bulk.hpp>
#include <kindred/Graph.hpp>
#include <kindred/Hnsw.hpp>
#include <kindred/Keys.hpp>
#include <kindred/Lattice.hpp>
#include <kindred/Layers.hpp>
#include <kindred/Patterns.hpp>
#include <kindred/Seed.hpp>
#include <kindred/Sequence.hpp>
#include <kindred/Vector.hpp>
#include <kindred/backends/Context.hpp>

#include "Check.hpp"
#include "InChild.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace Kindred;

constexpr int forks = 30;
constexpr std::size_t dimension = 16;
constexpr std::size_t count = 200;
constexpr std::array<std::uint64_t, 1> first{0};

ContextOptions options() { return {.threads = 2, .space = Space::serial, .load_profile = false}; }

/// As many numbers as there are rows, from \p first on.
std::vector<std::uint64_t> numbers_from(std::uint64_t first) {
  std::vector<std::uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

/// Objects of all engines, and a call of each that holds its locks for long.
struct Program {
  Context context{options()};
  std::vector<float> rows = std::vector<float>(count * dimension, 1.0F);
  std::vector<std::uint64_t> numbers = numbers_from(0);
  std::vector<std::string> names = [&] {
    std::vector<std::string> names;
    for (const std::uint64_t i : numbers) names.push_back("n" + std::to_string(i));
    return names;
  }();
  std::vector<std::string_view> texts{names.begin(), names.end()};
  std::vector<Edge> edges{{0, 1, 0.5F}, {1, 2, 0.5F}};

  VectorIndex index{context, rows, dimension};
  KeyedVectorIndex keyed{context, std::span<const std::uint64_t>(numbers), {rows, dimension}};
  PatternMemory memory{context};
  SequenceMatcher matcher{context, texts};
  SpreadingEngine engine{context, GraphSpan{count, edges}, GraphOptions()};
  HnswIndex hnsw = HnswIndex::build(context, rows, dimension);
  SeedLayer layer{context, SeedLayerOptions{.hidden = 64, .seeds = 4}};
  Lattice lattice{context, 2, 8};
  Vocabulary vocabulary;
  std::vector<float> values = std::vector<float>(dimension);
  NormLayer norm{.x = matrix_array(std::span<const float>(values), 1, dimension),
                 .y = matrix_array(std::span(values), 1, dimension)};
  Prepared fill = Bulk::prepare_random_fill(context, std::span(values), 7, 0, {Space::serial});
  Prepared layers = prepare_layers(context, std::span(&norm, 1), {Space::serial});
  PreparedScore score{index, 3};

  std::vector<float> y = std::vector<float>(64);
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> learned{0};
  std::vector<std::thread> threads;

  /// Repeats \p call on a thread until `stop`.
  void repeat(std::function<void()> call) {
    threads.emplace_back([this, call = std::move(call)] {
      while (!done) call();
    });
  }
  void learn() {
    const std::string text = "p" + std::to_string(learned++);
    Ragged<std::string_view> events;
    events.values = {text, "shared"};
    events.close_row();
    memory.learn(events);
  }
  /// Calls on the threads of the context, and prepared ones.
  void compute() {
    MatchOptions forced;
    forced.space = Space::openmp;
    check(matcher.match(texts, forced).matches.rows() == count, "a matcher answers");
    index.search(std::span(rows).first(dimension), {.space = Space::openmp});
    fill.run();
    layers.run();
    check(score.score(values, first).size() == 1, "a prepared call answers");
  }
  void start() {
    repeat([&] {
      const std::uint64_t first = index.add({rows, dimension});
      index.remove(numbers_from(first));
    });
    repeat([&] { keyed.upsert(std::span<const std::uint64_t>(numbers), {rows, dimension}); });
    repeat([&] { learn(); });
    repeat([&] { memory.to_bytes(); });
    repeat([&] {
      engine.add_edges(edges);
      engine.remove_edges(std::array{EdgeEnds{0, 1}});
      engine.add_edges(edges);
    });
    repeat([&] { hnsw.search(rows); });
    repeat([&] {
      const std::vector<float> x(64, 2.0F);
      std::vector<float> out(64);
      layer.forward(std::span(x), std::span(out));
    });
    repeat([&, next = 0]() mutable {
      const std::string text = std::to_string(++next);
      vocabulary.add_all(std::array{std::string_view(text)});
    });
    repeat([&] { context.dispatcher().profile_json(); });
  }
  void stop() {
    done = true;
    for (std::thread& thread : threads) thread.join();
  }

  /// All calls that take a lock before they compute.
  void check_all() {
    const std::span<const std::uint64_t> some(numbers);
    check_refused("VectorIndex::add throws", [&] { index.add({rows, dimension}); });
    check_refused("VectorIndex::remove throws", [&] { index.remove(some); });
    check_refused("VectorIndex::replace throws", [&] {
      index.replace(0, {std::span(rows).first(dimension), dimension});
    });
    check_refused("VectorIndex::ids throws", [&] { index.ids(); });
    check_refused("VectorIndex::statistics throws", [&] { index.statistics(); });
    check_refused("VectorIndex::bytes throws", [&] { index.bytes(Space::serial); });
    check_refused("VectorIndex::to_bytes throws", [&] { index.to_bytes(); });
    check_refused("VectorIndex::save throws", [&] { index.save("/dev/null/rows"); });
    check_refused("search throws", [&] { index.search(std::span(rows).first(dimension)); });
    check_refused("a keyed index throws", [&] {
      KeyedVectorIndex(context, some, {rows, dimension});
    });
    check_refused("upsert throws", [&] { keyed.upsert(some, {rows, dimension}); });
    check_refused("KeyedVectorIndex::remove throws", [&] { keyed.remove(some); });
    check_refused("KeyedVectorIndex::find throws", [&] { keyed.find(some); });
    check_refused("KeyedVectorIndex::to_bytes throws", [&] { keyed.to_bytes(); });
    check_refused("KeyedVectorIndex::save throws", [&] { keyed.save("/dev/null/keys"); });
    check(keyed.size() == count && keyed.key_bytes() > 0 && matcher.bytes(Space::serial) > 0,
          "numbers need no lock");
    check_refused("PatternMemory::learn throws", [&] { learn(); });
    check_refused("PatternMemory::save throws", [&] { memory.save("/dev/null/memory"); });
    check_refused("PatternMemory::append throws", [&] { memory.append("/dev/null/memory"); });
    check_refused("PatternMemory::to_bytes throws", [&] { memory.to_bytes(); });
    check_refused("PatternMemory::size throws", [&] { memory.size(); });
    check_refused("PatternMemory::find throws", [&] { memory.find("name"); });
    check_refused("PatternMemory::forget throws", [&] { memory.forget("name"); });
    check_refused("PatternMemory::clear throws", [&] { memory.clear(); });
    check_refused("PatternMemory::sync_statistics throws", [&] { memory.sync_statistics(); });
    check_refused("PatternMemory::statistics throws", [&] { memory.statistics(); });
    check_refused("PatternMemory::begin_training throws", [&] { memory.begin_training(); });
    check_refused("PatternMemory::sync throws", [&] { memory.sync(); });
    check_refused("match throws", [&] { matcher.match(texts); });
    check_refused("a prepared bulk call throws", [&] { fill.run(); });
    check_refused("a prepared layer throws", [&] { layers.run(); });
    check_refused("a prepared score throws", [&] { score.score(values, first); });
    check_refused("a new context throws", [] { const Context another(options()); });
    check_refused("SpreadingEngine::add_edges throws", [&] { engine.add_edges(edges); });
    check_refused("SpreadingEngine::add_nodes throws", [&] { engine.add_nodes(1); });
    check_refused("remove_nodes throws",
                  [&] { engine.remove_nodes(std::array{std::uint32_t{1}}); });
    check_refused("SpreadingEngine::nodes throws", [&] { engine.nodes(); });
    check_refused("SpreadingEngine::merge throws", [&] { engine.merge(); });
    check_refused("SpreadingEngine::to_bytes throws", [&] { engine.to_bytes(); });
    check_refused("HNSW search throws", [&] { hnsw.search(std::span(rows).first(dimension)); });
    check_refused("HNSW add throws", [&] { hnsw.add(std::span(rows).first(dimension)); });
    check_refused("HNSW contains throws", [&] { hnsw.contains(0); });
    check_refused("SeedLayer::step throws", [&] { layer.step(); });
    check_refused("SeedLayer::state throws", [&] { layer.state(); });
    check_refused("SeedLayer::forward throws",
                  [&] { layer.forward(std::span(rows).first(64), std::span(y)); });
    check_refused("the dispatcher throws", [&] { context.dispatcher().profile_json(); });
    check_refused("memory_statistics throws", [&] { context.memory_statistics(Space::serial); });
    check(lattice.path(0, 10).size() > 1, "a path in a lattice without blocks is computed");
    // What needs no context works, unless a thread was changing it.
    const auto may_throw = [](const auto& call) {
      try {
        call();
      } catch (const SpaceUnavailable& error) {
        check(std::string_view(error.what()).find("half changed") != std::string_view::npos,
              "the reason is named");
      }
    };
    may_throw([&] { vocabulary.add("new"); });
    may_throw([&] { vocabulary.statistics(); });
    check(vocabulary.find("never added") == unknown_symbol, "a vocabulary can be read");
  }
};

std::optional<Program> program;

}  // namespace

int main() {
  constexpr unsigned seed = 20261128;
  std::printf("seed %u\n", seed);
  std::fflush(stdout);
  std::mt19937 random(seed);
  in_child([] { Program().compute(); }, "a child forked before the first context computes");
  program.emplace();
  program->compute();
  for (int i = 0; i < forks; ++i) {
    if (i == 1) program->start();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    in_child(
        [&] {
          program->check_all();
          // The threads do not exist here, and cannot be joined.
          new std::vector<std::thread>(std::move(program->threads));
          if (i % 2 == 0) program.reset();  // otherwise at the end of the process
        },
        "in a child of a process with contexts, every call throws and nothing hangs");
  }
  program->stop();
  check(program->index.size() == count, "the parent goes on");
  program->compute();
  return 0;
}
