// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Similarity.hpp>

#include <nanobind/nanobind.h>

#include "Calls.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "Results.hpp"
#include "Sequences.hpp"

#include <memory>
#include <vector>

namespace nb = nanobind;

namespace Kindred::Python {

namespace Difflib {

namespace {

/// From this length on, difflib looks for frequent items.
constexpr std::size_t autojunk_length = 200;

/// \brief The second sequence of Python's difflib.SequenceMatcher. Items are equal where difflib
/// takes them as equal: two str by characters, two bytes by bytes, everything else by the rules of
/// the keys of a dict.
class Query {
  enum class Kind : std::uint8_t { text, bytes, items };

  static Kind kind_of(nb::handle given) {
    if (PyUnicode_CheckExact(given.ptr()) != 0) return Kind::text;
    return PyBytes_CheckExact(given.ptr()) != 0 ? Kind::bytes : Kind::items;
  }

  /// The numbers of the items in the order in which they are first seen. Unless it \p adds, items
  /// that are not known match nothing.
  std::vector<Symbol> numbers_of(nb::handle given, bool adds) {
    std::vector<Symbol> symbols;
    for (const nb::handle item : given) {
      PyObject* known = PyDict_GetItemWithError(m_numbers.ptr(), item.ptr());
      if (known == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
      nb::object made;
      if (known == nullptr && adds) {
        made = nb::steal(PyLong_FromSize_t(nb::len(m_numbers)));
        known = made.ptr();
        if (known == nullptr || PyDict_SetItem(m_numbers.ptr(), item.ptr(), known) != 0)
          throw nb::python_error();
      }
      symbols.push_back(known == nullptr ? unknown_symbol
                                         : static_cast<Symbol>(PyLong_AsUnsignedLong(known)));
    }
    return symbols;
  }

  /// \param by_items for a first sequence of another kind than that of the second
  const PreparedQuery& prepared(bool by_items) {
    std::unique_ptr<PreparedQuery>& kept = by_items ? m_by_items : m_by_symbols;
    if (kept == nullptr) {
      std::vector<Symbol> symbols;
      if (by_items) {
        symbols = numbers_of(m_query, true);
      } else {
        append_sequence(m_query, "b", m_no_items, symbols);
      }
      m_length = symbols.size();
      std::unique_ptr<PreparedQuery> made = unlocked(
          [&] { return std::make_unique<PreparedQuery>(Measure::difflib, symbols, m_autojunk); });
      if (kept == nullptr) kept = std::move(made);
    }
    return *kept;
  }

  template <class Call>
  auto called(nb::handle pattern, const Call& call) {
    const bool same_kind = m_kind != Kind::items && kind_of(pattern) == m_kind;
    const PreparedQuery& query = prepared(!same_kind);
    std::vector<Symbol> symbols;
    if (same_kind) {
      append_sequence(pattern, "a", m_no_items, symbols);
    } else {
      symbols = numbers_of(pattern, false);
    }
    // Short pairs take less time than giving the GIL away.
    if (symbols.size() * m_length < 4096) return call(query, symbols);
    return unlocked([&] { return call(query, symbols); });
  }

 public:
  Query(nb::handle query, nb::handle autojunk)
      : m_kind(kind_of(query)),
        m_autojunk(flag_of(autojunk, "autojunk")),
        m_query(nb::borrow(query)) {
    if (m_kind != Kind::items) return;
    prepared(true);
    if (!m_autojunk || m_length < autojunk_length) return;
    // difflib compares frequent items by ==, which a NaN fails where a key of a dict does not.
    for (const auto& [item, number] : m_numbers) {
      const nb::object equal = nb::steal(PyObject_RichCompare(item.ptr(), item.ptr(), Py_EQ));
      const int is_equal = equal.is_valid() ? PyObject_IsTrue(equal.ptr()) : -1;
      if (is_equal < 0) throw nb::python_error();
      if (is_equal == 0) m_is_exact = false;
    }
  }

  bool is_exact() const noexcept { return m_is_exact; }
  double similarity(nb::handle pattern, nb::handle score_cutoff) {
    const double cutoff = number_of(score_cutoff, "score_cutoff");
    return called(pattern, [&](const PreparedQuery& query, const std::vector<Symbol>& symbols) {
      return query.similarity(symbols, cutoff);
    });
  }
  nb::object blocks(nb::handle pattern) {
    return array_of_blocks(
        called(pattern, [](const PreparedQuery& query, const std::vector<Symbol>& symbols) {
          return query.blocks(symbols);
        }));
  }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(m_query.ptr());
    Py_VISIT(m_numbers.ptr());
    return m_no_items.traverse(visit, arg);
  }
  void clear() {
    m_query.reset();
    m_numbers = nb::dict();
    m_no_items.clear();
  }

 private:
  Kind m_kind;
  bool m_autojunk;
  bool m_is_exact = true;
  std::size_t m_length = 0;
  nb::object m_query;
  nb::dict m_numbers;
  Alphabet m_no_items;
  std::unique_ptr<PreparedQuery> m_by_symbols;
  std::unique_ptr<PreparedQuery> m_by_items;
};

}  // namespace

}  // namespace Difflib

void register_difflib(Module& module) {
  using Difflib::Query;
  Class<Query>(module, "DifflibQuery")
      .def(nb::init<nb::handle, nb::handle>(), nb::arg("query").none(), nb::arg("autojunk").none())
      .def("is_exact", &Query::is_exact)
      .def("similarity", &Query::similarity, nb::arg("pattern").none(),
           nb::arg("score_cutoff").none())
      .def("blocks", &Query::blocks, nb::arg("pattern").none());
}

}  // namespace Kindred::Python
