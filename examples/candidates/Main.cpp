#include <kindred/matcher/VectorIndex.hpp>

#include <iostream>
#include <vector>

int main() {
  Kindred::Context context;
  const std::vector<float> rows{1, 0, 0, 1, 1, 1, 0, 2};
  const Kindred::VectorIndex index(context, rows, 2);  // ids 0 to 3
  const std::vector<float> queries{1, 0, 0, 1};
  Kindred::Ragged<std::uint64_t> candidates;  // one list per query, of any length
  candidates.push_row(std::vector<std::uint64_t>{1, 2, 3});
  candidates.push_row(std::vector<std::uint64_t>{0, 3});
  const auto ranked = index.score(queries, candidates, {.metric = Kindred::Metric::ip, .top = 1});
  for (std::size_t query = 0; query < 2; ++query)
    for (const auto& [id, score] : ranked.results[query])
      std::cout << "query " << query << ": row " << id << ", score " << score << '\n';
}
