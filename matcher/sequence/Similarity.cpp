// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Similarity.hpp>

#include <kindred/core/common/Error.hpp>
#include <kindred/core/sequence/LcsAligner.hpp>
#include <kindred/core/sequence/MatchingBlocks.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "MeasureOperations.hpp"
#include "PairQuery.hpp"
#include "TextMasks.hpp"
#include "WordForms.hpp"
#include "WordTexts.hpp"
#include "kit/MadeOnce.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace {

/// The symbols of an argument; those of a text are made.
class Symbols {
 public:
  /// \param what the argument, for messages \throws InvalidArgument
  Symbols(const Sequence& given, const char* what) : m_symbols(given.symbols(what, m_points)) {
    KINDRED_THROW_IF(m_symbols.size() >= std::size_t{1} << 31U,
                     std::string(what) + " has " + std::to_string(m_symbols.size()) +
                         " symbols; the limit is 2^31 - 1");
  }
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;
  std::span<const Symbol> operator*() const noexcept { return m_symbols; }
  std::size_t size() const noexcept { return m_symbols.size(); }

 private:
  std::vector<Symbol> m_points;
  std::span<const Symbol> m_symbols;
};

/// \throws InvalidArgument
void check_texts(Measure measure, std::span<const TextSpan> texts, std::size_t results) {
  KINDRED_THROW_IF(results != texts.size(), std::to_string(texts.size()) + " texts and " +
                                                std::to_string(results) +
                                                " results; there must be one per text");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const TextSpan& text = texts[i];
    const auto which = [&] { return "text " + std::to_string(i); };
    KINDRED_THROW_IF(
        text.size >= std::uint32_t{1} << 31U,
        which() + " has " + std::to_string(text.size) + " symbols; the limit is 2^31 - 1");
    KINDRED_THROW_IF(text.symbol_bytes != 1 && text.symbol_bytes != 2 && text.symbol_bytes != 4,
                     which() + " has symbols of " + std::to_string(text.symbol_bytes) +
                         " bytes; the sizes are 1, 2 and 4");
    KINDRED_THROW_IF(text.data == nullptr && text.size > 0, which() + " is a null pointer");
    if (text.symbol_bytes != 4 || !compares_words(measure)) continue;
    const std::span symbols(static_cast<const Symbol*>(text.data), text.size);
    const auto bad =
        std::find_if_not(symbols.begin(), symbols.end(), Impl::WordForms::is_code_point);
    KINDRED_THROW_IF(bad != symbols.end(), which() + " has the symbol " + std::to_string(*bad) +
                                               ", which is no code point; " +
                                               std::string(to_string(measure)) +
                                               " compares the words of texts");
  }
}

void check_cutoff(double cutoff) {
  KINDRED_THROW_IF(!(cutoff >= 0.0 && cutoff <= 1.0),
                   "score_cutoff is " + std::to_string(cutoff) + "; it must be in [0, 1]");
}

bool is_scored(Measure measure) {
  return Impl::info_of(measure).comparison == Impl::Comparison::score;
}

/// A query that is compared with patterns in the form of its measure.
class Query {
 public:
  /// \see Impl::PairQuery
  Query(Measure measure, std::span<const Symbol> query, bool autojunk, bool is_cut = true)
      : m_measure(measure),
        m_form(form_of(query)),
        m_pair(measure == Measure::token_sort ? Measure::lcs : measure, m_forms ? m_form : query,
               autojunk, is_cut) {}

  const BlockFinder& finder() const noexcept { return m_pair.finder(); }

  std::optional<Impl::PairResult> compare(std::span<const Symbol> pattern, double cutoff) const {
    return m_forms ? compare_words(pattern, cutoff) : m_pair.compare(pattern, cutoff);
  }
  double similarity(std::span<const Symbol> pattern, double cutoff) const {
    const auto found = compare(pattern, cutoff);
    return found ? found->similarity : 0.0;
  }
  std::uint32_t matched(std::span<const Symbol> pattern) const {
    return m_forms ? compare(pattern, 0.0)->matched : m_pair.matched(pattern);
  }

