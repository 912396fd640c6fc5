// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_VECTOR_FLAGS_HPP
#define KINDRED_TOOLS_VECTOR_FLAGS_HPP

#include "Session.hpp"
#include "io/Matrix.hpp"

#include <kindred/matcher/VectorIndex.hpp>

#include <optional>
#include <string>

namespace Kindred::Tools {

/// What `search` and `score` have in common.
struct VectorFlags {
  std::string vectors;
  std::string queries;
  std::string metric = "cosine";
};

void add_vector_flags(CLI::App& command, VectorFlags& flags);

/// \throws UsageError for a name that is no metric
Metric metric_from_string(const std::string& name);

/// \brief The rows that are searched and the queries, read and checked against each other.
struct VectorInput {
  std::optional<VectorIndex> index;  ///< nothing when there are no rows
  Matrix queries;
  std::size_t rows = 0;
};

/// \throws InputError for files that cannot be used or do not fit
VectorInput load_vectors(const VectorFlags& flags, Session& session);

/// The rows [first, first + count) of \p queries.
std::span<const float> rows_of(const Matrix& queries, std::size_t first, std::size_t count);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_VECTOR_FLAGS_HPP
