// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_ROWS_ROW_SERVER_HPP
#define KINDRED_PERF_ROWS_ROW_SERVER_HPP

#include "common/JsonOutput.hpp"
#include "rows/Row.hpp"

#include <vector>

namespace Kindred::Perf {

/// \brief Runs rows on \p space as they are requested on standard input, a line of JSON each, until
/// its end (\see JsonProcess), and answers on standard output:
/// - first, without a request: `{"rows": […], "context": …}`, the names of \p rows in their order;
/// - to `{"prepare": NAME}`: `{"wrong": TEXT, "digest": TEXT}`, after a first call was checked;
/// - to `{"time": "call" | "kernels" | "queued"}`: `{"seconds": S}` per call of the prepared row,
/// or
///   0 if it has no such time.
///
/// A request that fails has the answer `{"error": TEXT}`.
void serve_rows(const std::vector<Row>& rows, Space space, const Json& context);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_ROWS_ROW_SERVER_HPP
