// SPDX-License-Identifier: Apache-2.0
#include "Ranking.hpp"

#include "Arrays.hpp"
#include "Options.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

namespace nb = nanobind;

namespace Kindred::Python {

namespace {

constexpr std::array<Choice<ScoreRule::Kind>, 4> kinds{
    {{"distance", ScoreRule::Kind::distance},
     {"similarity", ScoreRule::Kind::similarity},
     {"normalized_distance", ScoreRule::Kind::normalized_distance},
     {"normalized_similarity", ScoreRule::Kind::normalized_similarity}}};

/// Lengths whose least counts are kept.
constexpr std::size_t kept_lengths = 1024;

}  // namespace

ScoreRule ScoreRule::of(nb::handle given) {
  ScoreRule rule;
  rule.kind = value_of(given[0], "kind", kinds);
  rule.counts = flag_of(given[1], "counts");
  rule.largest_is_sum = flag_of(given[2], "largest_is_sum");
  rule.scale = number_of(given[3], "scale");
  return rule;
}

double ScoreRule::of_count(std::uint64_t matched, std::uint64_t first, std::uint64_t second) const {
  const std::uint64_t largest = largest_is_sum ? first + second : std::max(first, second);
  const std::uint64_t similarity = largest_is_sum ? 2 * matched : matched;
  if (kind == Kind::similarity) return static_cast<double>(similarity);
  const auto distance = static_cast<double>(largest - similarity);
  if (kind == Kind::distance) return distance;
  const double normalized = largest > 0 ? distance / static_cast<double>(largest) : 0.0;
  return kind == Kind::normalized_distance ? normalized : (1.0 - normalized) * scale;
}

Ranking::Ranking(const ScoreRule& rule, std::size_t query_length, nb::handle cutoff,
                 nb::handle limit)
    : m_rule(rule),
      m_query_length(query_length),
      m_sign(rule.is_distance() ? -1.0 : 1.0),
      m_cutoff(number_of(cutoff, "score_cutoff")),
      m_limit(limit.is_none() ? std::numeric_limits<std::size_t>::max()
                              : static_cast<std::size_t>(integer_of(limit, "limit", 1))),
      m_needed(rule.counts ? kept_lengths : 0) {}

std::uint32_t Ranking::find_needed(std::size_t length) const {
  const auto most = static_cast<std::uint32_t>(std::min(m_query_length, length));
  std::uint32_t low = 0;
  std::uint32_t high = most + 1;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (middle <= most && !enters(m_rule.of_count(middle, m_query_length, length))) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low <= most ? low : std::numeric_limits<std::uint32_t>::max();
}

nb::object Ranking::add(double score, std::size_t index, std::size_t length, nb::object choice) {
  const auto order = [this](const Entry& a, const Entry& b) { return is_better(a, b); };
  nb::object displaced;
  if (m_entries.size() >= m_limit) {
    std::pop_heap(m_entries.begin(), m_entries.end(), order);
    displaced = std::move(m_entries.back().choice);
    m_entries.pop_back();
  }
  m_entries.push_back({score, index, length, std::move(choice)});
  if (m_limit == std::numeric_limits<std::size_t>::max()) return displaced;
  std::push_heap(m_entries.begin(), m_entries.end(), order);
  if (m_entries.size() == m_limit) ++m_changes;
  return displaced;
}

nb::object Ranking::results(nb::handle choices, nb::handle keys) {
  std::sort(m_entries.begin(), m_entries.end(),
            [this](const Entry& a, const Entry& b) { return is_better(a, b); });
  nb::list listed;
  std::vector<std::int64_t> lengths;
  for (const Entry& entry : m_entries) {
    const nb::object choice = choices.is_none() ? entry.choice : nb::object(choices[entry.index]);
    const nb::object key =
        keys.is_none() ? nb::object(nb::int_(entry.index)) : nb::object(keys[entry.index]);
    const nb::object score = m_rule.is_integer()
                                 ? nb::object(nb::int_(static_cast<std::int64_t>(entry.score)))
                                 : nb::object(nb::float_(entry.score));
    listed.append(nb::make_tuple(choice, score, key));
    lengths.push_back(static_cast<std::int64_t>(entry.length));
  }
  return nb::make_tuple(listed, array_of<std::int64_t>(lengths));
}

}  // namespace Kindred::Python
