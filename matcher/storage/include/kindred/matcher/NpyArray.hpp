// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_NPY_ARRAY_HPP
#define KINDRED_MATCHER_NPY_ARRAY_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief An owning array of any number of dimensions, with the last index fastest.
struct NpyArray {
  DataType type = DataType::float32;
  std::vector<std::uint64_t> shape;
  std::size_t elements = 0;
  std::unique_ptr<std::byte[]> values;

  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(values.get()), elements};
  }
};

/// \brief Reads a whole .npy file of integers, float32 or float64 (bool is read as uint8).
/// Complexity O(bytes). Thread-safe.
/// \throws NotFound, CorruptFile; InvalidArgument for another dtype, big-endian data or Fortran
/// order; std::bad_alloc
NpyArray read_npy(const std::string& path);

}  // namespace Kindred

#endif  // KINDRED_MATCHER_NPY_ARRAY_HPP
