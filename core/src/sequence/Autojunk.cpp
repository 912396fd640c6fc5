// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/Autojunk.hpp>

#include <algorithm>

namespace Kindred {

std::vector<Symbol> without_popular(std::span<const Symbol> query) {
  if (query.size() < autojunk_length) return {};
  const std::size_t most = query.size() / 100 + 1;
  std::vector<Symbol> sorted(query.begin(), query.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<Symbol> popular;
  for (auto begin = sorted.begin(); begin != sorted.end() && *begin != unknown_symbol;) {
    const auto end = std::upper_bound(begin, sorted.end(), *begin);
    if (static_cast<std::size_t>(end - begin) > most) popular.push_back(*begin);
    begin = end;
  }
  if (popular.empty()) return {};
  std::vector<Symbol> rare(query.begin(), query.end());
  for (Symbol& symbol : rare) {
    if (std::binary_search(popular.begin(), popular.end(), symbol)) symbol = unknown_symbol;
  }
  return rare;
}

}  // namespace Kindred
