// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_SEED_RULES_HPP
#define KINDRED_MATCHER_SEED_SEED_RULES_HPP

#include <kindred/core/seed/SeedChunks.hpp>
#include <kindred/matcher/BlueprintRegistry.hpp>
#include <kindred/matcher/SeedState.hpp>

#include <cstdint>
#include <optional>
#include <string>

// The rules of seeds that only the engine uses.

namespace Kindred::Impl {

/// The first invalid value of a state.
struct StateFault {
  std::string array;  ///< such as `alpha`, `history_to`
  std::string why;
};
std::optional<StateFault> fault_of(const SeedState& state);

/// Whether a seed in \p lifecycle must have a blueprint: training … fossilized.
constexpr bool needs_blueprint(Lifecycle lifecycle) noexcept {
  return lifecycle >= Lifecycle::training && lifecycle <= Lifecycle::fossilized;
}
/// Returns why \p seed cannot apply \p blueprint; empty if it can.
std::string blueprint_fault(const SeedChunks& chunks, std::uint32_t seed, std::int32_t blueprint,
                            const BlueprintRegistry& registry);
/// \throws InvalidArgument for a seed that cannot apply its blueprint
void check_blueprints(const SeedChunks& chunks, const SeedState& state,
                      const BlueprintRegistry& registry);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_SEED_RULES_HPP
