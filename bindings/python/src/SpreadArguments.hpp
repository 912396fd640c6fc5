// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SPREAD_ARGUMENTS_HPP
#define KINDRED_PYTHON_SPREAD_ARGUMENTS_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Errors.hpp"
#include "NumPy.hpp"
#include "Options.hpp"
#include "Sequences.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Graphs, nodes, and options of spreads, as arguments of a spreading engine.
namespace Kindred::Python::Spreads {

namespace nb = nanobind;

inline std::uint32_t node_of(std::uint64_t number, const char* name) {
  if (number > std::numeric_limits<std::uint32_t>::max())
    refuse(std::string(name) + " has the number " + std::to_string(number) +
           "; nodes are below 2³²");
  return static_cast<std::uint32_t>(number);
}
inline std::vector<std::uint32_t> nodes_of(nb::handle given, const char* name) {
  const std::vector<std::uint64_t> numbers = ids_of(given, name);
  std::vector<std::uint32_t> out(numbers.size());
  std::transform(numbers.begin(), numbers.end(), out.begin(),
                 [&](std::uint64_t number) { return node_of(number, name); });
  return out;
}

/// An array of one dimension without gaps.
struct Vector : Input {
  Vector(nb::handle given, const char* name, std::initializer_list<DataType> types,
         CallStream* order = nullptr, Copying copying = Copying::if_needed)
      : Input(given, name, order, copying, Layout::dense) {
    require_type(types);
    require_rank(1, 1);
  }
};

/// \brief Elements of type T on the host; none if None was given.
/// \throws InvalidArgument for another number of elements than \p count
template <class T>
std::vector<T> values_of(nb::handle given, const char* name, std::size_t count, const char* what) {
  if (given.is_none()) return {};
  const Vector array(given, name, {data_type_of<T>});
  const std::span<const T> values = array.host_values<T>();
  if (values.size() != count)
    refuse(std::string(name) + " is " + array.text() + "; there are " + std::to_string(count) +
           " " + what);
  return {values.begin(), values.end()};
}

inline std::vector<Edge> edges_of(nb::handle sources, nb::handle targets, nb::handle weights) {
  const std::vector<std::uint32_t> from = nodes_of(sources, "sources");
  const std::vector<std::uint32_t> to = nodes_of(targets, "targets");
  if (from.size() != to.size())
    refuse("sources has " + std::to_string(from.size()) + " nodes, and targets has " +
           std::to_string(to.size()) + "; each edge needs both");
  const std::vector<float> given = values_of<float>(weights, "weights", from.size(), "edges");
  std::vector<Edge> edges(from.size());
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i] = {from[i], to[i], given.empty() ? 1.0F : given[i]};
  return edges;
}

/// \param kinds one per edge, or None for edges of all kinds
inline std::vector<EdgeEnds> edge_ends_of(nb::handle sources, nb::handle targets,
                                          nb::handle kinds) {
  std::vector<EdgeEnds> ends;
  for (const Edge& edge : edges_of(sources, targets, nb::none()))
    ends.push_back({edge.from, edge.to, {}});
  const auto given = values_of<std::uint8_t>(kinds, "kinds", ends.size(), "edges");
  for (std::size_t i = 0; i < given.size(); ++i) ends[i].kind = given[i];
  return ends;
}

/// Names of nodes as rows of bytes; no rows for None.
struct Names : Ragged<char> {
  explicit Names(nb::handle given, const char* name = "names") {
    if (given.is_none()) return;
    if (!is_collection(given))
      refuse_type(std::string(name) + " is of type " + type_text(given) +
                  "; it must be a collection of texts");
    for (const nb::handle text : given) push_row(bytes_of_text(text, name));
  }
};

/// A graph as lists of its nodes and edges.
class GivenGraph : public GraphSpan {
 public:
  GivenGraph(nb::handle node_count, nb::handle sources, nb::handle targets, nb::handle weights,
             nb::handle given_edge_kinds, nb::handle given_node_kinds, nb::handle given_names)
      : GraphSpan{static_cast<std::size_t>(integer_of(node_count, "nodes", 0))},
        m_edges(edges_of(sources, targets, weights)),
        m_edge_kinds(
            values_of<std::uint8_t>(given_edge_kinds, "edge_kinds", m_edges.size(), "edges")),
        m_node_kinds(values_of<std::uint8_t>(given_node_kinds, "node_kinds", nodes, "nodes")),
        m_names(given_names) {
    edges = m_edges;
    edge_kinds = m_edge_kinds;
    node_kinds = m_node_kinds;
    if (!given_names.is_none()) names = m_names;
  }

