// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_LATTICE_TASKS_HPP
#define KINDRED_TOOLS_IO_LATTICE_TASKS_HPP

#include "io/LineReader.hpp"

#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/LatticeBatch.hpp>

#include <optional>

namespace Kindred::Tools {

/// A node of \p shape, given by its index or by its coordinates separated by commas.
/// \throws RecordError
std::uint64_t lattice_node(std::string_view text, const LatticeShape& shape);

/// Nodes and edges that paths must avoid, read from a file.
struct BlockLists {
  std::vector<std::uint64_t> nodes;
  std::vector<LatticePair> edges;

  /// Adds a node, or an edge by its two ends. \throws RecordError if they are not neighbours
  void add(const std::vector<std::uint64_t>& block, const LatticeShape& shape);
};

/// \brief Reads lines with a node or with the two ends of an edge; `#` begins a comment.
/// \throws InputError with file and line
BlockLists read_blocks(const std::string& path, const LatticeShape& shape,
                       const ReadProgress& progress = {});

/// One line of `lattice batch`.
struct LatticeLine {
  std::optional<std::string> name;
  std::string work;  ///< `analyze`, `measure`, `path` or `build`
  std::uint64_t line = 0;
  BlockLists blocks;
  LatticeTask task;  ///< refers to `blocks`
};

/// \brief Reads lines such as `{"name": "a", "dimensions": 4, "size": 10, "do": "path", "from": 0,
/// "to": 9}`.
/// \throws InputError with file and line, also for unknown fields and for invalid shapes
std::vector<LatticeLine> read_lattice_tasks(const std::string& path,
                                            const ReadProgress& progress = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_LATTICE_TASKS_HPP
