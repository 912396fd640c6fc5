// SPDX-License-Identifier: Apache-2.0
#include "Lattice.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(lattice, WithContext<Lattice>);

namespace {

const Lattice& lattice_of(const kindred_lattice* lattice) {
  return object_of(lattice, "lattice").engine;
}

/// \throws InvalidArgument unless the rows are those of an undirected graph without loops
void check_undirected(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> ends) {
  const std::size_t nodes = offsets.size() - 1;
  const auto row_of_node = [&](std::size_t node) {
    return ends.subspan(offsets[node], offsets[node + 1] - offsets[node]);
  };
  const auto named = [](std::size_t node) { return "the row of node " + std::to_string(node); };
  for (std::size_t node = 0; node < nodes; ++node) {
    std::uint64_t next = 0;
    for (const std::uint32_t end : row_of_node(node)) {
      KINDRED_C_REFUSE_IF(end >= nodes, named(node) + " has the end " + std::to_string(end) +
                                            "; there are " + std::to_string(nodes) + " nodes");
      KINDRED_C_REFUSE_IF(end == node, named(node) + " has a loop");
      KINDRED_C_REFUSE_IF(end < next,
                          named(node) + " does not ascend at the end " + std::to_string(end));
      next = std::uint64_t{end} + 1;
    }
  }
  for (std::size_t node = 0; node < nodes; ++node)
    for (const std::uint32_t end : row_of_node(node)) {
      const auto row = row_of_node(end);
      KINDRED_C_REFUSE_IF(!std::binary_search(row.begin(), row.end(), node),
                          named(node) + " has the end " + std::to_string(end) +
                              ", whose row does not have the node; rows contain both directions of "
                              "every edge");
    }
}

}  // namespace

std::vector<LatticePair> pairs_of(const kindred_lattice_pair* pairs, std::uint64_t count,
                                  const char* name) {
  std::vector<LatticePair> out;
  for (const kindred_lattice_pair& pair : span_of(pairs, count, name))
    out.push_back({pair.from, pair.to});
  return out;
}

kindred_lattice_metrics metrics_of(const LatticeMetrics& metrics) {
  kindred_lattice_metrics out = KINDRED_LATTICE_METRICS_INIT;
  out.nodes = metrics.nodes;
  out.diameter = metrics.diameter;
  out.edges = static_cast<double>(metrics.edges);
  out.edges_low = static_cast<std::uint64_t>(metrics.edges);
  out.edges_high = static_cast<std::uint64_t>(metrics.edges >> 64U);
  out.average_degree = metrics.average_degree;
  out.density = metrics.density;
  out.clustering = metrics.clustering;
  out.rows_bytes = metrics.rows_bytes;
  out.search_bytes = metrics.search_bytes;
  out.dense_bytes = metrics.dense_bytes;
  out.dimensions = metrics.dimensions;
  out.size = metrics.size;
  out.least_degree = metrics.least_degree;
  out.greatest_degree = metrics.greatest_degree;
  out.connectivity = metrics.connectivity;
  return out;
}

kindred_graph_structure structure_of(const GraphStructure& structure) {
  kindred_graph_structure out = KINDRED_GRAPH_STRUCTURE_INIT;
  out.nodes = structure.nodes;
  out.edges = structure.edges;
  out.components = structure.components;
  out.least_degree = structure.least_degree;
  out.greatest_degree = structure.greatest_degree;
  out.average_degree = structure.average_degree;
  out.density = structure.density;
  out.clustering = structure.clustering;
  out.diameter = structure.diameter.value_or(KINDRED_UNSET);
  out.searches = structure.searches;
  return out;
}

