// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_SEQUENCES_HPP
#define KINDRED_C_SEQUENCES_HPP

#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Similarity.hpp>

#include <kindred.h>

#include "Handle.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace Kindred::C {

/// Clusters as a handle has them.
struct ClusterArrays {
  ClusterArrays(ClusterResults results);  // NOLINT(google-explicit-constructor): the same
  kindred_clusters_view view() const;

  ClusterResults found;
  kindred_record record;
};

KINDRED_C_HANDLE(query, PreparedQuery);
KINDRED_C_HANDLE(matcher, WithContext<SequenceMatcher>);
KINDRED_C_HANDLE(clusters, ClusterArrays);

inline const PreparedQuery& query_of(const kindred_query* query) {
  return object_of(query, "query");
}
inline const SequenceMatcher& matcher_of(const kindred_matcher* matcher) {
  return object_of(matcher, "matcher").engine;
}
inline const ClusterArrays& clusters_of(const kindred_clusters* clusters) {
  return object_of(clusters, "clusters");
}

/// The sequences of the caller, in any form.
class SequencesArgument {
 public:
  /// \param name of the parameter \throws InvalidArgument
  SequencesArgument(const kindred_sequences* given, const char* name);
  SequencesArgument(const SequencesArgument&) = delete;
  SequencesArgument& operator=(const SequencesArgument&) = delete;

  const Sequences& all() const noexcept { return m_sequences; }
  /// \throws InvalidArgument unless there is one
  std::span<const Symbol> one() const;

 private:
  const char* m_name;
  std::uint64_t m_offsets[2] = {0, 0};  ///< of one sequence with a length
  Sequences m_sequences;
};

/// The options of a match.
MatchOptions match_options(const kindred_match_options* options);
/// \param options null: those of a cluster
ClusterOptions cluster_options(std::int32_t linkage, const kindred_match_options* options);
/// A callback that borrows results.
std::function<void(std::size_t, const MatchResults&)> answer_of(kindred_match_callback answer,
                                                                void* user, bool with_blocks);

std::vector<Symbol> code_points_of(std::string_view text, bool keep);
/// \throws InvalidArgument
std::uint64_t checked_distance(Measure measure, std::uint64_t matched, std::uint64_t pattern_size,
                               std::uint64_t query_size);
ClusterResults clusters_of_pairs(std::uint64_t items, std::span<const kindred_similar_pair> pairs,
                                 Linkage linkage);

}  // namespace Kindred::C

#endif  // KINDRED_C_SEQUENCES_HPP
