// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Dispatcher.hpp>

#include <kindred/matcher/Calibration.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <gmock/gmock.h>

#include "MessageOf.hpp"

#include <list>
#include <set>

namespace OperationTest {

using namespace Kindred;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr OperationInfo own{"own", "steps", {.thread_rate = 1e6, .call_seconds = 1e-3}};
/// The same operation as another library declares it.
constexpr OperationInfo own_again{"own", "steps", {.thread_rate = 1e6, .call_seconds = 1e-3}};
constexpr OperationInfo other{"other", "steps", {}};
constexpr OperationInfo third{"third", "steps", {}};

Workload workload(Operation operation, double work) {
  return {.operation = operation, .items = 1, .work = work};
}

std::string profile_with(const std::string& name) {
  return R"({"format":"kindred-profile","version":3,"machines":{"here":{"points":[)"
         R"({"op":")" +
         name +
         R"(","space":"serial","threads":1,"work":1024,"seconds":7}],)"
         R"("batches":[{"op":")" +
         name + R"(","bytes":4096}]}}})";
}

Dispatcher::Options here() { return {.machine = "here"}; }

TEST(Operation, IsEqualToOneOfTheSameName) {
  EXPECT_EQ(Operation(own), Operation(own_again));
  EXPECT_NE(Operation(own), Operation(other));
  EXPECT_LT(Operation(other), Operation(own));
  EXPECT_EQ(Operation().name(), "");
}

TEST(Operation, OfTheEnginesHaveDistinctNamesAndUnits) {
  std::set<std::string_view> names;
  for (const Operation operation : engine_operations()) {
    EXPECT_TRUE(names.insert(operation.name()).second) << operation.name();
    EXPECT_FALSE(operation.name().empty());
    EXPECT_FALSE(operation.work_unit().empty()) << operation.name();
    EXPECT_GT(operation.prior().thread_rate, 0) << operation.name();
  }
}

TEST(Operation, OfACallerIsPredictedByItsPrior) {
  Dispatcher dispatcher(SpaceSet::host(), 1, {});
  EXPECT_TRUE(dispatcher.operations().empty());
  EXPECT_DOUBLE_EQ(dispatcher.predict(workload(own, 2e6))[0], 1e-3 + 2.0);
  (void)dispatcher.decide(workload(other, 1));
  (void)dispatcher.decide(workload(own_again, 1));
  EXPECT_THAT(dispatcher.operations(), ElementsAre(Operation(own), Operation(other)));
}

TEST(Operation, OfAnotherLibraryWithTheSameNameSharesItsCosts) {
  Dispatcher dispatcher(SpaceSet::host(), 1, {});
  EXPECT_FALSE(dispatcher.calibrated());
  dispatcher.calibrate(own, Space::serial, 1024, 3.0);
  EXPECT_TRUE(dispatcher.calibrated());
  EXPECT_DOUBLE_EQ(dispatcher.predict(workload(own_again, 1024))[0], 3.0);
}

TEST(Operation, WithoutANameIsRejected) {
  Dispatcher dispatcher(SpaceSet::host(), 1, {});
  EXPECT_THROW((void)dispatcher.decide(Workload{}), InvalidArgument);
  EXPECT_THROW(dispatcher.calibrate({}, Space::serial, 1, 1), InvalidArgument);
  dispatcher.observe_success({}, Space::serial);
  dispatcher.observe_failure({}, Space::serial);
  EXPECT_TRUE(dispatcher.operations().empty());
}

TEST(Operation, ThatNoCallNamedIsNotAddedByAnObservation) {
  Dispatcher dispatcher(SpaceSet::host(), 1, {});
  const DispatchRecord record{.operation = own, .taken = 1};
  dispatcher.observe(record);
  dispatcher.observe_success(own, Space::serial);
  dispatcher.observe_failure(own, Space::serial);
  EXPECT_TRUE(dispatcher.operations().empty());
  EXPECT_EQ(dispatcher.regret().decisions, 0U);
}

