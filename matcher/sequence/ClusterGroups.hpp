// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_CLUSTER_GROUPS_HPP
#define KINDRED_MATCHER_SEQUENCE_CLUSTER_GROUPS_HPP

#include <kindred/matcher/Clusters.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief The clusters of items of which those of a group are equal, so that their similarity is 1:
/// as `cluster_pairs`, without a pair for every two equal items.
///
/// \param group_of of every item; groups are numbered by their lowest items, in ascending order
/// \param pairs of different groups
Clusters cluster_groups(std::span<const std::uint64_t> group_of, std::uint64_t groups,
                        std::vector<SimilarPair> pairs, Linkage linkage);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_CLUSTER_GROUPS_HPP
