// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_RANKING_HPP
#define KINDRED_PYTHON_RANKING_HPP

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// The best choices of `process.extract`.
namespace Kindred::Python {

/// \brief How RapidFuzz computes a score from matched symbols or a similarity.
struct ScoreRule {
  enum class Kind : std::uint8_t {
    distance,
    similarity,
    normalized_distance,
    normalized_similarity
  };

  Kind kind = Kind::similarity;
  bool counts = true;           ///< the measure counts matched symbols
  bool largest_is_sum = false;  ///< the largest distance is the sum of both lengths
  double scale = 1.0;           ///< of normalized similarities

  bool is_distance() const { return kind == Kind::distance || kind == Kind::normalized_distance; }
  bool is_integer() const { return counts && (kind == Kind::distance || kind == Kind::similarity); }
  double of_count(std::uint64_t matched, std::uint64_t first, std::uint64_t second) const;
  double of_similarity(double similarity) const {
    return is_distance() ? 1.0 - similarity : similarity * scale;
  }

  /// \param given the tuple (kind, counts, largest_is_sum, scale) of a scorer
  static ScoreRule of(nanobind::handle given);
};

/// \brief The best scores that reach a cutoff; of equal ones, the first. Scores are offered in
/// ascending order of their indices.
class Ranking {
 public:
  struct Entry {
    double score;
    std::size_t index;
    std::size_t length;  ///< of the choice
    nanobind::object choice;
  };

  /// \param query_length symbols of the query \param cutoff the worst score that is kept
  /// \param limit None: all
  Ranking(const ScoreRule& rule, std::size_t query_length, nanobind::handle cutoff,
          nanobind::handle limit);

  const ScoreRule& rule() const noexcept { return m_rule; }
  double cutoff() const noexcept { return m_cutoff; }
  bool enters(double score) const {
    if (!(m_sign * score >= m_sign * m_cutoff)) return false;
    return m_entries.size() < m_limit || m_sign * score > m_sign * m_entries.front().score;
  }
  /// The least number of matched symbols of a choice of \p length whose score enters; the largest
  /// number if none does.
  std::uint32_t needed(std::size_t length) {
    if (length >= m_needed.size()) return find_needed(length);
    Needed& needed = m_needed[length];
    if (needed.of_change != m_changes) needed = {m_changes, find_needed(length)};
    return needed.matched;
  }
  /// Adds a score that enters. Returns the choice that it displaces, if there is one: to drop the
  /// last reference may run code of Python.
  nanobind::object add(double score, std::size_t index, std::size_t length,
                       nanobind::object choice);

  /// \brief `([(choice, score, key), …], lengths)`, best first.
  /// \param choices a list from which they are taken by index, or None: those of the entries
  /// \param keys a list, or None: indices
  nanobind::object results(nanobind::handle choices, nanobind::handle keys);

 private:
  struct Needed {
    std::uint64_t of_change = 0;
    std::uint32_t matched = 0;
  };

  bool is_better(const Entry& a, const Entry& b) const {
    return a.score != b.score ? m_sign * a.score > m_sign * b.score : a.index < b.index;
  }
  std::uint32_t find_needed(std::size_t length) const;

  ScoreRule m_rule;
  std::size_t m_query_length;
  double m_sign;  ///< −1 where a smaller score is better
  double m_cutoff;
  std::size_t m_limit;
  std::uint64_t m_changes = 1;   ///< of the score that enters
  std::vector<Entry> m_entries;  ///< a heap, the worst first, once there are `m_limit`
  std::vector<Needed> m_needed;
};

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_RANKING_HPP
