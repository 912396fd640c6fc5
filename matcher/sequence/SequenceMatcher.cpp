// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "CandidatePatterns.hpp"
#include "ClusterGroups.hpp"
#include "EqualPatterns.hpp"
#include "MeasureOperations.hpp"
#include "PatternSegment.hpp"
#include "ScanCall.hpp"
#include "WordPatterns.hpp"
#include "kit/CallerArrays.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

std::string_view to_string(Measure measure) noexcept { return Impl::info_of(measure).name; }

namespace {

/// Whether the values are numbers of edits.
bool are_edits(const PairOptions& options) {
  return options.value == PairValue::distance && counts_edits(options.measure);
}

PairRule rule_of(const PairOptions& options) {
  PairRule rule;
  rule.scale = options.measure == Measure::token_sort ? SimilarityScale::percent
                                                      : Impl::info_of(options.measure).scale();
  rule.is_distance = options.value == PairValue::distance;
  rule.counts_edits = counts_edits(options.measure);
  rule.is_percentage = options.value == PairValue::percentage;
  rule.of_empty = options.measure == Measure::lcs && !rule.is_percentage ? 0.0 : 1.0;
  rule.cutoff =
      options.cutoff.value_or(rule.is_distance ? std::numeric_limits<double>::infinity() : 0.0);
  return rule;
}

/// The matrix that \p out is, for the values of \p queries and \p patterns.
Impl::ValueTarget target_of(const Array& out, std::size_t queries, std::size_t patterns,
                            const PairOptions& options) {
  const Impl::NamedArray named{"out", out};
  const bool is_real = out.type() == DataType::float32 || out.type() == DataType::float64;
  const bool is_whole = out.type() == DataType::int32 || out.type() == DataType::uint8;
  const bool may_be_whole = are_edits(options) || options.value == PairValue::percentage;
  KINDRED_THROW_IF(!is_real && !(is_whole && may_be_whole),
                   "out is " + to_string(out) + "; " +
                       (may_be_whole ? "these values are float32, float64, int32 or uint8"
                                     : "these values are float32 or float64"));
  const auto values = checked_product({queries, patterns});
  KINDRED_THROW_IF(!values || *values > std::uint64_t{1} << 60U,
                   std::to_string(queries) + " queries and " + std::to_string(patterns) +
                       " patterns have more values than memory holds; use fewer queries");
  const auto columns = static_cast<std::int64_t>(patterns);
  if (out.rank() == 1) {
    Impl::require_array(named, out.type(), {static_cast<std::int64_t>(*values)});
    return {out.data(), out.on_device(), out.type(), patterns};
  }
  Impl::require_array(named, out.type(), {static_cast<std::int64_t>(queries), columns});
  return {out.data(), out.on_device(), out.type(), Impl::row_stride(named)};
}

}  // namespace

void check(const PairOptions& options) {
  Impl::check_autojunk(options.measure, options.autojunk);
  if (!options.cutoff) return;
  const double cutoff = *options.cutoff;
  if (are_edits(options)) {
    constexpr double edits_max = 2147483646.0;
    KINDRED_THROW_IF(!(cutoff >= 0.0 && cutoff <= edits_max && cutoff == std::floor(cutoff)),
                     "cutoff is " + std::to_string(cutoff) +
                         "; of numbers of edits it must be a whole number below 2^31 - 1");
  } else {
    const double most = options.value == PairValue::percentage ? 100.0 : 1.0;
    KINDRED_THROW_IF(!(cutoff >= 0.0 && cutoff <= most), "cutoff is " + std::to_string(cutoff) +
                                                             "; it must be in [0, " +
                                                             (most == 1.0 ? "1]" : "100]"));
  }
}

void check(const MatchOptions& options) {
  KINDRED_THROW_IF(!(options.threshold >= 0.0 && options.threshold <= 1.0),
                   "threshold is " + std::to_string(options.threshold) + "; it must be in [0, 1]");
  KINDRED_THROW_IF(options.top == 0, "top is 0; it must be at least 1");
  Impl::check_autojunk(options.measure, options.autojunk);
  if (options.blocks) Impl::check_blocks(options.measure);
}

struct KINDRED_HIDDEN SequenceMatcher::State {
  State(Context& used, RaggedSpan<Symbol> patterns, Residency where)
      : context(used), segment(used, patterns, where), residency(where) {}

