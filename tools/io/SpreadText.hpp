// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SPREAD_TEXT_HPP
#define KINDRED_TOOLS_IO_SPREAD_TEXT_HPP

#include <kindred/core/graph/Decay.hpp>
#include <kindred/core/graph/Spreading.hpp>

#include <cstddef>
#include <string_view>

namespace Kindred::Tools {

/// Maximum number of hops that the command accepts.
inline constexpr std::size_t hops_max = 10000;

/// Parses a decay such as `exponential:0.7`. \throws RecordError
Decay parse_decay(std::string_view text);

/// Parses kinds of edges, `all` or a list such as `0,3,7-9`. \throws RecordError
EdgeKinds parse_kinds(std::string_view text);

/// Parses `none` or `engram`. \throws RecordError
SpreadModifiers parse_modifiers(std::string_view text);
/// Sets the strength given as `FROM:TO=X`: two kinds of nodes and a finite number. \throws
/// RecordError
void set_strength(SpreadModifiers& modifiers, std::string_view text);
/// Sets the fan effect given as `KIND=inverse`, `KIND=inverse-root` or `KIND=X`. \throws
/// RecordError
void set_fan(SpreadModifiers& modifiers, std::string_view text);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SPREAD_TEXT_HPP
