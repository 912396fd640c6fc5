// SPDX-License-Identifier: Apache-2.0
#include "HopVectors.hpp"

#include "common/CallerArrays.hpp"

#include <kindred/core/common/Error.hpp>

#include <functional>
#include <string>

namespace Kindred::Impl {

namespace {

void check_vector(const NamedArray& given, std::size_t nodes, std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(nodes);
  if (given.array.rank() == 1 && columns == 1)
    require_array(given, DataType::float32, {rows});
  else
    require_array(given, DataType::float32, {rows, columns});
  KINDRED_THROW_IF(!given.array.is_contiguous() && given.array.size() > 0,
                   std::string(given.name) + " is " + to_string(given.array) +
                       " with gaps between its rows; copy it to an array without gaps");
  KINDRED_THROW_IF(
      reinterpret_cast<std::uintptr_t>(given.array.data()) % alignof(float) != 0,
      std::string(given.name) + " does not begin at a multiple of the 4 bytes of its elements");
}

}  // namespace

void check_columns(std::size_t columns) {
  KINDRED_THROW_IF(columns == 0, "columns is 0; it must be at least 1");
  KINDRED_THROW_IF(columns > 4096, "columns is " + std::to_string(columns) + "; the limit is 4096");
}

HopVectors checked_vectors(const ConstArray& x, const Array& y, std::size_t nodes) {
  const std::int64_t columns = x.rank() == 2 ? x.extent(1) : 1;
  check_columns(static_cast<std::size_t>(columns));
  check_vector({"x", x}, nodes, columns);
  check_vector({"y", y}, nodes, columns);
  HopVectors vectors{static_cast<const float*>(x.data()), static_cast<float*>(y.data()),
                     static_cast<std::size_t>(columns), static_cast<std::size_t>(x.size())};
  const std::less<const float*> before;
  KINDRED_THROW_IF(vectors.count > 0 && before(vectors.x, vectors.y + vectors.count) &&
                       before(vectors.y, vectors.x + vectors.count),
                   "x and y overlap; a hop reads x while it writes y");
  return vectors;
}

}  // namespace Kindred::Impl
