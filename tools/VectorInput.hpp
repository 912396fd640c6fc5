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
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// How a report shows the rows that were found by their score under \p metric.
HitsForm hits_form(Metric metric);

/// Adds the answer to a query to the report.
void report_row(ReportHits& report, std::optional<std::string_view> name, std::uint64_t query,
                std::span<const ScoredId> row);
/// Adds the answers of a search to the report: \p results has `ids`, `scores` and `top`.
template <class Results>
void report_rows(ReportHits& report, const Results& results, std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    report.begin({}, first + i);
    for (std::size_t at = i * results.top; at < (i + 1) * results.top; ++at) {
      if (results.ids[at] < 0) break;
      report.hit({{}, static_cast<std::uint64_t>(results.ids[at]), results.scores[at], {}});
    }
    report.end();
  }
}

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

/// Warns if no query has a result.
void warn_without_results(const char* command, std::size_t queries, std::uint64_t results);
/// The number of results among \p ids, where −1 is none.
std::uint64_t count_results(std::span<const std::int64_t> ids);

/// The rows [first, first + count) of \p queries.
std::span<const float> rows_of(const Matrix& queries, std::size_t first, std::size_t count);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_VECTOR_INPUT_HPP
