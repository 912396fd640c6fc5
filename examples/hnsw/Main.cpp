#include <kindred/matcher/HnswIndex.hpp>

#include <iostream>
#include <vector>

int main() {
  Kindred::Context context;
  std::vector<float> rows;
  for (int i = 0; i < 1000; ++i) rows.insert(rows.end(), {float(i), float(i % 7)});
  auto index = Kindred::HnswIndex::build(context, rows, 2, {.metric = Kindred::Metric::l2});
  const std::vector<float> query{500, 3};  // row 500 is (500, 3)
  const auto found = index.search(query, {.top = 3, .ef = 64});
  for (std::size_t i = 0; i < found.top; ++i)
    std::cout << found.ids[i] << ' ' << found.scores[i] << '\n';

  index.remove(std::vector<std::uint64_t>{500});  // no longer returned, but still traversed
  index.repair();                                 // links around it, and frees its memory
  std::cout << index.search(query, {.top = 1}).ids[0] << ' ' << index.size() << '\n';
}
