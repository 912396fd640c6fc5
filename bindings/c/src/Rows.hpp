// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_ROWS_HPP
#define KINDRED_C_ROWS_HPP

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/matcher/Recall.hpp>
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include "Arguments.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace Kindred::C {

/// The types of numbers in files of vectors.
enum class VectorNumber { float32, float16, int8, uint8, int32, int64 };
inline VectorNumber number_of(DataType type) {
  constexpr std::array types{DataType::float32, DataType::float16, DataType::int8,
                             DataType::uint8,   DataType::int32,   DataType::int64};
  return static_cast<VectorNumber>(std::ranges::find(types, type) - types.begin());
}

/// The elements of a row of a tensor.
inline std::uint64_t columns_of(const DLTensor* tensor, const char* name) {
  const ConstArray array = array_of(tensor, name);
  return static_cast<std::uint64_t>(array.extent(array.rank() - 1));
}

VectorFileOptions vectors_source(const kindred_vectors_source* source);

}  // namespace Kindred::C

#endif  // KINDRED_C_ROWS_HPP
