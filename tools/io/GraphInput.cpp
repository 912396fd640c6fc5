// SPDX-License-Identifier: Apache-2.0
#include "io/GraphInput.hpp"

#include "io/MatrixMarket.hpp"

#include <filesystem>
#include <utility>

namespace Kindred::Tools {

namespace {

/// The extension before that of a compressed file.
std::string extension_of(const std::string& path) {
  std::filesystem::path file(path);
  if (file.extension() == ".gz" || file.extension() == ".zst") file.replace_extension();
  return file.extension().string();
}

}  // namespace

bool is_matrix_market(const std::string& path) { return extension_of(path) == ".mtx"; }
bool is_csv(const std::string& path) { return extension_of(path) == ".csv"; }

Graph read_graph(const std::string& path, WeightRange range, EdgeListForm form,
                 const ReadProgress& progress, Graph graph) {
  if (!is_matrix_market(path)) {
    form.csv = is_csv(path);
    return read_edge_list(path, range, progress, form, std::move(graph));
  }
  graph = read_matrix_market(path, range, progress);
  if (!form.weights)
    for (Edge& edge : graph.edges) edge.weight = 1;
  return graph;
}

}  // namespace Kindred::Tools
