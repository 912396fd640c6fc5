#include <kindred/matcher/SpreadingEngine.hpp>

#include <iostream>
#include <vector>

int main() {
  Kindred::Context context;
  const std::vector<Kindred::Edge> edges{{0, 1, 0.5F}, {1, 2, 0.5F}};
  Kindred::SpreadingEngine graph(context, {3, edges});
  std::cout << graph.nodes() << " nodes, " << graph.edges() << " edges\n";

  const auto first = graph.add_nodes(2);  // 3 and 4
  graph.add_edges(std::vector<Kindred::Edge>{{2, first, 1}, {first, first + 1, 1}});
  graph.remove_nodes(std::vector<std::uint32_t>{1});  // and the edges that begin or end there
  std::cout << graph.edges() << " edges, node 1 exists: " << graph.has_node(1) << '\n';

  const std::vector<float> x{0, 0, 1, 0, 0};
  std::vector<float> y(5);
  graph.hop(std::span(x), std::span(y));  // y = Wᵀx: one step along the edges
  for (const float value : y) std::cout << value << ' ';
  std::cout << '\n';
}
