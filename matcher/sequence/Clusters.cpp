// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Clusters.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "ClusterGroups.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace {

bool is_before(const SimilarPair& a, const SimilarPair& b) {
  return std::tie(a.first, a.second) < std::tie(b.first, b.second);
}

/// More similar, or equally similar and of lower items.
bool is_better(const SimilarPair& a, const SimilarPair& b) {
  return a.similarity != b.similarity ? a.similarity > b.similarity : is_before(a, b);
}

/// Checks \p pairs and sorts them by their items, the lower one first.
void normalise(std::uint64_t size, std::vector<SimilarPair>& pairs) {
  const auto name = [](const SimilarPair& pair) {
    return "pair (" + std::to_string(pair.first) + ", " + std::to_string(pair.second) + ")";
  };
  for (SimilarPair& pair : pairs) {
    if (pair.first > pair.second) std::swap(pair.first, pair.second);
    KINDRED_THROW_IF(pair.second >= size,
                     name(pair) + ": there are " + std::to_string(size) + " items, counted from 0");
    KINDRED_THROW_IF(pair.first == pair.second, name(pair) + ": the items must be different");
    KINDRED_THROW_IF(!(pair.similarity >= 0.0 && pair.similarity <= 1.0),
                     name(pair) + ": the similarity is " + std::to_string(pair.similarity) +
                         "; it must be in [0, 1]");
  }
  std::sort(pairs.begin(), pairs.end(), is_before);
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    KINDRED_THROW_IF(!is_before(pairs[i - 1], pairs[i]), name(pairs[i]) + " occurs twice");
  }
}

/// The clusters of items so far, each named by its lowest member.
class Forest {
 public:
  explicit Forest(std::uint64_t size) : m_parent(size) {
    std::iota(m_parent.begin(), m_parent.end(), std::uint64_t{0});
  }
  std::uint64_t root(std::uint64_t item) {
    while (m_parent[item] != item) item = m_parent[item] = m_parent[m_parent[item]];
    return item;
  }
  void merge(std::uint64_t a, std::uint64_t b) {
    a = root(a);
    b = root(b);
    m_parent[std::max(a, b)] = std::min(a, b);
  }
  bool is_root(std::uint64_t item) const { return m_parent[item] == item; }

 private:
  std::vector<std::uint64_t> m_parent;
};

/// \brief Agglomerates clusters whose members are all similar. The similarity of two clusters is
/// that of their least similar members; clusters with members that are not similar have none.
///
/// The neighbours of a merged cluster are those that both parts had, so lists only become shorter,
/// and all merges together take time in proportion to the pairs.
class CompleteLinkage {
 public:
  /// \param pairs normalised
  CompleteLinkage(std::uint64_t size, const std::vector<SimilarPair>& pairs)
      : m_begin(size + 1, 0), m_length(size, 0), m_best(&is_worse, pairs) {
    for (const SimilarPair& pair : pairs) {
      ++m_begin[pair.first + 1];
      ++m_begin[pair.second + 1];
    }
    std::partial_sum(m_begin.begin(), m_begin.end(), m_begin.begin());
    m_neighbours.resize(m_begin.back());
    // The order of the pairs makes every list ascending.
    for (const SimilarPair& pair : pairs) {
      append(pair.first, {pair.second, pair.similarity});
      append(pair.second, {pair.first, pair.similarity});
    }
  }

  void run(Forest& forest) {
    while (!m_best.empty()) {
      Impl::CancelPoint().check();
      const SimilarPair pair = m_best.top();
      m_best.pop();
      if (!forest.is_root(pair.first) || !forest.is_root(pair.second)) continue;
      const Neighbour* const now = find(pair.first, pair.second);
      if (now == nullptr || now->similarity != pair.similarity) continue;
      forest.merge(pair.first, pair.second);
      keep_common(forest, pair.first, pair.second);
    }
  }

