// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEED_LAYER_SUPPORT_HPP
#define KINDRED_TESTS_SEED_LAYER_SUPPORT_HPP

#include <kindred/matcher/SeedLayer.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "SeedSupport.hpp"

namespace Kindred::Testing::Seeds {

inline SeedLayerOptions options_of(std::uint32_t hidden, std::uint32_t seeds,
                                   std::uint32_t epochs = 4) {
  SeedLayerOptions options;
  options.hidden = hidden;
  options.seeds = seeds;
  options.telemetry_epochs = epochs;
  return options;
}

/// Seeds in all states and modes; those that apply a blueprint have one.
inline Reference::SeedLayer served_layer(std::size_t hidden, std::size_t seeds,
                                         std::size_t blueprints, std::mt19937_64& generator) {
  Reference::SeedLayer layer = random_layer(hidden, seeds, blueprints, generator);
  for (Reference::Seed& seed : layer.seeds) {
    if (applies_blueprint(seed.lifecycle)) seed.blueprint = std::max(seed.blueprint, 0);
  }
  return layer;
}

/// A layer that computes the same as \p expected.
inline SeedLayer engine_of(Context& context, const Reference::SeedLayer& expected,
                           std::uint32_t epochs = 4) {
  SeedLayer layer(context, options_of(static_cast<std::uint32_t>(expected.hidden),
                                      static_cast<std::uint32_t>(expected.seeds.size()), epochs));
  for (std::size_t begin = 0; begin < expected.weights.size(); begin += expected.hidden)
    layer.add_blueprint(std::to_string(begin / expected.hidden),
                        std::span(expected.weights).subspan(begin, expected.hidden));
  SeedState state(expected.seeds.size());
  for (std::size_t i = 0; i < expected.seeds.size(); ++i) {
    const Reference::Seed& seed = expected.seeds[i];
    state.lifecycle[i] = seed.lifecycle;
    state.mode[i] = seed.mode;
    state.alpha[i] = seed.alpha;
    state.blueprint[i] = seed.blueprint;
  }
  layer.set_state(state);
  return layer;
}

/// A layer of \p seeds that are all in state \p lifecycle, with one blueprint whose weights are \p
/// weight.
inline SeedLayer uniform_layer(Context& context, std::uint32_t hidden, std::uint32_t seeds,
                               Lifecycle lifecycle, ApplyMode mode, float alpha, float weight) {
  SeedLayer layer(context, options_of(hidden, seeds));
  layer.add_blueprint("one", std::vector<float>(hidden, weight));
  SeedState state(seeds);
  state.lifecycle.assign(seeds, lifecycle);
  state.mode.assign(seeds, mode);
  state.alpha.assign(seeds, alpha);
  state.blueprint.assign(seeds, 0);
  layer.set_state(state);
  return layer;
}

inline SeedForwardOptions on(Space space) {
  SeedForwardOptions options;
  options.space = space;
  return options;
}

inline std::vector<std::byte> bytes_of(const Reference::SeedRows& rows) {
  const std::size_t size = size_of(rows.element);
  std::vector<std::byte> out(rows.bits.size() * size);
  for (std::size_t i = 0; i < rows.bits.size(); ++i)
    std::memcpy(out.data() + i * size, &rows.bits[i], size);
  return out;
}

/// Rows in memory that \p ExecutionSpace can access.
template <class ExecutionSpace>
using RowBytes = Kokkos::View<std::byte*, typename ExecutionSpace::memory_space>;

/// Makes arrays of rows of their memory.
struct RowShape {
  DataType element = DataType::float32;
  std::size_t rows = 0;
  std::size_t hidden = 0;
  std::size_t stride = 0;  ///< 0: hidden

  ConstArray in(const void* data) const { return array<const void>(data, ArrayMemory::host); }
  Kindred::Array out(void* data) const { return array<void>(data, ArrayMemory::host); }
  template <class ExecutionSpace>
  Kindred::Array on(const RowBytes<ExecutionSpace>& data) const {
    return array<void>(data.data(),
                       Arch::is_device<ExecutionSpace> ? ArrayMemory::device : ArrayMemory::host);
  }

 private:
  template <class Void>
  BasicArray<Void> array(Void* data, ArrayMemory memory) const {
    const auto extent = [](std::size_t size) { return static_cast<std::int64_t>(size); };
    const std::array shape{extent(rows), extent(hidden)};
    const std::array strides{extent(stride == 0 ? hidden : stride), std::int64_t{1}};
    const int device = memory == ArrayMemory::device ? context().info(Space::cuda).device_index : 0;
    return {data, element, shape, strides, memory, device};
  }
};

}  // namespace Kindred::Testing::Seeds

#endif  // KINDRED_TESTS_SEED_LAYER_SUPPORT_HPP
