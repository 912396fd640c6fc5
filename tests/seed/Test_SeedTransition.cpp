// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedTransition.hpp>

#include "SeedSupport.hpp"

#include <map>

namespace Kindred::Testing::Seeds::SeedTransitionTest {

using enum Lifecycle;

using Edge = std::pair<Lifecycle, Lifecycle>;

/// Kasmina's table and the additions of its design document, as they are in fact.
const std::vector<Edge> of_table{
    {dormant, germinated},        {germinated, training},    {germinated, cancelled},
    {training, grafting},         {training, culled},        {training, cancelled},
    {grafting, stabilization},    {grafting, rolled_back},   {stabilization, evaluating},
    {stabilization, rolled_back}, {evaluating, fine_tuning}, {evaluating, culled},
    {evaluating, rolled_back},    {fine_tuning, fossilized}, {fine_tuning, culled},
    {fine_tuning, rolled_back}};
const std::vector<Edge> of_design{
    {training, rolled_back}, {fossilized, dormant}, {culled, dormant}, {cancelled, dormant}};
const std::map<Lifecycle, std::int16_t> least{{training, 100},     {grafting, 50},
                                              {stabilization, 20}, {evaluating, 30},
                                              {fine_tuning, 50},   {culled, 100}};

/// Calls `body(from, to, origin)` for all pairs of states.
template <class Body>
void for_each_pair(const Body& body) {
  const auto has = [](const std::vector<Edge>& edges, const Edge& edge) {
    return std::ranges::find(edges, edge) != edges.end();
  };
  for (int i = 0; i < 11 * 11; ++i) {
    const Edge edge{static_cast<Lifecycle>(i / 11), static_cast<Lifecycle>(i % 11)};
    body(edge.first, edge.second,
         has(of_table, edge)    ? TransitionOrigin::table
         : has(of_design, edge) ? TransitionOrigin::design
                                : TransitionOrigin::none);
  }
}

/// Metrics that pass every guard.
SeedMetrics good() {
  return {.reconstruction_loss = 0.01,
          .performance_delta = 1e-9,
          .stability_score = 0.8,
          .error_rate = 0.11,
          .total_improvement = 0.01,
          .final_stability = 0.95};
}

TEST(SeedTransition, AllowsExactlyTheTransitionsOfTheTables) {
  for_each_pair([](Lifecycle from, Lifecycle to, TransitionOrigin origin) {
    EXPECT_EQ(transition_origin(from, to), origin);
    const TransitionResult result = check_transition({from, 32767, 0, 0}, to, good());
    EXPECT_EQ(result.accepted, origin != TransitionOrigin::none)
        << to_string(from) << " to " << to_string(to) << ": " << result.why;
    EXPECT_EQ(result.why.empty(), result.accepted);
  });
}

TEST(SeedTransition, RequiresItsEpochsExceptToRollBack) {
  for_each_pair([](Lifecycle from, Lifecycle to, TransitionOrigin origin) {
    const std::int16_t epochs = least.contains(from) ? least.at(from) : std::int16_t{0};
    EXPECT_EQ(minimum_epochs(from), epochs);
    if (origin == TransitionOrigin::none) return;
    EXPECT_TRUE(check_transition({from, epochs, 0, 0}, to, good()).accepted);
    if (epochs == 0) return;
    const auto before = static_cast<std::int16_t>(epochs - 1);
    const auto early = check_transition({from, before, 0, 0}, to, good());
    EXPECT_EQ(early.accepted, to == rolled_back);
    if (to == rolled_back) return;
    EXPECT_THAT(early.why, HasSubstr(std::to_string(before) + " epochs in "));
    EXPECT_THAT(early.why, HasSubstr("at least " + std::to_string(epochs)));
  });
  TransitionRules rules;
  rules.embargo_epochs = 3;
  EXPECT_FALSE(check_transition({culled, 2, -1, 0}, dormant, {}, rules).accepted);
  EXPECT_TRUE(check_transition({culled, 3, -1, 0}, dormant, {}, rules).accepted);
}

TEST(SeedTransition, RequiresABlueprintFromTrainingOn) {
  for_each_pair([](Lifecycle from, Lifecycle to, TransitionOrigin origin) {
    if (origin == TransitionOrigin::none) return;
    const auto result = check_transition({from, 32767, -1, 0}, to, good());
    EXPECT_EQ(result.accepted, to < training || to > fossilized) << result.why;
    EXPECT_THAT(result.why, HasSubstr(result.accepted ? "" : "needs a blueprint"));
  });
}

/// Whether a seed with enough epochs may make the transition with \p metrics.
TransitionResult requested(Lifecycle from, Lifecycle to, const SeedMetrics& metrics,
                           std::int16_t errors = 0) {
  return check_transition({from, 200, 3, errors}, to, metrics);
}

TEST(SeedTransition, GuardsChangeAtTheirBoundsAndNaNPassesNone) {
  struct Guard {
    Lifecycle from, to;
    std::function<void(SeedMetrics&)>
        change;       ///< of good metrics; nvcc 13.0 forgets designators in assignments to `auto&`
    const char* why;  ///< empty: accepted
  };
  const auto nan = [](SeedMetrics& m) { m = {NAN, NAN, NAN, NAN, NAN, NAN}; };
  const std::vector<Guard> guards{
      {training, grafting, nan, "must be"},
      {evaluating, fine_tuning, nan, "must be"},
      {evaluating, culled, nan, "one must be below"},
      {fine_tuning, fossilized, nan, "must be"},
      {training, grafting, [](SeedMetrics& m) { m.reconstruction_loss = {}; },
       "reconstruction_loss was not given; it must be at most 0.01"},
      {training, grafting, [](SeedMetrics& m) { m.reconstruction_loss = 0.0101; },
       "reconstruction_loss is 0.0101"},
      {training, grafting, [](SeedMetrics& m) { m = {.reconstruction_loss = 0.01}; }, ""},
      {evaluating, fine_tuning, [](SeedMetrics& m) { m.performance_delta = 0; }, "must be above 0"},
      {evaluating, fine_tuning, [](SeedMetrics& m) { m.stability_score = 0.79; },
       "stability_score is 0.79"},
      {evaluating, fine_tuning, [](SeedMetrics& m) { m.stability_score = {}; }, "was not given"},
      {evaluating, culled, [](SeedMetrics& m) { m = {}; }, "one must be below -0.05"},
      {evaluating, culled,
       [](SeedMetrics& m) { m = {.performance_delta = -0.05, .error_rate = 0.11}; }, ""},
      {evaluating, culled,
       [](SeedMetrics& m) { m = {.performance_delta = -0.051, .error_rate = 0.1}; }, ""},
      {training, culled, [](SeedMetrics& m) { m = {}; }, ""},  // only the epochs are checked
      {fine_tuning, fossilized, [](SeedMetrics& m) { m.total_improvement = 0.0099; },
       "total_improvement"},
      {fine_tuning, fossilized, [](SeedMetrics& m) { m.final_stability = 0.949; },
       "final_stability is 0.949"}};
  for (const Guard& guard : guards) {
    SeedMetrics metrics = good();
    guard.change(metrics);
    const TransitionResult result = requested(guard.from, guard.to, metrics);
    EXPECT_EQ(result.accepted, *guard.why == 0) << result.why;
    EXPECT_THAT(result.why, HasSubstr(guard.why));
  }
  const SeedMetrics at_bounds{.performance_delta = -0.05, .error_rate = 0.1};
  EXPECT_FALSE(requested(evaluating, culled, at_bounds, 5).accepted);
  EXPECT_TRUE(requested(evaluating, culled, at_bounds, 6).accepted) << "its errors suffice";
}

TEST(SeedTransition, ReportsTheTargetsOfAStateAndInvalidTransitions) {
  EXPECT_THAT(requested(dormant, fossilized, {}).why,
              HasSubstr("dormant does not go to fossilized, but to germinated"));
  EXPECT_THAT(requested(rolled_back, dormant, {}).why, HasSubstr("nothing: it is final"));
  EXPECT_THROW(requested(static_cast<Lifecycle>(11), dormant, {}), InvalidArgument);
  EXPECT_THROW(requested(dormant, static_cast<Lifecycle>(-1), {}), InvalidArgument);
}

}  // namespace Kindred::Testing::Seeds::SeedTransitionTest
