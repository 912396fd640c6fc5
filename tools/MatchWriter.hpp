// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_MATCH_WRITER_HPP
#define KINDRED_TOOLS_MATCH_WRITER_HPP

#include "MatchFlags.hpp"
#include "ReportHits.hpp"
#include "io/SequenceReader.hpp"

#include <kindred/matcher/SequenceMatcher.hpp>

namespace Kindred::Tools {

/// \brief Prints the answers of `match` in the format of its flags: for each query `begin`, its
/// results and `end`, or `skipped`.
class MatchWriter {
 public:
  /// \param flags,session must outlive this object
  MatchWriter(const MatchFlags& flags, Session& session);

  /// \param name of the query; without one, \p index is printed
  void begin(std::optional<std::string_view> name, std::size_t index);
  /// Adds a result. \param blocks printed if they are in the flags
  void result(std::optional<std::string_view> name, const Match& match,
              std::span<const Block> blocks);
  /// Adds a result with KATO's fields, in JSON.
  void prediction(std::optional<std::string_view> name, const Prediction& prediction);
  void end();
  /// In place of an answer.
  void skipped(const SkippedLine& line);

  /// Writes everything that is complete.
  void flush() { m_output.flush(); }
  /// Writes the rest, and warns if lines were skipped, or if there are \p patterns and no query has
  /// a result.
  void finish(std::uint64_t patterns);
  /// Writes the rest before an error is reported.
  void finish_early();

 private:
  void end_result();
  void put_query();

  const MatchFlags& m_flags;
  bool m_has_distance;  ///< the measure is defined by one
  bool m_counts_edits;
  Output m_output;
  std::optional<RowWriter> m_rows;  // except for JSON
  ReportHits m_report;
  std::optional<std::string> m_name;
  std::size_t m_index = 0;
  std::size_t m_begin = 0;    // of the current query in the output
  std::size_t m_results = 0;  // of the current query
  std::uint64_t m_queries = 0;
  std::uint64_t m_matched = 0;  // queries with results
  std::uint64_t m_skipped = 0;
};

/// Prints one line for every cluster of the patterns, whose names are \p names.
void print_clusters(const SequenceMatcher& matcher, const NameTable& names, const MatchFlags& flags,
                    Session& session);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_MATCH_WRITER_HPP