/// One operation more than a dispatcher supports.
struct TooManyOperations {
  TooManyOperations() {
    for (std::size_t i = 0; i <= operations_max; ++i) {
      names.push_back("operation " + std::to_string(i));
      infos.push_back({names.back(), "steps", {}});
    }
  }
  std::list<std::string> names;
  std::list<OperationInfo> infos;
};

TEST(Operation, BeyondTheLimitIsRejectedAndTheOthersKeepWorking) {
  Dispatcher dispatcher(SpaceSet::host(), 1, {});
  const TooManyOperations many;
  const auto& infos = many.infos;
  for (auto info = infos.begin(); info != std::prev(infos.end()); ++info)
    (void)dispatcher.decide(workload(*info, 1));
  EXPECT_THAT(Testing::message_of<InvalidArgument>(
                  [&] { (void)dispatcher.decide(workload(infos.back(), 1)); }),
              AllOf(HasSubstr("64 operations"), HasSubstr("\"operation 64\"")));
  EXPECT_EQ(dispatcher.operations().size(), operations_max);
  EXPECT_EQ(dispatcher.decide(workload(infos.front(), 1)).operation, infos.front());
}

TEST(Operation, ThatNoCallUsedStaysInTheProfile) {
  Dispatcher dispatcher(SpaceSet::host(), 1, here());
  dispatcher.load_profile_json(profile_with("of a later version"));
  dispatcher.calibrate(own, Space::serial, 1024, 3.0);
  const std::string saved = dispatcher.profile_json();
  Dispatcher again(SpaceSet::host(), 1, here());
  again.load_profile_json(saved);
  constexpr OperationInfo later{"of a later version", "steps", {}};
  EXPECT_DOUBLE_EQ(again.predict(workload(later, 1024))[0], 7.0);
  EXPECT_EQ(again.batch_bytes(later), 4096U);
  EXPECT_DOUBLE_EQ(again.predict(workload(own, 1024))[0], 3.0);
}

TEST(Operation, GetsTheCostsOfAProfileAlsoUnderItsNameOfEarlierVersions) {
  for (const auto& [named, operation] : {std::pair("own", Operation(own)),
                                         {"search-screen", Operations::search_quantized},
                                         {"search-matrix", Operations::search_gemm}}) {
    Dispatcher dispatcher(SpaceSet::host(), 1, here());
    dispatcher.load_profile_json(profile_with(named));
    EXPECT_TRUE(dispatcher.calibrated());
    EXPECT_DOUBLE_EQ(dispatcher.predict(workload(operation, 1024))[0], 7.0) << named;
    EXPECT_EQ(dispatcher.batch_bytes(operation), 4096U) << named;
  }
}

TEST(CallHistory, ACallIsFirstWhereNoneOfItsSizeOrLargerHasRun) {
  CallHistory history;
  EXPECT_TRUE(history.add(own, Space::openmp, 1000));
  EXPECT_FALSE(history.add(own, Space::openmp, 1000));
  EXPECT_FALSE(history.add(own, Space::openmp, 7)) << "the workspace is large enough";
  EXPECT_TRUE(history.add(own, Space::openmp, 1e9)) << "it grows";
  EXPECT_FALSE(history.add(own, Space::openmp, 1e8));
  EXPECT_TRUE(history.add(own, Space::serial, 1000));
  EXPECT_TRUE(history.add(other, Space::openmp, 1000));
  EXPECT_TRUE(history.add(third, Space::serial, 0)) << "a call without work has a size too";
  EXPECT_FALSE(history.add(third, Space::serial, 0));
  EXPECT_TRUE(history.add(third, Space::serial, 2)) << "which is the smallest";
}

TEST(Operation, BeyondTheLimitIsNeverTheFirstOfTheCallHistory) {
  CallHistory history;
  const TooManyOperations many;
  for (const OperationInfo& info : many.infos)
    EXPECT_EQ(history.add(info, Space::serial, 1000), &info != &many.infos.back()) << info.name;
  EXPECT_TRUE(history.add(many.infos.front(), Space::serial, 1e6));
}

}  // namespace OperationTest
