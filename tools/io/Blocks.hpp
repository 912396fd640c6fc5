// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_BLOCKS_HPP
#define KINDRED_TOOLS_IO_BLOCKS_HPP

#include "io/LineReader.hpp"

#include <kindred/matcher/Lattice.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

/// A node of \p shape: its index, or its coordinates divided by commas. Nothing for anything else.
std::optional<std::uint64_t> parse_lattice_node(std::string_view text, const LatticeShape& shape);

/// What paths may not take, as a file tells it.
struct BlockLists {
  std::vector<std::uint64_t> nodes;
  std::vector<LatticePair> edges;
};

/// \brief Reads lines of a node, or of the two ends of an edge; `#` begins a comment.
/// \throws InputError with file and line
BlockLists read_blocks(const std::string& path, const LatticeShape& shape,
                       const ReadProgress& progress = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_BLOCKS_HPP
