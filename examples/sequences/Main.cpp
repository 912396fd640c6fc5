#include <kindred/matcher/Similarity.hpp>

#include <iostream>

int main() {
  const std::vector<Kindred::Symbol> pattern{1, 2, 3};
  const std::vector<Kindred::Symbol> query{1, 3};
  std::cout << Kindred::similarity(Kindred::Measure::lcs, pattern, query) << '\n';  // 0.8
  const Kindred::PreparedQuery prepared(Kindred::Measure::difflib, query);
  std::cout << prepared.similarity(pattern, 0.9) << '\n';  // 0: below the cutoff
  std::cout << Kindred::similarity(Kindred::Measure::lcs, "naïve", "naive") << '\n';  // 0.8
}
