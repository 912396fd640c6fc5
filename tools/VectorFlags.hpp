// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_VECTOR_FLAGS_HPP
#define KINDRED_TOOLS_VECTOR_FLAGS_HPP

#include "program/Options.hpp"

#include <kindred/matcher/VectorFile.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <optional>
#include <string>
#include <vector>

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
  std::optional<VectorFormat> format;
  Metric metric = Metric::cosine;
  std::string filter;
  std::string out_ids;
  std::string out_scores;
  std::vector<CLI::Option*> sources;  ///< --vectors and --store

  /// Path of the rows, for messages.
  const std::string& rows() const noexcept { return store.empty() ? vectors : store; }
};

/// \brief How the file \p path is read.
/// \param path its name, whose extension determines the format if it is that of one
/// \param format value of --format, which determines the format of other names
/// \param dataset dataset of an HDF5 file
VectorFileOptions vector_file_options(const std::string& path, std::optional<VectorFormat> format,
                                      const char* dataset);

/// Adds --metric.
CLI::Option* add_metric_flag(CLI::App& command, Metric& metric, const std::string& help);
/// Adds --format, for the files named by \p files.
void add_format_flag(CLI::App& command, std::optional<VectorFormat>& format,
                     const std::string& files);
/// Adds --element with some element types.
void add_element_flag(CLI::App& command, std::optional<DataType>& element,
                      const std::vector<DataType>& elements, const std::string& help);
/// Adds --vectors and --store, of which one must be given, with \p help of the first.
std::vector<CLI::Option*> add_rows_flags(CLI::App& command, std::string& vectors,
                                         std::string& store, const std::string& help);
void add_vector_flags(CLI::App& command, VectorFlags& flags);
/// Add --filter, and --out-ids with --out-scores.
void add_filter_flag(CLI::App& command, std::string& filter);
std::vector<CLI::Option*> add_out_flags(CLI::App& command, std::string& ids, std::string& scores);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_VECTOR_FLAGS_HPP
