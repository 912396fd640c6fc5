// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "CandidatePatterns.hpp"
#include "ClusterGroups.hpp"
#include "MeasureOperations.hpp"
#include "PatternSegment.hpp"
#include "ScanCall.hpp"
#include "WordPatterns.hpp"
#include "kit/CallerArrays.hpp"
#include "kit/MadeOnce.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace Kindred {

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

/// \throws InvalidArgument
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

}  // namespace

namespace KINDRED_HIDDEN Impl {

void check_options(const MatchOptions& options) {
  KINDRED_THROW_IF(!(options.threshold >= 0.0 && options.threshold <= 1.0),
                   "threshold is " + std::to_string(options.threshold) + "; it must be in [0, 1]");
  KINDRED_THROW_IF(options.top == 0, "top is 0; it must be at least 1");
  check_autojunk(options.measure, options.autojunk);
  if (options.blocks) check_blocks(options.measure);
}

}  // namespace Impl

struct KINDRED_HIDDEN SequenceMatcher::State {
  State(Context& used, RaggedSpan<Symbol> patterns, Residency where)
      : context(used), segment(used, patterns, where), residency(where) {}

  /// The patterns as the measure of \p options compares them, or null if it compares symbols.
  const Impl::WordPatterns* words(const MatchOptions& options) const {
    if (!compares_words(options.measure)) return nullptr;
    auto& words = options.measure == Measure::token_sort ? sorted_words : word_sets;
    return &words.get([&] {
      return Impl::WordPatterns(context, options.measure, segment.patterns(), residency);
    });
  }

  Workload workload(Operation operation, SpaceSet resident) const {
    Workload workload;
    workload.operation = operation;
    workload.resident = resident;
    workload.history = &history;
    workload.starts = 0;
    return workload;
  }
  /// That of scanning \p scanned.
  Workload workload(const Impl::PatternSegment& scanned, RaggedSpan<Symbol> queries,
                    const MatchOptions& options) const {
    Workload scan = workload(Impl::info_of(options.measure).operation, scanned.resident());
    scanned.add_to(scan, queries, options);
    return scan;
  }

