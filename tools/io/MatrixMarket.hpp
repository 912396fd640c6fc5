// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_MATRIX_MARKET_HPP
#define KINDRED_TOOLS_IO_MATRIX_MARKET_HPP

#include "io/Graph.hpp"
#include "io/LineReader.hpp"

namespace Kindred::Tools {

/// \brief Reads a square sparse matrix as a graph: entry i j is the edge i → j; node i is named "i"
/// and has the index i − 1.
///
/// Supports `coordinate` matrices of `real`, `integer` or `pattern` (weight 1) values, `general` or
/// `symmetric` (an off-diagonal entry gives both directions, i → j first). Source: Boisvert, Pozo,
/// Remington, NISTIR 5935, 1996.
/// \throws InputError with file and line; the number of entries is checked against the size of the
/// file before anything is allocated
Graph read_matrix_market(const std::string& path, WeightRange range,
                         const ReadProgress& progress = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_MATRIX_MARKET_HPP