 private:
  struct Neighbour {
    std::uint64_t index;
    double similarity;
  };
  static constexpr double none = -1;  ///< similarity of clusters that are not neighbours any more

  static bool is_worse(const SimilarPair& a, const SimilarPair& b) { return is_better(b, a); }

  void append(std::uint64_t item, const Neighbour& neighbour) {
    m_neighbours[m_begin[item] + m_length[item]++] = neighbour;
  }
  std::span<Neighbour> neighbours(std::uint64_t cluster) {
    return std::span(m_neighbours).subspan(m_begin[cluster], m_length[cluster]);
  }
  /// The entry of \p other in the list of \p cluster; null if it is not a neighbour any more.
  Neighbour* find(std::uint64_t cluster, std::uint64_t other) {
    const std::span<Neighbour> list = neighbours(cluster);
    const auto at = std::lower_bound(
        list.begin(), list.end(), other,
        [](const Neighbour& neighbour, std::uint64_t index) { return neighbour.index < index; });
    return at != list.end() && at->index == other ? &*at : nullptr;
  }

  /// Reduces the list of \p low to the neighbours that \p high has too, at the lesser similarity.
  void keep_common(const Forest& forest, std::uint64_t low, std::uint64_t high) {
    const std::span<Neighbour> of_low = neighbours(low);
    const std::span<Neighbour> of_high = neighbours(high);
    auto other = of_high.begin();
    std::uint64_t kept = 0;
    for (const Neighbour neighbour : of_low) {
      if (neighbour.similarity == none || !forest.is_root(neighbour.index)) continue;
      while (other != of_high.end() && other->index < neighbour.index) ++other;
      const bool is_common = other != of_high.end() && other->index == neighbour.index;
      const double similarity =
          is_common ? std::min(neighbour.similarity, other->similarity) : none;
      if (similarity != neighbour.similarity) find(neighbour.index, low)->similarity = similarity;
      if (similarity == none) continue;
      of_low[kept++] = {neighbour.index, similarity};
      if (similarity != neighbour.similarity) {
        m_best.push({std::min(low, neighbour.index), std::max(low, neighbour.index), similarity});
      }
    }
    m_length[low] = kept;
  }

  std::vector<std::uint64_t> m_begin;   ///< by item: where its list begins
  std::vector<std::uint64_t> m_length;  ///< by item: length of its list
  std::vector<Neighbour> m_neighbours;  ///< lists, ascending; may contain clusters that are merged
  std::priority_queue<SimilarPair, std::vector<SimilarPair>,
                      bool (*)(const SimilarPair&, const SimilarPair&)>
      m_best;  ///< may contain similarities that have decreased
};

/// \brief Adds \p value, at least 0, to \p sum \p times times, each addition rounded. Takes a few
/// steps for every power of two between the sums.
void add_times(double& sum, double value, std::uint64_t times) {
  while (times > 0) {
    const double before = sum;
    sum += value;
    --times;
    if (sum == before) return;  // so it stays
    // As long as sums have the same exponent, additions that were rounded alike twice are always
    // rounded alike: a tie makes the sum even.
    const double step = sum - before;
    const double limit = std::ldexp(1.0, std::ilogb(sum) + 1);
    if (!(before >= limit / 2 && sum + value < limit && sum + value - sum == step)) continue;
    const double steps = std::min(std::floor((limit - sum) / step) - 1, static_cast<double>(times));
    if (!(steps >= 1)) continue;
    sum += steps * step;  // exact
    times -= static_cast<std::uint64_t>(steps);
  }
}

