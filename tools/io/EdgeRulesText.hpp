// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_EDGE_RULES_TEXT_HPP
#define KINDRED_TOOLS_IO_EDGE_RULES_TEXT_HPP

#include <kindred/core/graph/Spreading.hpp>

#include <string_view>

namespace Kindred::Tools {

/// The kinds of edges that `all` or a list like `0,3,7-9` names. \throws RecordError
EdgeKinds parse_kinds(std::string_view text);

/// The modifiers that `none` or `engram` names. \throws RecordError
SpreadModifiers parse_modifiers(std::string_view text);
/// Sets the strength that `FROM:TO=X` tells, kinds of nodes and a finite number. \throws
/// RecordError
void set_strength(SpreadModifiers& modifiers, std::string_view text);
/// Sets the fan effect that `KIND=inverse`, `KIND=inverse-root` or `KIND=X` tells. \throws
/// RecordError
void set_fan(SpreadModifiers& modifiers, std::string_view text);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_EDGE_RULES_TEXT_HPP
