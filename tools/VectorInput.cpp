// SPDX-License-Identifier: Apache-2.0
#include "VectorInput.hpp"

#include "io/InputKind.hpp"
#include "program/Errors.hpp"
#include "program/Log.hpp"
#include "report/Html.hpp"

#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace Kindred::Tools {

namespace {

/// The rows of a file, in an element type that holds its numbers exactly.
VectorArray read_array(const std::string& path, const VectorFileOptions& options,
                       const ReadProgress& progress) {
  return reading_file([&] {
    const VectorFile file(path, options);
    return read_rows(file, natural_element(file.type()), [&](std::uint64_t rows) {
      progress(rows * file.row_bytes(), file.rows() * file.row_bytes());
    });
  });
}

}  // namespace

void warn_if_all_nan(const std::string& path, std::uint64_t rows, std::size_t dimension,
                     const std::function<void(std::uint64_t, std::span<float>)>& read) {
  std::vector<float> row(dimension);
  for (std::uint64_t i = 0; i < rows; ++i) {
    read(i, row);
    if (std::none_of(row.begin(), row.end(), [](float x) { return std::isnan(x); })) return;
  }
  if (rows > 0) {
    Log::warning(
        fmt::format("{}: every row contains NaN, so every score is NaN (printed as null)", path));
  }
}

void check_some_rows(const std::string& path, std::uint64_t rows) {
  if (rows == 0)
    throw InputError(fmt::format("{}: has 0 rows; there must be at least 1 to find", path));
}

std::vector<std::uint8_t> load_filter(Session& session, const std::string& filter,
                                      const std::string& rows, std::uint64_t end_id) {
  if (filter.empty()) return {};
  std::vector<std::uint8_t> mask =
      session.timed(Phase::load, [&] { return reading_file([&] { return read_mask(filter); }); });
  if (mask.size() != end_id) {
    throw InputError(fmt::format("{}: a mask of {} ids; those of {} are below {}", filter,
                                 mask.size(), rows, end_id));
  }
  return mask;
}

VectorInput load_vectors(const VectorFlags& flags, Session& session) {
  if (!flags.vectors.empty()) check_kind(flags.vectors, InputKind::rows, flags.format.has_value());
  if (!flags.store.empty()) check_kind(flags.store, InputKind::vectors);
  check_kind(flags.queries, InputKind::queries, flags.format.has_value());
  VectorInput input;
  const VectorFileOptions rows_options = vector_file_options(flags.vectors, flags.format, "train");
  VectorFileOptions query_options = vector_file_options(flags.queries, flags.format, "test");
  query_options.one_row = true;
  VectorArray array;
  StoredVectors stored;
  session.timed(Phase::load, [&] {
    input.queries = read_matrix(flags.queries, query_options);
    if (flags.store.empty()) {
      array = read_array(flags.vectors, rows_options, session.read_progress(flags.vectors));
      stored.rows = array.span();
      stored.end_id = stored.rows.count();
    } else {
      stored =
          reading_file([&] { return StoredVectors::load(flags.store, session.options().threads); });
    }
  });
  const VectorSpan& rows = stored.rows;
  check_some_rows(flags.rows(), rows.count());
  if (rows.dimension != input.queries.columns) {
    throw InputError(fmt::format("{}: queries of dimension {}; the vectors in {} have dimension {}",
                                 flags.queries, input.queries.columns, flags.rows(),
                                 rows.dimension));
  }
  const auto warn = [](const std::string& path, const VectorSpan& array) {
    warn_if_all_nan(
        path, array.count(), array.dimension,
        [&](std::uint64_t i, std::span<float> row) { decode_rows(array.rows(i, 1), row); });
  };
  warn(flags.rows(), rows);
  warn(flags.queries, VectorSpan(input.queries.span(), input.queries.columns));
  input.rows = rows.count();
  input.end_id = stored.end_id;
  const VectorIndexOptions options;
  session.timed(Phase::upload, [&] {
    if (flags.store.empty()) {
      input.index.emplace(session.context(), rows, options);
    } else {
      input.index.emplace(session.context(), stored, options);
    }
  });
  return input;
}

std::string rows_text(std::uint64_t rows, std::uint64_t dimension) {
  return fmt::format("{} of dimension {}", Html::counted(rows, "row", "rows"), dimension);
}

}  // namespace Kindred::Tools
