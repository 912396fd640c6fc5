// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_VECTOR_FLAGS_HPP
#define KINDRED_TOOLS_VECTOR_FLAGS_HPP

#include "Session.hpp"
#include "io/VectorInput.hpp"

#include <kindred/matcher/VectorIndex.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace Kindred::Tools {

inline constexpr const char* vectors_help =
    "The rows, n × d: .npy, .fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin, or .hdf5 (its dataset "
    "train)";

/// Flags that `search` and `score` have in common.
struct VectorFlags {
  std::string vectors;  ///< either this or `store` is given
  std::string store;
  std::string queries;
  std::string metric = "cosine";
  std::string path;
  std::string filter;
  std::string out_ids;
  std::string out_scores;

  /// Path of the rows, for messages.
  const std::string& rows() const noexcept { return store.empty() ? vectors : store; }
};

/// \throws UsageError for an unknown metric
Metric metric_from_string(const std::string& name);

void add_vector_flags(CLI::App& command, VectorFlags& flags);
/// Add --filter, and --out-ids with --out-scores.
void add_filter_flag(CLI::App& command, std::string& filter);
void add_out_flags(CLI::App& command, std::string& ids, std::string& scores);

/// \throws UsageError unless exactly one of --vectors and --store is given
void check_rows_flags(const char* command, const std::string& vectors, const std::string& store);
/// \throws UsageError for an unknown metric or path, and unless exactly one of --vectors and
/// --store is given
SearchOptions search_options(const char* command, const VectorFlags& flags);

/// \brief The rows to be searched and the queries, checked against each other.
struct VectorInput {
  std::optional<VectorIndex> index;  ///< over `rows` rows
  Matrix queries;
  std::size_t rows = 0;
  std::uint64_t end_id = 0;  ///< all ids are smaller
};

/// \throws InputError, NotFound or CorruptFile for files that cannot be read, do not match or have
/// no rows
VectorInput load_vectors(const VectorFlags& flags, Session& session);

/// Adds the inputs of the search to the report.
void report_input(Session& session, const VectorFlags& flags, const VectorInput& input);

/// \throws InputError if the file \p path has no rows, since there is nothing to find
void check_some_rows(const std::string& path, std::uint64_t rows);

/// \brief Reads one byte per id, nonzero for ids that may be returned; empty if \p filter is not
/// given.
/// \param session where the file is read
/// \param filter path of the file
/// \param rows path of the rows, for messages
/// \param end_id all ids of the rows are smaller
/// \throws InputError, NotFound or CorruptFile
std::vector<std::uint8_t> load_filter(Session& session, const std::string& filter,
                                      const std::string& rows, std::uint64_t end_id);

/// The rows [first, first + count) of \p queries.
std::span<const float> rows_of(const Matrix& queries, std::size_t first, std::size_t count);

/// With --explain, prints the path that a call used and how many rows passed its filter.
void explain_path(const GlobalOptions& global, const char* command, const SearchReport& report);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_VECTOR_FLAGS_HPP
