// SPDX-License-Identifier: Apache-2.0
#include "CSupport.hpp"

#include <kindred/Version.hpp>
#include <kindred/matcher/Calibration.hpp>

#include <TempFolder.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <limits>
#include <thread>

namespace Kindred::Testing {
namespace {

struct Seen {
  std::atomic<int> logs{0};
  std::atomic<int> dispatched{0};
  std::atomic<int> allocations{0};
  std::atomic<bool> refuse{false};
};

kindred_context_options options_with(Seen& seen) {
  kindred_context_options options = KINDRED_CONTEXT_OPTIONS_INIT;
  options.load_profile = 0;
  options.log = [](void* user, std::int32_t, const char* message, std::size_t size) {
    EXPECT_EQ(message[size], '\0');
    return ++static_cast<Seen*>(user)->logs, 1;
  };
  options.log_user = &seen;
  options.on_dispatch = [](void* user, const kindred_record* record) {
    EXPECT_EQ(record->struct_size, sizeof(kindred_record));
    return ++static_cast<Seen*>(user)->dispatched, 1;
  };
  options.dispatch_user = &seen;
  options.before_allocation = [](void* user, const char* memory, std::uint64_t, const char* label) {
    EXPECT_TRUE(std::string(memory) == "host" || std::string(memory) == "cuda") << memory;
    EXPECT_NE(std::string(label), "");
    auto& it = *static_cast<Seen*>(user);
    ++it.allocations;
    return it.refuse ? 1 : 0;
  };
  options.allocation_user = &seen;
  return options;
}

TEST(CContext, DescribesItsSpaces) {
  std::int32_t threads = 0;
  KINDRED_ASSERT_OK(kindred_context_threads(c_context(), &threads));
  EXPECT_GE(threads, 1);
  EXPECT_FALSE(c_spaces().empty());
  kindred_space_info info = KINDRED_SPACE_INFO_INIT;
  KINDRED_ASSERT_OK(kindred_context_space(c_context(), KINDRED_SPACE_SERIAL, &info));
  EXPECT_EQ(info.usable, 1);
  EXPECT_GT(info.memory_budget, 0U);
  KINDRED_ASSERT_OK(kindred_context_space(c_context(), KINDRED_SPACE_CUDA, &info));
  if (info.usable == 0) {
    EXPECT_STRNE(info.why_not, "");
    kindred_context_options options = KINDRED_CONTEXT_OPTIONS_INIT;
    options.space = KINDRED_SPACE_CUDA;
    kindred_context* context = nullptr;
    EXPECT_EQ(kindred_context_create(&options, &context), KINDRED_NO_SPACE);
    EXPECT_EQ(context, nullptr);
  }
  EXPECT_EQ(kindred_context_space(c_context(), 3, &info), KINDRED_INVALID);
  std::uint64_t bytes = 0;
  KINDRED_ASSERT_OK(kindred_context_free_memory(c_context(), KINDRED_SPACE_SERIAL, &bytes));
  EXPECT_GT(bytes, 0U);
  kindred_memory_use use = KINDRED_MEMORY_USE_INIT;
  KINDRED_ASSERT_OK(kindred_context_memory_use(c_context(), KINDRED_SPACE_SERIAL, &use));
  EXPECT_LE(use.current, use.peak);
  EXPECT_LE(use.current, use.total);
  EXPECT_LE(use.current_allocations, use.allocations);
  const char* name = nullptr;
  const char* why = nullptr;
  KINDRED_ASSERT_OK(kindred_context_library(c_context(), &name, &why));
  EXPECT_TRUE(std::string(name) == "host" || std::string(name) == "built-in") << name;
  EXPECT_STRNE(why, "");
  EXPECT_EQ(kindred_version(), static_cast<std::uint32_t>(KINDRED_VERSION));
  EXPECT_STREQ(kindred_version_string(), KINDRED_VERSION_STRING);
}

TEST(CContext, RecordsAreLinesOfJson) {
  kindred_record record = KINDRED_RECORD_INIT;
  std::snprintf(record.operation, sizeof(record.operation), "%s", "search");
  record.items = 12;
  record.predicted[KINDRED_SPACE_SERIAL] = 0.5;
  record.predicted[KINDRED_SPACE_OPENMP] = std::numeric_limits<double>::quiet_NaN();
  record.predicted[KINDRED_SPACE_CUDA] = 2;
  record.space = KINDRED_SPACE_OPENMP;
  record.reason = KINDRED_REASON_HYSTERESIS;
  record.taken = 0.25;
  record.threads = 3;
  record.starts = 1;
  record.first = 1;
  DispatchRecord expected;
  static constexpr OperationInfo search{"search", "", {}};
  expected.operation = search;
  expected.items = 12;
  expected.predicted = {0.5, std::numeric_limits<double>::quiet_NaN(), 2};
  expected.chosen = Space::openmp;
  expected.why = Reason::hysteresis;
  expected.taken = 0.25;
  expected.threads = 3;
  expected.first = true;
  Owned<kindred_string> json(kindred_string_destroy);
  KINDRED_ASSERT_OK(kindred_record_json(&record, &json));
  EXPECT_EQ(std::string(kindred_string_data(json)), to_json(expected));
  kindred_string* none = nullptr;
  for (auto kindred_record::*field : {&kindred_record::space, &kindred_record::reason}) {
    kindred_record wrong = record;
    wrong.*field = 100;
    EXPECT_EQ(kindred_record_json(&wrong, &none), KINDRED_INVALID);
  }
  // A name without a final zero, and one of other bytes.
  std::memset(record.operation, 'x', sizeof(record.operation));
  Owned<kindred_string> long_name(kindred_string_destroy);
  KINDRED_ASSERT_OK(kindred_record_json(&record, &long_name));
  EXPECT_NE(std::string(kindred_string_data(long_name)).find(std::string(32, 'x') + '"'),
            std::string::npos);
  record.operation[0] = '\xFF';
  EXPECT_EQ(kindred_record_json(&record, &none), KINDRED_INVALID);
  EXPECT_EQ(none, nullptr);
}

TEST(CContext, DescribesItsDispatcher) {
  const std::vector<Operation> operations = engine_operations();
  for (std::size_t i = 0; i < operations.size(); ++i)
    EXPECT_EQ(kindred_operation_name(i), operations[i].name());
  EXPECT_EQ(kindred_operation_name(operations.size()), nullptr);

  kindred_context_options options = KINDRED_CONTEXT_OPTIONS_INIT;
  options.load_profile = 0;
  Owned<kindred_context> context(kindred_context_destroy);
  KINDRED_ASSERT_OK(kindred_context_create(&options, &context));
  kindred_dispatch_statistics statistics = KINDRED_DISPATCH_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_context_dispatch_statistics(context, &statistics));
  EXPECT_EQ(statistics.decisions, 0U);
  EXPECT_EQ(statistics.calibrated, 0);
  const std::vector<std::string> words{"abc", "abd"};
  const std::vector<kindred_text> texts = c_texts(words);
  const GivenSequences sequences{std::span(texts)};
  Owned<kindred_matcher> matcher(kindred_matcher_destroy);
  KINDRED_ASSERT_OK(kindred_matcher_create(context, &sequences, 0, &matcher));
  for (int repeat = 0; repeat < 3; ++repeat) {
    Owned<kindred_results> results(kindred_results_destroy);
    KINDRED_ASSERT_OK(kindred_matcher_match(matcher, &sequences, nullptr, &results));
  }
  KINDRED_ASSERT_OK(kindred_context_dispatch_statistics(context, &statistics));
  EXPECT_GT(statistics.decisions, 0U);
  EXPECT_GT(statistics.taken, 0);
  EXPECT_GE(statistics.lost, 0);