/// \p clusters with their representatives. \param pairs from best to worst, so that equal lists of
/// similarities have equal sums \param copies how many equal items an item stands for; empty: 1
void choose_representatives(const std::vector<SimilarPair>& pairs,
                            std::span<const std::uint64_t> copies, Clusters& clusters) {
  std::vector<double> sums(clusters.cluster_of.size(), 0.0);
  for (std::size_t item = 0; item < copies.size(); ++item)
    add_times(sums[item], 1.0, copies[item] - 1);
  for (const SimilarPair& pair : pairs) {
    Impl::look_at(static_cast<std::size_t>(&pair - pairs.data()));
    if (clusters.cluster_of[pair.first] != clusters.cluster_of[pair.second]) continue;
    add_times(sums[pair.first], pair.similarity, copies.empty() ? 1 : copies[pair.second]);
    add_times(sums[pair.second], pair.similarity, copies.empty() ? 1 : copies[pair.first]);
  }
  for (std::size_t cluster = 0; cluster < clusters.members.rows(); ++cluster) {
    const auto members = clusters.members[cluster];
    // The first of equal ones.
    clusters.representatives.push_back(
        *std::max_element(members.begin(), members.end(),
                          [&](std::uint64_t a, std::uint64_t b) { return sums[a] < sums[b]; }));
  }
}

/// The clusters of the items 0 … size − 1. \param copies as for `choose_representatives`
Clusters cluster_items(std::uint64_t size, std::vector<SimilarPair> pairs, Linkage linkage,
                       std::span<const std::uint64_t> copies) {
  normalise(size, pairs);
  Forest forest(size);
  if (linkage == Linkage::complete) {
    CompleteLinkage(size, pairs).run(forest);
  } else {
    for (const SimilarPair& pair : pairs) forest.merge(pair.first, pair.second);
  }
  Clusters clusters;
  clusters.cluster_of.resize(size);
  std::vector<std::uint64_t>& offsets = clusters.members.offsets;
  for (std::uint64_t item = 0; item < size; ++item) {
    const bool is_new = forest.is_root(item);  // a root comes before the other members
    if (is_new) offsets.push_back(0);
    clusters.cluster_of[item] =
        is_new ? offsets.size() - 2 : clusters.cluster_of[forest.root(item)];
    ++offsets[clusters.cluster_of[item] + 1];
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  clusters.members.values.resize(size);
  std::vector<std::uint64_t> end(offsets.begin(), offsets.end() - 1);
  for (std::uint64_t item = 0; item < size; ++item)
    clusters.members.values[end[clusters.cluster_of[item]]++] = item;
  std::sort(pairs.begin(), pairs.end(), is_better);
  choose_representatives(pairs, copies, clusters);
  return clusters;
}

}  // namespace

Clusters cluster_pairs(std::uint64_t size, std::vector<SimilarPair> pairs, Linkage linkage) try {
  return cluster_items(size, std::move(pairs), linkage, {});
} catch (...) {
  Impl::rethrow_translated("Kindred::cluster_pairs");
}

namespace KINDRED_HIDDEN Impl {

Clusters cluster_groups(std::span<const std::uint64_t> group_of, std::uint64_t groups,
                        std::vector<SimilarPair> pairs, Linkage linkage) {
  std::vector<std::uint64_t> copies(groups, 0);
  std::vector<std::uint64_t> first(groups, group_of.size());
  for (std::uint64_t item = 0; item < group_of.size(); ++item) {
    ++copies[group_of[item]];
    first[group_of[item]] = std::min(first[group_of[item]], item);
  }
  const Clusters of_groups = cluster_items(groups, std::move(pairs), linkage, copies);
  Clusters clusters;
  clusters.cluster_of.resize(group_of.size());
  std::vector<std::vector<std::uint64_t>> members(of_groups.members.rows());
  for (std::uint64_t item = 0; item < group_of.size(); ++item) {
    clusters.cluster_of[item] = of_groups.cluster_of[group_of[item]];
    members[clusters.cluster_of[item]].push_back(item);
  }
  for (const auto& row : members) clusters.members.push_row(row);
  for (const std::uint64_t group : of_groups.representatives)
    clusters.representatives.push_back(first[group]);
  return clusters;
}

}  // namespace Impl

}  // namespace Kindred
