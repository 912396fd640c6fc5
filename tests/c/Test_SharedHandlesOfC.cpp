// SPDX-License-Identifier: Apache-2.0
// Handles of the C interface that many threads use, also while the process is forked, and calls
// under a limit of the address space.
#include "CSupport.hpp"
#include "Given.hpp"
#include "ThreadSanitizer.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Threads.hpp>

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

/// One object of every kind that several threads may use and change, and calls that they make.
struct Shared {
  /// The calls that need a context; each returns the status of the number-th call of a thread.
  std::vector<std::function<kindred_status(std::uint64_t number)>> calls() const {
    return {[this](std::uint64_t number) {
              Floats rows(1, row_length, static_cast<float>(number % 5));
              return kindred_index_add(index, &rows, nullptr, nullptr);
            },
            [this](std::uint64_t) {
              Floats query(1, row_length, 1);
              Ranked best(1, 10);
              return kindred_index_search(index, &query, nullptr, &best.scores, &best.ids, nullptr,
                                          nullptr);
            },
            [this](std::uint64_t number) {
              Floats rows(1, row_length, static_cast<float>(number % 5));
              const std::uint64_t key = number % 50;
              const kindred_key_span keys = Given::key_span{.count = 1, .integers = &key};
              return kindred_keyed_index_upsert(keyed, &keys, &rows, nullptr, nullptr, nullptr);
            },
            [this](std::uint64_t number) {
              const std::string word = "word " + std::to_string(number % 200);
              const kindred_text text{word.data(), word.size()};
              return kindred_memory_learn(memory, &text, one, 1, nullptr, 0, 1, nullptr);
            },
            [this](std::uint64_t) {
              Owned<kindred_string> bytes;
              return kindred_to_bytes(memory, &bytes);
            },
            [this](std::uint64_t number) {
              const kindred_edge edge{static_cast<std::uint32_t>(number % 16),
                                      static_cast<std::uint32_t>(number / 16 % 16), 0.5F};
              return kindred_graph_add_edges(graph, &edge, 1, nullptr);
            },
            [this](std::uint64_t) {
              const std::uint32_t node = 3;
              const float value = 1;
              Owned<kindred_results> results;
              return kindred_graph_spread(graph, &node, &value, one, 1, nullptr, &results);
            },
            [this](std::uint64_t) {
              Owned<kindred_results> results;
              return kindred_matcher_match(matcher, &sequence, nullptr, &results);
            },
            [this](std::uint64_t) {
              std::array<kindred_seed_event, 2> events{};
              return kindred_seeds_step(seeds, nullptr, 0, events.data(), events.size(), nullptr);
            }};
  }

  Floats none = Floats(0, row_length);
  const kindred_key_span no_keys = Given::key_span{};
  const kindred_seeds_options seed_options = Given::seeds_options{.hidden = 8, .seeds = 2};
  const std::uint32_t symbols[3] = {1, 2, 3};
  const GivenSequences sequence{std::span<const std::uint32_t>(symbols)};
  const std::uint64_t one[2] = {0, 1};  ///< offsets of one row
  const Owned<kindred_index> index =
      result_of(kindred_index_create, c_context(), &none, nullptr, nullptr);
  const Owned<kindred_keyed_index> keyed =
      result_of(kindred_keyed_index_create, c_context(), &no_keys, &none, nullptr, nullptr);
  const Owned<kindred_memory> memory = result_of(kindred_memory_create, c_context(), nullptr);
  const Owned<kindred_graph> graph = result_of(kindred_graph_create, c_context(), 16, nullptr, 0,
                                               nullptr, nullptr, nullptr, nullptr);
  const Owned<kindred_matcher> matcher =
      result_of(kindred_matcher_create, c_context(), &sequence, 0);
  const Owned<kindred_vocabulary> vocabulary = result_of(kindred_vocabulary_create, nullptr, 0);
  const Owned<kindred_seeds> seeds = result_of(kindred_seeds_create, c_context(), &seed_options);
};

TEST(CSharedHandles, AreUsedByManyThreads) {
  const Shared shared;
  constexpr std::uint64_t each = 60;
  constexpr std::size_t copies = 3;
  std::atomic<std::uint64_t> failed{0};
  const auto calls = shared.calls();
  by_threads(copies * calls.size(), [&](std::size_t thread) {
    const auto measure = static_cast<std::int32_t>(100 + thread);
    for (std::uint64_t number = 0; number < each; ++number) {
      if (calls[thread % calls.size()](number) != KINDRED_OK) ++failed;
      double similarity = 0;  // messages belong to their thread
      if (kindred_similarity(measure, &shared.sequence, &shared.sequence, 0, 0, &similarity) !=
              KINDRED_INVALID ||
          !contains(kindred_last_error(), "measure is " + std::to_string(measure)))
        ++failed;
    }
  });
  EXPECT_EQ(failed, 0U);
  EXPECT_EQ(size_of(shared.index), copies * each);
  EXPECT_EQ(size_of(shared.memory), each);
  EXPECT_EQ(statistics_of<kindred_graph_statistics>(shared.graph).edges, copies * each);
  EXPECT_EQ(statistics_of<kindred_keyed_index_statistics>(shared.keyed).keys, 50U);
}

