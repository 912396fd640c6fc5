// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Lattice.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "Results.hpp"
#include "Texts.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace Lattices {

namespace {

/// A lattice with the context that it needs.
struct Shared {
  SharedContext context;
  Lattice lattice;
};
using Handle = EngineHandle<Shared>;

std::uint32_t count_of(nb::handle given, const char* option) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(
      integer_of(given, option, 0), std::numeric_limits<std::uint32_t>::max()));
}
std::uint64_t node_of(nb::handle given, const char* option) {
  return static_cast<std::uint64_t>(integer_of(given, option, 0));
}
LatticeOptions options_of(nb::handle space) { return {space_of(space)}; }

/// Pairs of nodes: int64 [n, 2], or a collection of pairs of ints.
std::vector<LatticePair> pairs_of(nb::handle given, const char* name) {
  std::vector<LatticePair> pairs;
  if (PyObject_CheckBuffer(given.ptr()) != 0 || nb::hasattr(given, "__dlpack__")) {
    const Input array(given, name, nullptr, Copying::if_needed, Layout::dense);
    array.require_rank(2, 2);
    array.require_columns(2);
    const std::span<const std::int64_t> values = array.host_values<std::int64_t>();
    for (std::size_t i = 0; i < values.size(); i += 2) {
      if (values[i] < 0 || values[i + 1] < 0)
        refuse(std::string(name) + " has the number " +
               std::to_string(std::min(values[i], values[i + 1])) + "; nodes are not negative");
      pairs.push_back(
          {static_cast<std::uint64_t>(values[i]), static_cast<std::uint64_t>(values[i + 1])});
    }
    return pairs;
  }
  if (!is_collection(given))
    refuse_type(std::string(name) + " is of type " + type_text(given) +
                "; it must be an array [n, 2] or a collection of pairs of nodes");
  for (const nb::handle pair : given) {
    const Py_ssize_t size = is_collection(pair) ? PyObject_Size(pair.ptr()) : -1;
    if (size < 0) PyErr_Clear();
    if (size != 2 || PySequence_Check(pair.ptr()) == 0)
      refuse_type(std::string(name) + " has an item of type " + type_text(pair) +
                  "; items are pairs of nodes");
    pairs.push_back({node_of(nb::object(pair[0]), name), node_of(nb::object(pair[1]), name)});
  }
  return pairs;
}

/// `(lims, nodes)`: int64
nb::object tuple_of(const Ragged<std::uint64_t>& paths) {
  return nb::make_tuple(ids_array_of(paths.offsets), ids_array_of(paths.values));
}

nb::object wide(WideCount count) {
  const nb::object high = nb::int_(static_cast<std::uint64_t>(count >> 64U));
  const nb::object low = nb::int_(static_cast<std::uint64_t>(count));
  return (high << nb::int_(64)) | low;
}

nb::dict metrics(const Handle& self) {
  const LatticeMetrics found = self.open()->lattice.metrics();
  nb::dict out;
  out["dimensions"] = found.dimensions;
  out["size"] = found.size;
  out["nodes"] = found.nodes;
  out["edges"] = wide(found.edges);
  out["least_degree"] = found.least_degree;
  out["greatest_degree"] = found.greatest_degree;
  out["average_degree"] = found.average_degree;
  out["density"] = found.density;
  out["diameter"] = found.diameter;
  out["connectivity"] = found.connectivity;
  out["clustering"] = found.clustering;
  out["rows_bytes"] = found.rows_bytes;
  out["search_bytes"] = found.search_bytes;
  out["dense_bytes"] = found.dense_bytes;
  return out;
}

nb::dict measure(const Handle& self, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  const LatticeOptions options = options_of(space);
  const GraphStructure found = unlocked([&] { return shared->lattice.measure(options); });
  nb::dict out;
  out["nodes"] = found.nodes;
  out["edges"] = found.edges;
  out["components"] = found.components;
  out["least_degree"] = found.least_degree;
  out["greatest_degree"] = found.greatest_degree;
  out["average_degree"] = found.average_degree;
  out["density"] = found.density;
  out["clustering"] = found.clustering;
  out["diameter"] = found.diameter ? nb::object(nb::int_(*found.diameter)) : nb::none();
  out["searches"] = found.searches;
  return out;
}

/// `(distances, reached, farthest)`
nb::object distances(const Handle& self, nb::handle sources, nb::handle targets, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  const LatticeOptions options = options_of(space);
  const std::vector<std::uint64_t> from = ids_of(sources, "sources");
  std::vector<std::uint64_t> listed;
  std::optional<std::span<const std::uint64_t>> to;
  if (!targets.is_none()) to = listed = ids_of(targets, "targets");
  const LatticeDistances found =
      unlocked([&] { return shared->lattice.distances(from, to, options); });
  keep_record(found.record);
  return nb::make_tuple(array_of(std::span<const std::uint32_t>(found.distances)), found.reached,
                        found.farthest);
}

nb::object dense(const Handle& self) {
  const std::shared_ptr<Shared> shared = self.open();
  const std::vector<std::uint8_t> found = unlocked([&] { return shared->lattice.dense(); });
  const auto nodes = static_cast<std::int64_t>(shared->lattice.shape().nodes());
  nb::object made = empty_array(DataType::uint8, {nodes, nodes});
  const Output out(made, "results");
  std::copy(found.begin(), found.end(), static_cast<std::uint8_t*>(out.array().data()));
  return made;
}

}  // namespace

}  // namespace Lattices