 private:
  std::vector<Edge> m_edges;
  std::vector<std::uint8_t> m_edge_kinds;
  std::vector<std::uint8_t> m_node_kinds;
  Names m_names;
};

/// A graph as compressed sparse rows, whose arrays are copied or kept.
class GivenRows {
 public:
  GivenRows(nb::handle indptr, nb::handle indices, nb::handle data, nb::handle copy)
      : m_copies(flag_of(copy, "copy")) {
    const BorrowedArrays::Scope kept(*m_borrowed);
    m_arrays = {new Arrays(m_borrowed, indptr, indices, data,
                           m_copies ? Copying::if_needed : Copying::never),
                LockedDelete()};
  }
  /// Those of the arrays that an engine uses in place.
  const std::shared_ptr<BorrowedArrays>& borrowed() const noexcept { return m_borrowed; }
  /// Copies them if asked to, without the GIL.
  CsrGraph graph() const {
    CsrGraph out{m_arrays->offsets.array(), m_arrays->ends.array(), {}, m_arrays};
    if (m_arrays->weights) out.weights = m_arrays->weights->array();
    if (!m_copies) return out;
    const auto bytes = std::make_shared<std::array<std::vector<std::byte>, 3>>();
    out.offsets = copied(out.offsets, (*bytes)[0]);
    out.ends = copied(out.ends, (*bytes)[1]);
    if (out.weights) out.weights = copied(*out.weights, (*bytes)[2]);
    out.owner = bytes;
    return out;
  }

 private:
  struct Arrays {
    Arrays(std::shared_ptr<BorrowedArrays> of, nb::handle indptr, nb::handle indices,
           nb::handle data, Copying copying)
        : borrowed(std::move(of)),
          offsets(indptr, "indptr", {DataType::int32, DataType::int64}, nullptr, copying),
          ends(indices, "indices", {DataType::int32, DataType::uint32}, nullptr, copying) {
      const auto floats = {DataType::float32, DataType::bfloat16};
      if (!data.is_none()) weights.emplace(data, "data", floats, nullptr, copying);
    }
    std::shared_ptr<BorrowedArrays> borrowed;  // outlives them
    Vector offsets;
    Vector ends;
    std::optional<Vector> weights;
  };
  /// Deletes arrays that an engine has used, on any thread. Once the interpreter ends, they stay.
  struct LockedDelete {
    void operator()(const Arrays* arrays) const {
      const Locked locked;
      if (locked) delete arrays;
    }
  };
  /// A copy of an array on the host; an array on a device is copied by the engine.
  static ConstArray copied(const ConstArray& array, std::vector<std::byte>& bytes) {
    if (array.on_device()) return array;
    const auto* const begin = static_cast<const std::byte*>(array.data());
    bytes.assign(begin, begin + array.size() * size_of(array.type()));
    return {bytes.data(), array.type(), array.shape()};
  }

  bool m_copies;
  std::shared_ptr<BorrowedArrays> m_borrowed = std::make_shared<BorrowedArrays>();
  std::shared_ptr<const Arrays> m_arrays;
};

/// \brief The sources of several queries: an object with `offsets`, `ids` and `scores`, or a
/// collection of queries: mappings of nodes to values, arrays or sequences of nodes, or single
/// nodes. Without a value, a node has 1.
class Sources {
 public:
  /// \throws InvalidType, InvalidArgument
  explicit Sources(nb::handle given) {
    if (nb::hasattr(given, "offsets") && nb::hasattr(given, "ids") &&
        nb::hasattr(given, "scores")) {
      m_offsets = ids_of(given.attr("offsets"), "sources.offsets");
      append_nodes(given.attr("ids"));
      const nb::object scores = given.attr("scores");
      const auto values = values_of<float>(scores, "sources.scores", m_sources.size(), "sources");
      for (std::size_t i = 0; i < values.size(); ++i) m_sources[i].value = values[i];
      return;
    }
    if (is_mapping(given) || !is_collection(given))
      refuse_type("sources is of type " + type_text(given) +
                  "; it must be a collection of queries, or a Ragged");
    m_offsets = {0};
    ItemLoop loop;
    for (const nb::handle query : given) {
      loop.next();
      append_query(query);
      m_offsets.push_back(m_sources.size());
    }
  }
  RaggedSpan<Activation> span() const noexcept { return {m_offsets, m_sources}; }

