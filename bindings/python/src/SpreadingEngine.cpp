// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SpreadingEngine.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "Results.hpp"
#include "Sequences.hpp"
#include "SpreadArguments.hpp"
#include "Texts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace Spreads {

namespace {

/// An engine with the context that it needs.
struct Shared {
  SharedContext context;
  SpreadingEngine engine;
};
using Handle = EngineHandle<Shared>;

constexpr std::array<Choice<EdgeWeights>, 3> weight_types{{{"float32", EdgeWeights::float32},
                                                           {"bfloat16", EdgeWeights::bfloat16},
                                                           {"none", EdgeWeights::none}}};
constexpr std::array<Choice<HopDirection>, 2> directions{
    {{"along", HopDirection::along}, {"against", HopDirection::against}}};
std::vector<Edge> edges_of(nb::handle sources, nb::handle targets, nb::handle weights) {
  const std::vector<std::uint32_t> from = nodes_of(sources, "sources");
  const std::vector<std::uint32_t> to = nodes_of(targets, "targets");
  const Values<float> given(weights, "weights");
  if (from.size() != to.size())
    refuse("sources has " + std::to_string(from.size()) + " nodes, and targets has " +
           std::to_string(to.size()) + "; each edge needs both");
  given.require_size(from.size(), "edges");
  std::vector<Edge> edges(from.size());
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i] = {from[i], to[i], given.is_given() ? given.span()[i] : 1.0F};
  return edges;
}

/// Names of nodes as rows of bytes; no rows for None.
struct Names {
  Ragged<char> rows;
  bool is_given = false;
  explicit Names(nb::handle given) {
    if (given.is_none()) return;
    is_given = true;
    if (!is_collection(given))
      refuse_type("names is of type " + type_text(given) + "; it must be a collection of texts");
    for (const nb::handle text : given) rows.push_row(bytes_of_text(text, "names"));
  }
};

GraphOptions options_of(nb::handle weights, nb::handle residency, nb::handle merge_share,
                        nb::handle background_merge) {
  GraphOptions options;
  if (!weights.is_none()) options.weights = value_of(weights, "stored_weights", weight_types);
  options.residency = residency_of(residency);
  options.merge_share = number_of(merge_share, "merge_share");
  options.background_merge = flag_of(background_merge, "background_merge");
  return options;
}

template <class Make>
Handle made(const SharedContext& context, const Make& make) {
  return {"engine", shared_of<Shared>(context, make)};
}

Handle made_of(nb::handle nodes, nb::handle sources, nb::handle targets, nb::handle weights,
               nb::handle edge_kinds, nb::handle node_kinds, nb::handle names,
               const GraphOptions& options, nb::handle context) {
  GraphSpan graph;
  graph.nodes = static_cast<std::size_t>(integer_of(nodes, "nodes", 0));
  const std::vector<Edge> edges = edges_of(sources, targets, weights);
  const Values<std::uint8_t> kinds_of_edges(edge_kinds, "edge_kinds");
  const Values<std::uint8_t> kinds_of_nodes(node_kinds, "node_kinds");
  kinds_of_edges.require_size(edges.size(), "edges");
  kinds_of_nodes.require_size(graph.nodes, "nodes");
  const Names texts(names);
  graph.edges = edges;
  graph.edge_kinds = kinds_of_edges.span();
  graph.node_kinds = kinds_of_nodes.span();
  if (texts.is_given) graph.names = texts.rows;
  const SharedContext shared = context_of(context);
  return made(shared, [&] { return SpreadingEngine(*shared, graph, options); });
}

/// Arrays of compressed sparse rows.
struct RowArrays {
  RowArrays(nb::handle indptr, nb::handle indices, nb::handle data, Copying copying)
      : offsets(indptr, "indptr", nullptr, copying, Layout::dense),
        ends(indices, "indices", nullptr, copying, Layout::dense) {
    offsets.require_type({DataType::int32, DataType::int64});
    offsets.require_rank(1, 1);
    ends.require_type({DataType::int32, DataType::uint32});
    ends.require_rank(1, 1);
    if (data.is_none()) return;
    weights.emplace(data, "data", nullptr, copying, Layout::dense);
    weights->require_type({DataType::float32, DataType::bfloat16});
    weights->require_rank(1, 1);
  }
  CsrGraph graph() const {
    CsrGraph out{offsets.array(), ends.array()};
    if (weights) out.weights = weights->array();
    return out;
  }