  /// The patterns as the measure of \p options compares them, or null if it compares symbols.
  const Impl::WordPatterns* words(const MatchOptions& options) const {
    if (!compares_words(options.measure)) return nullptr;
    MadeOnce& words = options.measure == Measure::token_sort ? sorted_words : word_sets;
    if (const Impl::WordPatterns* const made = words.made.load()) return made;
    const auto lock = Impl::engine_lock(words_mutex);
    if (!words.owned) {
      words.owned.emplace(context, options.measure, segment.patterns(), residency);
      words.made = &*words.owned;
    }
    return &*words.owned;
  }

  Workload workload(const MatchOptions& options) const {
    Workload workload;
    workload.operation = Impl::info_of(options.measure).operation;
    workload.history = &history;
    workload.starts = 0;
    return workload;
  }

  /// Runs \p body on the space given by \p options, or chosen by the dispatcher.
  template <class Body>
  DispatchRecord run(const Impl::PatternSegment& matched, RaggedSpan<Symbol> queries,
                     const MatchOptions& options, const Body& body) const {
    Workload described = workload(options);
    described.resident = matched.resident();
    matched.add_to(described, queries, options);
    return context.run(described, options.space, body);
  }

  /// The matches of every query in \p matched, of all patterns or of those in `options.filter`.
  DispatchRecord match_in(const Impl::PatternSegment& matched, RaggedSpan<Symbol> queries,
                          const MatchOptions& options,
                          std::vector<std::vector<Match>>& answers) const {
    if (!options.filter) {
      return run(matched, queries, options,
                 [&](Space space) { answers = matched.match(space, queries, options); });
    }
    const Impl::CandidatePatterns candidates(
        matched, Impl::checked_candidates(*options.filter, matched.size(), "patterns below"));
    if (candidates.are_few(options.space)) {
      Workload described = workload(options);
      described.operation = Operations::pattern_candidates;
      described.resident = SpaceSet::host();
      candidates.add_to(described, queries, options);
      return context.run(described, options.space, [&](Space space) {
        answers = candidates.compare(context, space, queries, options);
      });
    }
    MatchOptions requested = options;
    requested.top = candidates.scanned_top(options);
    return run(matched, queries, requested,
               [&](Space space) { answers = candidates.scan(space, queries, options); });
  }

  /// The matches of every query.
  DispatchRecord match(RaggedSpan<Symbol> queries, const MatchOptions& options,
                       std::vector<std::vector<Match>>& answers) const {
    const Impl::WordPatterns* const by_words = words(options);
    if (by_words == nullptr) return match_in(segment, queries, options, answers);
    const Ragged<Symbol> forms = by_words->forms(queries);
    const DispatchRecord record =
        match_in(by_words->segment(), forms, by_words->options(options), answers);
    for (std::size_t row = 0; row < answers.size(); ++row)
      by_words->finish(forms[row], options, answers[row]);
    return record;
  }

  /// Writes the values of every query to \p target.
  DispatchRecord score_all(RaggedSpan<Symbol> queries, const PairOptions& options,
                           const Impl::ValueTarget& target) const {
    MatchOptions matching;
    matching.measure = options.measure;
    matching.threshold =
        options.value == PairValue::similarity ? options.cutoff.value_or(0.0) : 0.0;
    matching.top = std::max<std::size_t>(segment.size(), 1);
    matching.autojunk = options.autojunk;
    matching.space = target.on_device ? Space::cuda : options.space;
    const auto write = [&](const Impl::PatternSegment& in, RaggedSpan<Symbol> compared) {
      return run(in, compared, matching, [&](Space space) {
        in.write_values(space, compared, matching, rule_of(options), target);
      });
    };
    const Impl::WordPatterns* const by_words = words(matching);
    if (by_words == nullptr) return write(segment, queries);
    matching = by_words->options(matching);
    return write(by_words->segment(),
                 by_words->forms(queries, Impl::WordPatterns::EmptyText::has_no_words));
  }

  /// The matches of the patterns [first, first + count), each with the patterns before it.
  DispatchRecord match_preceding(std::size_t first, std::size_t count, const MatchOptions& options,
                                 std::vector<std::vector<Match>>& answers) const {
    const Impl::WordPatterns* const by_words = words(options);
    if (by_words == nullptr) {
      return run(segment, segment.own(first, count), options,
                 [&](Space space) { answers = segment.match_own(space, first, count, options); });
    }
    const MatchOptions requested = by_words->options(options);
    const DispatchRecord record = run(
        by_words->segment(), by_words->segment().own(first, count), requested, [&](Space space) {
          answers = by_words->segment().match_own(space, first, count, requested);
        });
    for (std::size_t row = 0; row < answers.size(); ++row) {
      if (segment.length(first + row) == 0) answers[row].clear();
      by_words->finish(by_words->segment().pattern(first + row), options, answers[row]);
    }
    return record;
  }

