// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_VECTOR_FLAGS_HPP
#define KINDRED_TOOLS_VECTOR_FLAGS_HPP

#include "Session.hpp"
#include "io/Matrix.hpp"

#include <kindred/matcher/VectorIndex.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  std::string filter;
  std::string out_ids;
  std::string out_scores;

  /// The file of the rows, for messages.
  const std::string& rows() const noexcept { return store.empty() ? vectors : store; }
};

/// \throws UsageError for a name that is no metric
Metric metric_from_string(const std::string& name);

void add_vector_flags(CLI::App& command, VectorFlags& flags);
/// --filter, --out-ids and --out-scores.
void add_filter_flag(CLI::App& command, std::string& filter);
void add_out_flags(CLI::App& command, std::string& ids, std::string& scores);

/// \throws UsageError unless one of --vectors and --store is given
void check_rows_flags(const char* command, const std::string& vectors, const std::string& store);
/// \throws UsageError for a metric or path that is none, and unless one of --vectors and --store is
/// given
SearchOptions search_options(const char* command, const VectorFlags& flags);

/// \brief The rows that are searched and the queries, read and checked against each other.
struct VectorInput {
  std::optional<VectorIndex> index;  ///< of `rows` rows
  Matrix queries;
  std::size_t rows = 0;
  std::uint64_t end_id = 0;  ///< ids are below
};

/// \throws InputError, NotFound or CorruptFile for files that cannot be used, do not fit or have no
/// rows
VectorInput load_vectors(const VectorFlags& flags, Session& session);

/// Tells the report what was searched.
void report_input(Session& session, const VectorFlags& flags, const VectorInput& input);

/// \throws InputError where \p rows, of the file \p path, are none: there is nothing to find
void check_some_rows(const std::string& path, std::uint64_t rows);

/// \brief The ids that may be returned, nothing unless \p filter is given. \param end_id ids of the
/// rows in \p rows are below \throws InputError, NotFound or CorruptFile
std::vector<std::uint8_t> load_filter(Session& session, const std::string& filter,
                                      const std::string& rows, std::uint64_t end_id);

/// The rows [first, first + count) of \p queries.
std::span<const float> rows_of(const Matrix& queries, std::size_t first, std::size_t count);

/// Tells under --explain which path a call took and what it let through.
void explain_path(const GlobalOptions& global, const char* command, const SearchReport& report);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_VECTOR_FLAGS_HPP
