// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_GRAPH_FIELDS_HPP
#define KINDRED_TOOLS_IO_GRAPH_FIELDS_HPP

#include "io/LineReader.hpp"
#include "io/NodeNames.hpp"

namespace Kindred::Tools {

/// Allowed weights of a graph.
enum class WeightRange : std::uint8_t {
  unit,        ///< [0, 1]
  finite,      ///< any finite float32
  nonnegative  ///< ≥ 0 and finite
};

/// \brief The index of a node, which is added if its name is new. Names must be UTF-8, since
/// answers are JSON. \throws InputError at the current line of \p lines
std::uint32_t node_of(std::string_view name, NodeNames& nodes, const LineReader& lines);
/// Parses a kind, 0 … 255. \throws InputError at the current line of \p lines
std::uint8_t parse_kind(std::string_view text, const LineReader& lines);

/// \p number as float32, to nearest. \param shown the number, and \p what it is, for messages
/// \throws RecordError if it is not in \p range
float float_in(WeightRange range, double number, std::string_view shown, const char* what);
/// Parses a number and rounds it to the nearest float32. \throws InputError at the current line of
/// \p lines
float parse_weight(std::string_view text, WeightRange range, const LineReader& lines);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_GRAPH_FIELDS_HPP
