// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_SEEDS_HPP
#define KINDRED_C_SEEDS_HPP

#include <kindred/matcher/BlueprintRegistry.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"

#include <cstdint>
#include <memory>

namespace Kindred::C {

/// A sequence of passes keeps its layers alive.
using SharedSeeds = std::shared_ptr<WithContext<SeedLayer>>;
KINDRED_C_HANDLE(seeds, SharedSeeds);
KINDRED_C_HANDLE(blueprints, BlueprintRegistry);

inline SeedLayer& layer_of(const kindred_seeds* seeds) { return object_of(seeds, "seeds")->engine; }

/// A number that is stored in 16 bits.
std::int16_t short_of(std::int32_t value, const char* name);
Lifecycle lifecycle_of(std::int32_t value, const char* name);
ApplyMode apply_mode_of(std::int32_t value);
AlphaSchedule alpha_schedule_of(std::int32_t value, const char* name);

/// The options of a layer; null stands for the defaults.
kindred_seeds_options seeds_options_of(const kindred_seeds_options* options);
TransitionRules rules_of(const kindred_seeds_options& given);
ScheduleSettings schedules_of(const kindred_seeds_options& given);
/// \param name of the parameter. The weights are borrowed.
SeedMetrics metrics_of(const kindred_seed_metrics* metrics, const char* name = "metrics");
void write_result(const TransitionResult& result, std::int32_t* accepted, kindred_string** why);

SeedForwardOptions pass_options(const kindred_seeds_call* options);

}  // namespace Kindred::C

#endif  // KINDRED_C_SEEDS_HPP