  Input offsets;
  Input ends;
  std::optional<Input> weights;
};

/// Deletes arrays that an engine has used, on any thread. Once the interpreter ends, they stay.
struct LockedDelete {
  void operator()(const RowArrays* arrays) const {
    const Locked locked;
    if (locked) delete arrays;
  }
};

/// A copy of an array on the host; an array on a device is copied by the engine.
ConstArray copied(const ConstArray& array, std::vector<std::byte>& bytes) {
  if (array.on_device()) return array;
  const auto* const begin = static_cast<const std::byte*>(array.data());
  bytes.assign(begin, begin + array.size() * size_of(array.type()));
  return {bytes.data(), array.type(), array.shape()};
}

Handle made_of_rows(nb::handle indptr, nb::handle indices, nb::handle data, nb::handle copy,
                    const GraphOptions& options, nb::handle context) {
  const bool copies = flag_of(copy, "copy");
  const SharedContext shared = context_of(context);
  const std::shared_ptr<RowArrays> arrays(
      new RowArrays(indptr, indices, data, copies ? Copying::if_needed : Copying::never),
      LockedDelete());
  CsrGraph graph = arrays->graph();
  if (!copies) {
    graph.owner = arrays;
    return made(shared, [&] { return SpreadingEngine(*shared, graph, options); });
  }
  return made(shared, [&] {
    const auto bytes = std::make_shared<std::array<std::vector<std::byte>, 3>>();
    graph.offsets = copied(graph.offsets, (*bytes)[0]);
    graph.ends = copied(graph.ends, (*bytes)[1]);
    if (graph.weights) graph.weights = copied(*graph.weights, (*bytes)[2]);
    graph.owner = bytes;
    return SpreadingEngine(*shared, graph, options);
  });
}

template <class T, class Make>
nb::object filled(DataType type, std::size_t count, const Make& make) {
  nb::object made = empty_array(type, {static_cast<std::int64_t>(count)});
  const Output out(made, "results");
  auto* const data = static_cast<T*>(out.array().data());
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<T>(make(i));
  return made;
}

/// `(lims, strengths, step_lims, from, to, weight, carried)`
nb::object tuple_of(const SpreadPaths& paths) {
  const std::vector<SpreadStep>& steps = paths.steps.values;
  const auto array = [&]<class T>(DataType type, T SpreadStep::*member) {
    return filled<T>(type, steps.size(), [&](std::size_t i) { return steps[i].*member; });
  };
  return nb::make_tuple(
      ids_array_of(paths.strengths.offsets),
      array_of(std::span<const float>(paths.strengths.values)), ids_array_of(paths.steps.offsets),
      array(DataType::uint32, &SpreadStep::from), array(DataType::uint32, &SpreadStep::to),
      array(DataType::float32, &SpreadStep::weight),
      array(DataType::float32, &SpreadStep::carried));
}

/// `(lims, nodes, values, iterations, residuals, not_guaranteed, paths)`: int64, int64, float32,
/// uint32, float64; iterations and residuals are of PageRank, paths None without traces.
nb::object spread(const Handle& self, nb::handle sources, nb::handle mode, nb::handle hops,
                  nb::handle decay, nb::handle threshold, nb::handle top, nb::handle damping,
                  nb::handle tolerance, nb::handle max_iterations, nb::handle per_query,
                  nb::handle kinds, nb::handle modifiers, nb::handle activations,
                  nb::handle trace_paths, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  Spreading spreading(mode, hops, decay, threshold, damping, tolerance, max_iterations, per_query,
                      kinds, modifiers, activations, space);
  SpreadOptions& options = spreading.options;
  options.top = top.is_none() ? std::numeric_limits<std::size_t>::max()
                              : static_cast<std::size_t>(integer_of(top, "top", 1));
  options.trace_paths = static_cast<std::size_t>(integer_of(trace_paths, "trace_paths", 0));
  const Sources given(sources);
  const SpreadResults found =
      unlocked([&] { return shared->engine.spread(given.span(), options); });
  keep_record(found.record);
  const std::vector<Activation>& results = found.activations.values;
  const std::vector<Convergence>& ends = found.convergence;
  return nb::make_tuple(ids_array_of(found.activations.offsets),
                        filled<std::int64_t>(DataType::int64, results.size(),
                                             [&](std::size_t i) { return results[i].node; }),
                        filled<float>(DataType::float32, results.size(),
                                      [&](std::size_t i) { return results[i].value; }),
                        filled<std::uint32_t>(DataType::uint32, ends.size(),
                                              [&](std::size_t i) { return ends[i].iterations; }),
                        filled<double>(DataType::float64, ends.size(),
                                       [&](std::size_t i) { return ends[i].residual; }),
                        found.not_guaranteed,
                        options.trace_paths == 0 ? nb::object(nb::none()) : tuple_of(found.paths));
}

