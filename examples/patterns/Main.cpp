#include <kindred/matcher/PatternMemory.hpp>

#include <iostream>

using Events = std::vector<std::vector<std::string_view>>;

Kindred::Ragged<std::string_view> rows(const Events& events) {
  Kindred::Ragged<std::string_view> rows;
  for (const auto& event : events) rows.push_row(event);
  return rows;
}

int main() {
  Kindred::Context context;
  Kindred::PatternMemory memory(context);
  memory.learn(rows({{"tea", "milk"}, {"toast"}}), "breakfast");
  memory.learn(rows({{"tea"}, {"cake"}}), "afternoon");
  std::cout << memory.learn(rows({{"tea"}, {"cake"}})).frequency << '\n';  // seen again

  Kindred::Ragged<Kindred::Symbol> queries;
  memory.encode(rows({{"tea"}, {"toast"}}), queries);  // a query never changes the vocabulary
  const auto answer = memory.match(queries, {.threshold = 0.1, .top = 2});
  for (const auto& match : answer.matches[0])
    std::cout << *memory.pattern(match.index).name << ' ' << match.similarity << '\n';

  memory.forget("breakfast");
  std::cout << memory.size() << '\n';
}
