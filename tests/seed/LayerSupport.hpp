// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEED_LAYER_SUPPORT_HPP
#define KINDRED_TESTS_SEED_LAYER_SUPPORT_HPP

#include <kindred/matcher/SeedLayer.hpp>

#include "SeedSupport.hpp"

namespace Kindred::Testing::Seeds {

inline SeedLayerOptions options_of(std::uint32_t hidden, std::uint32_t seeds,
                                   std::uint32_t epochs = 4) {
  return {.hidden = hidden, .seeds = seeds, .telemetry_epochs = epochs};
}

/// Seeds in all states and modes; those that apply a blueprint have one.
inline Reference::SeedLayer served_layer(std::size_t hidden, std::size_t seeds,
                                         std::size_t blueprints) {
  Reference::SeedLayer layer = random_layer(hidden, seeds, blueprints);
  for (Reference::Seed& seed : layer.seeds)
    if (applies_blueprint(seed.lifecycle)) seed.blueprint = std::max(seed.blueprint, 0);
  return layer;
}

/// A layer that computes the same as \p expected.
inline SeedLayer engine_of(Context& context, const Reference::SeedLayer& expected,
                           SeedLayerOptions options = {}) {
  options.hidden = static_cast<std::uint32_t>(expected.hidden);
  options.seeds = static_cast<std::uint32_t>(expected.seeds.size());
  SeedLayer layer(context, options);
  for (std::size_t begin = 0; begin < expected.weights.size(); begin += expected.hidden)
    layer.add_blueprint(std::to_string(begin / expected.hidden),
                        std::span(expected.weights).subspan(begin, expected.hidden));
  SeedState state(expected.seeds.size());
  for (std::size_t i = 0; i < expected.seeds.size(); ++i) {
    const auto& [lifecycle, mode, alpha, blueprint] = expected.seeds[i];
    state.lifecycle[i] = lifecycle;
    state.mode[i] = mode;
    state.alpha[i] = alpha;
    state.blueprint[i] = blueprint;
  }
  if (!expected.weights.empty()) {
    // The last blueprint is stored first, so that the rows of weights have another order than ids.
    SeedState first = state;
    std::ranges::fill(first.blueprint, static_cast<std::int32_t>(layer.blueprints().size() - 1));
    layer.set_state(first);
  }
  layer.set_state(state);
  return layer;
}

/// A layer of \p seeds that are all in state \p lifecycle, with one blueprint whose weights are \p
/// weight.
inline SeedLayer uniform_layer(Context& context, std::uint32_t hidden, std::uint32_t seeds,
                               Lifecycle lifecycle, ApplyMode mode = ApplyMode::linear,
                               float alpha = 0.5F, float weight = 3.0F) {
  const Reference::Seed seed{lifecycle, mode, alpha, 0};
  return engine_of(context, {hidden, std::vector(seeds, seed), std::vector(hidden, weight)});
}

/// A change of one seed: the fields of \p mask in \p values.
inline SeedUpdate update_of(std::uint32_t seed, unsigned mask, SeedUpdate values) {
  values.seed = seed;
  values.mask = static_cast<std::uint16_t>(mask);
  return values;
}

/// What a layer reports of \p moments.
inline std::vector<SeedTelemetry> telemetry_of(const std::vector<SeedMoments>& moments) {
  std::vector<SeedTelemetry> out;
  for (const SeedMoments& one : moments) out.push_back(Kindred::telemetry_of(one));
  return out;
}

inline SeedForwardOptions on(Space space) { return {.space = space}; }

}  // namespace Kindred::Testing::Seeds

#endif  // KINDRED_TESTS_SEED_LAYER_SUPPORT_HPP
