// SPDX-License-Identifier: Apache-2.0
#include "PatternMemorySupport.hpp"
#include "PublicCalls.hpp"
#include "compat/KatoSettings.hpp"
#include "compat/LatticeSettings.hpp"

namespace PatternCallsTest {

using namespace Kindred;
using namespace Testing;

std::string word(std::uint64_t number) {
  return "a word that is longer than a short string " + std::to_string(number);
}

EventTexts events(std::uint64_t number) {
  return {{word(number % 7), word(number % 5 + 10)}, {word(number % 11 + 20)}, {word(number)}};
}

std::string name_of(std::uint64_t number) {
  return "the name of the pattern with the number " + std::to_string(number);
}

/// Patterns in both tiers, with and without names; one is forgotten.
PatternMemory make_memory() {
  PatternMemory memory(shared_context(), quiet());
  for (std::uint64_t i = 0; i < 30; ++i) {
    const std::string name = name_of(i);
    learn(memory, events(i), i % 3 == 0 ? std::optional<std::string_view>(name) : std::nullopt);
    if (i == 20) memory.sync();
  }
  memory.forget(4);
  return memory;
}

const TypedCalls expect(make_memory);

// Without memory to join its parts, a memory is saved in more of them: other bytes, the same
// patterns.

/// A memory that a call has written to a file.
struct LoadedMemory {
  const std::string* path;
};
std::string text_of(const LoadedMemory& memory) {
  return text_of(PatternMemory::load(shared_context(), *memory.path, quiet()));
}
struct MemoryBytes {
  std::vector<std::byte> bytes;
};
std::string text_of(const MemoryBytes& memory) {
  return text_of(PatternMemory::load(shared_context(), memory.bytes, quiet()));
}

TEST(OutOfMemory, OfAChangedPatternMemoryLeavesItAsItWas) {
  const EventTexts texts = events(100);
  const Words fresh(texts);
  const EventTexts known_texts = events(7);
  const Words known(known_texts);
  const std::string name = name_of(1000);
  const std::string known_name = name_of(9);
  expect_typed("PatternMemory", [] { return PatternMemory(shared_context(), quiet()); });
  expect("learn", [&](auto& memory) { return memory.learn(fresh); });
  expect("learn a named one", [&](auto& memory) { return memory.learn(fresh, name, 3); });
  expect("learn a known one", [&](auto& memory) { return memory.learn(known); });
  expect("set_frequency", [](auto& memory) { memory.set_frequency(2, 9); });
  expect("forget", [](auto& memory) { return memory.forget(3); });
  expect("forget by name", [&](auto& memory) { return memory.forget(known_name); });
  expect("clear", [](auto& memory) { memory.clear(); });
  // A synchronisation that fails is recorded; the patterns stay where they are.
  expect("sync", [](auto& memory) { memory.sync(); });
  expect("training", [](auto& memory) {
    memory.begin_training();
    memory.end_training();
  });
}

TEST(OutOfMemory, OfASynchronisationFailsNoCallThatLearns) {
  const EventTexts texts = events(100);
  const Words fresh(texts);
  for (const bool background : {false, true}) {
    const PatternSettings settings{.sync_threshold = 3, .background_sync = background};
    const auto make = [&] {
      PatternMemory memory(shared_context(), settings);
      for (std::uint64_t i = 0; i < 2; ++i) learn(memory, events(i));
      return memory;
    };
    expect_typed("learn", make, [&](auto& memory) { return memory.learn(fresh); });
  }
}

TEST(OutOfMemory, OfManyPatternsThatAreLearnedLeavesAMemoryAsItWas) {
  Ragged<std::string_view> texts;
  std::vector<std::string> words;
  for (std::uint64_t i = 0; i < 40; ++i) words.push_back(word(i));
  Ragged<Symbol> symbols;
  std::vector<std::uint64_t> patterns{0};
  const std::vector<std::string_view> dictionary = views(words);
  for (std::uint64_t i = 0; i < 25; ++i) {
    for (std::uint64_t event = 0; event < 3; ++event) {
      texts.values.push_back(words[(i * 3 + event) % 40]);
      symbols.values.push_back(static_cast<Symbol>((i * 3 + event) % 40));
      texts.close_row();
      symbols.close_row();
    }
    patterns.push_back(texts.rows());
  }
  expect("learn_all texts", [&](auto& memory) {
    return memory.learn_all(EventLists<std::string_view>{patterns, texts});
  });
  expect("learn_all with a dictionary", [&](auto& memory) {
    return memory.learn_all(EventLists<Symbol>{patterns, symbols}, {.dictionary = dictionary});
  });
  const auto with_words = [&] {
    PatternMemory memory = make_memory();
    memory.learn_all(EventLists<std::string_view>{patterns, texts});
    return memory;
  };
  for (Symbol& symbol : symbols.values) symbol %= 12;
  expect_typed("learn_all symbols", with_words, [&](auto& memory) {
    return memory.learn_all(EventLists<Symbol>{patterns, symbols});
  });
}

TEST(OutOfMemory, OfAQueryOfAPatternMemoryIsTyped) {
  const EventTexts texts = events(7);
  const Words query(texts);
  const std::string name = name_of(9);
  const std::vector<std::string> kept{name_of(0), name_of(1), name_of(3)};
  const std::vector<std::string_view> names = views(kept);
  const std::vector<std::uint64_t> indices{0, 1, 3};
  const PatternMemory memory = make_memory();
  expect_typed("find", [&] { return memory.find(name); });
  expect_typed("find events", [&] { return memory.find(query); });
  expect_typed("find_all", [&] { return memory.find_all(names); });
  expect_typed("names", [&] { return memory.names(indices); });
  expect_typed("pattern", [&] { return memory.pattern(3); });
  expect_typed("frequency", [&] { return memory.frequency(3); });
  expect_typed("size", [&] { return memory.size(); });
  expect_typed("symbol_frequencies", [&] { return memory.symbol_frequencies(); });
  expect_typed("statistics", [&] { return memory.statistics(); });
  expect_typed("sync_statistics", [&] { return memory.sync_statistics(); });
  for (const Level level : {Level::token, Level::character}) {
    Ragged<Symbol> queries;
    memory.encode(query, queries, level);
    expect_typed(
        "encode", [] { return Copies<Ragged<Symbol>>({}); },
        [&](Copies<Ragged<Symbol>>& copies) {
          Ragged<Symbol> out = copies.take();
          memory.encode(query, out, level);
          return out;
        });
    for (const Space space : host_spaces()) {
      for (const Measure measure : {Measure::lcs, Measure::difflib}) {
        SCOPED_TRACE(std::string(to_string(measure)) + " on " + std::string(to_string(space)));
        const MatchOptions options{.measure = measure, .space = space};
        expect("match", [&](auto& fresh) { return fresh.match(queries, options, level); });
        PredictionOptions predictions{.threshold = 0.1};
        expect("predict",
               [&](auto& fresh) { return fresh.predict(query, options, predictions, level); });
        predictions.threads = 2;
        predictions.fuzzy_token_threshold = 0.8;
        expect_typed("predict with fuzzy tokens",
                     [&] { return memory.predict(query, options, predictions, level); });
      }
    }
  }
}

TEST(OutOfMemory, OfFilesOfAPatternMemoryIsTyped) {
  const TempFolder folder;
  const std::string memory_path = folder / "memory";
  const std::string appended_path = folder / "appended";
  make_memory().save(memory_path);
  expect("save", LoadedMemory{&memory_path}, [&](auto& memory) { memory.save(memory_path); });
  const TypedCalls expect_saved([&] {
    PatternMemory memory = make_memory();
    memory.save(appended_path);
    learn(memory, events(200), name_of(200));
    memory.forget(8);
    return memory;
  });
  expect_saved("append", LoadedMemory{&appended_path},
               [&](auto& memory) { memory.append(appended_path); });
  expect("to_bytes", [](auto& memory) { return MemoryBytes{memory.to_bytes()}; });
  expect_typed("load", [&] { return PatternMemory::load(shared_context(), memory_path, quiet()); });
  expect_typed("inspect", [&] { return PatternMemory::inspect(memory_path); });
  const std::vector<std::byte> bytes = make_memory().to_bytes();
  expect_typed("from_bytes", [&] { return PatternMemory::load(shared_context(), bytes, quiet()); });
}

TEST(OutOfMemory, OfRankOfPredictionsIsTyped) {
  const std::vector<double> affinities{1, 2, 0.5};
  const std::vector<std::uint64_t> frequencies{1, 4, 2};
  expect_typed("affinity_weights", [&] { return affinity_weights(affinities, frequencies); });
}

TEST(OutOfMemory, OfSettingsIsTyped) {
  const auto none = [](const std::string&) { return std::optional<std::string>(); };
  const auto some = [](const std::string& name) {
    return name.find("THRESHOLD") != std::string::npos ? std::optional<std::string>("1000")
                                                       : std::nullopt;
  };
  expect_typed("kato_settings", [&] { return Compat::kato_settings(some).sync_threshold; });
  expect_typed("LatticeSettings::from_environment",
               [&] { return Compat::LatticeSettings::from_environment(none).size(); });
}

}  // namespace PatternCallsTest
