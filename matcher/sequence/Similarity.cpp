// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Similarity.hpp>

#include <kindred/core/common/Error.hpp>
#include <kindred/core/sequence/LcsAligner.hpp>
#include <kindred/core/sequence/MatchingBlocks.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/matcher/CodePoints.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "MeasureOperations.hpp"
#include "PairCount.hpp"
#include "QueryMasks.hpp"
#include "TextMasks.hpp"
#include "WordForms.hpp"
#include "WordTexts.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace {

void check_length(std::span<const Symbol> sequence, const char* what) {
  KINDRED_THROW_IF(sequence.size() >= std::size_t{1} << 31U, std::string(what) + " has " +
                                                                 std::to_string(sequence.size()) +
                                                                 " symbols; the limit is 2^31 - 1");
}

/// The code points of \p text. \throws InvalidArgument for invalid UTF-8, which calls it \p what
std::vector<Symbol> points_of(std::string_view text, const char* what) {
  std::vector<Symbol> points;
  try {
    append_code_points(text, points);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string(what) + ": " + error.what());
  }
  return points;
}

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

/// `Impl::count_matched` for a query that is used once.
std::uint32_t matched_once(Measure measure, std::span<const Symbol> pattern,
                           std::span<const Symbol> query, bool autojunk, std::uint64_t least) {
  return Impl::count_matched(
      measure, pattern, query, least, [&] { return Impl::QueryMasks(query); },
      [&] { return BlockFinder(query, autojunk); });
}

void check_cutoff(double cutoff) {
  KINDRED_THROW_IF(!(cutoff >= 0.0 && cutoff <= 1.0),
                   "score_cutoff is " + std::to_string(cutoff) + "; it must be in [0, 1]");
}

/// The similarity of a pair. \p count(least) as `Impl::count_matched`
template <class Count>
double cut_similarity(Measure measure, std::uint64_t pattern, std::uint64_t query, double cutoff,
                      const Count& count) {
  check_cutoff(cutoff);
  if (pattern + query == 0) return measure == Measure::lcs ? 0.0 : 1.0;
  const auto matched = Impl::count_from(measure, pattern, query, cutoff, count);
  return matched ? similarity(Impl::info_of(measure).scale(), *matched, pattern, query) : 0.0;
}

bool is_scored(Measure measure) {
  return Impl::info_of(measure).comparison == Impl::Comparison::score;
}

/// A query of a measure whose similarities do not follow from a count.
class ScoredQuery {
 public:
  ScoredQuery(Measure measure, std::span<const Symbol> query)
      : m_measure(measure), m_forms(measure), m_form(form_of(query)), m_masks(m_form[0]) {}

  Impl::PairResult compare(std::span<const Symbol> pattern) const {
    if (m_measure == Measure::jaro_winkler)
      return m_masks.score(PairScore::jaro_winkler, pattern, Impl::word_separator);
    Ragged<Symbol> form;
    m_forms.append(pattern, "pattern", 0, form);
    if (m_measure == Measure::token_set)
      return m_masks.score(PairScore::token_set, form[0], Impl::word_separator);
    const std::uint32_t matched = m_masks.lcs(form[0]);
    const bool blank = Impl::WordForms::is_blank(form[0]);
    return {
        Kindred::similarity(SimilarityScale::percent, matched, form[0].size(), m_form[0].size()),
        blank ? 0 : matched};
  }
  double similarity(std::span<const Symbol> pattern, double cutoff) const {
    check_cutoff(cutoff);
    const double value = compare(pattern).similarity;
    return value < cutoff ? 0.0 : value;
  }

 private:
  Ragged<Symbol> form_of(std::span<const Symbol> query) {
    Ragged<Symbol> form;
    if (compares_words(m_measure)) {
      m_forms.add(query, "query", 0, form);
    } else {
      form.push_row(query);
    }
    return form;
  }

  Measure m_measure;
  Impl::WordForms m_forms;
  Ragged<Symbol> m_form;
  Impl::QueryMasks m_masks;
};

}  // namespace

struct KINDRED_HIDDEN PreparedQuery::State {
  std::uint32_t matched(std::span<const Symbol> pattern, std::uint64_t least = 0) const {
    if (scored) return scored->compare(pattern).matched;
    return Impl::count_matched(
        measure, pattern, symbols, least, [&]() -> const Impl::QueryMasks& { return masks; },
        [&]() -> const BlockFinder& { return finder; });
  }

  /// Built by the first caller, since only blocks under `lcs` need it.
  const LcsAligner& aligner() const {
    std::call_once(aligner_built, [this] { built_aligner.emplace(symbols); });
    return *built_aligner;
  }

