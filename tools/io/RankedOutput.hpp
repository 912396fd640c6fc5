// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_RANKED_OUTPUT_HPP
#define KINDRED_TOOLS_IO_RANKED_OUTPUT_HPP

#include "io/AnswerLines.hpp"
#include "io/Errors.hpp"
#include "io/NpyHeader.hpp"
#include "io/Output.hpp"

#include <kindred/backends/AtomicFile.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Tools {

/// Prints the answers of searches, one line per query, from objects with `ids` and `scores` of
/// `queries × top` entries. An id of −1 marks an empty place, which is not printed.
class RankedLines {
 public:
  template <class Results>
  void put(const Results& results, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      m_row.clear();
      for (std::size_t at = i * results.top; at < (i + 1) * results.top; ++at) {
        if (results.ids[at] < 0) break;
        m_row.push_back({results.ids[at], results.scores[at]});
      }
      put(m_row, first + i);
    }
  }
  void put(std::span<const ScoredId> row, std::size_t query) {
    append_query(m_output.text(), {}, query);
    append_scored(m_output.text(), row);
    m_output.flush_if_large();
  }
  std::string& text() noexcept { return m_output.text(); }
  void close() { m_output.flush(); }

 private:
  Output m_output;
  std::vector<ScoredId> m_row;
};

/// Writes both arrays, or neither if one fails.
class RankedFiles {
 public:
  RankedFiles(const std::string& ids, const std::string& scores) : m_ids(ids), m_scores(scores) {}

  void begin(std::size_t queries, std::size_t top) {
    const std::string ids = npy_header("<i8", queries, top);
    const std::string scores = npy_header("<f4", queries, top);
    m_ids.write(ids.data(), ids.size());
    m_scores.write(scores.data(), scores.size());
  }
  template <class Results>
  void put(const Results& results) {
    m_ids.write(results.ids.data(), results.ids.size() * sizeof(results.ids[0]));
    m_scores.write(results.scores.data(), results.scores.size() * sizeof(results.scores[0]));
  }
  /// Appends lists of at most \p top entries, padded to \p top.
  void put(const Ragged<ScoredId>& lists, std::size_t top, Metric metric) {
    for (std::size_t i = 0; i < lists.rows(); ++i) {
      m_row_ids.assign(top, -1);
      m_row_scores.assign(top, padding_score(metric));
      for (std::size_t place = 0; place < lists[i].size(); ++place) {
        m_row_ids[place] = lists[i][place].id;
        m_row_scores[place] = lists[i][place].score;
      }
      m_ids.write(m_row_ids.data(), top * sizeof(m_row_ids[0]));
      m_scores.write(m_row_scores.data(), top * sizeof(m_row_scores[0]));
    }
  }
  void close() { AtomicFile::publish({&m_ids, &m_scores}); }

 private:
  AtomicFile m_ids;
  AtomicFile m_scores;
  std::vector<std::int64_t> m_row_ids;
  std::vector<float> m_row_scores;
};

/// \throws UsageError if only one of the two files is named
inline void check_out_files(const char* command, const std::string& ids,
                            const std::string& scores) {
  if (ids.empty() != scores.empty())
    throw UsageError(fmt::format("{}: --out-ids and --out-scores go together", command));
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_RANKED_OUTPUT_HPP
