// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_FUNCTIONS_HPP
#define KINDRED_MATCHER_VECTOR_FUNCTIONS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

// Engram's small kernels, for vectors that are not in an index. On the host they read the rows
// where they are and do not wait for calls of other threads; on a device they copy the rows and
// fence the instance. Results are bitwise identical on every space. Scores and the best of rows:
// RowFunctions.hpp.

/// Options of the functions of this header.
struct VectorFunctionOptions {
  std::optional<Space> space = {};  ///< by default the host; the dispatcher is not asked
};

/// \brief σ((c − threshold) / max(temperature, 0.05)) for the cosine c of \p query with every row,
/// in the order of the rows.
///
/// c is the reproducible float32 cosine; the sigmoid is computed in double (relative error below
/// 10⁻¹⁵) and rounded once. Fences the instance of a device. Complexity O(count · dimension).
/// \param query of the dimension of \p rows
/// \throws InvalidArgument for a query of another dimension, or a threshold or temperature that is
/// NaN; rows that are not aligned to their elements; SpaceUnavailable; OutOfMemory
std::vector<float> cosine_sigmoids(Context& context, std::span<const float> query,
                                   const VectorSpan& rows, double threshold, double temperature,
                                   const VectorFunctionOptions& options = {});

/// \brief Σ wᵢ·xᵢ / Σ wᵢ, elementwise: reproducible sums over the rows, rounded once. All zeros if
/// the weights sum to 0. Fences the instance of a device. Complexity O(count · dimension).
/// \param weights one per row
/// \throws InvalidArgument for any other number of weights, or rows that are not aligned to their
/// elements; SpaceUnavailable; OutOfMemory
std::vector<float> weighted_average(Context& context, const VectorSpan& rows,
                                    std::span<const float> weights,
                                    const VectorFunctionOptions& options = {});
/// \brief The same for float32 rows that are anywhere.
/// \param rows one pointer per row, to \p dimension elements
/// \throws InvalidArgument also for a null pointer
std::vector<float> weighted_average(Context& context, std::span<const float* const> rows,
                                    std::size_t dimension, std::span<const float> weights,
                                    const VectorFunctionOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_FUNCTIONS_HPP
