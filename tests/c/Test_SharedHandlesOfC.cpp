// SPDX-License-Identifier: Apache-2.0
// Handles of the C interface that many threads use, also while the process is forked, and calls
// under a limit of the address space.
#include "CSupport.hpp"
#include "ThreadSanitizer.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <TempFolder.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace Kindred::Testing {
namespace {

constexpr std::size_t row_length = 8;

kindred_key_span integers(const std::vector<std::uint64_t>& keys) {
  kindred_key_span span = KINDRED_KEY_SPAN_INIT;
  span.count = keys.size();
  span.integers = keys.data();
  return span;
}

/// One object of every kind that several threads may use and change, and calls that they make.
struct Shared {
  Shared() {
    Floats none(0, row_length);
    const kindred_key_span no_keys = integers({});
    const std::uint32_t symbols[] = {1, 2, 3};
    const std::uint64_t offsets[] = {0, 2, 3};
    const GivenSequences patterns{RaggedSpan<std::uint32_t>{offsets, symbols}};
    kindred_seeds_options options = KINDRED_SEEDS_OPTIONS_INIT;
    options.hidden = 8;
    options.seeds = 2;
    ok(kindred_index_create(c_context(), &none, nullptr, nullptr, &index));
    ok(kindred_keyed_index_create(c_context(), &no_keys, &none, nullptr, nullptr, &keyed));
    ok(kindred_memory_create(c_context(), nullptr, &memory));
    ok(kindred_graph_create(c_context(), 16, nullptr, 0, nullptr, nullptr, nullptr, nullptr,
                            &graph));
    ok(kindred_matcher_create(c_context(), &patterns, KINDRED_RESIDENCY_AUTOMATIC, &matcher));
    ok(kindred_vocabulary_create(nullptr, 0, &vocabulary));
    ok(kindred_seeds_create(c_context(), &options, &seeds));
  }

  /// The calls that need a context; each returns the status of the number-th call of a thread.
  std::vector<std::function<kindred_status(std::uint64_t number)>> calls() const {
    return {[this](std::uint64_t number) {
              Floats rows(1, row_length, static_cast<float>(number % 5));
              return kindred_index_add(index, &rows, nullptr, nullptr);
            },
            [this](std::uint64_t /*number*/) {
              Floats query(1, row_length, 1);
              Floats scores(1, 3);
              Numbers<std::int64_t> ids(1, 3);
              kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
              options.top = 3;
              return kindred_index_search(index, &query, &options, &scores, &ids, nullptr, nullptr);
            },
            [this](std::uint64_t number) {
              Floats rows(1, row_length, static_cast<float>(number % 5));
              const std::vector<std::uint64_t> keys{number % 50};
              const kindred_key_span span = integers(keys);
              return kindred_keyed_index_upsert(keyed, &span, &rows, nullptr, nullptr, nullptr);
            },
            [this](std::uint64_t number) {
              const std::string text = "word " + std::to_string(number % 200);
              const kindred_text texts[] = {{text.data(), text.size()}};
              return kindred_memory_learn(memory, texts, one, 1, nullptr, 0, 1, nullptr);
            },
            [this](std::uint64_t /*number*/) {
              Owned<kindred_string> bytes;
              return kindred_to_bytes(memory, &bytes);
            },
            [this](std::uint64_t number) {
              const kindred_edge edge{static_cast<std::uint32_t>(number % 16),
                                      static_cast<std::uint32_t>(number / 16 % 16), 0.5F};
              return kindred_graph_add_edges(graph, &edge, 1, nullptr);
            },
            [this](std::uint64_t /*number*/) {
              const std::uint32_t node = 3;
              const float value = 1;
              Owned<kindred_results> results;
              return kindred_graph_spread(graph, &node, &value, one, 1, nullptr, &results);
            },
            [this](std::uint64_t /*number*/) {
              const std::uint32_t symbols[] = {2, 3};
              const GivenSequences queries{std::span(symbols)};
              Owned<kindred_results> results;
              return kindred_matcher_match(matcher, &queries, nullptr, &results);
            },
            [this](std::uint64_t /*number*/) {
              std::array<kindred_seed_event, 2> events{};
              return kindred_seeds_step(seeds, nullptr, 0, events.data(), events.size(), nullptr);
            }};
  }