 private:
  static bool is_mapping(nb::handle given) {
    if (PyDict_Check(given.ptr()) != 0) return true;
    if (PyList_Check(given.ptr()) != 0 || numpy_array(given)) return false;
    return nb::isinstance(given, nb::module_::import_("collections.abc").attr("Mapping"));
  }

  void append_query(nb::handle query) {
    if (is_mapping(query)) {
      const nb::object nodes = nb::steal(PyMapping_Keys(query.ptr()));
      const nb::object values = nb::steal(PyMapping_Values(query.ptr()));
      if (!nodes.is_valid() || !values.is_valid()) throw nb::python_error();
      std::size_t i = m_sources.size();
      append_nodes(nodes);
      for (const nb::handle item : values) {
        const double value = PyFloat_AsDouble(item.ptr());
        if (value == -1 && PyErr_Occurred() != nullptr) {
          PyErr_Clear();
          refuse_type("sources has a value of type " + type_text(item) + ", which is no number");
        }
        if (i < m_sources.size()) m_sources[i++].value = static_cast<float>(value);
      }
    } else if (is_text(query)) {
      refuse_type("sources has an item of type " + type_text(query) + "; ids are integers");
    } else if (!is_array_of_ids(query) &&
               (PyObject_CheckBuffer(query.ptr()) != 0 || nb::hasattr(query, "__dlpack__"))) {
      // Arrays of other integers and shapes, item by item.
      const bool is_shaped = nb::hasattr(query, "ravel");
      append_nodes(nb::list(is_shaped ? nb::object(query.attr("ravel")()) : nb::borrow(query)));
    } else {
      append_nodes(query);
    }
  }
  /// Whether `ids_of` reads an array in place.
  static bool is_array_of_ids(nb::handle given) {
    const auto array = numpy_array(given);
    return array && array->shape.size() == 1 &&
           (array->type == DataType::int32 || array->type == DataType::uint32 ||
            array->type == DataType::int64 || array->type == DataType::uint64);
  }
  void append_nodes(nb::handle nodes) {
    for (const std::uint64_t node : ids_of(nodes, "sources"))
      m_sources.push_back({node_of(node, "sources"), 1});
  }

  std::vector<std::uint64_t> m_offsets;
  std::vector<Activation> m_sources;
};

/// \param given None: all kinds
inline EdgeKinds kinds_of(nb::handle given) {
  if (given.is_none()) return EdgeKinds().set();
  EdgeKinds kinds;
  for (const std::uint64_t kind : ids_of(given, "kinds")) {
    if (kind >= kinds.size())
      refuse("kinds has the number " + std::to_string(kind) + "; kinds are below 256");
    kinds.set(kind);
  }
  return kinds;
}

inline Decay decay_of(nb::handle given, const std::array<Choice<Decay::Kind>, 4>& kinds) {
  if (!nb::isinstance<nb::tuple>(given) || nb::len(given) != 2)
    refuse_type("decay is of type " + type_text(given) +
                "; it must be a tuple of a name and a number, such as ('exponential', 0.7)");
  return {value_of(nb::object(given[0]), "decay", kinds), number_of(nb::object(given[1]), "decay")};
}

inline std::optional<double> threshold_of(nb::handle given) {
  if (given.is_none()) return {};
  return number_of(given, "threshold");
}

/// \param given None, or (strengths, kinds of fans, factors of fans)
inline std::optional<SpreadModifiers> modifiers_of(
    nb::handle given, const std::array<Choice<SpreadModifiers::Fan::Kind>, 3>& fans) {
  if (given.is_none()) return {};
  if (!nb::isinstance<nb::tuple>(given) || nb::len(given) != 3)
    refuse_type("modifiers is of type " + type_text(given) +
                "; it must be a pykindred.SpreadModifiers or None");
  SpreadModifiers out;
  const Input array(nb::object(given[0]), "modifiers.strengths", nullptr, Copying::if_needed,
                    Layout::dense);
  const std::span<const double> values = array.host_values<double>();
  if (array.rank() != 2 || array.extent(0) != out.kinds || array.extent(1) != out.kinds)
    refuse("modifiers.strengths is " + array.text() + "; it must be [8, 8]");
  std::copy(values.begin(), values.end(), out.strengths[0].begin());
  const nb::object fan_kinds = given[1];
  const nb::object factors = given[2];
  for (const auto& [list, name] : {std::pair{fan_kinds, "fans"}, std::pair{factors, "factors"}}) {
    const Py_ssize_t size = PySequence_Size(list.ptr());
    PyErr_Clear();
    if (size != static_cast<Py_ssize_t>(out.kinds) || PySequence_Check(list.ptr()) == 0)
      refuse("modifiers." + std::string(name) + " is of type " + type_text(list) +
             "; it must be a sequence with one value for each of 8 kinds of nodes");
  }
  for (std::size_t kind = 0; kind < out.kinds; ++kind)
    out.fans[kind] = {value_of(nb::object(fan_kinds[kind]), "modifiers.fans", fans),
                      number_of(nb::object(factors[kind]), "modifiers.factors")};
  return out;
}