kindred_status kindred_lattice_create(kindred_context* context, std::uint32_t dimensions,
                                      std::uint32_t size, const std::uint64_t* blocked_nodes,
                                      std::size_t node_count,
                                      const kindred_lattice_pair* blocked_edges,
                                      std::size_t edge_count, kindred_lattice** lattice) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(lattice, "lattice");
    LatticeBlocks blocks;
    blocks.nodes = span_of(blocked_nodes, node_count, "blocked_nodes");
    const std::vector<LatticePair> edges = pairs_of(blocked_edges, edge_count, "blocked_edges");
    blocks.edges = edges;
    *lattice = make_handle_of<kindred_lattice>(object, Lattice(*object, dimensions, size, blocks));
  });
}

kindred_status kindred_lattice_destroy(kindred_lattice* lattice) noexcept {
  return destroy_handle(lattice, "lattice");
}

kindred_status kindred_lattice_get_metrics(const kindred_lattice* lattice,
                                           kindred_lattice_metrics* metrics) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    check_output(metrics, "metrics");
    write_output(metrics, metrics_of(object.metrics()));
  });
}

kindred_status kindred_lattice_measure(const kindred_lattice* lattice, std::int32_t space,
                                       kindred_graph_structure* structure) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    check_output(structure, "structure");
    write_output(structure, structure_of(object.measure({.space = space_option(space)})));
  });
}

kindred_status kindred_measure_structure(const std::uint64_t* offsets, std::size_t nodes,
                                         const std::uint32_t* ends,
                                         kindred_graph_structure* structure) noexcept {
  return guarded([&] {
    check_output(structure, "structure");
    constexpr std::size_t nodes_max = std::numeric_limits<std::uint32_t>::max();
    KINDRED_C_REFUSE_IF(nodes > nodes_max, "nodes is " + std::to_string(nodes) + "; the limit is " +
                                               std::to_string(nodes_max));
    const std::span<const std::uint32_t> values =
        span_of(ends, check_row_offsets(offsets, nodes), "ends");
    const std::span<const std::uint64_t> rows(offsets, nodes + 1);
    check_undirected(rows, values);
    write_output(structure, structure_of(measure_structure(rows, values)));
  });
}

kindred_status kindred_lattice_coordinates(const kindred_lattice* lattice, std::uint64_t node,
                                           std::uint32_t* coordinates,
                                           std::size_t capacity) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    span_of(coordinates, capacity, "coordinates");
    const std::vector<std::uint32_t> found = object.shape().coordinates(node);
    write_array(std::span<const std::uint32_t>(found), coordinates, capacity, "coordinates");
  });
}

kindred_status kindred_lattice_index(const kindred_lattice* lattice,
                                     const std::uint32_t* coordinates, std::size_t count,
                                     std::uint64_t* node) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    const auto given = span_of(coordinates, count, "coordinates");
    require(node, "node");
    *node = object.shape().index(given);
  });
}

kindred_status kindred_lattice_neighbours(const kindred_lattice* lattice, std::uint64_t node,
                                          std::uint64_t* neighbours, std::size_t capacity,
                                          std::size_t* count) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    require(count, "count");
    span_of(neighbours, capacity, "neighbours");
    const std::vector<std::uint64_t> found = object.shape().neighbours(node);
    *count = found.size();
    write_array(std::span<const std::uint64_t>(found), neighbours, capacity, "neighbours");
  });
}

kindred_status kindred_lattice_are_neighbours(const kindred_lattice* lattice, std::uint64_t from,
                                              std::uint64_t to, std::int32_t* are) noexcept {
  return guarded([&] {
    const LatticeShape& shape = lattice_of(lattice).shape();
    require(are, "are");
    shape.check_node(from, "from");
    shape.check_node(to, "to");
    *are = shape.are_neighbours(from, to) ? 1 : 0;
  });
}

kindred_status kindred_lattice_distance(const kindred_lattice* lattice, std::uint64_t from,
                                        std::uint64_t to, std::uint64_t* distance) noexcept {
  return guarded([&] {
    const LatticeShape& shape = lattice_of(lattice).shape();
    require(distance, "distance");
    shape.check_node(from, "from");
    shape.check_node(to, "to");
    *distance = shape.distance(from, to);
  });
}

