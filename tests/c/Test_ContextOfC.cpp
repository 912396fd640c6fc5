// SPDX-License-Identifier: Apache-2.0
#include "Given.hpp"
#include "Members.hpp"

#include <Handle.hpp>

#include <kindred/Version.hpp>
#include <kindred/backends/ContextJson.hpp>
#include <kindred/matcher/Calibration.hpp>

#include <TempFolder.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>

namespace Kindred::Testing {
namespace {

struct Seen {
  std::atomic<int> logs{0};
  std::atomic<int> dispatched{0};
  std::atomic<int> allocations{0};
  std::atomic<bool> refuse{false};
};

kindred_context_options options_with(Seen& seen) {
  kindred_context_options options = Given::context_options{.load_profile = 0};
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

nlohmann::json description_of(const kindred_context* context) {
  return nlohmann::json::parse(view_of(result_of(kindred_context_describe, context)));
}

TEST(CContext, DescribesItsSpaces) {
  EXPECT_FALSE(c_spaces().empty());
  kindred_space_info info = KINDRED_SPACE_INFO_INIT;
  for (const Space space : {Space::serial, Space::openmp, Space::cuda}) {
    info = result_of(kindred_context_space, c_context(), static_cast<std::int32_t>(space));
    expect_members(info, C::context_of(c_context())->info(space));
  }
  if (info.usable == 0) {
    EXPECT_STRNE(info.why_not, "");
    const kindred_context_options options = Given::context_options{.space = KINDRED_SPACE_CUDA};
    expect_no_result<KINDRED_NO_SPACE>("", kindred_context_create, &options);
  }
  EXPECT_GT(result_of(kindred_context_free_memory, c_context(), KINDRED_SPACE_SERIAL), 0U);
  const auto use = result_of(kindred_context_memory_use, c_context(), KINDRED_SPACE_SERIAL);
  EXPECT_LE(use.current, use.peak);
  EXPECT_LE(use.current, use.total);
  EXPECT_LE(use.current_allocations, use.allocations);
  EXPECT_EQ(use.failures, 0U);
  EXPECT_EQ(kindred_version(), static_cast<std::uint32_t>(KINDRED_VERSION));
  EXPECT_STREQ(kindred_version_string(), KINDRED_VERSION_STRING);
}

TEST(CContext, RecordsAreLinesOfJson) {
  kindred_record record = KINDRED_RECORD_INIT;
  std::snprintf(record.operation, sizeof(record.operation), "%s", "search");
  DispatchRecord expected;
  static constexpr OperationInfo search{"search", "", {}};
  expected.operation = search;
  record.items = expected.items = 12;
  expected.predicted = {0.5, std::numeric_limits<double>::quiet_NaN(), 2};
  std::copy(expected.predicted.begin(), expected.predicted.end(), record.predicted);
  record.space = KINDRED_SPACE_OPENMP;
  expected.chosen = Space::openmp;
  record.reason = KINDRED_REASON_HYSTERESIS;
  expected.why = Reason::hysteresis;
  record.taken = expected.taken = 0.25;
  record.threads = expected.threads = 3;
  record.starts = expected.starts = 2;
  record.pieces = expected.pieces = 4;
  record.work = expected.work = 5;
  record.transfer_bytes = expected.transfer_bytes = 6;
  record.first = expected.first = true;
  EXPECT_EQ(view_of(result_of(kindred_record_json, &record)), to_json(expected));
  for (auto kindred_record::*field : {&kindred_record::space, &kindred_record::reason}) {
    kindred_record wrong = record;
    wrong.*field = 100;
    expect_no_result("", kindred_record_json, &wrong);
  }
  // A name without a final zero, and one of other bytes.
  std::memset(record.operation, 'x', sizeof(record.operation));
  EXPECT_TRUE(contains(std::string(view_of(result_of(kindred_record_json, &record))),
                       std::string(32, 'x') + '"'));
  record.operation[0] = '\xFF';
  expect_no_result("", kindred_record_json, &record);
}

TEST(CContext, DescribesItselfAsInCpp) {
  const nlohmann::json found = description_of(c_context());
  const std::string library = found["library"]["name"];
  const std::string why = found["library"]["why"];
  EXPECT_TRUE(library == "host" || library == "built-in") << library;
  EXPECT_NE(why, "");
  EXPECT_EQ(found, nlohmann::json::parse(
                       to_json(*C::context_of(c_context()), engine_operations(), library, why)));
}

TEST(CContext, CallbacksReceiveMessagesAndRecordsAndRefuseAllocations) {
  Seen seen;
  const kindred_context_options options = options_with(seen);
  auto context = result_of(kindred_context_create, &options);
  const kindred_text texts[] = {{"abc", 3}, {"abd", 3}};
  const GivenSequences sequences{std::span(texts)};
  const auto matcher = result_of(kindred_matcher_create, context, &sequences, 0);
  const int before = seen.logs;
  ok(kindred_context_log(context, KINDRED_LOG_WARNING, "message", 7));
  EXPECT_EQ(seen.logs, before + 1);
  // The matcher keeps the context alive.
  ok(kindred_destroy(released(std::move(context))));
  result_of(kindred_matcher_match, matcher, &sequences, nullptr);
  EXPECT_GE(seen.dispatched, 1);
  EXPECT_GE(seen.allocations, 1);

  const auto other = result_of(kindred_context_create, &options);
  seen.refuse = true;
  expect_no_result<KINDRED_NO_MEMORY>("before_allocation", kindred_matcher_create, other,
                                      &sequences, 0);
}

TEST(CContext, ProfilesAreSavedAndLoaded) {
  const TempFolder folder;
  const std::string path = folder / "profile.json";
  const kindred_context_options options = Given::context_options{.profile = path.c_str()};
  const auto context = result_of(kindred_context_create, &options);
  ok(kindred_context_calibrate(context, 0.1, nullptr, nullptr));
  ok(kindred_context_save_profile(context));
  const nlohmann::json profile = description_of(context)["profile"];
  EXPECT_EQ(profile["path"], path);
  EXPECT_EQ(profile["calibrated"], true);
  std::ifstream file(path);
  EXPECT_EQ(profile["calibration"], nlohmann::json::parse(file));
  const std::string calibration = profile["calibration"].dump();
  ok(kindred_context_load_profile_json(context, calibration.data(), calibration.size()));
  expect_refused(kindred_context_load_profile_json(context, "{", 1));
  expect_refused(kindred_context_calibrate(context, 0, nullptr, nullptr));
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

}  // namespace
}  // namespace Kindred::Testing