 private:
  std::optional<Impl::PairResult> compare_words(std::span<const Symbol> pattern,
                                                double cutoff) const {
    Ragged<Symbol> form;
    m_forms->append(pattern, "pattern", 0, form);
    if (m_measure == Measure::token_set) return m_pair.compare(form[0], cutoff);
    const std::uint32_t matched = m_pair.matched(form[0]);
    const double value =
        Kindred::similarity(SimilarityScale::percent, matched, form[0].size(), m_form.size());
    if (value < cutoff) return {};
    return Impl::PairResult{value, form.values[0] == Impl::WordForms::blank ? 0 : matched};
  }
  std::vector<Symbol> form_of(std::span<const Symbol> query) {
    if (!compares_words(m_measure)) return {};
    Ragged<Symbol> form;
    m_forms.emplace(m_measure).add(query, "query", 0, form);
    return std::move(form.values);
  }

  Measure m_measure;
  std::optional<Impl::WordForms> m_forms;  ///< of a measure of words
  std::vector<Symbol> m_form;              ///< of the query
  Impl::PairQuery m_pair;
};

}  // namespace

struct KINDRED_HIDDEN PreparedQuery::State {
  State(Measure by, std::span<const Symbol> given, bool autojunk)
      : measure(by), symbols(given.begin(), given.end()), query(by, symbols, autojunk) {}

  const Impl::TextMasks& text_masks() const {
    return made_text_masks.get([this] { return Impl::TextMasks(symbols); });
  }
  /// Whether `TextMasks` compares texts.
  bool has_text_masks() const {
    const Impl::Comparison comparison = Impl::info_of(measure).comparison;
    return symbols.size() <= Impl::TextMasks::query_max &&
           (comparison == Impl::Comparison::lcs || comparison == Impl::Comparison::edits ||
            measure == Measure::jaro_winkler);
  }
  static std::vector<Symbol> symbols_of(const TextSpan& text) {
    return text.visit(
        [&](const auto* begin) { return std::vector<Symbol>(begin, begin + text.size); });
  }
  /// \brief Calls `function(i, matched, similarity)` for every text; `similarity()` returns it.
  template <class Function>
  void for_each_result(std::span<const TextSpan> texts, const Function& function) const {
    constexpr std::size_t together = 1024;
    std::array<std::uint32_t, together> counts;
    std::array<Impl::PairResult, together> results;
    std::vector<std::size_t> others;
    for (std::size_t begin = 0; begin < texts.size(); begin += together) {
      const auto some = texts.subspan(begin, std::min(together, texts.size() - begin));
      if (is_scored(measure)) {
        score(some, results.data(), others);
        for (std::size_t i = 0; i < some.size(); ++i)
          function(begin + i, results[i].matched, [&] { return results[i].similarity; });
      } else {
        count(some, counts.data());
        for (std::size_t i = 0; i < some.size(); ++i) {
          function(begin + i, counts[i], [&] {
            return Impl::similarity_of(measure, counts[i], some[i].size, symbols.size());
          });
        }
      }
    }
  }
  void score(std::span<const TextSpan> texts, Impl::PairResult* results,
             std::vector<std::size_t>& others) const {
    const auto compare = [&](std::size_t i) {
      results[i] = *query.compare(symbols_of(texts[i]), 0.0);
    };
    if (compares_words(measure)) {
      made_word_texts.get([this] { return Impl::WordTexts(measure, symbols); })
          .compare(texts, results, others);
      for (const std::size_t i : others) compare(i);
    } else if (has_text_masks()) {
      text_masks().jaro_winkler(texts, results);
    } else {
      for (std::size_t i = 0; i < texts.size(); ++i) compare(i);
    }
  }
  void count(std::span<const TextSpan> texts, std::uint32_t* counts) const {
    if (Impl::info_of(measure).comparison == Impl::Comparison::ends) {
      for (std::size_t i = 0; i < texts.size(); ++i)
        counts[i] = texts[i].visit([&](const auto* text) {
          return Impl::common_end(measure, std::span(text, texts[i].size),
                                  std::span<const Symbol>(symbols));
        });
    } else if (!has_text_masks()) {
      for (std::size_t i = 0; i < texts.size(); ++i)
        counts[i] = query.matched(symbols_of(texts[i]));
    } else if (measure == Measure::lcs) {
      text_masks().lcs(texts, counts);
    } else {
      text_masks().edit_matched(Impl::edit_kind(measure), texts, counts);
    }
  }