  double work = -1;
  std::int32_t open = -1;
  std::uint64_t bytes = 0;
  const auto crossover = [&](const std::string& operation, std::int32_t space) {
    return kindred_context_crossover(context, operation.data(), operation.size(), space, &work);
  };
  KINDRED_ASSERT_OK(crossover("lcs", KINDRED_SPACE_OPENMP));
  EXPECT_GE(work, 0);
  EXPECT_EQ(crossover("no operation", KINDRED_SPACE_OPENMP), KINDRED_NOT_FOUND);
  EXPECT_EQ(crossover("lcs", KINDRED_SPACE_ANY), KINDRED_INVALID);
  KINDRED_ASSERT_OK(kindred_context_breaker_open(context, "lcs", 3, KINDRED_SPACE_SERIAL, &open));
  EXPECT_EQ(open, 0);
  KINDRED_ASSERT_OK(kindred_context_batch_bytes(context, "lcs", 3, &bytes));
  EXPECT_EQ(bytes, std::uint64_t{64} << 20U);

  KINDRED_ASSERT_OK(kindred_context_force_threads(context, 1));
  EXPECT_EQ(kindred_context_force_threads(context, -1), KINDRED_INVALID);
  EXPECT_EQ(kindred_context_force_threads(context, 1000), KINDRED_INVALID);
  KINDRED_ASSERT_OK(kindred_context_force_threads(context, 0));
}

TEST(CContext, MessagesAndPathsAreThoseOfCpp) {
  Seen seen;
  const kindred_context_options options = options_with(seen);
  Owned<kindred_context> context(kindred_context_destroy);
  KINDRED_ASSERT_OK(kindred_context_create(&options, &context));
  const int before = seen.logs;
  KINDRED_ASSERT_OK(kindred_context_log(context, KINDRED_LOG_WARNING, "message", 7));
  EXPECT_EQ(seen.logs, before + 1);
  EXPECT_EQ(kindred_context_log(context, 3, "message", 7), KINDRED_INVALID);
  Owned<kindred_string> path(kindred_string_destroy);
  KINDRED_ASSERT_OK(kindred_default_profile_path(&path));
  EXPECT_EQ(kindred_string_data(path), Context::default_profile_path());
}

TEST(CContext, CallbacksReceiveRecordsAndRefuseAllocations) {
  Seen seen;
  const kindred_context_options options = options_with(seen);
  kindred_context* context = nullptr;
  KINDRED_ASSERT_OK(kindred_context_create(&options, &context));
  const std::vector<std::string> words{"abc", "abd"};
  const std::vector<kindred_text> texts = c_texts(words);
  const GivenSequences sequences{std::span(texts)};
  kindred_matcher* matcher = nullptr;
  KINDRED_ASSERT_OK(kindred_matcher_create(context, &sequences, 0, &matcher));
  // The matcher keeps the context alive.
  KINDRED_ASSERT_OK(kindred_context_destroy(context));
  Owned<kindred_results> results(kindred_results_destroy);
  KINDRED_ASSERT_OK(kindred_matcher_match(matcher, &sequences, nullptr, &results));
  EXPECT_GE(seen.dispatched, 1);
  EXPECT_GE(seen.allocations, 1);
  KINDRED_ASSERT_OK(kindred_matcher_destroy(matcher));

  KINDRED_ASSERT_OK(kindred_context_create(&options, &context));
  seen.refuse = true;
  EXPECT_EQ(kindred_matcher_create(context, &sequences, 0, &matcher), KINDRED_NO_MEMORY);
  EXPECT_NE(std::string(kindred_last_error()).find("before_allocation"), std::string::npos)
      << kindred_last_error();
  KINDRED_ASSERT_OK(kindred_context_destroy(context));
}

TEST(CContext, ProfilesAreSavedAndLoaded) {
  const TempFolder folder;
  const std::string path = folder / "profile.json";
  kindred_context_options options = KINDRED_CONTEXT_OPTIONS_INIT;
  options.profile = path.c_str();
  Owned<kindred_context> context(kindred_context_destroy);
  KINDRED_ASSERT_OK(kindred_context_create(&options, &context));
  const char* found = nullptr;
  KINDRED_ASSERT_OK(kindred_context_profile_path(context, &found));
  EXPECT_EQ(path, found);
  KINDRED_ASSERT_OK(kindred_context_calibrate(context, 0.1, nullptr, nullptr));
  KINDRED_ASSERT_OK(kindred_context_save_profile(context));
  Owned<kindred_string> json(kindred_string_destroy);
  KINDRED_ASSERT_OK(kindred_context_profile_json(context, &json));
  EXPECT_EQ(std::string(kindred_string_data(json)).size(), kindred_string_size(json));
  KINDRED_ASSERT_OK(kindred_context_load_profile_json(context, kindred_string_data(json),
                                                      kindred_string_size(json)));
  EXPECT_EQ(kindred_context_load_profile_json(context, "{", 1), KINDRED_INVALID);
  EXPECT_EQ(kindred_context_calibrate(context, 0, nullptr, nullptr), KINDRED_INVALID);
}

TEST(CContext, CalibrationCanBeCancelled) {
  int points = 0;
  const auto cancel = [](void* user, const kindred_calibration_point* point) {
    EXPECT_GT(point->seconds, 0);
    return ++*static_cast<int*>(user) == 2 ? 1 : 0;
  };
  EXPECT_EQ(kindred_context_calibrate(c_context(), 0.5, cancel, &points), KINDRED_CANCELLED);
  EXPECT_EQ(points, 2);
}

TEST(CContext, ForkedProcessesAreRefused) {
  Owned<kindred_vocabulary> vocabulary(kindred_vocabulary_destroy);
  KINDRED_ASSERT_OK(kindred_vocabulary_create(nullptr, 0, &vocabulary));
  kindred_context* const context = c_context();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Each bit of the exit status is a failed expectation.
    int failed = 0;
    std::int32_t threads = 0;
    std::uint32_t symbol = 0;
    kindred_context* other = nullptr;
    if (kindred_context_threads(context, &threads) != KINDRED_NO_SPACE) failed |= 1;
    if (std::string(kindred_last_error()).find("forked") == std::string::npos) failed |= 2;
    if (kindred_context_create(nullptr, &other) != KINDRED_NO_SPACE) failed |= 4;
    if (kindred_context_destroy(context) != KINDRED_NO_SPACE) failed |= 8;
    const kindred_text text{"a", 1};
    if (kindred_vocabulary_add(vocabulary, &text, 1, 0, &symbol) != KINDRED_OK) failed |= 16;
    _exit(failed);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::int32_t threads = 0;
  KINDRED_EXPECT_OK(kindred_context_threads(context, &threads));
}

TEST(CContext, ThreadsShareIt) {
  const std::vector<std::string> texts{"kindred", "kindrid", "other"};
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        const std::vector<kindred_text> given = c_texts(texts);
        kindred_matcher* matcher = nullptr;
        kindred_results* results = nullptr;
        const GivenSequences patterns{std::span(given)};
        const GivenSequences query{std::span(given).first(1)};
        failures += kindred_matcher_create(c_context(), &patterns, 0, &matcher) != KINDRED_OK;
        failures += kindred_matcher_match(matcher, &query, nullptr, &results) != KINDRED_OK;
        failures += view_of(results).ids[0] != 0;
        // Messages belong to their thread.
        const std::string wanted = "measure is " + std::to_string(100 + t);
        double similarity = 0;
        failures +=
            kindred_similarity(100 + t, &query, &query, 0, 0, &similarity) != KINDRED_INVALID;
        failures += std::string(kindred_last_error()).find(wanted) == std::string::npos;
        failures += kindred_results_destroy(results) != KINDRED_OK;
        failures += kindred_matcher_destroy(matcher) != KINDRED_OK;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace Kindred::Testing
