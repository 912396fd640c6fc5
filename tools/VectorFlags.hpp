// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_VECTOR_FLAGS_HPP
#define KINDRED_TOOLS_VECTOR_FLAGS_HPP

#include "Session.hpp"
#include "io/Matrix.hpp"

#include <kindred/matcher/VectorIndex.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace Kindred::Tools {

inline constexpr const char* vectors_help =
    "The rows, n × d: .npy, .fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin, or .hdf5 (its dataset "
    "train)";

/// What `search` and `score` have in common.
struct VectorFlags {
  std::string vectors;  ///< or
  std::string store;
  std::string queries;
  std::string metric = "cosine";
  std::string path;

  /// The file of the rows, for messages.
  const std::string& rows() const noexcept { return store.empty() ? vectors : store; }
};

/// \throws UsageError for a name that is no metric
Metric metric_from_string(const std::string& name);

void add_vector_flags(CLI::App& command, VectorFlags& flags);

/// \throws UsageError for a metric or path that is none, and unless one of --vectors and --store is
/// given
SearchOptions search_options(const char* command, const VectorFlags& flags);

/// \brief The rows that are searched and the queries, read and checked against each other.
struct VectorInput {
  std::optional<VectorIndex> index;  ///< nothing when there are no rows
  Matrix queries;
  std::size_t rows = 0;
  std::uint64_t end_id = 0;  ///< ids are below
};

/// \throws InputError, NotFound or CorruptFile for files that cannot be used or do not fit
VectorInput load_vectors(const VectorFlags& flags, Session& session);

/// The rows [first, first + count) of \p queries.
std::span<const float> rows_of(const Matrix& queries, std::size_t first, std::size_t count);

/// Tells under --explain which path a call took and what it let through.
void explain_path(const GlobalOptions& global, const char* command, const SearchReport& report);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_VECTOR_FLAGS_HPP
