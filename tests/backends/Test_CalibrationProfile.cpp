// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Context.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "MessageOf.hpp"
#include "TempFolder.hpp"

namespace CalibrationProfileTest {

using namespace Kindred;
using nlohmann::json;
using testing::HasSubstr;

std::unique_ptr<Dispatcher> make_dispatcher(const std::string& machine) {
  return std::make_unique<Dispatcher>(SpaceSet::host(), 2, Dispatcher::Options{.machine = machine});
}

std::string measured(const std::string& machine) {
  const auto dispatcher = make_dispatcher(machine);
  dispatcher->calibrate(Operations::lcs, Space::serial, 1000, 1.0 / 3.0);
  dispatcher->calibrate(Operations::spread, Space::openmp, 1e9, 0.1);
  dispatcher->calibrate_start(Space::openmp, 1.0 / 7.0);
  dispatcher->calibrate_transfer(12345.678, 1e-5);
  dispatcher->calibrate_batch(Operations::transform, (std::uint64_t{1} << 40U) + 1);
  return dispatcher->profile_json();
}

TEST(CalibrationProfile, IsRestoredBitForBit) {
  const auto loaded = make_dispatcher("m");
  EXPECT_FALSE(loaded->calibrated());
  loaded->load_profile_json(measured("m"));
  EXPECT_TRUE(loaded->calibrated());
  EXPECT_EQ(loaded->profile_json(), measured("m"));
  EXPECT_EQ(loaded->predict({Operations::lcs, 1, 1000, 0, SpaceSet::all()})[0], 1.0 / 3.0);
  EXPECT_EQ(loaded->start_seconds(Space::openmp), 1.0 / 7.0);
  EXPECT_EQ(loaded->batch_bytes(Operations::transform), (std::uint64_t{1} << 40U) + 1);
  EXPECT_EQ(loaded->batch_bytes(Operations::reduction), std::uint64_t{64} << 20U) << "not measured";
  EXPECT_THROW(loaded->calibrate_batch(Operations::reduction, 0), InvalidArgument);
}

TEST(CalibrationProfile, OfAnotherMachineIsNotUsed) {
  const auto other = make_dispatcher("other");
  const auto before = other->profile_json();
  EXPECT_THAT(Testing::message_of<NotFound>([&] { other->load_profile_json(measured("m")); }),
              AllOf(HasSubstr("\"other\""), HasSubstr("\"m\"")));
  EXPECT_EQ(other->profile_json(), before);
}

TEST(CalibrationProfile, DamagedIsRejectedWithTheReasonAndChangesNothing) {
  const json good = json::parse(measured("m"));
  const auto with = [&](const char* pointer, const json& value) {
    json changed = good;
    changed[json::json_pointer(pointer)] = value;
    return changed.dump();
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "not JSON"},
      {"{", "not JSON"},
      {"[]", "not an object"},
      {"{}", "format"},
      {with("/format", "x"), "format"},
      {with("/version", 1), "version 1, but this program reads version 3; measure anew"},
      {with("/version", 2), "version 2, but this program reads version 3; measure anew"},
      {with("/version", 4), "version 4"},
      {with("/version", "1"), "version"},
      {with("/machines", json::array()), "machines"},
      {with("/machines/m", 1), "not an object"},
      {with("/machines/m/points", json::array()), "points"},
      {with("/machines/m/points/0/op", 4), "point 0"},
      {with("/machines/m/points/0/op", 3), "point 0"},
      {with("/machines/m/points/1/space", "tpu"), "point 1"},
      {with("/machines/m/points/1/threads", 3), "not a team size of openmp"},
      {with("/machines/m/points/0/threads", 2), "not a team size of serial"},
      {with("/machines/m/points/0/threads", -1), "threads"},
      {with("/machines/m/points/0/threads", 1e18), "threads"},
      {with("/machines/m/starts/0/threads", "all"), "start 0"},
      {with("/machines/m/points/1/work", 0), "work"},
      {with("/machines/m/points/1/work", -5), "-5"},
      {with("/machines/m/points/1/seconds", "fast"), "seconds"},
      {with("/machines/m/points/1/seconds", nullptr), "seconds"},
      {with("/machines/m/points/1", 7), "point 1"},
      {with("/machines/m/transfer/bytes_per_second", 0), "bytes_per_second"},
      {with("/machines/m/transfer/latency_seconds", -1), "latency_seconds"},
      {with("/machines/m/transfer", 4), "transfer"},
      {with("/machines/m/starts", 4), "starts"},
      {with("/machines/m/starts/0/space", "tpu"), "start 0"},
      {with("/machines/m/starts/0/seconds", -1), "-1"},
      {with("/machines/m/batches", 4), "batches"},
      {with("/machines/m/batches/0/op", 4), "\"op\""},
      {with("/machines/m/batches/0/bytes", 0), "batch 0"},
      {with("/machines/m/batches/0/bytes", 1.5), "1.5"},
      {with("/machines/m/batches/0/bytes", -1), "-1"},
      {std::string(100000, '['), "not JSON"},
  };
  const auto dispatcher = make_dispatcher("m");
  dispatcher->calibrate(Operations::score, Space::serial, 7, 7);
  const auto before = dispatcher->profile_json();
  for (const auto& one : cases) {
    SCOPED_TRACE(one.first.substr(0, 200));
    const auto load = [&] { dispatcher->load_profile_json(one.first); };
    EXPECT_THAT(Testing::message_of<InvalidArgument>(load), HasSubstr(one.second));
    EXPECT_EQ(dispatcher->profile_json(), before);
  }
}

