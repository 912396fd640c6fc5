// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "common/RandomData.hpp"
#include "common/Timing.hpp"

#include <kindred/matcher/PatternMemory.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Perf {

namespace {

struct MemoryArguments {
  double patterns = 1e5;
  std::size_t length = 100;
  std::uint32_t vocabulary = 200;
  std::size_t learns = 10000;
  int threads = 0;
  std::uint64_t seed = 7;
  std::string file;
  std::string out;
};

/// Quantiles of the times.
Json quantiles(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[std::min(times.size() - 1,
                          static_cast<std::size_t>(share * static_cast<double>(times.size())))];
  };
  return {{"median", at(0.5)}, {"p99", at(0.99)}, {"p999", at(0.999)}, {"most", times.back()}};
}

/// Patterns as texts, divided into events of `event_symbols`.
class TextPatterns {
 public:
  TextPatterns(const SymbolRows& rows, std::uint32_t vocabulary) : m_rows(rows) {
    for (std::uint32_t s = 0; s < vocabulary; ++s) m_texts.push_back("symbol " + std::to_string(s));
  }
  /// Valid until the next call.
  PatternMemory::Events operator[](std::size_t row) {
    m_events.values.clear();
    m_events.offsets.assign(1, 0);
    append(row, m_events, [&](Symbol symbol) -> std::string_view { return m_texts[symbol]; });
    return m_events;
  }
  /// Appends the events of a pattern, whose symbols are `value_of(symbol)`.
  template <class T, class ValueOf>
  void append(std::size_t row, Ragged<T>& events, const ValueOf& value_of) const {
    constexpr std::size_t event_symbols = 5;
    std::size_t count = 0;
    for (const Symbol symbol : m_rows[row]) {
      events.values.push_back(value_of(symbol));
      if (++count % event_symbols == 0) events.close_row();
    }
    if (events.offsets.back() != events.values.size()) events.close_row();
  }
  std::vector<std::string_view> dictionary() const { return {m_texts.begin(), m_texts.end()}; }

 private:
  const SymbolRows& m_rows;
  std::vector<std::string> m_texts;
  Ragged<std::string_view> m_events;
};

/// Learns the first \p patterns rows in a new memory by calls of `learn_all` with many patterns
/// each. \p append(row, events) appends the events of a row, and \p learn(memory, lists) learns.
/// Returns the seconds that the calls took.
template <class T, class Append, class Learn>
double bulk_seconds(Context& context, std::size_t patterns, const Append& append,
                    const Learn& learn) {
  constexpr std::size_t patterns_max = std::size_t{1} << 20U;  // to limit the memory of the input
  PatternMemory memory(context);
  memory.begin_training();
  double seconds = 0;
  for (std::size_t begin = 0; begin < patterns; begin += patterns_max) {
    Ragged<T> events;
    std::vector<std::uint64_t> offsets{0};
    for (std::size_t row = begin; row < std::min(patterns, begin + patterns_max); ++row) {
      append(row, events);
      offsets.push_back(events.rows());
    }
    seconds += timed([&] { learn(memory, EventLists<T>{offsets, events}); });
  }
  return seconds;
}

Json bytes_of(const Context& context, const PatternMemory& memory) {
  Json out;
  const PatternStatistics statistics = memory.statistics();
  for (const Space space : {Space::serial, Space::cuda}) {
    if (!context.is_usable(space)) continue;
    const MemoryStatistics account = context.memory_statistics(space);
    out[space == Space::cuda ? "device" : "host"] = {
        {"tiles", statistics.bytes[space_index(space)]},
        {"in_use", account.bytes_in_use},
        {"peak", account.bytes_peak},
        {"driver", context.info(space).memory_free -
                       std::min(context.info(space).memory_free, context.free_memory(space))}};
  }
  return out;
}

