// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_SEARCH_PATHS_HPP
#define KINDRED_MATCHER_VECTOR_SEARCH_PATHS_HPP

#include <kindred/backends/Dispatcher.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include "VectorStore.hpp"

#include <kindred/core/common/Error.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace Kindred::Impl {

inline constexpr std::array<SearchPath, 3> all_search_paths{
    SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm};

constexpr Operation operation_of(SearchPath path) noexcept {
  switch (path) {
    case SearchPath::brute_force:
      return Operations::search;
    case SearchPath::quantized:
      return Operations::search_quantized;
    case SearchPath::gemm:
      break;
  }
  return Operations::search_gemm;
}

/// \brief The work of a search in the cost model: multiply-adds, plus the cost of reading every
/// element as an equivalent number of multiply-adds.
constexpr double search_work(SearchPath path, std::size_t rows, std::size_t queries,
                             std::size_t dimension) noexcept {
  const double reading = path == SearchPath::brute_force ? 8
                         : path == SearchPath::quantized ? 4
                                                         : 64;
  return static_cast<double>(rows) * static_cast<double>(dimension) *
         (static_cast<double>(queries) + reading);
}

/// Why \p path is not available for the rows of \p store; empty if it is.
inline std::string why_not(SearchPath path, const VectorStore& store) {
  if (path == SearchPath::quantized && store.quantized_copy() == QuantizedCopy::never &&
      store.element() != VectorElement::int8)
    return "the index was built without a quantized copy";
  return {};
}

/// For a call on arrays of the host. \throws InvalidArgument if there is a stream
inline void require_no_stream(const std::optional<Stream>& stream) {
  KINDRED_THROW_IF(stream.has_value(),
                   "a stream was given, and the arrays lie on the host; give arrays on its device");
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_SEARCH_PATHS_HPP
