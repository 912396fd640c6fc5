// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_DECAY_TEXT_HPP
#define KINDRED_TOOLS_IO_DECAY_TEXT_HPP

#include <kindred/core/graph/Spreading.hpp>

#include <cstddef>
#include <string_view>

namespace Kindred::Tools {

/// Most hops that the command takes.
inline constexpr std::size_t hops_max = 10000;

/// The decay that `exponential:0.7` and the like name. \throws RecordError
Decay parse_decay(std::string_view text);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_DECAY_TEXT_HPP
