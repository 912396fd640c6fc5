// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_SRC_GEMM_CHECKS_HPP
#define KINDRED_BACKENDS_VENDOR_SRC_GEMM_CHECKS_HPP

#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/core/common/Error.hpp>

#include <cstdint>
#include <string>

namespace Kindred::Impl {

/// \throws InvalidArgument for extents of 0 or strides that are shorter than the rows
inline void check(const GemmShape& shape) {
  KINDRED_THROW_IF(shape.m == 0 || shape.n == 0 || shape.k == 0,
                   "a GEMM of " + std::to_string(shape.m) + " × " + std::to_string(shape.n) +
                       " × " + std::to_string(shape.k) + "; no extent may be 0");
  const std::uint64_t b_row = shape.plain_b ? shape.n : shape.k;
  KINDRED_THROW_IF(shape.lda < shape.k || shape.ldb < b_row || shape.ldc < shape.n,
                   "the strides " + std::to_string(shape.lda) + ", " + std::to_string(shape.ldb) +
                       ", " + std::to_string(shape.ldc) + " are shorter than the rows, " +
                       std::to_string(shape.k) + ", " + std::to_string(b_row) + ", " +
                       std::to_string(shape.n));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_VENDOR_SRC_GEMM_CHECKS_HPP
