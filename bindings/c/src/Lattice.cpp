// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Lattice.hpp>

#include "Arguments.hpp"
#include "Results.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(lattice, WithContext<Lattice>);

namespace {

const Lattice& lattice_of(const kindred_lattice* lattice) {
  return object_of(lattice, "lattice").engine;
}

std::vector<LatticePair> pairs_of(const kindred_lattice_pair* pairs, std::size_t count,
                                  const char* name) {
  std::vector<LatticePair> out;
  for (const kindred_lattice_pair& pair : span_of(pairs, count, name))
    out.push_back({pair.from, pair.to});
  return out;
}

/// Rows of nodes, without scores.
template <class T>
Results rows_of_nodes(const std::vector<std::uint64_t>& offsets, const std::vector<T>& nodes) {
  Results out;
  out.offsets = offsets;
  out.ids.assign(nodes.begin(), nodes.end());
  out.scores.assign(nodes.size(), 0);
  return out;
}

}  // namespace

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

kindred_status kindred_lattice_describe(const kindred_lattice* lattice,
                                        kindred_lattice_metrics* metrics) noexcept {
  return guarded([&] {
    const Lattice& object = lattice_of(lattice);
    check_output(metrics, "metrics");
    const LatticeMetrics found = object.metrics();
    write_output(metrics,
                 kindred_lattice_metrics{
                     sizeof(kindred_lattice_metrics), found.nodes, found.diameter,
                     static_cast<double>(found.edges), found.average_degree, found.density,
                     found.rows_bytes, found.search_bytes, found.dense_bytes, found.dimensions,
                     found.size, found.least_degree, found.greatest_degree, found.connectivity, 0});
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
    const Ragged<std::uint64_t> paths = object.all_paths(from, to, edges_max, {.limit = limit});
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
    LatticeDistanceOptions options;
    options.space = space_option(space);
    const auto given = span_of(sources, count, "sources");
    std::uint64_t needed = object.shape().nodes();
    if (targets != nullptr) {
      options.targets = span_of(targets, target_count, "targets");
      needed = target_count;
    }
    KINDRED_C_REFUSE_IF(needed > capacity, "distances has a capacity of " +
                                               std::to_string(capacity) + " elements; " +
                                               std::to_string(needed) + " are needed");
    const LatticeDistances found = object.distances(given, options);
    std::copy(found.distances.begin(), found.distances.end(), distances);
    write_optional(reached, found.reached);
    write_optional(farthest, found.farthest);
    write_output(record, record_of(found.record));
  });
}

}  // namespace Kindred::C
