// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_RANKED_OUTPUT_HPP
#define KINDRED_TOOLS_IO_RANKED_OUTPUT_HPP

#include "io/AnswerLines.hpp"
#include "io/WriteNpyHeader.hpp"
#include "program/Output.hpp"

#include <kindred/memory/AtomicFile.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// Writes the arrays that are requested: all of them, or none if one fails.
class RankedFiles {
 public:
  /// \param ids path of the ids; empty: not written \param scores the same for the scores
  RankedFiles(const std::string& ids, const std::string& scores) {
    if (!ids.empty()) m_ids.emplace(ids);
    if (!scores.empty()) m_scores.emplace(scores);
  }

  void begin(std::size_t queries, std::size_t top) {
    const std::string ids = npy_header("<i8", queries, top);
    const std::string scores = npy_header("<f4", queries, top);
    if (m_ids) m_ids->write(ids.data(), ids.size());
    if (m_scores) m_scores->write(scores.data(), scores.size());
  }
  template <class Results>
  void put(const Results& results) {
    write(results.ids, results.scores);
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
      write(m_row_ids, m_row_scores);
    }
  }
  void close() {
    if (m_ids && m_scores) return AtomicFile::publish({&*m_ids, &*m_scores});
    AtomicFile::publish({m_ids ? &*m_ids : &*m_scores});
  }

 private:
  void write(std::span<const std::int64_t> ids, std::span<const float> scores) {
    if (m_ids) m_ids->write(ids.data(), ids.size_bytes());
    if (m_scores) m_scores->write(scores.data(), scores.size_bytes());
  }

  std::optional<AtomicFile> m_ids;
  std::optional<AtomicFile> m_scores;
  std::vector<std::int64_t> m_row_ids;
  std::vector<float> m_row_scores;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_RANKED_OUTPUT_HPP
