// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cmath>

namespace Kindred::Reference {

bool precedes(const Item& a, const Item& b, Better better) {
  if (std::isnan(a.score) != std::isnan(b.score)) return std::isnan(b.score);
  if (!std::isnan(a.score) && a.score != b.score)
    return better == Better::larger ? a.score > b.score : a.score < b.score;
  return a.index < b.index;
}

std::vector<Item> top_k(std::span<const Item> items, std::size_t k, Better better) {
  std::vector<Item> sorted(items.begin(), items.end());
  std::sort(sorted.begin(), sorted.end(),
            [&](const Item& a, const Item& b) { return precedes(a, b, better); });
  if (sorted.size() > k) sorted.resize(k);
  return sorted;
}

std::vector<Item> top_k(std::span<const float> scores, std::size_t k, Better better) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < scores.size(); ++i) items.push_back({i, scores[i]});
  return top_k(items, k, better);
}

std::vector<Item> merge_top_k(std::span<const std::vector<Item>> lists, std::size_t k,
                              Better better) {
  std::vector<Item> all;
  for (const std::vector<Item>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return top_k(all, k, better);
}

}  // namespace Kindred::Reference
