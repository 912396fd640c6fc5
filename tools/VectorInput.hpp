// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_VECTOR_INPUT_HPP
#define KINDRED_TOOLS_VECTOR_INPUT_HPP

#include "ReportHits.hpp"
#include "io/Matrix.hpp"

#include <kindred/matcher/VectorFile.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <functional>

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

/// `50 rows of dimension 4`.
std::string rows_text(std::uint64_t rows, std::uint64_t dimension);

/// Warns if every row of \p path has a NaN. \param read reads a row; stops at the first other one
void warn_if_all_nan(const std::string& path, std::uint64_t rows, std::size_t dimension,
                     const std::function<void(std::uint64_t, std::span<float>)>& read);

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

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_VECTOR_INPUT_HPP
