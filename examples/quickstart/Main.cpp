#include <kindred/matcher/SequenceMatcher.hpp>

#include <iostream>
#include <string_view>
#include <vector>

int main() {
  Kindred::Context context;  // chooses CPU threads or the GPU for every call
  const std::vector<std::string_view> names{"Northwind Traders Ltd", "Redstone Logistics Inc"};
  const std::vector<std::string_view> queries{"Nortwind Traders", "Readstone"};
  const Kindred::SequenceMatcher matcher(context, names);
  const auto answer = matcher.match(queries, {.threshold = 0.5});
  for (std::size_t query = 0; query < queries.size(); ++query)
    for (const auto& match : answer.matches[query])
      std::cout << queries[query] << ": " << names[match.index] << ", " << match.similarity << '\n';
}