  /// The matches of the patterns [first, first + count), each with the patterns before it.
  DispatchRecord match_preceding(std::size_t first, std::size_t count, const MatchOptions& options,
                                 std::vector<std::vector<Match>>& answers) const {
    const Impl::WordPatterns* const by_words = words(options);
    const Impl::PatternSegment& compared = by_words ? by_words->segment() : segment;
    const MatchOptions requested = by_words ? by_words->options(options) : options;
    const Impl::DenseQueries queries = compared.own(first, count);
    const DispatchRecord record =
        context.run(workload(compared, queries.rows, requested), requested.space,
                    Impl::PatternSegment::Matching{compared, queries, requested, answers});
    for (std::size_t row = 0; by_words && row < answers.size(); ++row) {
      if (segment.length(first + row) == 0) answers[row].clear();
      by_words->finish(queries.rows[row].size(), options, answers[row]);
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
  mutable Impl::MadeOnce<Impl::WordPatterns> sorted_words;
  mutable Impl::MadeOnce<Impl::WordPatterns> word_sets;
};

SequenceMatcher::SequenceMatcher(Context& context, const Sequences& patterns,
                                 Residency residency) try
    : m_state(std::make_unique<State>(context, patterns.rows(), residency)) {
  context.dispatcher().register_operations(Impl::measure_operations);
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher");
}

std::size_t SequenceMatcher::size() const noexcept { return m_state->segment.size(); }
std::uint64_t SequenceMatcher::bytes(Space space) const {
  std::uint64_t bytes = m_state->segment.bytes(space);
  for (const auto* words : {&m_state->sorted_words, &m_state->word_sets})
    if (const Impl::WordPatterns* const made = words->get()) bytes += made->bytes(space);
  return bytes;
}

MatcherStatistics SequenceMatcher::statistics() const {
  return {size(), bytes(Space::serial), bytes(Space::cuda)};
}

Residency SequenceMatcher::residency() const noexcept { return m_state->residency; }

Ragged<Symbol> SequenceMatcher::patterns() const {
  return Impl::translating_out_of_memory("Kindred::SequenceMatcher::patterns",
                                         [&] { return m_state->segment.patterns(); });
}

MatchResults SequenceMatcher::match(const Sequences& queries, const MatchOptions& options) const
    try {
  Impl::check_options(options);
  const RaggedSpan<Symbol> given = queries.rows();
  Impl::check_rows(given, "query");
  const State& state = *m_state;
  const Impl::WordPatterns* const by_words = state.words(options);
  const Impl::PatternSegment& segment = by_words ? by_words->segment() : state.segment;
  const MatchOptions compared = by_words ? by_words->options(options) : options;
  std::optional<Ragged<Symbol>> forms;
  if (by_words) forms = by_words->forms(given);
  const RaggedSpan<Symbol> rows = forms ? *forms : given;
  std::vector<std::vector<Match>> answers;
  MatchResults results;
  if (!options.filter) {
    const Impl::DenseQueries dense = segment.dense(rows);
    results.record =
        state.context.run(state.workload(segment, rows, compared), options.space,
                          Impl::PatternSegment::Matching{segment, dense, compared, answers});
  } else {
    const Impl::CandidatePatterns candidates(
        segment, Impl::checked_candidates(*options.filter, segment.size()));
    const bool are_few = candidates.are_few(options.space);
    MatchOptions requested = compared;
    requested.top = candidates.scanned_top(compared);
    Workload workload = are_few ? state.workload(Operations::pattern_candidates, SpaceSet::host())
                                : state.workload(segment, rows, requested);
    if (are_few) candidates.add_to(workload, rows, compared);
    results.record = state.context.run(workload, options.space, [&](Space space) {
      answers = are_few ? candidates.compare(state.context, space, rows, compared)
                        : candidates.scan(space, rows, compared);
    });
  }
  for (std::size_t row = 0; row < answers.size(); ++row) {
    if (by_words) by_words->finish(rows.length(row), options, answers[row]);
    results.matches.push_row(answers[row]);
    if (!options.blocks) continue;
    for (const Match& match : answers[row])
      results.blocks.push_row(segment.blocks(match.index, rows[row], options));
  }
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher::match");
}

DispatchRecord SequenceMatcher::score_all(const Sequences& queries, const Array& out,
                                          const PairOptions& options) const try {
  check(options);
  const RaggedSpan<Symbol> given = queries.rows();
  Impl::check_rows(given, "query");
  const Impl::ValueTarget target = target_of(out, given.rows(), size(), options);
  const auto space = Impl::space_of(m_state->context, {{"out", out}});
  KINDRED_THROW_IF(space && options.space && *options.space != *space,
                   "out is " + to_string(out) + ", and space is " +
                       std::string(to_string(*options.space)) +
                       "; results are written to the device there");
  const State& state = *m_state;
  MatchOptions compared;
  compared.measure = options.measure;
  compared.threshold = options.value == PairValue::similarity ? options.cutoff.value_or(0.0) : 0.0;
  compared.top = std::max<std::size_t>(size(), 1);
  compared.autojunk = options.autojunk;
  const Impl::WordPatterns* const by_words = state.words(compared);
  const Impl::PatternSegment& segment = by_words ? by_words->segment() : state.segment;
  if (by_words) compared = by_words->options(compared);
  std::optional<Ragged<Symbol>> forms;
  if (by_words) forms = by_words->forms(given, Impl::WordPatterns::EmptyText::has_no_words);
  const RaggedSpan<Symbol> rows = forms ? *forms : given;
  const Impl::DenseQueries dense = segment.dense(rows);
  const PairRule rule = rule_of(options);
  return state.context.run(
      state.workload(segment, rows, compared), target.on_device ? Space::cuda : options.space,
      [&](Space on) { segment.write_values(on, dense, compared, rule, target); });
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher::score_all");
}

void SequenceMatcher::match_self(
    const MatchOptions& options,
    const std::function<void(std::size_t, const MatchResults&)>& answer) const try {
  Impl::check_options(options);
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
  Impl::check_options(matching);
  KINDRED_THROW_IF(matching.filter.has_value(),
                   "filter is set; match_self and cluster compare all stored patterns");
  KINDRED_THROW_IF(matching.threshold == 0.0,
                   "threshold is 0; clusters require a threshold above 0");
  // If many patterns are equal, they are one item, because their pairs would be as many as the
  // square of their number. Empty patterns have no results, not even with each other.
  constexpr std::uint64_t equal_pairs_max = std::uint64_t{1} << 20U;
  std::vector<std::uint32_t> first_equal = m_state->segment.store().first_equal();
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
    SequenceMatcher(m_state->context, different, m_state->residency).match_self(matching, collect);
    static_cast<Clusters&>(results) =
        Impl::cluster_groups(group_of, different.rows(), std::move(pairs), options.linkage);
  }
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::SequenceMatcher::cluster");
}

}  // namespace Kindred
