// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_CLUSTERS_HPP
#define KINDRED_MATCHER_CLUSTERS_HPP

#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief How similar pairs form clusters.
enum class Linkage : std::uint8_t {
  single,   ///< the connected components: any two members are linked by a chain of similar pairs
  complete  ///< any two members are a similar pair: of the clusters that may be merged, those whose
            ///< least similar members are most similar are merged first, and among equal ones those
            ///< with the lowest members
};
template <>
inline constexpr auto enum_names<Linkage> = std::to_array<std::string_view>({"single", "complete"});

/// \brief Two different items whose similarity reaches a threshold.
struct SimilarPair {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  double similarity = 0;  ///< in [0, 1]
};

/// \brief A partition of items. Clusters are numbered by their lowest members, in ascending order;
/// an item without a similar one is a cluster of its own.
struct Clusters {
  std::vector<std::uint64_t> cluster_of;       ///< the cluster of every item
  Ragged<std::uint64_t> members;               ///< one row per cluster, ascending
  std::vector<std::uint64_t> representatives;  ///< of every cluster, the member with the largest
                                               ///< mean similarity to the others, in which a pair
                                               ///< that is not similar counts as 0; of equal ones,
                                               ///< the lowest
};

/// \brief The clusters of \p size items, of which \p pairs are similar. The order of the pairs, and
/// of the items of a pair, does not matter.
///
/// Complexity: O(size + p log p) time and O(size + p) memory for p pairs. Runs on the calling
/// thread; thread-safe.
/// \throws InvalidArgument for a pair of an item with itself, an item ≥ \p size, a similarity
/// outside [0, 1] or NaN, or a pair that occurs twice
Clusters cluster_pairs(std::uint64_t size, std::vector<SimilarPair> pairs, Linkage linkage);

}  // namespace Kindred

#endif  // KINDRED_MATCHER_CLUSTERS_HPP