TEST(CSharedHandles, AreDestroyedOnceAndThenRefused) {
  for (int round = 0; round < 50; ++round) {
    kindred_vocabulary* vocabulary = nullptr;
    ok(kindred_vocabulary_create(nullptr, 0, &vocabulary));
    std::atomic<int> destroyed{0};
    std::atomic<int> refused{0};
    by_threads(8, [&](std::size_t) {
      const kindred_status status = kindred_destroy(vocabulary);
      destroyed += status == KINDRED_OK ? 1 : 0;
      refused += status == KINDRED_INVALID ? 1 : 0;
    });
    EXPECT_EQ(destroyed, 1);
    EXPECT_EQ(refused, 7);
    std::uint32_t symbol = 0;
    EXPECT_EQ(kindred_vocabulary_add(vocabulary, nullptr, 0, 0, &symbol), KINDRED_INVALID);
  }
}

TEST(CSharedHandles, OutliveTheirContextWhileThreadsCreateAndDestroyOthers) {
  std::atomic<int> right{0};
  by_threads(6, [&](std::size_t) {
    for (int round = 0; round < 5; ++round) {
      const kindred_context_options options =
          Given::context_options{.threads = 1, .load_profile = 0};
      auto context = result_of(kindred_context_create, &options);
      const std::uint32_t symbols[] = {1, 2};
      const GivenSequences sequences{std::span(symbols)};
      auto matcher = result_of(kindred_matcher_create, context, &sequences, 0);
      ok(kindred_destroy(released(std::move(context))));
      const auto results = result_of(kindred_matcher_match, matcher, &sequences, nullptr);
      ok(kindred_destroy(released(std::move(matcher))));
      right += view_of(results).ids[0] == 0 ? 1 : 0;
    }
  });
  EXPECT_EQ(right, 30);
}

#if !defined(__SANITIZE_THREAD__)

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

/// The number of the first expectation of a forked process that fails, or 0.
int failure_after_fork(const Shared& shared) {
  int number = 1;
  for (const auto& call : shared.calls()) {
    if (call(0) != KINDRED_NO_SPACE) return number;
    ++number;
  }
  kindred_context* context = nullptr;
  kindred_vocabulary* vocabulary = nullptr;
  const kindred_text text{"a", 1};
  std::uint32_t symbol = 1;
  const auto add = [&](kindred_vocabulary* to) {
    return kindred_vocabulary_add(to, &text, 1, 0, &symbol) == KINDRED_OK;
  };
  if (!contains(kindred_last_error(), "forked")) return 50;
  if (kindred_context_create(nullptr, &context) != KINDRED_NO_SPACE) return 51;
  if (kindred_destroy(shared.index) != KINDRED_NO_SPACE) return 52;
  if (kindred_destroy(c_context()) != KINDRED_NO_SPACE) return 53;
  // What needs no context works.
  if (kindred_vocabulary_create(nullptr, 0, &vocabulary) != KINDRED_OK) return 54;
  if (!add(vocabulary) || !add(shared.vocabulary)) return 55;
  return kindred_destroy(vocabulary) == KINDRED_OK ? 0 : 56;
}

TEST(CSharedHandles, OfAForkedProcessAreRefusedAndNothingHangs) {
  const Shared shared;
  const char* const what = "the number of the expectation, or 100 + the signal; round ";
  ASSERT_EQ(status_in_child([&] { return failure_after_fork(shared); }), 0) << what << "none";
  for (const auto& call : shared.calls()) ok(call(0));  // the parent goes on
  if (address_sanitizer) GTEST_SKIP() << "AddressSanitizer does not survive such forks";
  std::atomic<std::uint64_t> made{0};
  std::vector<std::jthread> callers;  // which end with this scope
  for (const auto& call : shared.calls())
    callers.emplace_back([&made, call](const std::stop_token& end) {
      for (std::uint64_t number = 0; !end.stop_requested(); ++number, ++made)
        KINDRED_EXPECT_OK(call(number));
    });
  for (int round = 0; round < 25; ++round) {
    for (const std::uint64_t before = made; made < before + 20;) std::this_thread::yield();
    ASSERT_EQ(status_in_child([&] { return failure_after_fork(shared); }), 0) << what << round;
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
  Floats values(rows, row_length, 1), query(1, row_length, 1), scores(1, rows);
  Owned<kindred_index> index;
  Owned<kindred_matcher> matcher;
  Owned<kindred_results> results;
  std::vector<std::uint32_t> symbols(200'000, 1);
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i <= symbols.size(); i += 20) offsets.push_back(i);
  const GivenSequences patterns{RaggedSpan<std::uint32_t>{offsets, symbols}};
  const GivenSequences queries{RaggedSpan<std::uint32_t>{std::span(offsets).first(4), symbols}};
  kindred_score_options score = KINDRED_SCORE_OPTIONS_INIT;
  kindred_match_options match = KINDRED_MATCH_OPTIONS_INIT;
  score.space = match.space = space;
  const std::function<kindred_status()> calls[] = {
      [&] { return kindred_index_create(c_context(), &values, nullptr, nullptr, &index); },
      [&] { return kindred_index_score_all(index, &query, &score, &scores, nullptr); },
      [&] { return kindred_matcher_create(c_context(), &patterns, 0, &matcher); },
      [&] { return kindred_matcher_match(matcher, &queries, &match, &results); }};
  for (const auto& call : calls)
    if (const kindred_status status = call(); status != KINDRED_OK) return status;
  return KINDRED_OK;
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
