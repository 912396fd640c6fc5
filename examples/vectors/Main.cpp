#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <iostream>
#include <vector>

int main() {
  Kindred::Context context;  // outlives the index
  const std::vector<float> rows{1, 0, 0, 1, 1, 1};
  Kindred::VectorIndex index(context, rows, 2);  // ids 0, 1, 2
  const std::vector<float> query{1, 0.5F};
  const auto best = index.search(query, {.metric = Kindred::Metric::cosine, .top = 2});
  std::cout << best.ids[0] << ' ' << best.scores[0] << '\n';  // 2 0.948683

  const std::vector<float> more{2, 1};
  index.add({more, 2});  // id 3
  index.remove(std::vector<std::uint64_t>{2});
  Kindred::PreparedScore prepared(index, 100, {.top = 1});  // lists of 100 at most
  for (const auto& [id, score] : prepared.score(query, std::vector<std::uint64_t>{0, 1, 3}))
    std::cout << id << ' ' << score << '\n';  // 3 1
}
