// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_PREPARED_QUERY_BODIES_HPP
#define KINDRED_PYTHON_PREPARED_QUERY_BODIES_HPP

#include <kindred/core/arch/simd/Prefetch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

// What is special of PreparedQuery.
namespace Kindred::Python::Queries {

namespace {

/// A query with the numbers of its items. A call holds the GIL while it reads the pattern.
class Query {
 public:
  Query(nb::handle query, nb::handle measure, nb::handle autojunk)
      : m_measure(value_of(measure, "measure", measure_names)) {
    std::vector<Symbol> symbols;
    append_sequence(query, "query", m_alphabet, symbols);
    m_length = symbols.size();
    const bool junk = flag_of(autojunk, "autojunk");
    m_prepared =
        unlocked([&] { return std::make_unique<PreparedQuery>(m_measure, symbols, junk); });
  }

  Measure measure() const noexcept { return m_measure; }
  std::size_t length() const noexcept { return m_length; }
  Alphabet& alphabet() noexcept { return m_alphabet; }
  const PreparedQuery& prepared() const noexcept { return *m_prepared; }

  /// `call(prepared, symbols)` with the symbols of \p pattern.
  template <class Call>
  auto compared(nb::handle pattern, const Call& call) {
    std::vector<Symbol> symbols;
    append_sequence(pattern, "pattern", m_alphabet, symbols);
    // Short pairs take less time than giving the GIL away.
    if (symbols.size() * m_length < 4096) return call(*m_prepared, symbols);
    return unlocked([&] { return call(*m_prepared, symbols); });
  }

  int traverse(visitproc visit, void* arg) const { return m_alphabet.traverse(visit, arg); }
  void clear() { m_alphabet.clear(); }

 private:
  Measure m_measure;
  Alphabet m_alphabet;
  std::size_t m_length = 0;
  std::unique_ptr<PreparedQuery> m_prepared;
};
using Handle = Query;

Query create(nb::handle query, nb::handle measure, nb::handle autojunk) {
  return Query(query, measure, autojunk);
}

double similarity(Query& self, nb::handle pattern, nb::handle score_cutoff) {
  const double cutoff = number_of(score_cutoff, "score_cutoff");
  return self.compared(pattern,
                       [&](const PreparedQuery& query, const std::vector<Symbol>& symbols) {
                         return query.similarity(symbols, cutoff);
                       });
}

std::uint32_t matched(Query& self, nb::handle pattern) {
  return self.compared(pattern, [](const PreparedQuery& query, const std::vector<Symbol>& symbols) {
    return query.matched(symbols);
  });
}

double distance(Query& self, nb::handle pattern) {
  return self.compared(
      pattern, [&](const PreparedQuery& query, const std::vector<Symbol>& symbols) {
        if (!counts_edits(self.measure())) return 1 - query.similarity(symbols);
        return static_cast<double>(Kindred::distance(self.measure(), query.matched(symbols),
                                                     symbols.size(), self.length()));
      });
}

nb::object blocks(Query& self, nb::handle pattern) {
  return array_of_blocks(
      self.compared(pattern, [](const PreparedQuery& query, const std::vector<Symbol>& symbols) {
        return query.blocks(symbols);
      }));
}

std::size_t length(const Query& self) { return self.length(); }
std::string measure(const Query& self) { return std::string(to_string(self.measure())); }

/// None, NaN, or the NA of pandas: a value that a table lacks.
bool is_missing(nb::handle item) {
  if (is_text(item)) return false;
  if (item.is_none()) return true;
  if (PyFloat_Check(item.ptr()) != 0) return std::isnan(PyFloat_AsDouble(item.ptr()));
  return type_text(item).ends_with("NAType");
}

/// \brief The items of a list or a tuple, by references that are valid until the GIL is released.
class Items {
 public:
  explicit Items(nb::handle given) : m_items(given.ptr()), m_is_list(PyList_Check(m_items) != 0) {
    if (!m_is_list && PyTuple_Check(m_items) == 0)
      refuse_type("choices is of type " + type_text(given) + "; it must be a list or a tuple");
  }
  /// The caller may change a list meanwhile.
  std::size_t size() const {
    return static_cast<std::size_t>(m_is_list ? PyList_Size(m_items) : PyTuple_Size(m_items));
  }
  nb::handle operator[](std::size_t i) const {
    const auto at = static_cast<Py_ssize_t>(i);
    return m_is_list ? PyList_GetItem(m_items, at) : PyTuple_GetItem(m_items, at);
  }

 private:
  PyObject* m_items;
  bool m_is_list;
};

/// \brief The best choices, \see Ranking: texts are compared where they lie, in groups, each under
/// the GIL.
class BestOfList {
 public:
  BestOfList(const PreparedQuery& query, Alphabet& alphabet, std::size_t query_length,
             Ranking& ranking)
      : m_query(query),
        m_alphabet(alphabet),
        m_words(query_length / 64 + 1),
        m_query_length(query_length),
        m_ranking(ranking) {}

