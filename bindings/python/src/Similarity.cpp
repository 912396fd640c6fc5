// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Similarity.hpp>

#include <nanobind/nanobind.h>

#include "Calls.hpp"
#include "Engines.hpp"
#include "Measures.hpp"
#include "Options.hpp"
#include "Results.hpp"
#include "Sequences.hpp"

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

 private:
  Measure m_measure;
  Alphabet m_alphabet;
  std::size_t m_length = 0;
  std::unique_ptr<PreparedQuery> m_prepared;
};

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
      .def("blocks", &Query::blocks, nb::arg("pattern").none());
}

}  // namespace Kindred::Python
