#include <kindred/matcher/SpreadingEngine.hpp>

#include <iostream>
#include <vector>

int main() {
  Kindred::Context context;
  const char* const names[] = {"tiger", "feline", "forest", "tree"};
  const std::vector<Kindred::Edge> edges{{0, 1, 0.8F}, {0, 2, 0.5F}, {2, 3, 0.9F}};
  const Kindred::SpreadingEngine graph(context, {4, edges});

  Kindred::Ragged<Kindred::Activation> sources;  // one row per query
  sources.push_row(std::vector<Kindred::Activation>{{0, 1.0F}});
  const auto answer = graph.spread(sources, {.hops = 2,
                                             .decay = {Kindred::Decay::Kind::constant, 0.5},
                                             .threshold = 0,
                                             .top = 4,
                                             .trace_paths = 1});
  for (const auto& [node, value] : answer.activations[0])
    std::cout << names[node] << ' ' << value << '\n';
  const auto& paths = answer.paths;  // the best path to each result
  for (const auto& step : paths.steps[3])
    std::cout << names[step.from] << " -> " << names[step.to] << ' ' << step.carried << '\n';
}
