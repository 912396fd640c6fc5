// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_SEARCH_PATHS_HPP
#define KINDRED_MATCHER_VECTOR_SEARCH_PATHS_HPP

#include <kindred/backends/Dispatcher.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include "VectorStore.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
      store.element() != DataType::int8)
    return "the index was built without a quantized copy";
  return {};
}

/// \brief Counts the first searches of each size, a power of two of their work, with a path on a
/// space. Thread-safe.
///
/// The first call of a size may allocate, so that the dispatcher learns from the second; and only
/// two observations outweigh the prior.
class PathTries {
 public:
  bool are_left(double work) const noexcept {
    return m_calls[class_of(work)].load(std::memory_order_relaxed) < most;
  }
  void count(double work) noexcept {
    if (are_left(work)) m_calls[class_of(work)].fetch_add(1, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t most = 3;
  static std::size_t class_of(double work) noexcept {
    return static_cast<std::size_t>(std::clamp(std::ilogb(std::max(work, 1.0)), 0, 63));
  }
  std::array<std::atomic<std::uint32_t>, 64> m_calls{};
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_SEARCH_PATHS_HPP