  /// Matches the patterns [first, first + count) as queries, each with the patterns before it.
  /// Queries that have more than \p top results are repeated, in batches limited by the size of
  /// their results.
  void match_own(std::size_t first, std::size_t count, std::size_t top, const MatchOptions& options,
                 const std::function<void(std::size_t, const MatchResults&)>& answer) const {
    constexpr std::size_t results_max = std::size_t{1} << 20U;
    MatchOptions requested = options;
    requested.top = std::min(options.top, top);
    std::vector<std::vector<Match>> answers;
    const DispatchRecord record = match_preceding(first, count, requested, answers);
    const auto most = [&](std::size_t row) { return std::min(options.top, first + row); };
    const auto is_whole = [&](std::size_t row) {
      return answers[row].size() < requested.top || requested.top >= most(row);
    };
    for (std::size_t row = 0; row < count;) {
      MatchResults results;
      results.record = record;
      const std::size_t begin = row;
      for (; row < count && is_whole(row); ++row) push(first + row, answers[row], options, results);
      if (row > begin) answer(first + begin, results);
      const std::size_t cut = row;
      while (row < count && !is_whole(row) &&
             (row == cut || (row + 1 - cut) * most(row) <= results_max)) {
        ++row;
      }
      if (row > cut) match_own(first + cut, row - cut, most(row - 1), options, answer);
    }
  }
  void push(std::size_t query, const std::vector<Match>& matches, const MatchOptions& options,
            MatchResults& results) const {
    results.matches.push_row(matches);
    if (!options.blocks) return;
    for (const Match& match : matches) {
      results.blocks.push_row(segment.own_blocks(match.index, query, options));
    }
  }

  Context& context;
  Impl::PatternSegment segment;
  Residency residency;
  mutable CallHistory history = {};
  mutable Impl::TimedMutex words_mutex;  ///< held while words are made
  /// Made by the first call that needs them.
  struct MadeOnce {
    std::atomic<const Impl::WordPatterns*> made{nullptr};
    std::optional<Impl::WordPatterns> owned = {};
  };
  mutable MadeOnce sorted_words;
  mutable MadeOnce word_sets;
};

SequenceMatcher::SequenceMatcher(Context& context, RaggedSpan<Symbol> patterns,
                                 Residency residency) try
    : m_state(std::make_unique<State>(context, patterns, residency)) {
  context.dispatcher().register_operations(Impl::measure_operations);
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher");
}
SequenceMatcher::SequenceMatcher(Context& context, std::span<const std::string_view> patterns,
                                 Residency residency) try
    : SequenceMatcher(context, RaggedSpan<Symbol>(code_points(patterns)), residency) {
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher");
}
std::size_t SequenceMatcher::size() const noexcept { return m_state->segment.size(); }
std::uint64_t SequenceMatcher::bytes(Space space) const {
  std::uint64_t bytes = m_state->segment.bytes(space);
  for (const auto* words : {&m_state->sorted_words, &m_state->word_sets})
    if (const Impl::WordPatterns* const made = words->made.load()) bytes += made->bytes(space);
  return bytes;
}

Ragged<Symbol> SequenceMatcher::patterns() const {
  return Impl::translating_out_of_memory("Kindred::SequenceMatcher::patterns",
                                         [&] { return m_state->segment.patterns(); });
}

MatchResults SequenceMatcher::match(RaggedSpan<Symbol> queries, const MatchOptions& options) const
    try {
  check(options);
  Impl::check_rows(queries, "query");
  const Impl::PatternSegment& segment = m_state->segment;
  std::vector<std::vector<Match>> answers;
  MatchResults results;
  results.record = m_state->match(queries, options, answers);
  for (std::size_t row = 0; row < answers.size(); ++row) {
    results.matches.push_row(answers[row]);
    if (!options.blocks) continue;
    for (const Match& match : answers[row]) {
      results.blocks.push_row(segment.blocks(match.index, queries[row], options));
    }
  }
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher::match");
}

