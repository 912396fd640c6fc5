// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_VECTOR_INPUT_HPP
#define KINDRED_TOOLS_VECTOR_INPUT_HPP

#include "ReportHits.hpp"
#include "Session.hpp"
#include "VectorFlags.hpp"
#include "io/Matrix.hpp"

#include <kindred/matcher/VectorIndex.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Tools {

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