/// `(values, nodes)`: float32 and int32 [queries, top]
nb::object spread_arrays(const Handle& self, nb::handle lims, nb::handle nodes, nb::handle values,
                         nb::handle top, nb::handle mode, nb::handle hops, nb::handle decay,
                         nb::handle threshold, nb::handle damping, nb::handle tolerance,
                         nb::handle max_iterations, nb::handle per_query, nb::handle kinds,
                         nb::handle modifiers, nb::handle activations, nb::handle space,
                         nb::handle out, nb::handle stream, nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  Spreading spreading(mode, hops, decay, threshold, damping, tolerance, max_iterations, per_query,
                      kinds, modifiers, activations, space);
  const std::int64_t places = integer_of(top, "top", 1);
  CallStream order(stream);
  const Copying copying = copying_of(copy);
  const Input offsets(lims, "lims", &order, copying, Layout::dense);
  const Input ids(nodes, "nodes", &order, copying, Layout::dense);
  const Input given(values, "values", &order, copying, Layout::dense);
  offsets.require_type({DataType::int32, DataType::int64});
  offsets.require_rank(1, 1);
  ids.require_type({DataType::int32, DataType::uint32});
  given.require_type({DataType::float32});
  if (offsets.extent(0) == 0) refuse("lims is " + offsets.text() + "; it has queries + 1 elements");
  const std::int64_t count = offsets.extent(0) - 1;
  nb::object value_array;
  nb::object node_array;
  if (out.is_none()) {
    if (!given.on_device())
      check_free_memory(*shared->context,
                        static_cast<double>(count) * static_cast<double>(places) * 8);
    value_array = empty_array(values, given, DataType::float32, {count, places});
    node_array = empty_array(values, given, DataType::int32, {count, places});
  } else {
    outputs_of(out, places, value_array, node_array);
  }
  const Output values_out(value_array, "out[0]", &order);
  const Output nodes_out(node_array, "out[1]", &order);
  spreading.options.stream = order.stream();
  keep_record(unlocked([&] {
    return shared->engine
        .spread({offsets.array(), ids.array(), given.array()}, spreading.options,
                SpreadOutput{nodes_out.array(), values_out.array()})
        .record;
  }));
  return nb::make_tuple(value_array, node_array);
}

nb::object hop(const Handle& self, nb::handle x, nb::handle direction, nb::handle kinds,
               nb::handle modifiers, nb::handle space, nb::handle out, nb::handle stream,
               nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  HopOptions options;
  options.direction = value_of(direction, "direction", directions);
  options.kinds = kinds_of(kinds);
  options.modifiers = modifiers_of(modifiers);
  options.space = space_of(space);
  CallStream order(stream);
  const Input given(x, "x", &order, copying_of(copy), Layout::dense);
  given.require_type({DataType::float32});
  given.require_rank(1, 2);
  nb::object made = nb::borrow(out);
  if (out.is_none())
    made = given.rank() == 1
               ? empty_array(x, given, DataType::float32, {given.extent(0)})
               : empty_array(x, given, DataType::float32, {given.extent(0), given.extent(1)});
  const Output output(made, "out", &order);
  if (!out.is_none()) {
    const std::array<std::int64_t, 2> shape{given.extent(0),
                                            given.rank() == 2 ? given.extent(1) : 1};
    output.require(DataType::float32, std::span(shape).first(given.rank()));
  }
  options.stream = order.stream();
  keep_record(unlocked([&] { return shared->engine.hop(given.array(), output.array(), options); }));
  return made;
}

