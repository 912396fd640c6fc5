// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEARCH_REPORT_HPP
#define KINDRED_MATCHER_SEARCH_REPORT_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief Which path an exact search used, and its counts over the whole call.
struct SearchReport {
  std::string_view path;          ///< "brute_force", "quantized" or "gemm"; "candidates" of `score`
  std::uint64_t prefiltered = 0;  ///< (query, row) pairs that were compared with a bound
  std::uint64_t survivors = 0;    ///< of these, pairs that were scored exactly
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEARCH_REPORT_HPP