inline constexpr std::array<Choice<ActivationPrecision>, 2> precisions{
    {{"float32", ActivationPrecision::float32}, {"bfloat16", ActivationPrecision::bfloat16}}};

/// Options of a spread with the parameters of its queries, to which they refer.
struct Spreading : SpreadOptions {
  std::vector<SpreadQuery> queries;
};
/// \param given None, or a sequence of (hops, decay, threshold, kinds)
inline std::vector<SpreadQuery> queries_of(nb::handle given,
                                           const std::array<Choice<Decay::Kind>, 4>& decays) {
  std::vector<SpreadQuery> queries;
  if (given.is_none()) return queries;
  if (!is_collection(given))
    refuse_type("per_query is of type " + type_text(given) +
                "; it must be a sequence of pykindred.SpreadQuery");
  for (const nb::handle query : given) {
    if (!nb::isinstance<nb::tuple>(query) || nb::len(query) != 4)
      refuse_type("per_query has an item of type " + type_text(query) +
                  "; items are pykindred.SpreadQuery");
    queries.push_back({narrow_of<std::uint32_t>(nb::object(query[0]), "hops", 0),
                       decay_of(nb::object(query[1]), decays), threshold_of(nb::object(query[2])),
                       kinds_of(nb::object(query[3]))});
  }
  if (queries.empty()) refuse("per_query is empty; give None for the same options");
  return queries;
}

/// The sources of several queries in arrays.
class SourceArrays {
 public:
  SourceArrays(nb::handle offsets, nb::handle nodes, nb::handle values, CallStream& order,
               Copying copying)
      : m_like(values),
        m_offsets(offsets, "offsets", {DataType::int32, DataType::int64}, &order, copying),
        m_nodes(nodes, "nodes", {DataType::int32, DataType::uint32}, &order, copying),
        m_values(values, "values", {DataType::float32}, &order, copying) {
    if (m_offsets.extent(0) == 0)
      refuse("offsets is " + m_offsets.text() + "; it has queries + 1 elements");
  }
  SpreadSources sources() const { return {m_offsets.array(), m_nodes.array(), m_values.array()}; }
  /// A new array beside them, [queries, \p columns].
  nb::object empty(DataType type, std::int64_t columns) const {
    return empty_array(m_like, m_values, type, {queries(), columns});
  }
  std::int64_t queries() const { return m_offsets.extent(0) - 1; }
  bool on_device() const { return m_values.on_device(); }

 private:
  nb::handle m_like;
  Vector m_offsets;
  Vector m_nodes;
  Vector m_values;
};

/// The arrays of the argument `out`, or new ones beside the sources: values and nodes.
class ResultArrays {
 public:
  ResultArrays(const Context& context, const SourceArrays& sources, nb::handle out, nb::handle top,
               CallStream& order) {
    const std::int64_t places = integer_of(top, "top", 1);
    if (!out.is_none()) {
      outputs_of(out, places, m_values, m_nodes);
    } else {
      if (!sources.on_device())
        check_free_memory(context,
                          static_cast<double>(sources.queries()) * static_cast<double>(places) * 8);
      m_values = sources.empty(DataType::float32, places);
      m_nodes = sources.empty(DataType::int32, places);
    }
    m_value_array.emplace(m_values, "out[0]", &order);
    m_node_array.emplace(m_nodes, "out[1]", &order);
  }
  SpreadOutput output() const { return {m_node_array->array(), m_value_array->array()}; }
  nb::object made() const { return nb::make_tuple(m_values, m_nodes); }

 private:
  nb::object m_values;
  nb::object m_nodes;
  std::optional<Output> m_value_array;
  std::optional<Output> m_node_array;
};

}  // namespace Kindred::Python::Spreads

#endif  // KINDRED_PYTHON_SPREAD_ARGUMENTS_HPP
