// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_BULK_ROOMS_HPP
#define KINDRED_MATCHER_BULK_BULK_ROOMS_HPP

#include "BulkLaunch.hpp"
#include "Products.hpp"
#include "common/KeptRooms.hpp"

#include <cstddef>
#include <optional>

namespace Kindred::Impl {

/// \brief What a `Bulk` keeps on a space.
template <class ExecutionSpace>
struct BulkRoom {
  BulkRoom(MemoryResource& given, int) : memory(&given), lists(given) {}

  MemoryResource* memory;
  ListRoom<ExecutionSpace> lists;
  Buffer<std::byte, typename ExecutionSpace::memory_space> batch;  ///< of arrays, on a device
  std::optional<ProductLibrary<ExecutionSpace, float>> narrow;
  std::optional<ProductLibrary<ExecutionSpace, double>> wide;

  template <class T>
  std::optional<ProductLibrary<ExecutionSpace, T>>& library() {
    if constexpr (sizeof(T) == 4) {
      return narrow;
    } else {
      return wide;
    }
  }
};

using BulkRooms = KeptRooms<BulkRoom>;

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_BULK_ROOMS_HPP
