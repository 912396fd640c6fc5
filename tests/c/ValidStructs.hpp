// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_VALID_STRUCTS_HPP
#define KINDRED_TESTS_C_VALID_STRUCTS_HPP

#include <kindred.h>

#include <cstdint>
#include <type_traits>

namespace Kindred::Testing {

/// Tensors of one seed and two features, and of a linear layer with one output.
struct ValidTensors {
  float numbers[3][2] = {};
  std::int32_t codes[1] = {};
  std::int64_t row_shape[2] = {1, 2};
  std::int64_t cell_shape[2] = {1, 1};
  std::int64_t one_shape[1] = {1};
  DLTensor row = kindred_tensor(numbers[0], KINDRED_FLOAT32, 2, row_shape);
  DLTensor result = kindred_tensor(numbers[1], KINDRED_FLOAT32, 2, row_shape);
  DLTensor cell = kindred_tensor(numbers[2], KINDRED_FLOAT32, 2, cell_shape);
  DLTensor code = kindred_tensor(codes, KINDRED_INT32, 1, one_shape);
  DLTensor alpha = kindred_tensor(numbers[2], KINDRED_FLOAT32, 1, one_shape);
};

/// A struct that calls accept: the defaults, with what it needs.
template <class Struct>
Struct valid_struct() {
  static ValidTensors tensors;
  Struct out{};
  out.struct_size = sizeof(std::size_t);  // the others have the defaults
  if constexpr (std::is_same_v<Struct, kindred_seeds_options>) {
    out = kindred_seeds_options KINDRED_SEEDS_OPTIONS_INIT;
    out.hidden = 2;
    out.seeds = 1;
  } else if constexpr (std::is_same_v<Struct, kindred_seed_arrays>) {
    out = kindred_seed_arrays KINDRED_SEED_ARRAYS_INIT;
    out.lifecycle = out.blueprint = out.mode = &tensors.code;
    out.alpha = &tensors.alpha;
    out.weights = &tensors.row;
  } else if constexpr (std::is_same_v<Struct, kindred_norm_layer>) {
    out = kindred_norm_layer KINDRED_NORM_LAYER_INIT;
    out.x = &tensors.row;
    out.y = &tensors.result;
  } else if constexpr (std::is_same_v<Struct, kindred_linear_layer>) {
    out = kindred_linear_layer KINDRED_LINEAR_LAYER_INIT;
    out.x = out.w = &tensors.row;
    out.y = &tensors.cell;
  } else if constexpr (std::is_same_v<Struct, kindred_norm_gradient>) {
    out = kindred_norm_gradient KINDRED_NORM_GRADIENT_INIT;
    out.x = &tensors.row;
    out.gradient = out.dx = &tensors.result;
  } else if constexpr (std::is_same_v<Struct, kindred_linear_gradient>) {
    out = kindred_linear_gradient KINDRED_LINEAR_GRADIENT_INIT;
    out.x = out.w = &tensors.row;
    out.gradient = &tensors.cell;
    out.dx = &tensors.result;
  } else if constexpr (std::is_same_v<Struct, kindred_sequences>) {
    static const std::uint32_t symbol = 1;
    out = kindred_sequences KINDRED_SEQUENCES_INIT;
    out.count = out.length = 1;
    out.symbols = &symbol;
  } else if constexpr (std::is_same_v<Struct, kindred_key_span>) {
    static const std::uint64_t key = 1;  // of the tables and indexes of the fixture
    out = kindred_key_span KINDRED_KEY_SPAN_INIT;
    out.count = 1;
    out.integers = &key;
  }
  return out;
}

/// The state of a seed without a blueprint.
inline constexpr kindred_seed_state dormant{KINDRED_SEED_DORMANT, 0, -1, -1, 0, 0, 0, 0, 0, 0};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_VALID_STRUCTS_HPP
