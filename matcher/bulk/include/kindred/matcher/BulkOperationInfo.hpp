// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_OPERATION_INFO_HPP
#define KINDRED_MATCHER_BULK_OPERATION_INFO_HPP

#include <kindred/backends/Operation.hpp>

namespace Kindred::Operations {

/// Bytes combined with XOR. Prior: the router of KA Lattice never uses the device.
inline constexpr OperationInfo transform{"transform", "bytes", {4e9, 3e-6}};

/// Element-wise arithmetic on arrays. Prior: the router of KA Lattice, 5,000 elements.
inline constexpr OperationInfo element_wise{"element-wise", "elements", {1.4e9, 3e-6, 5000}};

/// Sums, minima and maxima. Prior: the router of KA Lattice, 10,000 elements.
inline constexpr OperationInfo reduction{"reduction", "elements", {2.5e9, 5e-6, 10000}};

/// Arrays of random numbers. Prior: the router of KA Lattice, 10,000 elements.
inline constexpr OperationInfo random_generation{
    "random-generation", "elements", {4.5e8, 3e-6, 10000}};

/// Products of matrices. Prior: the router of KA Lattice, 1,024 elements, 32 × 32.
inline constexpr OperationInfo matrix_multiply{
    "matrix-multiply", "multiply-adds", {6e10, 3e-6, 32768}};

/// Sums of matrices. Prior: the router of KA Lattice never uses the device.
inline constexpr OperationInfo matrix_add{"matrix-add", "elements", {1.4e9, 3e-6}};

}  // namespace Kindred::Operations

#endif  // KINDRED_MATCHER_BULK_OPERATION_INFO_HPP