int run_memory(const MemoryArguments& arguments) {
  ContextOptions context_options;
  context_options.threads = arguments.threads;
  Context context(context_options);
  const auto patterns = static_cast<std::size_t>(arguments.patterns);
  const SymbolRows rows = zipf_rows(patterns + 2 * arguments.learns, arguments.length,
                                    arguments.vocabulary, arguments.seed, context.threads());
  TextPatterns texts(rows, arguments.vocabulary);
  Json out{{"context", environment(context, arguments.seed, {})},
           {"patterns", patterns},
           {"length", arguments.length},
           {"vocabulary", arguments.vocabulary}};
  const auto print_row = [&](const char* what, const Json& reported) {
    out["rows"].push_back({{"row", what}, {"value", reported}});
    std::printf("%s: %s\n", what, reported.dump().c_str());
    std::fflush(stdout);
  };
  const std::vector<std::string_view> dictionary = texts.dictionary();
  print_row("learn_all_texts_seconds",
            bulk_seconds<std::string_view>(
                context, patterns,
                [&](std::size_t row, Ragged<std::string_view>& events) {
                  texts.append(row, events, [&](Symbol symbol) { return dictionary[symbol]; });
                },
                [](PatternMemory& memory, const EventLists<std::string_view>& lists) {
                  memory.learn_all(lists);
                }));
  print_row("learn_all_symbols_seconds",
            bulk_seconds<Symbol>(
                context, patterns,
                [&](std::size_t row, Ragged<Symbol>& events) {
                  texts.append(row, events, [](Symbol symbol) { return symbol; });
                },
                [&](PatternMemory& memory, const EventLists<Symbol>& lists) {
                  memory.learn_all(lists, {.dictionary = dictionary});
                }));
  std::unique_ptr<PatternMemory> memory = std::make_unique<PatternMemory>(context);

  memory->begin_training();
  print_row("learn_seconds", timed([&] {
              for (std::size_t row = 0; row < patterns; ++row) memory->learn(texts[row]);
            }));
  print_row("sync_seconds", timed([&] { (void)memory->end_training(); }));
  print_row("bytes", bytes_of(context, *memory));

  MatchOptions options;
  options.top = 100;
  Ragged<Symbol> query;
  const auto ask = [&](std::size_t row) {
    query = {};
    memory->encode(texts[row], query);
    query.values.resize(std::min<std::size_t>(query.values.size(), 64));
    query.offsets.back() = query.values.size();
    return timed([&] { (void)memory->match(query, options); });
  };
  std::vector<double> times;
  for (std::size_t i = 0; i < 20; ++i) times.push_back(ask(i * patterns / 20));
  print_row("query_seconds", quantiles(times));
  // Restricted to one pattern in a thousand.
  std::vector<std::uint64_t> candidates;
  for (std::uint64_t index = 0; index < memory->size(); index += 1000) candidates.push_back(index);
  options.filter = candidates;
  times.clear();
  for (std::size_t i = 0; i < 20; ++i) times.push_back(ask(i * patterns / 20));
  print_row("candidates_query_seconds", quantiles(times));
  options.filter = {};
  print_row("bytes_after_queries", bytes_of(context, *memory));

  // Learned one by one, while the memory's background thread synchronises.
  times.clear();
  for (std::size_t i = 0; i < arguments.learns; ++i) {
    const PatternMemory::Events events = texts[patterns + i];
    times.push_back(timed([&] { memory->learn(events); }));
  }
  print_row("learn_one_seconds", quantiles(times));
  times.clear();
  std::vector<double> learning;
  for (std::size_t i = 0; i < std::min<std::size_t>(arguments.learns, 200); ++i) {
    const PatternMemory::Events events = texts[patterns + arguments.learns + i];
    learning.push_back(timed([&] { memory->learn(events); }));
    times.push_back(ask(patterns + arguments.learns + i));
  }
  print_row("learn_between_queries_seconds", quantiles(learning));
  print_row("query_after_learn_seconds", quantiles(times));
  const SyncStatistics syncs = memory->sync_statistics();
  print_row("syncs", Json{{"threshold", syncs.syncs[0]},
                          {"patterns", syncs.patterns_synced},
                          {"last_seconds", syncs.last.seconds},
                          {"segments", memory->statistics().segments}});

  if (!arguments.file.empty()) {
    print_row("save_seconds", timed([&] { memory->save(arguments.file); }));
    const std::uint64_t size = memory->size();
    memory.reset();
    print_row("load_seconds", timed([&] {
                memory =
                    std::make_unique<PatternMemory>(PatternMemory::load(context, arguments.file));
              }));
    KINDRED_THROW_IF(memory->size() != size, "the file holds another number of patterns");
    print_row("first_query_seconds", ask(0));
    print_row("second_query_seconds", ask(1));
  }
  if (!arguments.out.empty()) write_json(out, arguments.out);
  return 0;
}

}  // namespace

void add_memory(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<MemoryArguments>();
  CLI::App* command = app.add_subcommand(
      "memory",
      "A pattern memory: learning, synchronising, querying, saving, loading, and its size");
  command->add_option("--patterns", arguments->patterns, "Patterns learned before the measurements")
      ->check(CLI::Range(1.0, 1e8));
  command->add_option("--length", arguments->length, "Symbols per pattern")
      ->check(CLI::Range(1, 100000));
  command->add_option("--vocabulary", arguments->vocabulary, "Different symbols")
      ->check(CLI::Range(1U, 100000000U));
  command->add_option("--learns", arguments->learns, "Patterns learned one by one")
      ->check(CLI::Range(1, 10000000));
  command->add_option("--threads", arguments->threads, "Threads of the space openmp")
      ->check(CLI::Range(1, 512));
  command->add_option("--seed", arguments->seed, "Seed of the data");
  command->add_option("--file", arguments->file, "File for saving and loading");
  command->add_option("--out", arguments->out, "JSON file");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_memory(*arguments); }; });
}

}  // namespace Kindred::Perf
