// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_MATCH_INPUT_HPP
#define KINDRED_TOOLS_MATCH_INPUT_HPP

#include "MatchFlags.hpp"
#include "io/SequenceEvents.hpp"
#include "io/SequenceReader.hpp"
#include "io/SymbolEncoder.hpp"

namespace Kindred::Tools {

/// \brief What `match` reads, except the patterns of a store.
struct MatchInput {
  /// Reads the patterns and, unless they are streamed, the queries.
  /// \param flags of which the level is set if it was not given
  MatchInput(MatchFlags& flags, Session& session);

  SymbolEncoder encoder;
  Sequences patterns;
  PatternEvents pattern_events;  ///< for predictions
  Sequences queries;             ///< without --self
  QueryEvents query_events;      ///< for predictions, for a store, and to choose the level
  /// Of the queries; none with --self.
  std::optional<SequenceReader> reader;

 private:
  /// Compares characters if no record has more than one string.
  void choose_level(MatchFlags& flags, Session& session, bool is_one_string);
};

/// Warns if there are no patterns. \param source the file
void warn_without_patterns(const std::string& source, std::uint64_t patterns);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_MATCH_INPUT_HPP
