#include <kindred/matcher/SpreadingEngine.hpp>

#include <iomanip>
#include <iostream>
#include <vector>

int main() {
  Kindred::Context context;
  const std::vector<Kindred::Edge> edges{{0, 1}, {1, 2}, {2, 0}, {2, 1}, {3, 0}};
  const Kindred::SpreadingEngine graph(context, {4, edges});
  Kindred::Ragged<Kindred::Activation> sources;  // where the walk of a query restarts
  sources.push_row(std::vector<Kindred::Activation>{{0, 1.0F}});
  const auto answer = graph.spread(sources, {.mode = Kindred::SpreadMode::pagerank, .top = 3});
  std::cout << std::fixed << std::setprecision(4);
  for (const auto& [node, mass] : answer.activations[0]) std::cout << node << ' ' << mass << '\n';
  std::cout << (answer.convergence[0].residual <= 1e-6 ? "converged\n" : "not converged\n");
}
