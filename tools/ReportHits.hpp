// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_REPORT_HITS_HPP
#define KINDRED_TOOLS_REPORT_HITS_HPP

#include "Session.hpp"

namespace Kindred::Tools {

/// A further number of a result.
struct HitNumber {
  std::string name;
  bool is_count = true;  ///< a whole number
};

/// \brief What a report says of the answers of a command.
struct HitsForm {
  std::string result;              ///< what a result is: `pattern`
  std::string score;               ///< name of its score: `similarity`
  bool of_one = true;              ///< a bar is full at a score of 1, not at the query's largest
  bool only_matched = false;       ///< queries without results are counted, not shown
  std::string note;                ///< is added to the text about the results
  std::vector<HitNumber> numbers;  ///< further numbers of a result, at most two
};

/// \brief Collects the answers that a report shows: those of the first queries, and of all queries
/// how many there are.
class ReportHits {
 public:
  struct Hit {
    std::optional<std::string_view> name;  ///< without one, the index is shown
    std::uint64_t index = 0;
    double score = 0;
    std::array<double, 2> numbers{};
  };

  /// \param session must outlive this object
  ReportHits(Session& session, HitsForm form);

  void begin(std::optional<std::string_view> name, std::uint64_t index);
  void hit(const Hit& hit);
  void end();
  /// Adds the results to the report.
  void finish();

 private:
  ReportTable histogram() const;

  Session& m_session;
  bool m_is_active;
  HitsForm m_form;
  ReportTable m_table;
  ReportGroup m_group;  // of the current query
  std::uint64_t m_in_query = 0;
  std::uint64_t m_queries = 0;
  std::uint64_t m_matched = 0;  // queries with results
  std::uint64_t m_hits = 0;
  std::array<std::uint64_t, 10> m_scores{};  // results by score, from 0 to 1
  std::uint64_t m_below = 0;                 // results with a score below 0
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_REPORT_HITS_HPP
