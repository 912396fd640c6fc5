// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_OPERATION_INFO_HPP
#define KINDRED_MATCHER_VECTOR_OPERATION_INFO_HPP

#include <kindred/backends/Operation.hpp>

namespace Kindred::Operations {

/// \brief Exact search that scores every row: one of three algorithms with the same results, chosen
/// by their predicted time.
///
/// Their work measure counts the data they read, so that an algorithm with costly preparation is
/// not mistaken for one with few rows. Prior: Engram's cosine, one query and
/// 128 vectors of 768.
inline constexpr OperationInfo search{"search", "multiply-adds", {3e10, 5e-6, 128.0 * 768 * 9}};

/// Exact search behind a prefilter over the int8-quantized copy. Prior: one query and 512
/// vectors, from which the launches of a prefilter pay off.
inline constexpr OperationInfo search_quantized{
    "search-quantized", "multiply-adds", {5e10, 1e-5, 512.0 * 768 * 5}};

/// Exact search behind a matrix product of rounded values. Prior: 64 queries, which are rounded
/// first, and 256 vectors.
inline constexpr OperationInfo search_gemm{
    "search-gemm", "multiply-adds", {8e10, 3e-5, 256.0 * 768 * 128}};

/// Scores of given candidates. Prior: 300 candidates of 768.
inline constexpr OperationInfo score{"score", "multiply-adds", {3.5e9, 5e-6, 300.0 * 768}};

}  // namespace Kindred::Operations

#endif  // KINDRED_MATCHER_VECTOR_OPERATION_INFO_HPP
