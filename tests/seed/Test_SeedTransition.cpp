// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/SeedTransition.hpp>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace SeedTransitionTest {

using namespace Kindred;
using enum Lifecycle;
using ::testing::HasSubstr;

/// Kasmina's table and the additions of its design document, as they are in fact.
const std::map<Lifecycle, std::set<Lifecycle>> table{
    {dormant, {germinated}},
    {germinated, {training, cancelled}},
    {training, {grafting, culled, cancelled}},
    {grafting, {stabilization, rolled_back}},
    {stabilization, {evaluating, rolled_back}},
    {evaluating, {fine_tuning, culled, rolled_back}},
    {fine_tuning, {fossilized, culled, rolled_back}},
};
const std::map<Lifecycle, std::set<Lifecycle>> additions{{training, {rolled_back}},
                                                         {fossilized, {dormant}},
                                                         {culled, {dormant}},
                                                         {cancelled, {dormant}}};
const std::map<Lifecycle, std::int16_t> least{{training, 100},     {grafting, 50},
                                              {stabilization, 20}, {evaluating, 30},
                                              {fine_tuning, 50},   {culled, 100}};

bool has(const std::map<Lifecycle, std::set<Lifecycle>>& edges, Lifecycle from, Lifecycle to) {
  const auto found = edges.find(from);
  return found != edges.end() && found->second.contains(to);
}

std::vector<Lifecycle> all_states() {
  std::vector<Lifecycle> out;
  for (std::int8_t code = 0; code <= 10; ++code) out.push_back(static_cast<Lifecycle>(code));
  return out;
}

/// Metrics that pass every guard.
SeedMetrics good() {
  SeedMetrics metrics;
  metrics.reconstruction_loss = 0.01;
  metrics.performance_delta = 1e-9;
  metrics.stability_score = 0.8;
  metrics.total_improvement = 0.01;
  metrics.final_stability = 0.95;
  metrics.error_rate = 0.11;
  return metrics;
}

TEST(SeedTransition, AllowsExactlyTheTransitionsOfTheTables) {
  std::size_t accepted = 0;
  for (const Lifecycle from : all_states()) {
    for (const Lifecycle to : all_states()) {
      const TransitionOrigin origin = has(table, from, to)       ? TransitionOrigin::table
                                      : has(additions, from, to) ? TransitionOrigin::design
                                                                 : TransitionOrigin::none;
      EXPECT_EQ(transition_origin(from, to), origin);
      const SeedSituation seed{from, 32767, 0, 0};
      const TransitionResult result = check_transition(seed, to, good());
      EXPECT_EQ(result.accepted, origin != TransitionOrigin::none)
          << static_cast<int>(from) << " to " << static_cast<int>(to) << ": " << result.why;
      EXPECT_EQ(result.why.empty(), result.accepted);
      accepted += result.accepted ? 1 : 0;
    }
  }
  EXPECT_EQ(accepted, 16U + 4U);
}

TEST(SeedTransition, RequiresItsEpochsExceptToRollBack) {
  for (const Lifecycle from : all_states()) {
    const std::int16_t epochs = least.contains(from) ? least.at(from) : std::int16_t{0};
    EXPECT_EQ(minimum_epochs(from), epochs);
    for (const Lifecycle to : all_states()) {
      if (transition_origin(from, to) == TransitionOrigin::none) continue;
      EXPECT_TRUE(check_transition({from, epochs, 0, 0}, to, good()).accepted);
      if (epochs == 0) continue;
      const auto early =
          check_transition({from, static_cast<std::int16_t>(epochs - 1), 0, 0}, to, good());
      EXPECT_EQ(early.accepted, to == rolled_back);
      if (to == rolled_back) continue;
      EXPECT_THAT(early.why, HasSubstr(std::to_string(epochs - 1) + " epochs in "));
      EXPECT_THAT(early.why, HasSubstr("at least " + std::to_string(epochs)));
    }
  }
  TransitionRules rules;
  rules.embargo_epochs = 3;
  EXPECT_FALSE(check_transition({culled, 2, -1, 0}, dormant, {}, rules).accepted);
  EXPECT_TRUE(check_transition({culled, 3, -1, 0}, dormant, {}, rules).accepted);
}