  Measure measure;
  std::vector<Symbol> symbols;
  Query query;
  mutable Impl::MadeOnce<LcsAligner> made_aligner = {};  ///< for blocks under `lcs`
  // For arrays of texts.
  mutable Impl::MadeOnce<Impl::TextMasks> made_text_masks = {};
  mutable Impl::MadeOnce<Impl::WordTexts> made_word_texts = {};
};

PreparedQuery::PreparedQuery(Measure measure, const Sequence& query, bool autojunk) try {
  Impl::check_autojunk(measure, autojunk);
  m_state =
      std::unique_ptr<const State>(new State(measure, *Symbols(query, "the query"), autojunk));
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery");
}

double PreparedQuery::similarity(const Sequence& pattern, double score_cutoff) const try {
  const Symbols symbols(pattern, "the pattern");
  check_cutoff(score_cutoff);
  return m_state->query.similarity(*symbols, score_cutoff);
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::similarity");
}

std::uint32_t PreparedQuery::matched(const Sequence& pattern) const try {
  return m_state->query.matched(*Symbols(pattern, "the pattern"));
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::matched");
}

void PreparedQuery::matched(std::span<const TextSpan> texts, std::span<std::uint32_t> counts) const
    try {
  check_texts(m_state->measure, texts, counts.size());
  m_state->for_each_result(
      texts, [&](std::size_t i, std::uint32_t matched, const auto&) { counts[i] = matched; });
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::matched");
}

void PreparedQuery::similarities(std::span<const TextSpan> texts, std::span<double> values) const
    try {
  check_texts(m_state->measure, texts, values.size());
  m_state->for_each_result(texts, [&](std::size_t i, std::uint32_t, const auto& similarity) {
    values[i] = similarity();
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::similarities");
}

std::vector<Block> PreparedQuery::blocks(const Sequence& pattern) const try {
  const Symbols symbols(pattern, "the pattern");
  Impl::check_blocks(m_state->measure);
  if (m_state->measure == Measure::difflib) return m_state->query.finder().blocks(*symbols);
  return m_state->made_aligner.get([this] { return LcsAligner(m_state->symbols); })
      .blocks(*symbols);
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::blocks");
}

double similarity(Measure measure, const Sequence& pattern, const Sequence& query,
                  double score_cutoff, bool autojunk) try {
  Impl::check_autojunk(measure, autojunk);
  const Symbols a(pattern, "the pattern");
  const Symbols b(query, "the query");
  check_cutoff(score_cutoff);
  // Pairs whose lengths bound the similarity take no time.
  if (!is_scored(measure) &&
      Impl::similarity_of(measure, std::min(a.size(), b.size()), a.size(), b.size()) < score_cutoff)
    return 0.0;
  return Query(measure, *b, autojunk, score_cutoff > 0).similarity(*a, score_cutoff);
} catch (...) {
  Impl::rethrow_translated("Kindred::similarity");
}

std::uint32_t matched(Measure measure, const Sequence& pattern, const Sequence& query,
                      bool autojunk) try {
  Impl::check_autojunk(measure, autojunk);
  const Symbols a(pattern, "the pattern");
  const Symbols b(query, "the query");
  return Query(measure, *b, autojunk, false).matched(*a);
} catch (...) {
  Impl::rethrow_translated("Kindred::matched");
}

std::vector<Block> blocks(Measure measure, const Sequence& pattern, const Sequence& query,
                          bool autojunk) try {
  Impl::check_autojunk(measure, autojunk);
  const Symbols a(pattern, "the pattern");
  const Symbols b(query, "the query");
  Impl::check_blocks(measure);
  return measure == Measure::lcs ? lcs_blocks(*a, *b) : matching_blocks(*a, *b, autojunk);
} catch (...) {
  Impl::rethrow_translated("Kindred::blocks");
}

}  // namespace Kindred
