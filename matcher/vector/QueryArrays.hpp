// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_QUERY_ARRAYS_HPP
#define KINDRED_MATCHER_VECTOR_QUERY_ARRAYS_HPP

#include <kindred/core/common/Error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include "kit/CallerArrays.hpp"

namespace Kindred::Impl {

/// \brief Requires an array with one row of \p extent elements per query. If \p one_query, arrays
/// have no dimension for the queries. \throws InvalidArgument
inline void require_per_query(const NamedArray& given, DataType type, bool one_query,
                              std::int64_t queries, std::int64_t extent) {
  if (one_query) {
    require_array(given, type, {extent});
  } else {
    require_array(given, type, {queries, extent});
  }
}

/// \brief Elements from one query or row to the next, for an array of one or two dimensions.
/// \throws InvalidArgument as `row_stride`
inline std::size_t stride_of(const NamedArray& given) {
  return static_cast<std::size_t>(row_stride(given));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_QUERY_ARRAYS_HPP