TEST(SeedTransition, RequiresABlueprintFromTrainingOn) {
  for (const Lifecycle from : all_states()) {
    for (const Lifecycle to : all_states()) {
      if (transition_origin(from, to) == TransitionOrigin::none) continue;
      const auto result = check_transition({from, 32767, -1, 0}, to, good());
      EXPECT_EQ(result.accepted, to < training || to > fossilized) << result.why;
      if (result.accepted) continue;
      EXPECT_THAT(result.why, HasSubstr("needs a blueprint"));
    }
  }
}

/// Whether a seed with enough epochs may make the transition with \p metrics.
TransitionResult requested(Lifecycle from, Lifecycle to, const SeedMetrics& metrics,
                           std::int16_t errors = 0) {
  return check_transition({from, 200, 3, errors}, to, metrics);
}

TEST(SeedTransition, GuardsChangeAtTheirBounds) {
  SeedMetrics metrics;
  EXPECT_THAT(requested(training, grafting, metrics).why,
              HasSubstr("reconstruction_loss was not given; it must be at most 0.01"));
  metrics.reconstruction_loss = 0.0101;
  EXPECT_THAT(requested(training, grafting, metrics).why,
              HasSubstr("reconstruction_loss is 0.0101"));
  metrics.reconstruction_loss = 0.01;
  EXPECT_TRUE(requested(training, grafting, metrics).accepted);

  metrics = good();
  metrics.performance_delta = 0;
  EXPECT_THAT(requested(evaluating, fine_tuning, metrics).why, HasSubstr("must be above 0"));
  metrics = good();
  metrics.stability_score = 0.79;
  EXPECT_THAT(requested(evaluating, fine_tuning, metrics).why,
              HasSubstr("stability_score is 0.79"));
  metrics.stability_score.reset();
  EXPECT_THAT(requested(evaluating, fine_tuning, metrics).why, HasSubstr("was not given"));

  metrics = {};
  EXPECT_THAT(requested(evaluating, culled, metrics).why, HasSubstr("one must be below -0.05"));
  metrics.performance_delta = -0.05;
  metrics.error_rate = 0.1;
  EXPECT_FALSE(requested(evaluating, culled, metrics, 5).accepted);
  EXPECT_TRUE(requested(evaluating, culled, metrics, 6).accepted);
  metrics.error_rate = 0.11;
  EXPECT_TRUE(requested(evaluating, culled, metrics).accepted);
  metrics.error_rate = 0.1;
  metrics.performance_delta = -0.051;
  EXPECT_TRUE(requested(evaluating, culled, metrics).accepted);
  EXPECT_TRUE(requested(training, culled, {}).accepted) << "only the epochs are checked";

  metrics = good();
  metrics.total_improvement = 0.0099;
  EXPECT_THAT(requested(fine_tuning, fossilized, metrics).why, HasSubstr("total_improvement"));
  metrics = good();
  metrics.final_stability = 0.949;
  EXPECT_THAT(requested(fine_tuning, fossilized, metrics).why,
              HasSubstr("final_stability is 0.949"));
}

TEST(SeedTransition, NaNPassesNoGuard) {
  SeedMetrics metrics;
  metrics.reconstruction_loss = metrics.performance_delta = metrics.stability_score = NAN;
  metrics.error_rate = metrics.total_improvement = metrics.final_stability = NAN;
  EXPECT_FALSE(requested(training, grafting, metrics).accepted);
  EXPECT_FALSE(requested(evaluating, fine_tuning, metrics).accepted);
  EXPECT_FALSE(requested(evaluating, culled, metrics).accepted);
  EXPECT_FALSE(requested(fine_tuning, fossilized, metrics).accepted);
}

TEST(SeedTransition, ReportsTheTargetsOfAStateAndInvalidTransitions) {
  EXPECT_THAT(requested(dormant, fossilized, {}).why,
              HasSubstr("dormant does not go to fossilized, but to germinated"));
  EXPECT_THAT(requested(rolled_back, dormant, {}).why, HasSubstr("nothing: it is final"));
  EXPECT_THROW(requested(static_cast<Lifecycle>(11), dormant, {}), InvalidArgument);
  EXPECT_THROW(requested(dormant, static_cast<Lifecycle>(-1), {}), InvalidArgument);
}

}  // namespace SeedTransitionTest
