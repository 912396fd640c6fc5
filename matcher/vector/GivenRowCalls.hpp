// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_GIVEN_ROW_CALLS_HPP
#define KINDRED_MATCHER_VECTOR_GIVEN_ROW_CALLS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/ScoreMatrix.hpp>
#include <kindred/core/vector/UnpackRanks.hpp>
#include <kindred/core/vector/VectorRows.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace Kindred::Impl {

/// \brief The rows and queries of a call on rows of the caller; all arrays of a call lie on the
/// host, or all on the device.
struct RowCall {
  Metric metric = Metric::cosine;
  ScoreCurve curve = {};

  const std::byte* rows = nullptr;
  DataType element = DataType::float32;
  const float* scales = nullptr;  ///< int8 only
  std::size_t count = 0;
  std::size_t dimension = 0;
  std::size_t row_stride = 0;  ///< in elements

  GivenQueries queries;
  bool on_device = false;           ///< where the arrays lie
  std::optional<Space> space = {};  ///< forced
};

/// \brief Checks rows that are used in place. \throws InvalidArgument
void check_rows(const VectorSpan& rows);
/// A call on checked rows, so far without queries.
RowCall row_call(const VectorSpan& rows, std::optional<Space> space);

/// Nanoseconds of one thread per product of elements.
inline constexpr double row_element_nanoseconds = 0.15;
/// \brief The threads of the host for a call: the calling thread only for `serial`.
/// \throws SpaceUnavailable if \p space is forced and cannot be used
HostWorkers workers_for(const Context& context, std::optional<Space> space);

/// \brief Writes the score of every row for every query. \p stride elements of \p out per query.
void score_given_rows(Context& context, const RowCall& call, float* out, std::size_t stride);
/// \brief Writes the best rows of every query.
void rank_given_rows(Context& context, const RowCall& call, const RankedOutput& out);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_GIVEN_ROW_CALLS_HPP