  /// Built by the first caller, since only arrays of texts need it.
  const Impl::TextMasks& text_masks() const {
    std::call_once(text_masks_built, [this] { built_text_masks.emplace(symbols); });
    return *built_text_masks;
  }
  const Impl::WordTexts& word_texts() const {
    std::call_once(word_texts_built, [this] { built_word_texts.emplace(measure, symbols); });
    return *built_word_texts;
  }
  /// Whether `TextMasks` compares texts.
  bool has_text_masks() const {
    const Impl::Comparison comparison = Impl::info_of(measure).comparison;
    return symbols.size() <= Impl::TextMasks::query_max &&
           (comparison == Impl::Comparison::lcs || comparison == Impl::Comparison::edits ||
            measure == Measure::jaro_winkler);
  }
  /// Calls `function(i, symbols)` for every text.
  template <class Function>
  static void for_each_text(std::span<const TextSpan> texts, const Function& function) {
    std::vector<Symbol> pattern;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i].visit([&](const auto* begin) { pattern.assign(begin, begin + texts[i].size); });
      function(i, std::span<const Symbol>(pattern));
    }
  }
  /// Calls `function(i, result)` for every text of a measure that does not count.
  template <class Function>
  void score_texts(std::span<const TextSpan> texts, const Function& function) const {
    if (!has_text_masks() && !compares_words(measure)) {
      for_each_text(texts, [&](std::size_t i, std::span<const Symbol> pattern) {
        function(i, scored->compare(pattern));
      });
      return;
    }
    std::array<Impl::PairResult, 1024> results;
    std::vector<std::size_t> others;
    for (std::size_t begin = 0; begin < texts.size(); begin += results.size()) {
      const auto some = texts.subspan(begin, std::min(results.size(), texts.size() - begin));
      if (compares_words(measure)) {
        word_texts().compare(some, results.data(), others);
        for (const std::size_t other : others) {
          for_each_text(some.subspan(other, 1), [&](std::size_t, std::span<const Symbol> pattern) {
            results[other] = scored->compare(pattern);
          });
        }
      } else {
        text_masks().jaro_winkler(some, results.data());
      }
      for (std::size_t i = 0; i < some.size(); ++i) function(begin + i, results[i]);
    }
  }
  void match_texts(std::span<const TextSpan> texts, std::span<std::uint32_t> counts) const {
    if (scored) {
      score_texts(texts, [&](std::size_t i, const Impl::PairResult& result) {
        counts[i] = result.matched;
      });
    } else if (Impl::info_of(measure).comparison == Impl::Comparison::ends) {
      for (std::size_t i = 0; i < texts.size(); ++i)
        counts[i] = texts[i].visit([&](const auto* text) {
          return Impl::common_end(measure, std::span(text, texts[i].size),
                                  std::span<const Symbol>(symbols));
        });
    } else if (!has_text_masks()) {
      for_each_text(texts, [&](std::size_t i, std::span<const Symbol> pattern) {
        counts[i] = matched(pattern);
      });
    } else if (measure == Measure::lcs) {
      text_masks().lcs(texts, counts.data());
    } else {
      text_masks().edit_matched(measure == Measure::osa ? EditKind::osa : EditKind::levenshtein,
                                texts, counts.data());
    }
  }

  Measure measure;
  std::vector<Symbol> symbols;
  Impl::QueryMasks masks;
  BlockFinder finder;                 ///< under `difflib`
  std::optional<ScoredQuery> scored;  ///< under measures that do not count
  mutable std::once_flag aligner_built = {};
  mutable std::optional<LcsAligner> built_aligner = {};
  mutable std::once_flag text_masks_built = {};
  mutable std::optional<Impl::TextMasks> built_text_masks = {};
  mutable std::once_flag word_texts_built = {};
  mutable std::optional<Impl::WordTexts> built_word_texts = {};
};

PreparedQuery::PreparedQuery(Measure measure, std::span<const Symbol> query, bool autojunk) try {
  Impl::check_autojunk(measure, autojunk);
  check_length(query, "the query");
  const bool is_difflib = measure == Measure::difflib;
  const Impl::Comparison comparison = Impl::info_of(measure).comparison;
  const bool has_masks =
      comparison != Impl::Comparison::ends && comparison != Impl::Comparison::score;
  m_state = std::unique_ptr<const State>(
      new State{measure,
                {query.begin(), query.end()},
                Impl::QueryMasks(has_masks ? query : std::span<const Symbol>()),
                BlockFinder(is_difflib ? query : std::span<const Symbol>(), autojunk),
                is_scored(measure) ? std::optional<ScoredQuery>(std::in_place, measure, query)
                                   : std::nullopt});
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery");
}
PreparedQuery::PreparedQuery(Measure measure, std::string_view query, bool autojunk) try
    : PreparedQuery(measure, points_of(query, "the query"), autojunk) {
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery");
}
double PreparedQuery::similarity(std::span<const Symbol> pattern, double score_cutoff) const try {
  check_length(pattern, "the pattern");
  if (m_state->scored) return m_state->scored->similarity(pattern, score_cutoff);
  return cut_similarity(m_state->measure, pattern.size(), m_state->symbols.size(), score_cutoff,
                        [&](std::uint64_t least) { return m_state->matched(pattern, least); });
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::similarity");
}

