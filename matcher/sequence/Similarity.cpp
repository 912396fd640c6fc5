// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Similarity.hpp>

#include <kindred/core/common/Error.hpp>
#include <kindred/core/sequence/MatchingBlocks.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/matcher/CodePoints.hpp>

#include "QueryLcs.hpp"

#include <algorithm>
#include <string>

namespace Kindred {

namespace {

void check_length(std::span<const Symbol> sequence, const char* what) {
  KINDRED_THROW_IF(sequence.size() >= std::size_t{1} << 31U, std::string(what) + " has " +
                                                                 std::to_string(sequence.size()) +
                                                                 " symbols; the limit is 2^31 - 1");
}

void check_autojunk(Measure measure, bool autojunk) {
  KINDRED_THROW_IF(
      autojunk && measure != Measure::difflib,
      "autojunk is a heuristic of difflib; the measure is " + std::string(to_string(measure)));
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

/// The similarity of a pair. \p lcs(least) and \p runs() return its counts; `lcs` may return a
/// smaller number if the length is below `least`.
template <class Lcs, class Runs>
double cut_similarity(Measure measure, std::uint64_t pattern, std::uint64_t query, double cutoff,
                      const Lcs& lcs, const Runs& runs) {
  KINDRED_THROW_IF(!(cutoff >= 0.0 && cutoff <= 1.0),
                   "score_cutoff is " + std::to_string(cutoff) + "; it must be in [0, 1]");
  const std::uint64_t total = pattern + query;
  if (total == 0) return measure == Measure::lcs ? 0.0 : 1.0;
  // The lengths bound the LCS, which bounds the runs.
  const std::uint64_t least = least_matched(cutoff, total);
  if (std::min(pattern, query) < least) return 0.0;
  std::uint64_t count = 0;
  if (measure == Measure::lcs || least > 0) count = lcs(least);
  if (count < least) return 0.0;
  if (measure == Measure::difflib) count = runs();
  return count < least ? 0.0 : similarity(count, total);
}

}  // namespace

struct PreparedQuery::State {
  Measure measure;
  std::size_t length;
  Impl::QueryLcs lcs;
  BlockFinder finder;
};

PreparedQuery::PreparedQuery(Measure measure, std::span<const Symbol> query, bool autojunk) {
  check_autojunk(measure, autojunk);
  check_length(query, "the query");
  m_state.reset(
      new State{measure, query.size(), Impl::QueryLcs(query), BlockFinder(query, autojunk)});
}
PreparedQuery::PreparedQuery(Measure measure, std::string_view query, bool autojunk)
    : PreparedQuery(measure, points_of(query, "the query"), autojunk) {}
PreparedQuery::~PreparedQuery() = default;
PreparedQuery::PreparedQuery(PreparedQuery&&) noexcept = default;
PreparedQuery& PreparedQuery::operator=(PreparedQuery&&) noexcept = default;

double PreparedQuery::similarity(std::span<const Symbol> pattern, double score_cutoff) const {
  check_length(pattern, "the pattern");
  return cut_similarity(
      m_state->measure, pattern.size(), m_state->length, score_cutoff,
      [&](std::uint64_t least) { return m_state->lcs.length(pattern, least); },
      [&] { return m_state->finder.matched(pattern); });
}

double PreparedQuery::similarity(std::string_view pattern, double score_cutoff) const {
  return similarity(points_of(pattern, "the pattern"), score_cutoff);
}

std::uint32_t PreparedQuery::matched(std::span<const Symbol> pattern) const {
  check_length(pattern, "the pattern");
  return m_state->measure == Measure::lcs ? m_state->lcs.length(pattern)
                                          : m_state->finder.matched(pattern);
}

std::uint32_t PreparedQuery::matched(std::string_view pattern) const {
  return matched(points_of(pattern, "the pattern"));
}

std::vector<Block> PreparedQuery::blocks(std::span<const Symbol> pattern) const {
  check_length(pattern, "the pattern");
  return m_state->finder.blocks(pattern);
}

std::vector<Block> PreparedQuery::blocks(std::string_view pattern) const {
  return blocks(points_of(pattern, "the pattern"));
}

double similarity(Measure measure, std::span<const Symbol> pattern, std::span<const Symbol> query,
                  double score_cutoff, bool autojunk) {
  check_autojunk(measure, autojunk);
  check_length(pattern, "the pattern");
  check_length(query, "the query");
  return cut_similarity(
      measure, pattern.size(), query.size(), score_cutoff,
      [&](std::uint64_t least) { return Impl::QueryLcs(query).length(pattern, least); },
      [&] { return BlockFinder(query, autojunk).matched(pattern); });
}

std::uint32_t matched(Measure measure, std::span<const Symbol> pattern,
                      std::span<const Symbol> query, bool autojunk) {
  check_autojunk(measure, autojunk);
  check_length(pattern, "the pattern");
  check_length(query, "the query");
  return measure == Measure::lcs ? Impl::QueryLcs(query).length(pattern)
                                 : BlockFinder(query, autojunk).matched(pattern);
}

std::vector<Block> blocks(std::span<const Symbol> pattern, std::span<const Symbol> query,
                          bool autojunk) {
  check_length(pattern, "the pattern");
  check_length(query, "the query");
  return matching_blocks(pattern, query, autojunk);
}

double similarity(Measure measure, std::string_view pattern, std::string_view query,
                  double score_cutoff, bool autojunk) {
  return similarity(measure, points_of(pattern, "the pattern"), points_of(query, "the query"),
                    score_cutoff, autojunk);
}

std::uint32_t matched(Measure measure, std::string_view pattern, std::string_view query,
                      bool autojunk) {
  return matched(measure, points_of(pattern, "the pattern"), points_of(query, "the query"),
                 autojunk);
}

std::vector<Block> blocks(std::string_view pattern, std::string_view query, bool autojunk) {
  return blocks(points_of(pattern, "the pattern"), points_of(query, "the query"), autojunk);
}

}  // namespace Kindred
