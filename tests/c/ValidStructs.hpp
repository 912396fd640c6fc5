// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_VALID_STRUCTS_HPP
#define KINDRED_TESTS_C_VALID_STRUCTS_HPP

#include "CSupport.hpp"
#include "Given.hpp"

#include <cstdint>
#include <type_traits>

namespace Kindred::Testing {

/// A struct that calls accept: the defaults, with what it needs. Its tensors are those of one seed
/// and two features, and of a linear layer with one output.
template <class Struct>
Struct valid_struct() {
  static Floats row(1, 2), result(1, 2), cell(1, 1), alpha({0});
  static Numbers<std::int32_t> code({0});
  static const std::uint32_t symbol = 1;
  static const std::uint64_t key = 1;  // of the tables and indexes of the fixture
  if constexpr (std::is_same_v<Struct, kindred_seeds_options>)
    return Given::seeds_options{.hidden = 2, .seeds = 1};
  else if constexpr (std::is_same_v<Struct, kindred_seed_arrays>)
    return Given::seed_arrays{
        .lifecycle = &code, .blueprint = &code, .mode = &code, .alpha = &alpha, .weights = &row};
  else if constexpr (std::is_same_v<Struct, kindred_norm_layer>)
    return Given::norm_layer{.x = &row, .y = &result};
  else if constexpr (std::is_same_v<Struct, kindred_linear_layer>)
    return Given::linear_layer{.x = &row, .w = &row, .y = &cell};
  else if constexpr (std::is_same_v<Struct, kindred_norm_gradient>)
    return Given::norm_gradient{.x = &row, .gradient = &result, .dx = &result};
  else if constexpr (std::is_same_v<Struct, kindred_linear_gradient>)
    return Given::linear_gradient{.x = &row, .w = &row, .gradient = &cell, .dx = &result};
  else if constexpr (std::is_same_v<Struct, kindred_sequences>)
    return Given::sequences{.count = 1, .symbols = &symbol, .length = 1};
  else if constexpr (std::is_same_v<Struct, kindred_key_span>)
    return Given::key_span{.count = 1, .integers = &key};
  Struct out{};
  out.struct_size = sizeof(std::size_t);  // the others have the defaults
  return out;
}

/// The state of a seed without a blueprint.
inline constexpr kindred_seed_state dormant{KINDRED_SEED_DORMANT, 0, -1, -1, 0, 0, 0, 0, 0, 0};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_VALID_STRUCTS_HPP
