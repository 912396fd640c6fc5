#include <kindred/matcher/Lattice.hpp>

#include <iostream>
#include <vector>

void print(const std::vector<std::uint64_t>& path) {
  for (const auto node : path) std::cout << node << ' ';
  std::cout << '\n';
}

int main() {
  Kindred::Context context;
  const Kindred::Lattice grid(context, 2, 4);  // 4 × 4 nodes, numbered row by row
  std::cout << "diameter " << grid.statistics().diameter << '\n';
  print(grid.path(0, 10));

  const std::vector<std::uint64_t> walls{1, 5, 9};  // three nodes of the second column
  const Kindred::Lattice maze(context, 2, 4, {.nodes = walls});
  print(maze.path(0, 2));
  std::cout << maze.distances(std::vector<std::uint64_t>{0}).farthest << " steps at most\n";
}
