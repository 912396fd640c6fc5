// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SPREAD_ARGUMENTS_HPP
#define KINDRED_PYTHON_SPREAD_ARGUMENTS_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Errors.hpp"
#include "NumPy.hpp"
#include "Options.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Nodes, and options of spreads, as arguments of a spreading engine.
namespace Kindred::Python::Spreads {

inline constexpr std::array<Choice<SpreadMode>, 3> modes{{{"engine", SpreadMode::engine},
                                                          {"linear", SpreadMode::linear},
                                                          {"pagerank", SpreadMode::pagerank}}};
inline constexpr std::array<Choice<Decay::Kind>, 4> decays{
    {{"exponential", Decay::Kind::exponential},
     {"power", Decay::Kind::power},
     {"linear", Decay::Kind::linear},
     {"constant", Decay::Kind::constant}}};
inline constexpr std::array<Choice<ActivationPrecision>, 2> precisions{
    {{"float32", ActivationPrecision::float32}, {"bfloat16", ActivationPrecision::bfloat16}}};
using Fan = SpreadModifiers::Fan;
inline constexpr std::array<Choice<Fan::Kind>, 3> fans{{{"constant", Fan::Kind::constant},
                                                        {"inverse", Fan::Kind::inverse},
                                                        {"inverse_root", Fan::Kind::inverse_root}}};

inline std::uint32_t node_of(std::uint64_t number, const char* name) {
  if (number > std::numeric_limits<std::uint32_t>::max())
    refuse(std::string(name) + " has the number " + std::to_string(number) +
           "; nodes are below 2³²");
  return static_cast<std::uint32_t>(number);
}
inline std::vector<std::uint32_t> nodes_of(nanobind::handle given, const char* name) {
  const std::vector<std::uint64_t> numbers = ids_of(given, name);
  std::vector<std::uint32_t> out(numbers.size());
  std::transform(numbers.begin(), numbers.end(), out.begin(),
                 [&](std::uint64_t number) { return node_of(number, name); });
  return out;
}
inline std::uint32_t count_of(nanobind::handle given, const char* option, std::int64_t lowest) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(
      integer_of(given, option, lowest), std::numeric_limits<std::uint32_t>::max()));
}

/// Elements of type T on the host; none if None was given.
template <class T>
class Values {
 public:
  Values(nanobind::handle given, const char* name) {
    if (given.is_none()) return;
    m_array = std::make_unique<Input>(given, name, nullptr, Copying::if_needed, Layout::dense);
    m_array->require_rank(1, 1);
    m_span = m_array->template host_values<T>();
  }
  bool is_given() const noexcept { return m_array != nullptr; }
  std::span<const T> span() const noexcept { return m_span; }
  /// \throws InvalidArgument for another number of elements than \p count
  void require_size(std::size_t count, const char* what) const {
    if (is_given() && m_span.size() != count)
      refuse(std::string(m_array->name()) + " is " + m_array->text() + "; there are " +
             std::to_string(count) + " " + what);
  }

 private:
  std::unique_ptr<Input> m_array;
  std::span<const T> m_span;
};

/// \brief The sources of several queries: an object with `lims`, `ids` and `scores`, or a
/// collection of queries: mappings of nodes to values, arrays or sequences of nodes, or single
/// nodes. Without a value, a node has 1.
class Sources {
 public:
  /// \throws InvalidType, InvalidArgument
  explicit Sources(nanobind::handle given) {
    if (nanobind::hasattr(given, "lims") && nanobind::hasattr(given, "ids") &&
        nanobind::hasattr(given, "scores")) {
      m_offsets = ids_of(given.attr("lims"), "sources.lims");
      append_nodes(given.attr("ids"));
      const nanobind::object scores = given.attr("scores");
      const Values<float> values(scores, "sources.scores");
      values.require_size(m_sources.size(), "sources");
      for (std::size_t i = 0; i < values.span().size(); ++i) m_sources[i].value = values.span()[i];
      return;
    }
    const bool is_iterable =
        PySequence_Check(given.ptr()) != 0 || nanobind::hasattr(given, "__iter__");
    if (is_text(given) || is_mapping(given) || !is_iterable)
      refuse_type("sources is of type " + type_text(given) +
                  "; it must be a collection of queries, or a Ragged");
    m_offsets = {0};
    ItemLoop loop;
    for (const nanobind::handle query : given) {
      loop.next();
      append_query(query);
      m_offsets.push_back(m_sources.size());
    }
  }
  RaggedSpan<Activation> span() const noexcept { return {m_offsets, m_sources}; }

 private:
  static bool is_mapping(nanobind::handle given) {
    if (PyDict_Check(given.ptr()) != 0) return true;
    if (PyList_Check(given.ptr()) != 0 || numpy_array(given)) return false;
    return nanobind::isinstance(given,
                                nanobind::module_::import_("collections.abc").attr("Mapping"));
  }

