// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_DECAY_TEXT_HPP
#define KINDRED_TOOLS_IO_DECAY_TEXT_HPP

#include <kindred/core/graph/Decay.hpp>

#include <cstddef>
#include <string_view>

namespace Kindred::Tools {

/// Maximum number of hops that the command accepts.
inline constexpr std::size_t hops_max = 10000;

/// Parses a decay such as `exponential:0.7`. \throws RecordError
Decay parse_decay(std::string_view text);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_DECAY_TEXT_HPP
