// SPDX-License-Identifier: Apache-2.0
// In a process that was forked while other threads were in calls, every call of an object that has
// a context throws, and nothing hangs: neither calls nor destructors.
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
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace Kindred;

constexpr int forks = 30;
constexpr std::size_t dimension = 16;
constexpr std::size_t count = 200;

ContextOptions options() {
  ContextOptions options;
  options.load_profile = false;
  options.threads = 2;
  options.space = Space::serial;
  return options;
}

SeedLayerOptions seed_options() {
  SeedLayerOptions options;
  options.hidden = 64;
  options.seeds = 4;
  return options;
}

/// Objects of all engines, and a call of each that holds its locks for long.
struct Program {
  Context context{options()};
  std::vector<float> rows = std::vector<float>(count * dimension, 1.0F);
  std::vector<std::uint64_t> numbers = [] {
    std::vector<std::uint64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
    return numbers;
  }();
  std::vector<std::string> names = [] {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back("n" + std::to_string(i));
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
  SeedLayer layer{context, seed_options()};
  Lattice lattice{context, 2, 8};
  Vocabulary vocabulary;

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
  void start() {
    repeat([&] {
      const std::uint64_t first = index.add({rows, dimension});
      std::vector<std::uint64_t> ids(count);
      std::iota(ids.begin(), ids.end(), first);
      index.remove(ids);
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
    const auto check_call = [](const auto& call, const char* name) { check_throws(call, name); };
    const std::span<const std::uint64_t> some(numbers);
    check_call([&] { index.add({rows, dimension}); }, "VectorIndex::add throws");
    check_call([&] { index.remove(some); }, "VectorIndex::remove throws");
    check_call(
        [&] {
          index.replace(0, {std::span(rows).first(dimension), dimension});
        },
        "VectorIndex::replace throws");
    check_call([&] { index.ids(); }, "VectorIndex::ids throws");
    check_call([&] { index.statistics(); }, "VectorIndex::statistics throws");
    check_call([&] { index.bytes(Space::serial); }, "VectorIndex::bytes throws");
    check_call([&] { index.to_bytes(); }, "VectorIndex::to_bytes throws");
    check_call([&] { index.save("/dev/null/rows"); }, "VectorIndex::save throws");
    check_call([&] { index.search(std::span(rows).first(dimension)); }, "search throws");
    check_call([&] { KeyedVectorIndex(context, some, {rows, dimension}); }, "a keyed index throws");
    check_call([&] { keyed.upsert(some, {rows, dimension}); }, "upsert throws");
    check_call([&] { keyed.remove(some); }, "KeyedVectorIndex::remove throws");
    check_call([&] { keyed.find(some); }, "KeyedVectorIndex::find throws");
    check_call([&] { keyed.to_bytes(); }, "KeyedVectorIndex::to_bytes throws");
    check_call([&] { keyed.save("/dev/null/keys"); }, "KeyedVectorIndex::save throws");
    check(keyed.size() == count && keyed.key_bytes() > 0 && matcher.bytes(Space::serial) > 0,
          "numbers need no lock");
    check_call([&] { learn(); }, "PatternMemory::learn throws");
    check_call([&] { memory.save("/dev/null/memory"); }, "PatternMemory::save throws");
    check_call([&] { memory.append("/dev/null/memory"); }, "PatternMemory::append throws");
    check_call([&] { memory.to_bytes(); }, "PatternMemory::to_bytes throws");
    check_call([&] { memory.size(); }, "PatternMemory::size throws");
    check_call([&] { memory.find("name"); }, "PatternMemory::find throws");
    check_call([&] { memory.forget("name"); }, "PatternMemory::forget throws");
    check_call([&] { memory.clear(); }, "PatternMemory::clear throws");
    check_call([&] { memory.sync_statistics(); }, "PatternMemory::sync_statistics throws");
    check_call([&] { memory.statistics(); }, "PatternMemory::statistics throws");
    check_call([&] { memory.begin_training(); }, "PatternMemory::begin_training throws");
    check_call([&] { memory.sync(); }, "PatternMemory::sync throws");
    check_call([&] { matcher.match(texts); }, "match throws");
    check_call([&] { engine.add_edges(edges); }, "SpreadingEngine::add_edges throws");
    check_call([&] { engine.add_nodes(1); }, "SpreadingEngine::add_nodes throws");
    check_call([&] { engine.remove_nodes(std::array{std::uint32_t{1}}); }, "remove_nodes throws");
    check_call([&] { engine.nodes(); }, "SpreadingEngine::nodes throws");
    check_call([&] { engine.merge(); }, "SpreadingEngine::merge throws");
    check_call([&] { engine.to_bytes(); }, "SpreadingEngine::to_bytes throws");
    check_call([&] { hnsw.search(std::span(rows).first(dimension)); }, "HNSW search throws");
    check_call([&] { hnsw.add(std::span(rows).first(dimension)); }, "HNSW add throws");
    check_call([&] { hnsw.contains(0); }, "HNSW contains throws");
    check_call([&] { layer.step(); }, "SeedLayer::step throws");
    check_call([&] { layer.state(); }, "SeedLayer::state throws");
    check_call([&] { layer.forward(std::span(rows).first(64), std::span(y)); },
               "SeedLayer::forward throws");
    check_call([&] { context.dispatcher().profile_json(); }, "the dispatcher throws");
    check_call([&] { context.memory_statistics(Space::serial); }, "memory_statistics throws");
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

}  // namespace

int main() {
  constexpr unsigned seed = 20261128;
  std::printf("seed %u\n", seed);
  std::fflush(stdout);
  std::mt19937 random(seed);
  Program program;
  program.start();
  for (int i = 0; i < forks; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    in_child(
        [&] {
          program.check_all();
          // The threads do not exist here, and cannot be joined.
          new std::vector<std::thread>(std::move(program.threads));
          program.~Program();
        },
        "in a child that is forked during calls, every call throws and nothing hangs");
  }
  program.stop();
  check(program.index.size() == count, "the parent goes on");
  return 0;
}
