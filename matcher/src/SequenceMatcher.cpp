// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>

#include "sequence/PatternSegment.hpp"

#include <string>

namespace Kindred {

std::string_view to_string(Measure measure) noexcept {
  return measure == Measure::lcs ? "lcs" : "difflib";
}

void check(const MatchOptions& options) {
  KINDRED_THROW_IF(!(options.threshold >= 0.0 && options.threshold <= 1.0),
                   "threshold is " + std::to_string(options.threshold) + "; it must be in [0, 1]");
  KINDRED_THROW_IF(options.top == 0, "top is 0; ask for one match at least");
}

struct SequenceMatcher::State {
  Context& context;
  Impl::PatternSegment segment;
};

SequenceMatcher::SequenceMatcher(Context& context, RaggedSpan<Symbol> patterns, Residency residency)
    : m_state(new State{context, {context, patterns, residency}}) {}
SequenceMatcher::~SequenceMatcher() = default;
SequenceMatcher::SequenceMatcher(SequenceMatcher&&) noexcept = default;
SequenceMatcher& SequenceMatcher::operator=(SequenceMatcher&&) noexcept = default;

std::size_t SequenceMatcher::size() const noexcept { return m_state->segment.size(); }
std::uint64_t SequenceMatcher::bytes(Space space) const noexcept {
  return m_state->segment.bytes(space);
}

MatchResults SequenceMatcher::match(RaggedSpan<Symbol> queries, const MatchOptions& options) const {
  check(options);
  Impl::check_rows(queries, "query");
  const Impl::PatternSegment& segment = m_state->segment;
  Workload workload;
  workload.operation = options.measure == Measure::lcs ? Operation::lcs : Operation::difflib;
  workload.resident = segment.resident();
  segment.add_to(workload, queries, options);

  std::vector<std::vector<Match>> answers;
  MatchResults results;
  results.record = m_state->context.run(workload, options.space, [&](Space space) {
    answers = segment.match(space, queries, options);
  });
  for (std::size_t row = 0; row < answers.size(); ++row) {
    results.matches.push_row(answers[row]);
    if (!options.blocks) continue;
    for (const Match& match : answers[row]) {
      results.blocks.push_row(segment.blocks(match.index, queries[row]));
    }
  }
  return results;
}

}  // namespace Kindred