kindred_status kindred_lattice_is_blocked(const kindred_lattice* lattice, std::uint64_t node,
                                          std::int32_t* blocked) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    require(blocked, "blocked");
    object.shape().check_node(node, "node");
    *blocked = object.is_blocked(node) ? 1 : 0;
  });
}

kindred_status kindred_lattice_rows(const kindred_lattice* lattice, std::int32_t space,
                                    kindred_results** results) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    require(results, "results");
    const LatticeRows rows = object.rows({.space = space_option(space)});
    Results out = rows_of_nodes(rows.offsets, rows.ends);
    out.record = record_of(rows.record);
    *results = make_handle_of<kindred_results>(std::move(out));
  });
}

kindred_status kindred_lattice_dense(const kindred_lattice* lattice, std::uint8_t* matrix,
                                     std::size_t capacity) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    span_of(matrix, capacity, "matrix");
    // Before the matrix is made.
    const std::uint64_t nodes = object.shape().nodes();
    KINDRED_C_REFUSE_IF(nodes > 0 && capacity / nodes < nodes,
                        "matrix has a capacity of " + std::to_string(capacity) + " bytes; " +
                            std::to_string(nodes) + " * " + std::to_string(nodes) + " are needed");
    const std::vector<std::uint8_t> found = object.dense();
    write_array(std::span<const std::uint8_t>(found), matrix, capacity, "matrix");
  });
}

kindred_status kindred_lattice_save(const kindred_lattice* lattice, const char* path,
                                    std::int32_t space) noexcept {
  return guarded([&] { lattice_of(lattice).save(path_of(path), {.space = space_option(space)}); });
}

kindred_status kindred_lattice_paths(const kindred_lattice* lattice,
                                     const kindred_lattice_pair* pairs, std::size_t count,
                                     std::int32_t space, kindred_results** results) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    require(results, "results");
    const LatticePaths paths =
        object.paths(pairs_of(pairs, count, "pairs"), {.space = space_option(space)});
    Results out = rows_of_nodes(paths.paths.offsets, paths.paths.values);
    out.record = record_of(paths.record);
    *results = make_handle_of<kindred_results>(std::move(out));
  });
}

kindred_status kindred_lattice_all_paths(const kindred_lattice* lattice, std::uint64_t from,
                                         std::uint64_t to, std::uint64_t edges_max,
                                         std::uint64_t limit, kindred_results** results) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    require(results, "results");
    const Ragged<std::uint64_t> paths = object.all_paths(from, to, edges_max, limit);
    *results = make_handle_of<kindred_results>(rows_of_nodes(paths.offsets, paths.values));
  });
}

kindred_status kindred_lattice_distances(const kindred_lattice* lattice,
                                         const std::uint64_t* sources, std::size_t count,
                                         const std::uint64_t* targets, std::size_t target_count,
                                         std::int32_t space, std::uint32_t* distances,
                                         std::size_t capacity, std::uint64_t* reached,
                                         std::uint32_t* farthest, kindred_record* record) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    check_output(record, "record", true);
    span_of(distances, capacity, "distances");
    const LatticeOptions options{space_option(space)};
    std::optional<std::span<const std::uint64_t>> to;
    const auto given = span_of(sources, count, "sources");
    std::uint64_t needed = object.shape().nodes();
    if (targets != nullptr) {
      to = span_of(targets, target_count, "targets");
      needed = target_count;
    }
    KINDRED_C_REFUSE_IF(needed > capacity, "distances has a capacity of " +
                                               std::to_string(capacity) + " elements; " +
                                               std::to_string(needed) + " are needed");
    const LatticeDistances found = object.distances(given, to, options);
    std::copy(found.distances.begin(), found.distances.end(), distances);
    write_optional(reached, found.reached);
    write_optional(farthest, found.farthest);
    write_output(record, record_of(found.record));
  });
}

}  // namespace Kindred::C
