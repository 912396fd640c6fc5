// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_REFERENCE_SPREAD_PATH_REFERENCE_HPP
#define KINDRED_TESTS_REFERENCE_SPREAD_PATH_REFERENCE_HPP

#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace Kindred::Testing {

/// The paths of `SpreadOptions::trace_paths`, found by enumerating every path. For tiny graphs.
class SpreadPathReference {
 public:
  /// A path: its edges, and the strength after each.
  struct Path {
    std::vector<double> strengths;    // of the source, then after every edge
    std::vector<std::size_t> places;  // position of every edge in the row of its end
    std::vector<Reference::Link> links;
    std::vector<float> carried;
  };

  SpreadPathReference(std::size_t nodes, std::span<const Reference::Link> links,
                      std::span<const Reference::Node> sources,
                      const Reference::SpreadSettings& settings, bool is_linear)
      : m_rows(Reference::links_into(nodes, links)) {
    const auto spread = is_linear ? Reference::spread_linear : Reference::spread_engine;
    spread(nodes, links, sources, settings, &m_history);
  }

  std::vector<Path> best(std::uint32_t node, std::size_t count) const {
    std::vector<Path> all;
    for (std::size_t hop = 0; hop < m_history.rose.size(); ++hop) {
      if (!m_history.rose[hop][node]) continue;
      std::vector<Path> paths = paths_to(node, hop);
      all.insert(all.end(), paths.begin(), paths.end());
    }
    std::ranges::stable_sort(all, [](const Path& a, const Path& b) {
      const double p = std::abs(a.strengths.back());
      const double q = std::abs(b.strengths.back());
      return p > q || (p == q && a.links.size() < b.links.size());
    });
    if (all.size() > count) all.resize(count);
    return all;
  }

 private:
  /// All paths that arrive at a node at a hop, best first.
  std::vector<Path> paths_to(std::uint32_t node, std::size_t hop) const {
    if (hop == 0) {
      Path path;
      path.strengths = {static_cast<double>(m_history.passed[0][node])};
      return {path};
    }
    std::vector<Path> paths;
    for (std::size_t place = 0; place < m_rows[node].size(); ++place) {
      const Reference::Link& link = m_rows[node][place];
      const float passed = m_history.passed[hop - 1][link.from];
      if (passed == 0.0F || link.weight == 0.0F) continue;
      for (Path path : paths_to(link.from, hop - 1)) {
        const auto decay = static_cast<double>(m_history.decays[hop]);
        path.strengths.push_back(path.strengths.back() *
                                 (decay * static_cast<double>(link.weight)));
        path.places.push_back(place);
        path.links.push_back(link);
        path.carried.push_back(static_cast<float>(
            decay * (static_cast<double>(passed) * static_cast<double>(link.weight))));
        paths.push_back(std::move(path));
      }
    }
    std::ranges::stable_sort(paths, [](const Path& a, const Path& b) {
      return std::abs(a.strengths.back()) > std::abs(b.strengths.back());
    });
    return paths;
  }

  std::vector<std::vector<Reference::Link>> m_rows;
  Reference::SpreadHistory m_history;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_REFERENCE_SPREAD_PATH_REFERENCE_HPP
