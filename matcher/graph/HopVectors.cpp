// SPDX-License-Identifier: Apache-2.0
#include "HopVectors.hpp"

#include "GivenArrays.hpp"

#include <kindred/core/common/Error.hpp>

#include <string>

namespace Kindred::Impl {

void check_columns(std::size_t columns) {
  KINDRED_THROW_IF(columns == 0, "columns is 0; it must be at least 1");
  KINDRED_THROW_IF(columns > 4096, "columns is " + std::to_string(columns) + "; the limit is 4096");
}

HopVectors checked_vectors(const ConstArray& x, const Array& y, std::size_t nodes) {
  const std::int64_t columns = x.rank() == 2 ? x.extent(1) : 1;
  check_columns(static_cast<std::size_t>(columns));
  const auto rows = static_cast<std::int64_t>(nodes);
  for (const NamedArray& given : {NamedArray{"x", x}, NamedArray{"y", y}}) {
    if (given.array.rank() == 1 && columns == 1)
      require_given(given, {DataType::float32}, {rows});
    else
      require_given(given, {DataType::float32}, {rows, columns});
  }
  require_apart({"x", x}, {"y", y});
  return {static_cast<const float*>(x.data()), static_cast<float*>(y.data()),
          static_cast<std::size_t>(columns), static_cast<std::size_t>(x.size())};
}

}  // namespace Kindred::Impl
