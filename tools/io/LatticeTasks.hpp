// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_LATTICE_TASKS_HPP
#define KINDRED_TOOLS_IO_LATTICE_TASKS_HPP

#include "io/LatticeBlocks.hpp"

#include <kindred/matcher/LatticeBatch.hpp>

#include <optional>

namespace Kindred::Tools {

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