nb::object add_nodes(const Handle& self, nb::handle given, nb::handle kinds) {
  const std::shared_ptr<Shared> shared = self.open();
  const Values<std::uint8_t> kinds_of_nodes(kinds, "kinds");
  if (PyIndex_Check(given.ptr()) != 0) {
    const std::int64_t count = integer_of(given, "nodes", 0);
    kinds_of_nodes.require_size(static_cast<std::size_t>(count), "nodes");
    const std::uint32_t first = unlocked([&] {
      return shared->engine.add_nodes(static_cast<std::uint64_t>(count), kinds_of_nodes.span());
    });
    return filled<std::int64_t>(DataType::int64, static_cast<std::size_t>(count),
                                [&](std::size_t i) { return first + i; });
  }
  const Names names(given);
  kinds_of_nodes.require_size(names.rows.rows(), "nodes");
  std::vector<std::string_view> texts;
  for (std::size_t row = 0; row < names.rows.rows(); ++row)
    texts.emplace_back(names.rows[row].data(), names.rows[row].size());
  const std::vector<std::uint32_t> ids =
      unlocked([&] { return shared->engine.add_nodes(texts, kinds_of_nodes.span()); });
  return filled<std::int64_t>(DataType::int64, ids.size(), [&](std::size_t i) { return ids[i]; });
}

void add_edges(const Handle& self, nb::handle sources, nb::handle targets, nb::handle weights,
               nb::handle kinds) {
  const std::shared_ptr<Shared> shared = self.open();
  const std::vector<Edge> edges = edges_of(sources, targets, weights);
  const Values<std::uint8_t> kinds_of_edges(kinds, "kinds");
  kinds_of_edges.require_size(edges.size(), "edges");
  unlocked([&] { shared->engine.add_edges(edges, kinds_of_edges.span()); });
}

std::uint64_t remove_edges(const Handle& self, nb::handle sources, nb::handle targets,
                           nb::handle kinds) {
  const std::shared_ptr<Shared> shared = self.open();
  const std::vector<Edge> edges = edges_of(sources, targets, nb::none());
  const Values<std::uint8_t> kinds_of_edges(kinds, "kinds");
  kinds_of_edges.require_size(edges.size(), "edges");
  std::vector<EdgeEnds> ends(edges.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i].from = edges[i].from;
    ends[i].to = edges[i].to;
    if (kinds_of_edges.is_given()) ends[i].kind = kinds_of_edges.span()[i];
  }
  return unlocked([&] { return shared->engine.remove_edges(ends); });
}

nb::dict statistics(const Handle& self) {
  const std::shared_ptr<Shared> shared = self.open();
  const GraphStatistics found = unlocked([&] { return shared->engine.statistics(); });
  nb::dict out;
  out["nodes"] = found.nodes;
  out["removed_nodes"] = found.removed_nodes;
  out["edges"] = found.edges;
  out["weights"] = std::string(to_string(found.weights));
  out["edge_kinds"] = found.edge_kinds;
  out["node_kinds"] = found.node_kinds;
  out["names"] = found.names;
  out["rebuilt_rows"] = found.rebuilt_rows;
  out["rebuilt_edges"] = found.rebuilt_edges;
  out["merges"] = found.merges;
  out["edge_bytes"] = found.edge_bytes;
  out["offset_bytes"] = found.offset_bytes;
  out["rebuilt_bytes"] = found.rebuilt_bytes;
  out["name_bytes"] = found.name_bytes;
  out["host_bytes"] = found.bytes[space_index(Space::serial)];
  out["device_bytes"] = found.bytes[space_index(Space::cuda)];
  return out;
}

