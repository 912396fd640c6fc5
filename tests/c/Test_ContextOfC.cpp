// SPDX-License-Identifier: Apache-2.0
#include "CSupport.hpp"

#include <kindred/Version.hpp>
#include <kindred/matcher/Calibration.hpp>

#include <TempFolder.hpp>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
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

nlohmann::json described(const kindred_context* context) {
  Owned<kindred_string> json;
  KINDRED_EXPECT_OK(kindred_context_describe(context, &json));
  return nlohmann::json::parse(view_of(json));
}

TEST(CContext, DescribesItsSpaces) {
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
  Owned<kindred_string> json;
  KINDRED_ASSERT_OK(kindred_record_json(&record, &json));
  EXPECT_EQ(view_of(json), to_json(expected));
  kindred_string* none = nullptr;
  for (auto kindred_record::*field : {&kindred_record::space, &kindred_record::reason}) {
    kindred_record wrong = record;
    wrong.*field = 100;
    EXPECT_EQ(kindred_record_json(&wrong, &none), KINDRED_INVALID);
  }
  // A name without a final zero, and one of other bytes.
  std::memset(record.operation, 'x', sizeof(record.operation));
  Owned<kindred_string> long_name;
  KINDRED_ASSERT_OK(kindred_record_json(&record, &long_name));
  EXPECT_NE(view_of(long_name).find(std::string(32, 'x') + '"'), std::string::npos);
  record.operation[0] = '\xFF';
  EXPECT_EQ(kindred_record_json(&record, &none), KINDRED_INVALID);
  EXPECT_EQ(none, nullptr);
}

TEST(CContext, DescribesItsDispatcher) {
  kindred_context_options options = KINDRED_CONTEXT_OPTIONS_INIT;
  options.load_profile = 0;
  Owned<kindred_context> context;
  KINDRED_ASSERT_OK(kindred_context_create(&options, &context));
  nlohmann::json found = described(context);
  EXPECT_GE(found["threads"], 1);
  const std::string library = found["library"]["name"];
  EXPECT_TRUE(library == "host" || library == "built-in") << library;
  EXPECT_NE(found["library"]["why"], "");
  EXPECT_EQ(found["profile"]["path"], Context::default_profile_path());
  EXPECT_EQ(found["profile"]["calibrated"], false);
  EXPECT_EQ(found["dispatcher"]["decisions"], 0U);
  EXPECT_EQ(found["spaces"]["serial"]["threads"], 1);
  EXPECT_EQ(found["spaces"]["openmp"]["threads"], found["threads"]);
  EXPECT_EQ(found["operations"].size(), engine_operations().size());
  for (const Operation operation : engine_operations()) {
    const nlohmann::json of = found["operations"][std::string(operation.name())];
    EXPECT_EQ(of["batch_bytes"], std::uint64_t{64} << 20U);
    EXPECT_EQ(of["spaces"]["serial"], (nlohmann::json{{"breaker_open", false}, {"crossover", 1}}));
    for (const auto& [name, space] : of["spaces"].items())
      EXPECT_TRUE(space["crossover"].is_null() || space["crossover"] >= 1) << name;
  }
  const std::vector<std::string> words{"abc", "abd"};
  const std::vector<kindred_text> texts = c_texts(words);
  const GivenSequences sequences{std::span(texts)};
  Owned<kindred_matcher> matcher;
  KINDRED_ASSERT_OK(kindred_matcher_create(context, &sequences, 0, &matcher));
  for (int repeat = 0; repeat < 3; ++repeat) {
    Owned<kindred_results> results;
    KINDRED_ASSERT_OK(kindred_matcher_match(matcher, &sequences, nullptr, &results));
  }
  found = described(context);
  EXPECT_GT(found["dispatcher"]["decisions"], 0U);
  EXPECT_GT(found["dispatcher"]["taken"], 0);
  EXPECT_GE(found["dispatcher"]["lost"], 0);
}

TEST(CContext, MessagesGoToItsCallback) {
  Seen seen;
  const kindred_context_options options = options_with(seen);
  Owned<kindred_context> context;
  KINDRED_ASSERT_OK(kindred_context_create(&options, &context));
  const int before = seen.logs;
  KINDRED_ASSERT_OK(kindred_context_log(context, KINDRED_LOG_WARNING, "message", 7));
  EXPECT_EQ(seen.logs, before + 1);
  EXPECT_EQ(kindred_context_log(context, 3, "message", 7), KINDRED_INVALID);
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
  KINDRED_ASSERT_OK(kindred_destroy(context));
  Owned<kindred_results> results;
  KINDRED_ASSERT_OK(kindred_matcher_match(matcher, &sequences, nullptr, &results));
  EXPECT_GE(seen.dispatched, 1);
  EXPECT_GE(seen.allocations, 1);
  KINDRED_ASSERT_OK(kindred_destroy(matcher));

  KINDRED_ASSERT_OK(kindred_context_create(&options, &context));
  seen.refuse = true;
  EXPECT_EQ(kindred_matcher_create(context, &sequences, 0, &matcher), KINDRED_NO_MEMORY);
  EXPECT_NE(std::string(kindred_last_error()).find("before_allocation"), std::string::npos)
      << kindred_last_error();
  KINDRED_ASSERT_OK(kindred_destroy(context));
}

TEST(CContext, ProfilesAreSavedAndLoaded) {
  const TempFolder folder;
  const std::string path = folder / "profile.json";
  kindred_context_options options = KINDRED_CONTEXT_OPTIONS_INIT;
  options.profile = path.c_str();
  Owned<kindred_context> context;
  KINDRED_ASSERT_OK(kindred_context_create(&options, &context));
  KINDRED_ASSERT_OK(kindred_context_calibrate(context, 0.1, nullptr, nullptr));
  KINDRED_ASSERT_OK(kindred_context_save_profile(context));
  const nlohmann::json profile = described(context)["profile"];
  EXPECT_EQ(profile["path"], path);
  EXPECT_EQ(profile["calibrated"], true);
  std::ifstream file(path);
  EXPECT_EQ(profile["calibration"], nlohmann::json::parse(file));
  const std::string calibration = profile["calibration"].dump();
  KINDRED_ASSERT_OK(
      kindred_context_load_profile_json(context, calibration.data(), calibration.size()));
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
  Owned<kindred_vocabulary> vocabulary;
  KINDRED_ASSERT_OK(kindred_vocabulary_create(nullptr, 0, &vocabulary));
  kindred_context* const context = c_context();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Each bit of the exit status is a failed expectation.
    int failed = 0;
    kindred_string* json = nullptr;
    std::uint32_t symbol = 0;
    kindred_context* other = nullptr;
    if (kindred_context_describe(context, &json) != KINDRED_NO_SPACE) failed |= 1;
    if (std::string(kindred_last_error()).find("forked") == std::string::npos) failed |= 2;
    if (kindred_context_create(nullptr, &other) != KINDRED_NO_SPACE) failed |= 4;
    if (kindred_destroy(context) != KINDRED_NO_SPACE) failed |= 8;
    const kindred_text text{"a", 1};
    if (kindred_vocabulary_add(vocabulary, &text, 1, 0, &symbol) != KINDRED_OK) failed |= 16;
    _exit(failed);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_GE(described(context)["threads"], 1);
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
        failures += kindred_destroy(results) != KINDRED_OK;
        failures += kindred_destroy(matcher) != KINDRED_OK;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace Kindred::Testing