  const std::uint64_t one[2] = {0, 1};  ///< offsets of one row
  Owned<kindred_index> index;
  Owned<kindred_keyed_index> keyed;
  Owned<kindred_memory> memory;
  Owned<kindred_graph> graph;
  Owned<kindred_matcher> matcher;
  Owned<kindred_vocabulary> vocabulary;
  Owned<kindred_seeds> seeds;
};

/// Makes the calls on threads of their own until it is destroyed.
class Callers {
 public:
  explicit Callers(const Shared& shared) {
    for (const auto& call : shared.calls()) {
      m_threads.emplace_back([this, call] {
        for (std::uint64_t number = 0; !m_ends; ++number) {
          if (call(number) != KINDRED_OK) ++m_failed;
          ++m_made;
        }
      });
    }
  }
  ~Callers() {
    m_ends = true;
    for (std::thread& thread : m_threads) thread.join();
    EXPECT_EQ(m_failed, 0U);
  }
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;
  void wait_for(std::uint64_t calls) const {
    const std::uint64_t before = m_made;
    while (m_made < before + calls) std::this_thread::yield();
  }

 private:
  std::atomic<bool> m_ends{false};
  std::atomic<std::uint64_t> m_made{0};
  std::atomic<std::uint64_t> m_failed{0};
  std::vector<std::thread> m_threads;
};

TEST(CSharedHandles, AreUsedByManyThreads) {
  const Shared shared;
  std::vector<std::thread> threads;
  constexpr std::uint64_t each = 60;
  constexpr std::size_t copies = 3;
  std::atomic<std::uint64_t> failed{0};
  const auto calls = shared.calls();
  for (std::size_t copy = 0; copy < copies; ++copy) {
    for (const auto& call : calls) {
      threads.emplace_back([&failed, call, copy] {
        const std::uint32_t symbol = 1;
        const GivenSequences one{std::span(&symbol, 1)};
        const auto measure = static_cast<std::int32_t>(100 + copy);
        for (std::uint64_t number = 0; number < each; ++number) {
          if (call(number) != KINDRED_OK) ++failed;
          double similarity = 0;  // messages belong to their thread
          if (kindred_similarity(measure, &one, &one, 0, 0, &similarity) != KINDRED_INVALID ||
              !contains(kindred_last_error(), "measure is " + std::to_string(measure)))
            ++failed;
        }
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0U);
  EXPECT_EQ(size_of(shared.index), copies * each);
  EXPECT_EQ(size_of(shared.memory), each);
  kindred_graph_statistics statistics = KINDRED_GRAPH_STATISTICS_INIT;
  ok(kindred_get_statistics(shared.graph, &statistics));
  EXPECT_EQ(statistics.edges, copies * each);
  kindred_keyed_index_statistics keys = KINDRED_KEYED_INDEX_STATISTICS_INIT;
  ok(kindred_get_statistics(shared.keyed, &keys));
  EXPECT_EQ(keys.keys, 50U);
}

TEST(CSharedHandles, AreDestroyedOnceAndThenRefused) {
  for (int round = 0; round < 50; ++round) {
    kindred_vocabulary* vocabulary = nullptr;
    ok(kindred_vocabulary_create(nullptr, 0, &vocabulary));
    std::atomic<int> destroyed{0};
    std::atomic<int> refused{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const kindred_status status = kindred_destroy(vocabulary);
        destroyed += status == KINDRED_OK ? 1 : 0;
        refused += status == KINDRED_INVALID ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(destroyed, 1);
    EXPECT_EQ(refused, 7);
    std::uint32_t symbol = 0;
    EXPECT_EQ(kindred_vocabulary_add(vocabulary, nullptr, 0, 0, &symbol), KINDRED_INVALID);
  }
}

TEST(CSharedHandles, OutliveTheirContextWhileThreadsCreateAndDestroyOthers) {
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        kindred_context_options options = KINDRED_CONTEXT_OPTIONS_INIT;
        options.load_profile = 0;
        options.threads = 1;
        kindred_context* context = nullptr;
        kindred_matcher* matcher = nullptr;
        kindred_results* results = nullptr;
        const std::uint32_t symbols[] = {1, 2};
        const GivenSequences sequences{std::span(symbols)};
        const bool is_right =
            kindred_context_create(&options, &context) == KINDRED_OK &&
            kindred_matcher_create(context, &sequences, KINDRED_RESIDENCY_AUTOMATIC, &matcher) ==
                KINDRED_OK &&
            kindred_destroy(context) == KINDRED_OK &&
            kindred_matcher_match(matcher, &sequences, nullptr, &results) == KINDRED_OK &&
            kindred_destroy(matcher) == KINDRED_OK && view_of(results).ids[0] == 0 &&
            kindred_destroy(results) == KINDRED_OK;
        failed += is_right ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

/// The exit status of a child that runs \p body, which must end by itself; 100 + the signal if it
/// was killed.
int status_in_child(const std::function<int()>& body) {
  constexpr unsigned seconds_max = 20;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(seconds_max);
    ::_exit(body());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

TEST(CSharedHandles, OfAForkedProcessAreRefusedAndNothingHangs) {
  if (address_sanitizer) GTEST_SKIP() << "AddressSanitizer does not survive such forks";
  const Shared shared;
  const auto calls = shared.calls();
  const Callers callers(shared);
  for (int round = 0; round < 25; ++round) {
    callers.wait_for(20);
    const int status = status_in_child([&] {
      int number = 1;
      for (const auto& call : calls) {
        if (call(0) != KINDRED_NO_SPACE) return number;
        ++number;
      }
      kindred_context* context = nullptr;
      if (kindred_context_create(nullptr, &context) != KINDRED_NO_SPACE) return 50;
      if (kindred_destroy(shared.index) != KINDRED_NO_SPACE) return 51;
      // What needs no context works.
      kindred_vocabulary* vocabulary = nullptr;
      const kindred_text text{"a", 1};
      std::uint32_t symbol = 1;
      if (kindred_vocabulary_create(nullptr, 0, &vocabulary) != KINDRED_OK) return 52;
      if (kindred_vocabulary_add(vocabulary, &text, 1, 0, &symbol) != KINDRED_OK) return 53;
      if (kindred_vocabulary_add(shared.vocabulary, &text, 1, 0, &symbol) != KINDRED_OK) return 54;
      if (kindred_destroy(vocabulary) != KINDRED_OK) return 55;
      return 0;
    });
    ASSERT_EQ(status, 0) << "the number of the call, or 100 + the signal; round " << round;
  }
}

std::uint64_t address_space() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Of this process.
bool limit_address_space(rlim_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return false;
  limit.rlim_cur = bytes;
  return ::setrlimit(RLIMIT_AS, &limit) == 0;
}

/// Searches an index and matches sequences, both of some megabytes. Returns the status of the first
/// call that fails.
kindred_status use_memory(std::int32_t space) {
  constexpr std::size_t rows = 20'000;
  Floats values(rows, row_length, 1);
  Floats query(1, row_length, 1);
  Floats scores(1, rows);
  Owned<kindred_index> index;
  Owned<kindred_matcher> matcher;
  Owned<kindred_results> results;
  std::vector<std::uint32_t> symbols(200'000, 1);
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i <= symbols.size(); i += 20) offsets.push_back(i);
  const GivenSequences patterns{RaggedSpan<std::uint32_t>{offsets, symbols}};
  const GivenSequences queries{RaggedSpan<std::uint32_t>{std::span(offsets).first(4), symbols}};
  kindred_score_options score = KINDRED_SCORE_OPTIONS_INIT;
  score.space = space;
  kindred_match_options match = KINDRED_MATCH_OPTIONS_INIT;
  match.space = space;
  kindred_status status = kindred_index_create(c_context(), &values, nullptr, nullptr, &index);
  if (status == KINDRED_OK)
    status = kindred_index_score_all(index, &query, &score, &scores, nullptr);
  if (status == KINDRED_OK)
    status = kindred_matcher_create(c_context(), &patterns, KINDRED_RESIDENCY_AUTOMATIC, &matcher);
  if (status == KINDRED_OK) status = kindred_matcher_match(matcher, &queries, &match, &results);
  return status;
}

/// Runs \p body while the process may have only \p bytes more than now.
kindred_status within(std::uint64_t bytes, const std::function<kindred_status()>& body) {
  if (!limit_address_space(address_space() + bytes)) return KINDRED_INTERNAL;
  kindred_status status = KINDRED_INTERNAL;
  try {
    status = body();
  } catch (const std::bad_alloc&) {
    status = KINDRED_NO_MEMORY;  // the arguments of this test
  }
  limit_address_space(RLIM_INFINITY);
  return status;
}

int exit_status_under_limits() {
  // Otherwise the heap keeps what was used once, and needs no more address space.
  ::mallopt(M_MMAP_THRESHOLD, 64 << 10);
  ::mallopt(M_TRIM_THRESHOLD, 64 << 10);
  const auto spaces = c_spaces();
  for (const std::int32_t space : {KINDRED_SPACE_SERIAL, KINDRED_SPACE_OPENMP}) {
    if (use_memory(space) != KINDRED_OK) return 1;  // starts all threads
    bool has_failed = false;
    for (std::uint64_t bytes = 0; bytes < 24U << 20U; bytes += 1U << 20U) {
      const kindred_status status = within(bytes, [&] { return use_memory(space); });
      if (status != KINDRED_OK && status != KINDRED_NO_MEMORY) return 2;
      has_failed = has_failed || status == KINDRED_NO_MEMORY;
      if (use_memory(space) != KINDRED_OK) return 3;
    }
    if (!has_failed) return 4;
  }
  return 0;
}

TEST(CLimits, OfTheAddressSpaceAreStatusesAndTheNextCallSucceeds) {
  if (address_sanitizer) GTEST_SKIP() << "AddressSanitizer needs address space";
  // A process of its own that was not forked from one with a context.
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(std::_Exit(exit_status_under_limits()), testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace Kindred::Testing