  void append_query(nanobind::handle query) {
    if (is_mapping(query)) {
      const nanobind::object nodes = nanobind::steal(PyMapping_Keys(query.ptr()));
      const nanobind::object values = nanobind::steal(PyMapping_Values(query.ptr()));
      if (!nodes.is_valid() || !values.is_valid()) throw nanobind::python_error();
      std::size_t i = m_sources.size();
      append_nodes(nodes);
      for (const nanobind::handle item : values) {
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
               (PyObject_CheckBuffer(query.ptr()) != 0 || nanobind::hasattr(query, "__dlpack__"))) {
      // Arrays of other integers and shapes, item by item.
      const bool is_shaped = nanobind::hasattr(query, "ravel");
      append_nodes(nanobind::list(is_shaped ? nanobind::object(query.attr("ravel")())
                                            : nanobind::borrow(query)));
    } else {
      append_nodes(query);
    }
  }
  /// Whether `ids_of` reads an array in place.
  static bool is_array_of_ids(nanobind::handle given) {
    const auto array = numpy_array(given);
    return array && array->shape.size() == 1 &&
           (array->type == DataType::int32 || array->type == DataType::uint32 ||
            array->type == DataType::int64 || array->type == DataType::uint64);
  }
  void append_nodes(nanobind::handle nodes) {
    for (const std::uint64_t node : ids_of(nodes, "sources"))
      m_sources.push_back({node_of(node, "sources"), 1});
  }

  std::vector<std::uint64_t> m_offsets;
  std::vector<Activation> m_sources;
};

/// \param given None: all kinds
inline EdgeKinds kinds_of(nanobind::handle given) {
  if (given.is_none()) return EdgeKinds().set();
  EdgeKinds kinds;
  for (const std::uint64_t kind : ids_of(given, "kinds")) {
    if (kind >= kinds.size())
      refuse("kinds has the number " + std::to_string(kind) + "; kinds are below 256");
    kinds.set(kind);
  }
  return kinds;
}

inline Decay decay_of(nanobind::handle given) {
  if (!nanobind::isinstance<nanobind::tuple>(given) || nanobind::len(given) != 2)
    refuse_type("decay is of type " + type_text(given) +
                "; it must be a tuple of a name and a number, such as ('exponential', 0.7)");
  return {value_of(nanobind::object(given[0]), "decay", decays),
          number_of(nanobind::object(given[1]), "decay")};
}

inline std::optional<double> threshold_of(nanobind::handle given) {
  if (given.is_none()) return {};
  return number_of(given, "threshold");
}

/// \param given None, or (strengths, kinds of fans, factors of fans)
inline std::optional<SpreadModifiers> modifiers_of(nanobind::handle given) {
  if (given.is_none()) return {};
  if (!nanobind::isinstance<nanobind::tuple>(given) || nanobind::len(given) != 3)
    refuse_type("modifiers is of type " + type_text(given) +
                "; it must be a pykindred.SpreadModifiers or None");
  constexpr std::size_t kinds = SpreadModifiers::kinds;
  SpreadModifiers out;
  const nanobind::object strengths = given[0];
  const Input array(strengths, "modifiers.strengths", nullptr, Copying::if_needed, Layout::dense);
  const std::span<const double> values = array.host_values<double>();
  if (array.rank() != 2 || array.extent(0) != kinds || array.extent(1) != kinds)
    refuse("modifiers.strengths is " + array.text() + "; it must be [8, 8]");
  for (std::size_t i = 0; i < values.size(); ++i) out.strengths[i / kinds][i % kinds] = values[i];
  const nanobind::object fan_kinds = given[1];
  const nanobind::object factors = given[2];
  if (nanobind::len(fan_kinds) != kinds || nanobind::len(factors) != kinds)
    refuse("modifiers.fans must have one fan effect for each of 8 kinds of nodes");
  for (std::size_t kind = 0; kind < kinds; ++kind)
    out.fans[kind] = {value_of(nanobind::object(fan_kinds[kind]), "modifiers.fans", fans),
                      number_of(nanobind::object(factors[kind]), "modifiers.fans")};
  return out;
}

/// Options of spreads, alive until the call ends.
struct Spreading {
  SpreadOptions options;
  std::vector<SpreadQuery> queries;

  Spreading(nanobind::handle mode, nanobind::handle hops, nanobind::handle decay,
            nanobind::handle threshold, nanobind::handle damping, nanobind::handle tolerance,
            nanobind::handle max_iterations, nanobind::handle per_query, nanobind::handle kinds,
            nanobind::handle modifiers, nanobind::handle activations, nanobind::handle space) {
    options.mode = value_of(mode, "mode", modes);
    options.hops = count_of(hops, "hops", 0);
    options.decay = decay_of(decay);
    options.threshold = threshold_of(threshold);
    options.damping = number_of(damping, "damping");
    options.tolerance = number_of(tolerance, "tolerance");
    options.max_iterations = count_of(max_iterations, "max_iterations", 1);
    options.kinds = kinds_of(kinds);
    options.modifiers = modifiers_of(modifiers);
    options.activations = value_of(activations, "activations", precisions);
    options.space = space_of(space);
    if (per_query.is_none()) return;
    if (!is_collection(per_query))
      refuse_type("per_query is of type " + type_text(per_query) +
                  "; it must be a sequence of pykindred.SpreadQuery");
    for (const nanobind::handle query : per_query) {
      if (!nanobind::isinstance<nanobind::tuple>(query) || nanobind::len(query) != 4)
        refuse_type("per_query has an item of type " + type_text(query) +
                    "; items are pykindred.SpreadQuery");
      queries.push_back(
          {count_of(nanobind::object(query[0]), "hops", 0), decay_of(nanobind::object(query[1])),
           threshold_of(nanobind::object(query[2])), kinds_of(nanobind::object(query[3]))});
    }
    if (queries.empty()) refuse("per_query is empty; give None for the same options");
    options.per_query = queries;
  }
  Spreading(const Spreading&) = delete;
  Spreading& operator=(const Spreading&) = delete;
};

}  // namespace Kindred::Python::Spreads

#endif  // KINDRED_PYTHON_SPREAD_ARGUMENTS_HPP
