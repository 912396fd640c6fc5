// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_SEEDS_HPP
#define KINDRED_C_SEEDS_HPP

#include <kindred/matcher/BlueprintRegistry.hpp>
#include <kindred/matcher/SeedFunctions.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include "Arguments.hpp"
#include "Prepared.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace Kindred::C {

/// A sequence of passes keeps its layers alive.
using SharedSeeds = std::shared_ptr<WithContext<SeedLayer>>;
/// A sequence is destroyed before its layers.
struct SharedSequence {
  SharedSequence(SharedContext owner, SeedSequence made)
      : context(std::move(owner)), sequence(std::move(made)) {}
  SharedContext context;
  std::vector<SharedSeeds> layers;
  SeedSequence sequence;
};
KINDRED_C_HANDLE(seeds, SharedSeeds);
KINDRED_C_HANDLE(seed_sequence, SharedSequence);
KINDRED_C_HANDLE(blueprints, BlueprintRegistry);
KINDRED_C_HANDLE(schedule, GraftingSchedule);

/// The space of a prepared sequence: by default all threads of the host.
inline Space host_space(const Context& context, const std::optional<Space>& given) {
  return given.value_or(context.is_usable(Space::openmp) ? Space::openmp : Space::serial);
}

inline SeedLayer& seeds_of(const kindred_seeds* seeds) { return object_of(seeds, "seeds")->engine; }
inline SeedSequence& seed_sequence_of(const kindred_seed_sequence* sequence) {
  return object_of(sequence, "seed_sequence").sequence;
}
inline BlueprintRegistry& blueprints_of(const kindred_blueprints* blueprints) {
  return object_of(blueprints, "blueprints");
}
inline GraftingSchedule& schedule_of(const kindred_schedule* schedule) {
  return object_of(schedule, "schedule");
}

/// \throws InvalidArgument for a number that \p to cannot store
template <class To, class From>
void set_number(To& to, From value, const char* name) {
  if constexpr (std::is_integral_v<To>)
    KINDRED_C_REFUSE_IF(!std::in_range<To>(value),
                        std::string(name) + " is " + std::to_string(value) + "; it must be " +
                            std::to_string(std::numeric_limits<To>::min()) + " to " +
                            std::to_string(std::numeric_limits<To>::max()));
  to = static_cast<To>(value);
}
/// \throws InvalidArgument for bits of \p given that are no metrics
void check_metrics(std::uint64_t given, const char* name);
SeedMetrics seed_metrics(const kindred_seed_metrics* metrics, const char* name = "metrics");
std::function<void(std::uint32_t, SeedChange)> listener_of(kindred_transition_callback listener,
                                                           void* user);

/// \throws InvalidArgument for a seed that \p layer does not have
void check_seed(const SeedLayer& layer, std::uint32_t seed);
/// \throws InvalidArgument for a state that does not exist, if it \p must
Lifecycle state_of(std::int32_t state, const char* name, bool must = true);
SeedSituation situation_of(const kindred_seed_state& seed);
SeedState state_from(const SeedLayer& layer, const kindred_seed_state* states,
                     const kindred_seed_history* histories, std::size_t count);
void write_states(const SeedState& state, kindred_seed_state* states,
                  kindred_seed_history* histories, std::size_t capacity, std::size_t* count);
std::vector<SeedUpdate> updates_of(const kindred_seed_update* updates, std::size_t count);
void write_outcome(const TransitionResult& result, std::int32_t* accepted, kindred_string** why);
/// \throws NotFound for no numbers
std::vector<double> of_graft(std::optional<std::vector<double>> numbers, std::uint32_t seed);
/// \throws NotFound for no id
std::int32_t found_of(std::optional<std::int32_t> id, const char* name, std::size_t size);

SeedTelemetry telemetry_from(const kindred_seed_telemetry& telemetry);
std::vector<kindred_seed_telemetry> values_of(std::span<const SeedTelemetry> telemetry);
void write_reduced(const SeedLayer::Reduced& found, std::span<kindred_seed_telemetry> each,
                   kindred_seed_telemetry* whole);

/// A tensor without gaps in any number of dimensions, as one of one dimension.
Array flat_output_of(const DLTensor* tensor, const char* name);
/// A tensor that is not given has no elements.
inline Array output_or_none(const DLTensor* tensor, const char* name) {
  return optional_output_array_of(tensor, name).value_or(Array());
}
SeedForwardOptions seeds_call(const kindred_seeds_call* options);
SeedLayerOptions seeds_options(const kindred_seeds_options* options);
SeedArrays seed_arrays(const kindred_seed_arrays* seeds, const char* name = "seeds");
SeedSums seed_sums(const kindred_seed_sums* sums, const char* name = "sums");
std::uint64_t* workspace_bytes_of(const kindred_seed_pass_options* options);

}  // namespace Kindred::C

#endif  // KINDRED_C_SEEDS_HPP