nb::dict inspect(nb::handle path) {
  const std::string file = path_of(path, "path");
  const GraphFileInfo found = unlocked([&] { return SpreadingEngine::inspect(file); });
  nb::dict out;
  out["nodes"] = found.nodes;
  out["removed_nodes"] = found.removed_nodes;
  out["edges"] = found.edges;
  out["weights"] = std::string(to_string(found.weights));
  out["edge_kinds"] = found.edge_kinds;
  out["node_kinds"] = found.node_kinds;
  out["names"] = found.names;
  out["outside_unit"] = found.outside_unit;
  out["edge_bytes"] = found.edge_bytes;
  out["offset_bytes"] = found.offset_bytes;
  out["name_bytes"] = found.name_bytes;
  out["bytes"] = found.bytes;
  return out;
}

}  // namespace

}  // namespace Spreads

void register_spreading_engine(Module& module) {
  using namespace Spreads;
  Class<Handle>(module, "SpreadingEngine")
      .def(
          "__init__",
          [](Handle* self, nb::handle nodes, nb::handle sources, nb::handle targets,
             nb::handle weights, nb::handle edge_kinds, nb::handle node_kinds, nb::handle names,
             nb::handle stored_weights, nb::handle residency, nb::handle merge_share,
             nb::handle background_merge, nb::handle context) {
            const GraphOptions options =
                options_of(stored_weights, residency, merge_share, background_merge);
            new (self) Handle(made_of(nodes, sources, targets, weights, edge_kinds, node_kinds,
                                      names, options, context));
          },
          nb::arg("nodes").none(), nb::arg("sources").none(), nb::arg("targets").none(),
          nb::arg("weights").none(), nb::arg("edge_kinds").none(), nb::arg("node_kinds").none(),
          nb::arg("names").none(), nb::arg("stored_weights").none(), nb::arg("residency").none(),
          nb::arg("merge_share").none(), nb::arg("background_merge").none(),
          nb::arg("context").none())
      .def_static(
          "from_csr",
          [](nb::handle indptr, nb::handle indices, nb::handle data, nb::handle copy,
             nb::handle residency, nb::handle merge_share, nb::handle background_merge,
             nb::handle context) {
            const GraphOptions options =
                options_of(nb::none(), residency, merge_share, background_merge);
            return made_of_rows(indptr, indices, data, copy, options, context);
          },
          nb::arg("indptr").none(), nb::arg("indices").none(), nb::arg("data").none(),
          nb::arg("copy").none(), nb::arg("residency").none(), nb::arg("merge_share").none(),
          nb::arg("background_merge").none(), nb::arg("context").none())
      .def_static(
          "load",
          [](nb::handle path, nb::handle residency, nb::handle merge_share,
             nb::handle background_merge, nb::handle threads, nb::handle context) {
            const std::string file = path_of(path, "path");
            const GraphOptions options =
                options_of(nb::none(), residency, merge_share, background_merge);
            const auto count = static_cast<int>(
                std::min<std::int64_t>(integer_of(threads, "threads", 0), 1 << 16));
            const SharedContext shared = context_of(context);
            return made(shared,
                        [&] { return SpreadingEngine::load(*shared, file, options, count); });
          },
          nb::arg("path").none(), nb::arg("residency").none(), nb::arg("merge_share").none(),
          nb::arg("background_merge").none(), nb::arg("threads").none(), nb::arg("context").none())
      .def_static(
          "from_bytes",
          [](nb::handle bytes, nb::handle residency, nb::handle merge_share,
             nb::handle background_merge, nb::handle context) {
            const Input data(bytes, "data", nullptr, Copying::if_needed, Layout::dense);
            const std::span<const std::byte> file = data.host_bytes();
            const GraphOptions options =
                options_of(nb::none(), residency, merge_share, background_merge);
            const SharedContext shared = context_of(context);
            return made(shared, [&] { return SpreadingEngine::load(*shared, file, options); });
          },
          nb::arg("bytes").none(), nb::arg("residency").none(), nb::arg("merge_share").none(),
          nb::arg("background_merge").none(), nb::arg("context").none())
      .def_static("inspect", inspect, nb::arg("path").none())
      .def("close", &Handle::close)
      .def("is_closed", &Handle::is_closed)
      .def("nodes",
           [](const Handle& self) {
             const auto shared = self.open();
             return unlocked([&] { return shared->engine.nodes(); });
           })
      .def("edges",
           [](const Handle& self) {
             const auto shared = self.open();
             return unlocked([&] { return shared->engine.edges(); });
           })
      .def(
          "has_node",
          [](const Handle& self, nb::handle node) {
            const auto shared = self.open();
            const std::int64_t number = integer_of(node, "node", 0);
            return number <= std::numeric_limits<std::uint32_t>::max() && unlocked([&] {
                     return shared->engine.has_node(static_cast<std::uint32_t>(number));
                   });
          },
          nb::arg("node").none())
      .def("statistics", statistics)
      .def(
          "find",
          [](const Handle& self, nb::handle name) -> nb::object {
            const auto shared = self.open();
            const std::string text = bytes_of_text(name, "name");
            const auto found = unlocked([&] { return shared->engine.find(text); });
            if (!found) return nb::none();
            return nb::int_(*found);
          },
          nb::arg("name").none())
      .def(
          "name",
          [](const Handle& self, nb::handle node) {
            const auto shared = self.open();
            const std::uint32_t number =
                node_of(static_cast<std::uint64_t>(integer_of(node, "node", 0)), "node");
            return text_of_bytes(unlocked([&] { return shared->engine.name(number); }));
          },
          nb::arg("node").none())
      .def("add_nodes", add_nodes, nb::arg("nodes").none(), nb::arg("kinds").none())
      .def("add_edges", add_edges, nb::arg("sources").none(), nb::arg("targets").none(),
           nb::arg("weights").none(), nb::arg("kinds").none())
      .def("remove_edges", remove_edges, nb::arg("sources").none(), nb::arg("targets").none(),
           nb::arg("kinds").none())
      .def(
          "remove_nodes",
          [](const Handle& self, nb::handle nodes) {
            const auto shared = self.open();
            const std::vector<std::uint32_t> ids = nodes_of(nodes, "nodes");
            unlocked([&] { shared->engine.remove_nodes(ids); });
          },
          nb::arg("nodes").none())
      .def("merge",
           [](const Handle& self) {
             const auto shared = self.open();
             unlocked([&] { shared->engine.merge(); });
           })
      .def(
          "save",
          [](const Handle& self, nb::handle path) {
            const auto shared = self.open();
            const std::string file = path_of(path, "path");
            unlocked([&] { shared->engine.save(file); });
          },
          nb::arg("path").none())
      .def("to_bytes",
           [](const Handle& self) {
             const auto shared = self.open();
             return bytes_of(unlocked([&] { return shared->engine.to_bytes(); }));
           })
      .def("spread", spread, nb::arg("sources").none(), nb::arg("mode").none(),
           nb::arg("hops").none(), nb::arg("decay").none(), nb::arg("threshold").none(),
           nb::arg("top").none(), nb::arg("damping").none(), nb::arg("tolerance").none(),
           nb::arg("max_iterations").none(), nb::arg("per_query").none(), nb::arg("kinds").none(),
           nb::arg("modifiers").none(), nb::arg("activations").none(),
           nb::arg("trace_paths").none(), nb::arg("space").none())
      .def("spread_arrays", spread_arrays, nb::arg("lims").none(), nb::arg("nodes").none(),
           nb::arg("values").none(), nb::arg("top").none(), nb::arg("mode").none(),
           nb::arg("hops").none(), nb::arg("decay").none(), nb::arg("threshold").none(),
           nb::arg("damping").none(), nb::arg("tolerance").none(), nb::arg("max_iterations").none(),
           nb::arg("per_query").none(), nb::arg("kinds").none(), nb::arg("modifiers").none(),
           nb::arg("activations").none(), nb::arg("space").none(), nb::arg("out").none(),
           nb::arg("stream").none(), nb::arg("copy").none())
      .def("hop", hop, nb::arg("x").none(), nb::arg("direction").none(), nb::arg("kinds").none(),
           nb::arg("modifiers").none(), nb::arg("space").none(), nb::arg("out").none(),
           nb::arg("stream").none(), nb::arg("copy").none());
}

}  // namespace Kindred::Python
