// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEED_SEED_FUNCTIONS_SUPPORT_HPP
#define KINDRED_TESTS_SEED_SEED_FUNCTIONS_SUPPORT_HPP

#include <kindred/matcher/SeedFunctions.hpp>

#include "SeedSupport.hpp"

namespace Kindred::Testing::Seeds {

/// The bytes of \p values as elements of \p type.
template <class Values>
std::vector<std::byte> bytes_as(DataType type, const Values& values) {
  std::vector<std::byte> out(values.size() * size_of(type));
  const auto store = [&]<class T>(T /*type*/) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<T>(values[i]);
      std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
    }
  };
  if (type == float32) store(float());
  if (type == float64) store(double());
  if (type == int32) store(std::int32_t());
  if (type == int64) store(std::int64_t());
  if (size_of(type) == 1) store(std::int8_t());
  return out;
}

/// An array for output.
template <class ExecutionSpace>
Placed<ExecutionSpace> placed_output(const ExecutionSpace& exec_space, DataType type,
                                     const Extents& shape) {
  std::size_t size = size_of(type);
  for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
  return {exec_space, std::vector<std::byte>(size, untouched), type, shape};
}

/// The seeds of \p layer as arrays of a caller.
template <class ExecutionSpace>
struct PlacedSeeds {
  Placed<ExecutionSpace> lifecycle, blueprint, mode, alpha, weights;
  SeedArrays seeds;

  PlacedSeeds(const ExecutionSpace& exec_space, const Reference::SeedLayer& layer,
              DataType codes = int32)
      : lifecycle(field(exec_space, layer, codes, &Reference::Seed::lifecycle)),
        blueprint(field(exec_space, layer, int32, &Reference::Seed::blueprint)),
        mode(field(exec_space, layer, codes, &Reference::Seed::mode)),
        alpha(field(exec_space, layer, float32, &Reference::Seed::alpha)),
        weights(exec_space, bytes_as(float32, layer.weights), float32, shape_of_weights(layer)),
        seeds{lifecycle, blueprint, mode, alpha, weights, static_cast<std::uint32_t>(layer.chunk)} {
    seeds.fossilized_applies = layer.fossilized_applies;
  }

  static Extents shape_of_weights(const Reference::SeedLayer& layer) {
    const auto hidden = static_cast<std::int64_t>(layer.hidden);
    return {static_cast<std::int64_t>(layer.weights.size()) / hidden, hidden};
  }

 private:
  template <class T>
  static Placed<ExecutionSpace> field(const ExecutionSpace& exec_space,
                                      const Reference::SeedLayer& layer, DataType type,
                                      T Reference::Seed::*member) {
    std::vector<T> values;
    for (const Reference::Seed& seed : layer.seeds) values.push_back(seed.*member);
    return {exec_space, bytes_as(type, values), type, {static_cast<std::int64_t>(values.size())}};
  }
};

template <class ExecutionSpace>
Placed<ExecutionSpace> workspace_for(const ExecutionSpace& exec_space, std::size_t bytes) {
  return placed_output(exec_space, uint8, {static_cast<std::int64_t>(bytes)});
}

}  // namespace Kindred::Testing::Seeds

#endif  // KINDRED_TESTS_SEED_SEED_FUNCTIONS_SUPPORT_HPP
