// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LATTICE_SEARCH_TABLES_HPP
#define KINDRED_MATCHER_LATTICE_SEARCH_TABLES_HPP

#include <kindred/core/lattice/LatticeSearch.hpp>

#include <cstdint>
#include <vector>

namespace Kindred::Impl {

/// \brief The tables that searches over a lattice read in addition to its shape; built by the first
/// search.
struct SearchTables {
  LatticeBits bits;
  std::vector<std::uint64_t> step_masks;
  std::vector<std::uint64_t> open;  ///< words; empty: no node is blocked
  /// With guard words, one dimension after the other; empty: none.
  std::vector<std::uint64_t> blocked_edges;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LATTICE_SEARCH_TABLES_HPP
