// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cmath>

namespace Kindred::Reference {

std::vector<Item> top_k(std::vector<Item> items, std::size_t k, Better better) {
  std::ranges::sort(items, [&](const Item& a, const Item& b) {
    if (std::isnan(a.score) != std::isnan(b.score)) return std::isnan(b.score);
    if (!std::isnan(a.score) && a.score != b.score)
      return better == Better::larger ? a.score > b.score : a.score < b.score;
    return a.index < b.index;
  });
  if (items.size() > k) items.resize(k);
  return items;
}

}  // namespace Kindred::Reference
