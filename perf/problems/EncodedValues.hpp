// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PROBLEMS_ENCODED_VALUES_HPP
#define KINDRED_PERF_PROBLEMS_ENCODED_VALUES_HPP

#include <kindred/core/common/Array.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace Kindred::Perf {

/// Encodes numbers as float32 or bfloat16, rounded to nearest.
std::vector<std::byte> encoded(DataType element, std::span<const float> values);
/// Decodes number \p i of \p bytes.
float decoded(DataType element, std::span<const std::byte> bytes, std::size_t i);
/// Decodes all numbers of \p bytes.
std::vector<float> decoded(DataType element, std::span<const std::byte> bytes);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PROBLEMS_ENCODED_VALUES_HPP
