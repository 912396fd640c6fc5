// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_VECTOR_SEARCH_REPORT_HPP
#define KINDRED_MATCHER_SRC_VECTOR_SEARCH_REPORT_HPP

#include <cstdint>
#include <string_view>

namespace Kindred::Impl {

/// \brief What a path of exact search did; summed over its parts.
struct SearchReport {
  std::string_view path;        ///< a literal
  std::uint64_t screened = 0;   ///< pairs of a query and a row that a bound judged
  std::uint64_t survivors = 0;  ///< of them scored canonically
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_VECTOR_SEARCH_REPORT_HPP
