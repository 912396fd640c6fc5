// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_CANDIDATES_HPP
#define KINDRED_TOOLS_IO_CANDIDATES_HPP

#include "io/LineReader.hpp"
#include "io/NameTable.hpp"

#include <kindred/core/common/Ragged.hpp>

namespace Kindred::Tools {

/// \brief Lists of row ids with their names, one row per line.
struct Candidates {
  Ragged<std::uint64_t> ids;
  NameTable names;
};

/// \brief Reads lines `{"name": "…", "ids": [3, 17]}`.
/// \param path file to read
/// \param rows ids must be smaller
/// \throws InputError with file, line, value and limit
Candidates read_candidates(const std::string& path, std::uint64_t rows,
                           const ReadProgress& progress = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_CANDIDATES_HPP
