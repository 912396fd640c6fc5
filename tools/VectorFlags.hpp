// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_VECTOR_FLAGS_HPP
#define KINDRED_TOOLS_VECTOR_FLAGS_HPP

#include "Session.hpp"

#include <kindred/matcher/VectorFile.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <string>

namespace Kindred::Tools {

inline constexpr const char* vectors_help =
    "The rows, n × d: .npy, .fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin, or .hdf5 (its dataset "
    "train)";
inline constexpr const char* metric_help =
    "cosine or ip (larger is better), or l2: the Euclidean distance, not its square as in FAISS "
    "and hnswlib (smaller is better) (default: cosine)";

/// Flags that `search` and `score` have in common.
struct VectorFlags {
  std::string vectors;  ///< either this or `store` is given
  std::string store;
  std::string queries;
  std::string format;
  std::string metric = "cosine";
  std::string path;
  std::string filter;
  std::string out_ids;
  std::string out_scores;

  /// Path of the rows, for messages.
  const std::string& rows() const noexcept { return store.empty() ? vectors : store; }
  /// Whether the results are written to files instead of lines.
  bool has_out_files() const noexcept { return !out_ids.empty() || !out_scores.empty(); }
};

/// \throws UsageError for an unknown metric
Metric metric_from_string(const std::string& name);
/// \throws UsageError for an unknown format
VectorFormat format_from_string(const std::string& name);
/// \brief How the file \p path is read.
/// \param path its name, whose extension determines the format if it is that of one
/// \param format value of --format, which determines the format of other names; may be empty
/// \param dataset dataset of an HDF5 file
/// \throws UsageError for an unknown format
VectorFileOptions vector_file_options(const std::string& path, const std::string& format,
                                      const char* dataset);

/// Adds --format, for the files named by \p files.
void add_format_flag(CLI::App& command, std::string& format, const std::string& files);

void add_vector_flags(CLI::App& command, VectorFlags& flags);
/// Add --filter, and --out-ids with --out-scores.
void add_filter_flag(CLI::App& command, std::string& filter);
void add_out_flags(CLI::App& command, std::string& ids, std::string& scores);

/// \throws UsageError unless exactly one of --vectors and --store is given
void check_rows_flags(const char* command, const std::string& vectors, const std::string& store);
/// \throws UsageError for an unknown metric or path, and unless exactly one of --vectors and
/// --store is given
SearchOptions search_options(const char* command, const VectorFlags& flags);

/// With --explain, prints the path that a call used and how many rows passed its filter.
void explain_path(const GlobalOptions& global, const char* command, const SearchReport& report);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_VECTOR_FLAGS_HPP
