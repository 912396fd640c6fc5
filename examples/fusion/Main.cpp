#include <kindred/matcher/RankFusion.hpp>

#include <iostream>
#include <vector>

int main() {
  const std::vector<std::vector<Kindred::RankedItem>> rankings{
      {{7, 0.9}, {3, 0.8}, {5, 0.1}},  // by similarity: best first
      {{3, 12.0}, {7, 4.0}}};          // by activation
  for (const auto& hit :
       Kindred::fuse_rankings(rankings, {.constant = 10, .weights = {1, 2}, .top = 2})) {
    std::cout << hit.id << ':';
    for (const auto& reason : hit.reasons)
      std::cout << " place " << reason.place << " in ranking " << reason.ranking;
    std::cout << '\n';
  }
}
