#include <kindred/matcher/KeyedVectorIndex.hpp>

#include <iostream>
#include <span>
#include <string_view>
#include <vector>

int main() {
  Kindred::Context context;  // outlives the index
  const std::vector<std::string_view> names{"apple", "pear", "plum"};
  const std::vector<float> rows{1, 0, 0, 1, 1, 1};
  Kindred::KeyedVectorIndex index(context, std::span(names), {rows, 2});

  const std::vector<std::string_view> changed{"pear", "fig"};
  const std::vector<float> others{2, 1, 0, 3};
  const auto counts = index.upsert(std::span(changed), {others, 2});
  std::cout << counts.replaced << " replaced, " << counts.added << " added\n";

  const std::vector<float> query{1, 0.5F};
  const auto best = index.search(query, {.metric = Kindred::Metric::cosine, .top = 2});
  const Kindred::KeySpan keys = best.keys.span();
  for (std::size_t i = 0; i < keys.size(); ++i)
    std::cout << keys.bytes(i) << ' ' << best.scores[i] << '\n';

  const std::vector<std::string_view> gone{"plum"};
  index.remove(std::span(gone));
  std::cout << index.size() << " keys\n";
}