  void compare(const Items& items) {
    constexpr std::size_t ahead = 16;
    std::size_t size = items.size();
    for (std::size_t i = 0; i < size; ++i) {
      if (i + ahead < size) Arch::prefetch(items[i + ahead].ptr());
      const nb::handle item = items[i];
      const std::optional<TextSpan> text = borrowed_text(item);
      if (text && text->size * m_words <= group_work) {
        add(*text, i, item);
        if (m_count < group_max && m_work <= group_work && m_done <= quantum) continue;
        finish_group();
      } else {
        // Reading an item may run code of Python, which may change the list.
        const nb::object held = nb::borrow(item);
        finish_group();
        compare_other(held, i);
      }
      if (m_done > quantum) {
        m_done = 0;
        { const Unlocked others_run; }
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      }
      size = items.size();
    }
    finish_group();
  }

 private:
  static constexpr std::size_t group_max = 1024;
  /// Symbols times words of the query that are compared between releases of the GIL.
  static constexpr std::size_t group_work = std::size_t{1} << 20U;
  static constexpr std::size_t quantum = std::size_t{1} << 21U;

  void add(const TextSpan& text, std::size_t index, nb::handle item) {
    m_done += 16 + text.size * m_words;
    // The lengths bound the score.
    if (m_ranking.rule().counts &&
        m_ranking.needed(text.size) > std::min<std::size_t>(text.size, m_query_length))
      return;
    m_texts[m_count] = text;
    m_indices[m_count] = index;
    m_items[m_count++] = item;
    m_work += text.size * m_words;
  }

  void finish_group() {
    const std::span<const TextSpan> texts = std::span(m_texts).first(m_count);
    const ScoreRule& rule = m_ranking.rule();
    if (rule.counts) {
      m_query.matched(texts, std::span(m_counts).first(m_count));
      for (std::size_t i = 0; i < m_count; ++i) {
        if (m_counts[i] >= m_ranking.needed(texts[i].size))
          keep(i, rule.of_count(m_counts[i], m_query_length, texts[i].size));
      }
    } else {
      m_query.similarities(texts, std::span(m_values).first(m_count));
      for (std::size_t i = 0; i < m_count; ++i) {
        const double score = rule.of_similarity(m_values[i]);
        if (m_ranking.enters(score)) keep(i, score);
      }
    }
    m_count = 0;
    m_work = 0;
    m_displaced.clear();
  }
  void keep(std::size_t i, double score) {
    m_displaced.push_back(
        m_ranking.add(score, m_indices[i], m_texts[i].size, nb::borrow(m_items[i])));
  }

  void compare_other(const nb::object& item, std::size_t index) {
    m_done += 1024;
    if (is_missing(item)) return;
    m_symbols.clear();
    append_sequence(item, "choices", m_alphabet, m_symbols);
    const ScoreRule& rule = m_ranking.rule();
    const auto compared = [&] {
      return rule.counts
                 ? rule.of_count(m_query.matched(m_symbols), m_query_length, m_symbols.size())
                 : rule.of_similarity(m_query.similarity(m_symbols));
    };
    // Short pairs take less time than giving the GIL away.
    const double score =
        m_symbols.size() * m_words < group_work / 64 ? compared() : unlocked(compared);
    if (m_ranking.enters(score)) m_ranking.add(score, index, m_symbols.size(), item);
  }

  const PreparedQuery& m_query;
  Alphabet& m_alphabet;
  std::size_t m_words;
  std::size_t m_query_length;
  Ranking& m_ranking;
  std::size_t m_count = 0;  ///< texts of the group
  std::size_t m_work = 0;   ///< of the group
  std::size_t m_done = 0;   ///< since the GIL was released
  std::array<TextSpan, group_max> m_texts;
  std::array<std::size_t, group_max> m_indices;
  std::array<nb::handle, group_max> m_items;
  /// Kept until the group is compared, since their end may change the list.
  std::vector<nb::object> m_displaced;
  std::array<std::uint32_t, group_max> m_counts;
  std::array<double, group_max> m_values;
  std::vector<Symbol> m_symbols;
};

/// \see Ranking::results; \p choices of those that are \p compared, or None
nb::object best(Query& self, nb::handle compared, nb::handle choices, nb::handle keys,
                nb::handle rule, nb::handle score_cutoff, nb::handle limit) {
  Ranking ranking(ScoreRule::of(rule), self.length(), score_cutoff, limit);
  BestOfList(self.prepared(), self.alphabet(), self.length(), ranking).compare(Items(compared));
  return ranking.results(choices, keys);
}

}  // namespace

}  // namespace Kindred::Python::Queries

#endif  // KINDRED_PYTHON_PREPARED_QUERY_BODIES_HPP
