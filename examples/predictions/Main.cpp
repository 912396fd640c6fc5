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
  memory.learn(rows({{"wake", "coffee"}, {"bus", "rain"}, {"work"}}), "monday");
  memory.learn(rows({{"wake"}, {"bike", "sun"}, {"lake"}}), "sunday");
  const Events seen{{"wake", "coffee"}, {"bus"}};
  const auto predicted = memory.predict(rows(seen));
  for (const Kindred::Prediction& prediction : predicted.predictions) {
    std::cout << prediction.name << " " << prediction.potential << ":";
    for (const auto& event : prediction.future)
      for (const auto& symbol : event) std::cout << " " << symbol;  // what comes next
    std::cout << '\n';
  }
}