double PreparedQuery::similarity(std::string_view pattern, double score_cutoff) const try {
  return similarity(points_of(pattern, "the pattern"), score_cutoff);
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::similarity");
}

std::uint32_t PreparedQuery::matched(std::span<const Symbol> pattern) const try {
  check_length(pattern, "the pattern");
  return m_state->matched(pattern);
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::matched");
}

std::uint32_t PreparedQuery::matched(std::string_view pattern) const try {
  return matched(points_of(pattern, "the pattern"));
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::matched");
}

void PreparedQuery::matched(std::span<const TextSpan> texts, std::span<std::uint32_t> counts) const
    try {
  check_texts(m_state->measure, texts, counts.size());
  m_state->match_texts(texts, counts);
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::matched");
}

void PreparedQuery::similarities(std::span<const TextSpan> texts, std::span<double> values) const
    try {
  check_texts(m_state->measure, texts, values.size());
  if (m_state->scored) {
    m_state->score_texts(texts, [&](std::size_t i, const Impl::PairResult& result) {
      values[i] = result.similarity;
    });
    return;
  }
  std::array<std::uint32_t, 1024> counts;
  for (std::size_t begin = 0; begin < texts.size(); begin += counts.size()) {
    const auto some = texts.subspan(begin, std::min(counts.size(), texts.size() - begin));
    m_state->match_texts(some, std::span(counts).first(some.size()));
    for (std::size_t i = 0; i < some.size(); ++i) {
      values[begin + i] = cut_similarity(m_state->measure, some[i].size, m_state->symbols.size(),
                                         0.0, [&](std::uint64_t) { return counts[i]; });
    }
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::similarities");
}

std::vector<Block> PreparedQuery::blocks(std::span<const Symbol> pattern) const try {
  check_length(pattern, "the pattern");
  Impl::check_blocks(m_state->measure);
  return m_state->measure == Measure::lcs ? m_state->aligner().blocks(pattern)
                                          : m_state->finder.blocks(pattern);
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::blocks");
}

std::vector<Block> PreparedQuery::blocks(std::string_view pattern) const try {
  return blocks(points_of(pattern, "the pattern"));
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedQuery::blocks");
}

double similarity(Measure measure, std::span<const Symbol> pattern, std::span<const Symbol> query,
                  double score_cutoff, bool autojunk) try {
  Impl::check_autojunk(measure, autojunk);
  check_length(pattern, "the pattern");
  check_length(query, "the query");
  if (is_scored(measure)) return ScoredQuery(measure, query).similarity(pattern, score_cutoff);
  return cut_similarity(
      measure, pattern.size(), query.size(), score_cutoff,
      [&](std::uint64_t least) { return matched_once(measure, pattern, query, autojunk, least); });
} catch (...) {
  Impl::rethrow_translated("Kindred::similarity");
}

std::uint32_t matched(Measure measure, std::span<const Symbol> pattern,
                      std::span<const Symbol> query, bool autojunk) try {
  Impl::check_autojunk(measure, autojunk);
  check_length(pattern, "the pattern");
  check_length(query, "the query");
  if (is_scored(measure)) return ScoredQuery(measure, query).compare(pattern).matched;
  return matched_once(measure, pattern, query, autojunk, 0);
} catch (...) {
  Impl::rethrow_translated("Kindred::matched");
}

std::vector<Block> blocks(Measure measure, std::span<const Symbol> pattern,
                          std::span<const Symbol> query, bool autojunk) try {
  Impl::check_autojunk(measure, autojunk);
  check_length(pattern, "the pattern");
  check_length(query, "the query");
  Impl::check_blocks(measure);
  return measure == Measure::lcs ? lcs_blocks(pattern, query)
                                 : matching_blocks(pattern, query, autojunk);
} catch (...) {
  Impl::rethrow_translated("Kindred::blocks");
}

double similarity(Measure measure, std::string_view pattern, std::string_view query,
                  double score_cutoff, bool autojunk) try {
  return similarity(measure, points_of(pattern, "the pattern"), points_of(query, "the query"),
                    score_cutoff, autojunk);
} catch (...) {
  Impl::rethrow_translated("Kindred::similarity");
}

std::uint32_t matched(Measure measure, std::string_view pattern, std::string_view query,
                      bool autojunk) try {
  return matched(measure, points_of(pattern, "the pattern"), points_of(query, "the query"),
                 autojunk);
} catch (...) {
  Impl::rethrow_translated("Kindred::matched");
}

std::vector<Block> blocks(Measure measure, std::string_view pattern, std::string_view query,
                          bool autojunk) try {
  return blocks(measure, points_of(pattern, "the pattern"), points_of(query, "the query"),
                autojunk);
} catch (...) {
  Impl::rethrow_translated("Kindred::blocks");
}

}  // namespace Kindred
