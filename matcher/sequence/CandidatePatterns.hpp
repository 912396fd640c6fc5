// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_CANDIDATE_PATTERNS_HPP
#define KINDRED_MATCHER_SEQUENCE_CANDIDATE_PATTERNS_HPP

#include "PatternSegment.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The candidates of a call, ascending and distinct. \throws InvalidArgument for an index that is
/// not below \p end \param what what the indices below the end are, for the message
std::vector<std::uint64_t> checked_candidates(std::span<const std::uint64_t> only,
                                              std::uint64_t end, const char* what);

/// \brief Patterns of a segment to which the results of a call are restricted: they are compared
/// one by one if they are few, otherwise the segment is scanned.
class CandidatePatterns {
 public:
  /// \param indices within the segment, ascending and distinct
  CandidatePatterns(const PatternSegment& segment, std::vector<std::uint64_t> indices)
      : m_segment(&segment), m_indices(std::move(indices)) {}

  /// Whether the candidates are compared one by one, if \p forced is the requested space.
  bool are_few(std::optional<Space> forced) const noexcept;
  /// Adds the cost of comparing them one by one to \p workload.
  void add_to(Workload& workload, RaggedSpan<Symbol> queries, const MatchOptions& options) const;
  /// \brief The best candidates of every query, compared one by one with the threads of \p space, a
  /// host space. \param context of the segment
  std::vector<std::vector<Match>> compare(const Context& context, Space space,
                                          RaggedSpan<Symbol> queries,
                                          const MatchOptions& options) const;
  /// The same by a scan on any space. Fences its instance.
  std::vector<std::vector<Match>> scan(Space space, RaggedSpan<Symbol> queries,
                                       const MatchOptions& options) const;
  /// Number of matches that `scan` requests first.
  std::size_t scanned_top(const MatchOptions& options) const noexcept;

 private:
  const PatternSegment* m_segment;
  std::vector<std::uint64_t> m_indices;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_CANDIDATE_PATTERNS_HPP