TEST(CalibrationProfile, TruncatedAnywhereIsRejected) {
  const std::string good = measured("m");
  const auto dispatcher = make_dispatcher("m");
  for (std::size_t length = 0; length + 1 < good.size(); ++length)
    EXPECT_THROW(dispatcher->load_profile_json(good.substr(0, length)), InvalidArgument);
  EXPECT_FALSE(dispatcher->calibrated());
}

class ProfileFile : public testing::Test {
 protected:
  ContextOptions options(int threads) {
    return {.threads = threads,
            .profile = folder / "deep/profile.json",
            .log = [this](LogLevel level, std::string_view text) {
              log.emplace_back(level, std::string(text));
            }};
  }

  const Testing::TempFolder folder;
  std::vector<std::pair<LogLevel, std::string>> log;
};

TEST_F(ProfileFile, HoldsSeveralMachinesAndEachFindsItsOwn) {
  {
    Context two(options(2));
    two.dispatcher().calibrate(Operations::lcs, Space::serial, 1000, 2.0);
    two.save_profile();
    Context three(options(3));
    EXPECT_FALSE(three.dispatcher().calibrated()) << "another number of threads is another machine";
    three.dispatcher().calibrate(Operations::lcs, Space::serial, 1000, 3.0);
    three.save_profile();
  }
  EXPECT_EQ(json::parse(Testing::read_all(folder / "deep/profile.json")).at("machines").size(), 2U);
  const Workload workload{Operations::lcs, 1, 1000, 0, SpaceSet::all()};
  EXPECT_EQ(Context(options(2)).dispatcher().predict(workload)[0], 2.0);
  EXPECT_EQ(Context(options(3)).dispatcher().predict(workload)[0], 3.0);
  EXPECT_FALSE(Context(options(4)).dispatcher().calibrated());
}

TEST_F(ProfileFile, DamagedIsLoggedAndReplacedBySaving) {
  std::filesystem::create_directories(folder / "deep");
  folder.write("deep/profile.json", "{\"format\": 7}");
  Context context(options(2));
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(log[0].first, LogLevel::warning);
  EXPECT_THAT(log[0].second, HasSubstr("is not used"));
  context.dispatcher().calibrate(Operations::lcs, Space::serial, 1000, 2.0);
  context.save_profile();
  EXPECT_TRUE(Context(options(2)).dispatcher().calibrated());
}

TEST_F(ProfileFile, ReportsThatItCannotBeWritten) {
  ContextOptions given = options(2);
  given.profile = "/proc/nowhere/profile.json";
  const Context context(given);
  EXPECT_THROW(context.save_profile(), Error);
}

}  // namespace CalibrationProfileTest
