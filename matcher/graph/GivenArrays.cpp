// SPDX-License-Identifier: Apache-2.0
#include "GivenArrays.hpp"

#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <string>

namespace Kindred::Impl {

void require_given(const NamedArray& given, std::initializer_list<DataType> types,
                   std::initializer_list<std::int64_t> shape) {
  const ConstArray& array = given.array;
  KINDRED_THROW_IF(
      std::ranges::find(types, array.type()) == types.end(),
      std::string(given.name) + " is " + to_string(array) + "; it must be " + text_of(types));
  require_array(given, array.type(), shape);
  KINDRED_THROW_IF(array.size() > 0 && !array.is_contiguous(),
                   std::string(given.name) + " is " + to_string(array) +
                       " with gaps between its rows; copy it to an array without gaps");
}

}  // namespace Kindred::Impl