void register_lattice(Module& module) {
  using namespace Lattices;
  Class<Handle>(module, "Lattice")
      .def(
          "__init__",
          [](Handle* self, nb::handle dimensions, nb::handle size, nb::handle blocked_nodes,
             nb::handle blocked_edges, nb::handle context) {
            const std::uint32_t axes = count_of(dimensions, "dimensions");
            const std::uint32_t extent = count_of(size, "size");
            const std::vector<std::uint64_t> nodes = ids_of(blocked_nodes, "blocked_nodes");
            const std::vector<LatticePair> edges = pairs_of(blocked_edges, "blocked_edges");
            const SharedContext given = context_of(context);
            new (self) Handle{"lattice", shared_of<Shared>(given, [&] {
                                return Lattice(*given, axes, extent, LatticeBlocks{nodes, edges});
                              })};
          },
          nb::arg("dimensions").none(), nb::arg("size").none(), nb::arg("blocked_nodes").none(),
          nb::arg("blocked_edges").none(), nb::arg("context").none())
      .def("close", &Handle::close)
      .def("is_closed", &Handle::is_closed)
      .def("nodes", [](const Handle& self) { return self.open()->lattice.shape().nodes(); })
      .def("dimensions",
           [](const Handle& self) { return self.open()->lattice.shape().dimensions(); })
      .def("size", [](const Handle& self) { return self.open()->lattice.shape().size(); })
      .def("metrics", metrics)
      .def("measure", measure, nb::arg("space").none())
      .def(
          "is_blocked",
          [](const Handle& self, nb::handle node) {
            const auto shared = self.open();
            const std::uint64_t number = node_of(node, "node");
            shared->lattice.shape().check_node(number, "node");
            return shared->lattice.is_blocked(number);
          },
          nb::arg("node").none())
      .def(
          "coordinates",
          [](const Handle& self, nb::handle node) {
            return array_of(std::span<const std::uint32_t>(
                self.open()->lattice.shape().coordinates(node_of(node, "node"))));
          },
          nb::arg("node").none())
      .def(
          "index",
          [](const Handle& self, nb::handle coordinates) {
            const auto shared = self.open();
            std::vector<std::uint32_t> given;
            for (const std::uint64_t value : ids_of(coordinates, "coordinates"))
              given.push_back(static_cast<std::uint32_t>(
                  std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max())));
            return shared->lattice.shape().index(given);
          },
          nb::arg("coordinates").none())
      .def(
          "neighbours",
          [](const Handle& self, nb::handle node) {
            return ids_array_of(self.open()->lattice.shape().neighbours(node_of(node, "node")));
          },
          nb::arg("node").none())
      .def(
          "rows",
          [](const Handle& self, nb::handle space) {
            const auto shared = self.open();
            const LatticeOptions options = options_of(space);
            const LatticeRows found = unlocked([&] { return shared->lattice.rows(options); });
            keep_record(found.record);
            return nb::make_tuple(ids_array_of(found.offsets),
                                  array_of(std::span<const std::uint32_t>(found.ends)));
          },
          nb::arg("space").none())
      .def("dense", dense)
      .def(
          "save",
          [](const Handle& self, nb::handle path, nb::handle space) {
            const auto shared = self.open();
            const std::string file = path_of(path, "path");
            const LatticeOptions options = options_of(space);
            unlocked([&] { shared->lattice.save(file, options); });
          },
          nb::arg("path").none(), nb::arg("space").none())
      .def(
          "path",
          [](const Handle& self, nb::handle source, nb::handle target, nb::handle space) {
            const auto shared = self.open();
            const std::uint64_t from = node_of(source, "source");
            const std::uint64_t to = node_of(target, "target");
            const LatticeOptions options = options_of(space);
            return ids_array_of(unlocked([&] { return shared->lattice.path(from, to, options); }));
          },
          nb::arg("source").none(), nb::arg("target").none(), nb::arg("space").none())
      .def(
          "paths",
          [](const Handle& self, nb::handle pairs, nb::handle space) {
            const auto shared = self.open();
            const std::vector<LatticePair> given = pairs_of(pairs, "pairs");
            const LatticeOptions options = options_of(space);
            const LatticePaths found =
                unlocked([&] { return shared->lattice.paths(given, options); });
            keep_record(found.record);
            return tuple_of(found.paths);
          },
          nb::arg("pairs").none(), nb::arg("space").none())
      .def(
          "all_paths",
          [](const Handle& self, nb::handle source, nb::handle target, nb::handle edges_max,
             nb::handle limit) {
            const auto shared = self.open();
            const std::uint64_t from = node_of(source, "source");
            const std::uint64_t to = node_of(target, "target");
            const auto most = static_cast<std::uint64_t>(integer_of(edges_max, "edges_max", 0));
            const auto paths_max = static_cast<std::uint64_t>(integer_of(limit, "limit", 0));
            return tuple_of(
                unlocked([&] { return shared->lattice.all_paths(from, to, most, paths_max); }));
          },
          nb::arg("source").none(), nb::arg("target").none(), nb::arg("edges_max").none(),
          nb::arg("limit").none())
      .def("distances", distances, nb::arg("sources").none(), nb::arg("targets").none(),
           nb::arg("space").none());
}

}  // namespace Kindred::Python