MatchResults SequenceMatcher::match(std::span<const std::string_view> queries,
                                    const MatchOptions& options) const try {
  return match(RaggedSpan<Symbol>(code_points(queries)), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher::match");
}

MatchResults SequenceMatcher::match(const ConstArray& symbols, const ConstArray& offsets,
                                    const MatchOptions& options) const try {
  return match(Impl::host_rows<Symbol>({"symbols", symbols}, {"offsets", offsets}), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher::match");
}

DispatchRecord SequenceMatcher::score_all(RaggedSpan<Symbol> queries, const Array& out,
                                          const PairOptions& options) const try {
  check(options);
  Impl::check_rows(queries, "query");
  const Impl::ValueTarget target = target_of(out, queries.rows(), size(), options);
  const auto space = Impl::space_of(m_state->context, {{"out", out}});
  KINDRED_THROW_IF(space && options.space && *options.space != *space,
                   "out is " + to_string(out) + ", and space is " +
                       std::string(to_string(*options.space)) +
                       "; results are written to the device there");
  return m_state->score_all(queries, options, target);
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher::score_all");
}

DispatchRecord SequenceMatcher::score_all(std::span<const std::string_view> queries,
                                          const Array& out, const PairOptions& options) const try {
  return score_all(RaggedSpan<Symbol>(code_points(queries)), out, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher::score_all");
}

DispatchRecord SequenceMatcher::score_all(const ConstArray& symbols, const ConstArray& offsets,
                                          const Array& out, const PairOptions& options) const try {
  return score_all(Impl::host_rows<Symbol>({"symbols", symbols}, {"offsets", offsets}), out,
                   options);
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher::score_all");
}

void SequenceMatcher::match_self(
    const MatchOptions& options,
    const std::function<void(std::size_t, const MatchResults&)>& answer) const try {
  check(options);
  KINDRED_THROW_IF(options.filter.has_value(),
                   "filter is set; match_self and cluster compare all stored patterns");
  // Few patterns have many duplicates, so all are first matched with a small limit, and only those
  // that reach it are repeated.
  constexpr std::size_t queries_max = 256;
  constexpr std::size_t results_first = 1024;
  for (std::size_t first = 0; first < size(); first += queries_max) {
    m_state->match_own(first, std::min(queries_max, size() - first), results_first, options,
                       answer);
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher::match_self");
}

ClusterResults SequenceMatcher::cluster(const ClusterOptions& options) const try {
  MatchOptions matching = options.matching;
  matching.top = std::numeric_limits<std::size_t>::max();
  matching.blocks = false;
  check(matching);
  KINDRED_THROW_IF(matching.filter.has_value(),
                   "filter is set; match_self and cluster compare all stored patterns");
  KINDRED_THROW_IF(matching.threshold == 0.0,
                   "threshold is 0; clusters require a threshold above 0");
  // If many patterns are equal, they are one item, because their pairs would be as many as the
  // square of their number. Empty patterns have no results, not even with each other.
  constexpr std::uint64_t equal_pairs_max = std::uint64_t{1} << 20U;
  std::vector<std::uint32_t> first_equal = Impl::first_equal(m_state->segment.store());
  if (const Impl::WordPatterns* const words = m_state->words(matching)) {
    for (std::uint32_t index = 0; index < size(); ++index)
      if (!words->is_similar_to_itself(index)) first_equal[index] = index;
  }
  std::vector<std::uint32_t> copies(size());
  std::uint64_t equal_pairs = 0;
  for (const std::uint32_t first : first_equal) equal_pairs += copies[first]++;
  ClusterResults results;
  std::vector<SimilarPair> pairs;
  const auto collect = [&](std::size_t first, const MatchResults& group) {
    for (std::size_t row = 0; row < group.matches.rows(); ++row) {
      for (const Match& match : group.matches[row])
        pairs.push_back({match.index, first + row, match.similarity});
    }
    if (group.record.taken >= results.record.taken) results.record = group.record;
  };
  if (equal_pairs <= equal_pairs_max) {
    match_self(matching, collect);
    static_cast<Clusters&>(results) = cluster_pairs(size(), std::move(pairs), options.linkage);
  } else {
    const Ragged<Symbol> all = m_state->segment.patterns();
    Ragged<Symbol> different;
    std::vector<std::uint64_t> group_of(size());
    for (std::size_t index = 0; index < size(); ++index) {
      const bool is_new = first_equal[index] == index;
      group_of[index] = is_new ? different.rows() : group_of[first_equal[index]];
      if (is_new) different.push_row(all[index]);
    }
    SequenceMatcher(m_state->context, different).match_self(matching, collect);
    static_cast<Clusters&>(results) =
        Impl::cluster_groups(group_of, different.rows(), std::move(pairs), options.linkage);
  }
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher::cluster");
}

}  // namespace Kindred
