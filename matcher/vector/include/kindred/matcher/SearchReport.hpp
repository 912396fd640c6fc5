// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEARCH_REPORT_HPP
#define KINDRED_MATCHER_SEARCH_REPORT_HPP

#include <cstdint>
#include <string_view>

namespace Kindred {

/// \brief What a path of exact search did, over all of a call.
struct SearchReport {
  std::string_view path;          ///< "brute_force", "quantized" or "gemm"; "candidates" of `score`
  std::uint64_t prefiltered = 0;  ///< pairs of a query and a row that a bound judged
  std::uint64_t survivors = 0;    ///< of them scored canonically
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEARCH_REPORT_HPP
