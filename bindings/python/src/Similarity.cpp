// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Similarity.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Measures.hpp"
#include "Options.hpp"
#include "Results.hpp"
#include "Sequences.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace nb = nanobind;

namespace Kindred::Python {

namespace Similarities {

namespace {

/// A query with the numbers of its items. A call holds the GIL while it reads the pattern.
class Query {
  template <class Call>
  auto called(nb::handle pattern, const Call& call) {
    std::vector<Symbol> symbols;
    append_sequence(pattern, "pattern", m_alphabet, symbols);
    // Short pairs take less time than giving the GIL away.
    if (symbols.size() * m_length < 4096) return call(symbols);
    return unlocked([&] { return call(symbols); });
  }

 public:
  Query(nb::handle query, nb::handle measure, nb::handle autojunk)
      : m_measure(measure_of(measure)) {
    std::vector<Symbol> symbols;
    append_sequence(query, "query", m_alphabet, symbols);
    m_length = symbols.size();
    const bool junk = flag_of(autojunk, "autojunk");
    m_prepared =
        unlocked([&] { return std::make_unique<PreparedQuery>(m_measure, symbols, junk); });
  }

  double similarity(nb::handle pattern, nb::handle score_cutoff) {
    const double cutoff = number_of(score_cutoff, "score_cutoff");
    return called(pattern, [&](const std::vector<Symbol>& symbols) {
      return m_prepared->similarity(symbols, cutoff);
    });
  }
  std::uint32_t matched(nb::handle pattern) {
    return called(pattern,
                  [&](const std::vector<Symbol>& symbols) { return m_prepared->matched(symbols); });
  }
  double distance(nb::handle pattern) {
    return called(pattern, [&](const std::vector<Symbol>& symbols) {
      if (!counts_edits(m_measure)) return 1 - m_prepared->similarity(symbols);
      return static_cast<double>(
          Kindred::distance(m_measure, m_prepared->matched(symbols), symbols.size(), m_length));
    });
  }
  nb::object blocks(nb::handle pattern) {
    return array_of_blocks(called(
        pattern, [&](const std::vector<Symbol>& symbols) { return m_prepared->blocks(symbols); }));
  }
  nb::object compare_all(nb::handle patterns);

 private:
  Measure m_measure;
  Alphabet m_alphabet;
  std::size_t m_length = 0;
  std::unique_ptr<PreparedQuery> m_prepared;
};

/// None, NaN, or the NA of pandas: a value that a table lacks.
bool is_missing(nb::handle item) {
  if (PyUnicode_Check(item.ptr()) != 0 || PyBytes_Check(item.ptr()) != 0) return false;
  if (item.is_none()) return true;
  if (PyFloat_Check(item.ptr()) != 0) return std::isnan(PyFloat_AsDouble(item.ptr()));
  return type_text(item).ends_with("NAType");
}

/// \brief For every pattern its length, -1 where it is missing, and the matched symbols, or the
/// similarity under a measure that does not count edits.
nb::object Query::compare_all(nb::handle patterns) {
  if (PyList_Check(patterns.ptr()) == 0 && PyTuple_Check(patterns.ptr()) == 0)
    refuse_type("patterns is of type " + type_text(patterns) + "; it must be a list or a tuple");
  // Read in groups: the list is read with the GIL held, and compared without it.
  constexpr std::size_t group = 1024;
  const bool counts = counts_edits(m_measure);
  std::vector<std::int64_t> lengths;
  std::vector<std::uint32_t> matched;
  std::vector<double> similarities;
  lengths.reserve(nb::len(patterns));
  Ragged<Symbol> read;
  // The caller may shorten the list meanwhile.
  for (std::size_t begin = 0; begin < nb::len(patterns); begin = lengths.size()) {
    const std::size_t end = std::min<std::size_t>(nb::len(patterns), begin + group);
    read.values.clear();
    read.offsets.resize(1);
    for (std::size_t i = begin; i < end && i < nb::len(patterns); ++i) {
      const nb::object item =
          nb::steal(PySequence_GetItem(patterns.ptr(), static_cast<Py_ssize_t>(i)));
      if (!item.is_valid()) throw nb::python_error();
      const std::size_t before = read.values.size();
      const bool missing = is_missing(item);
      if (!missing) append_sequence(item, "choices", m_alphabet, read.values);
      lengths.push_back(missing ? -1 : static_cast<std::int64_t>(read.values.size() - before));
      read.close_row();
    }
    unlocked([&] {
      for (std::size_t i = 0; i < read.rows(); ++i) {
        const bool missing = lengths[begin + i] < 0;
        if (counts)
          matched.push_back(missing ? 0 : m_prepared->matched(read[i]));
        else
          similarities.push_back(missing ? 0 : m_prepared->similarity(read[i]));
      }
    });
  }
  return nb::make_tuple(array_of<std::int64_t>(lengths),
                        counts ? array_of<std::uint32_t>(matched) : array_of<double>(similarities));
}

}  // namespace

}  // namespace Similarities

void register_similarity(nb::module_& module) {
  using Similarities::Query;
  nb::class_<Query>(module, "PreparedQuery")
      .def(nb::init<nb::handle, nb::handle, nb::handle>(), nb::arg("query").none(),
           nb::arg("measure").none(), nb::arg("autojunk").none())
      .def("similarity", &Query::similarity, nb::arg("pattern").none(),
           nb::arg("score_cutoff").none())
      .def("matched", &Query::matched, nb::arg("pattern").none())
      .def("distance", &Query::distance, nb::arg("pattern").none())
      .def("blocks", &Query::blocks, nb::arg("pattern").none())
      .def("compare_all", &Query::compare_all, nb::arg("patterns").none());
}

}  // namespace Kindred::Python
