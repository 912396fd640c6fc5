// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_ROWS_HPP
#define KINDRED_CORE_SEED_SEED_ROWS_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/ArrayView.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Rows of `hidden` contiguous elements of float32, float16 or bfloat16. \p Byte is
/// `std::byte`, const for rows that are only read.
template <class Byte, class ExecutionSpace>
struct SeedRows {
  ArrayView<Byte, ExecutionSpace> bytes;
  DataType element = DataType::float32;
  std::uint64_t stride = 0;  ///< elements from one row to the next, at least `hidden`
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_ROWS_HPP
