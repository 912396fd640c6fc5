// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_MATCH_SOURCES_HPP
#define KINDRED_TOOLS_MATCH_SOURCES_HPP

#include "MatchFlags.hpp"
#include "MatchInput.hpp"

namespace Kindred::Tools {

/// Queries that are answered by one call.
struct MatchBatch {
  const Sequences& queries;
  const QueryEvents& events;  ///< of `queries`, if the source needs them
  std::size_t first = 0;      ///< of the batch in `queries`
  std::size_t count = 0;
  std::size_t first_index = 0;  ///< index of the first query among all
};

/// \brief The patterns that `match` compares queries with.
class PatternSource {
 public:
  virtual ~PatternSource() = default;
  virtual std::uint64_t size() const = 0;
  virtual std::optional<std::string> name(std::uint64_t index) const = 0;
  /// \brief Called before each answer to a query that arrives.
  virtual void update() {}
  /// The matches of each query; with --predict those that `predict` needs.
  virtual MatchResults match(const MatchBatch& batch) = 0;
  /// The predictions for query \p query of the batch. \param matches of the query
  virtual std::vector<Prediction> predict(const MatchBatch& batch, std::size_t query,
                                          std::span<const Match> matches) = 0;
};

/// Patterns that were read from a file. \param input without the symbols of its patterns, which
/// \p matcher has. Arguments must outlive the source.
std::unique_ptr<PatternSource> patterns_of_file(Session& session, const MatchInput& input,
                                                const SequenceMatcher& matcher,
                                                const MatchFlags& flags);
/// Patterns in the store of \p flags. With --follow, it is loaded again before an answer if it has
/// changed; while it is removed, answers come from its last state.
std::unique_ptr<PatternSource> patterns_of_store(Session& session, const MatchFlags& flags);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_MATCH_SOURCES_HPP
