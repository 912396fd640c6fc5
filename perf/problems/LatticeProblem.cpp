// SPDX-License-Identifier: Apache-2.0
#include "problems/Checking.hpp"
#include "problems/ProblemFactories.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace Kindred::Perf {

namespace {

void describe(Problem& problem, const char* name, const Lattice& lattice) {
  const LatticeStatistics statistics = lattice.statistics();
  problem.name = name;
  problem.arguments = {{"dimensions", statistics.dimensions},
                       {"size", statistics.size},
                       {"nodes", static_cast<std::int64_t>(statistics.nodes)}};
  problem.items = static_cast<double>(statistics.edges);
  problem.unit = "edges";
}

/// Writes the parameters of a lattice for the peers.
void write_lattice(const LatticeShape& shape, JobFolder& folder) {
  folder.parameters["dimensions"] = shape.dimensions();
  folder.parameters["size"] = shape.size();
}

class LatticeRowsProblem final : public Problem {
 public:
  explicit LatticeRowsProblem(std::shared_ptr<const Lattice> lattice)
      : m_lattice(std::move(lattice)) {
    describe(*this, "BM_Lattice_rows", *m_lattice);
    bytes = m_lattice->statistics().rows_bytes;
    job = "lattice_build";
  }
  void write(JobFolder& folder) const override { write_lattice(m_lattice->shape(), folder); }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    run({});
    // In the peer the first dimension varies fastest, which reverses the numbering of the nodes.
    std::vector<double> degrees;
    const LatticeShape& shape = m_lattice->shape();
    for (std::uint64_t node = 0; node < shape.nodes(); ++node) {
      std::vector<std::uint32_t> at = shape.coordinates(node);
      std::ranges::reverse(at);
      const std::uint64_t mirrored = shape.index(at);
      degrees.push_back(
          static_cast<double>(m_rows.offsets[mirrored + 1] - m_rows.offsets[mirrored]));
    }
    return compare_values(degrees, answer.scores, 0);
  }
  bool reaches(Space) const override { return true; }
  DispatchRecord run(std::optional<Space> space) override {
    m_rows = m_lattice->rows({space});
    return m_rows.record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const std::uint64_t offset : m_rows.offsets) digest.add(offset);
    for (const std::uint32_t end : m_rows.ends) digest.add(std::uint64_t{end});
    return digest.value();
  }
  std::string check() const override {
    for (const std::uint64_t node : sample(m_lattice->shape().nodes())) {
      const std::uint64_t degree = m_rows.offsets[node + 1] - m_rows.offsets[node];
      const auto neighbours = m_lattice->shape().neighbours(node);
      if (degree != neighbours.size())
        return difference("degree", node, static_cast<double>(degree),
                          static_cast<double>(neighbours.size()));
      for (const std::uint64_t end : neighbours) {
        std::uint64_t i = m_rows.offsets[node];
        while (i < m_rows.offsets[node + 1] && m_rows.ends[i] != end) ++i;
        if (i == m_rows.offsets[node + 1])
          return "node " + std::to_string(node) + " lacks its neighbour " + std::to_string(end);
      }
    }
    return {};
  }

 private:
  std::shared_ptr<const Lattice> m_lattice;
  LatticeRows m_rows;
};

class LatticeSearchProblem final : public Problem {
 public:
  explicit LatticeSearchProblem(std::shared_ptr<const Lattice> lattice)
      : m_lattice(std::move(lattice)), m_targets(sample(m_lattice->shape().nodes())) {
    describe(*this, "BM_Lattice_search", *m_lattice);
    // Every level reads and writes bits; distances are written at least once.
    bytes = 4 * static_cast<double>(m_lattice->shape().nodes());
  }
  bool reaches(Space) const override { return true; }
  DispatchRecord run(std::optional<Space> space) override {
    const std::uint64_t corner = 0;
    m_answer = m_lattice->distances({&corner, 1}, m_targets, {space});
    return m_answer.record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const std::uint32_t distance : m_answer.distances) digest.add(std::uint64_t{distance});
    digest.add(m_answer.reached);
    return digest.value();
  }
  std::string check() const override {
    const LatticeShape& shape = m_lattice->shape();
    if (m_answer.reached != shape.nodes() || m_answer.farthest != shape.diameter())
      return "it reached " + std::to_string(m_answer.reached) + " nodes, the farthest at " +
             std::to_string(m_answer.farthest);
    for (std::size_t i = 0; i < m_targets.size(); ++i) {
      if (m_answer.distances[i] != shape.distance(0, m_targets[i]))
        return difference("distance", m_targets[i], m_answer.distances[i],
                          static_cast<double>(shape.distance(0, m_targets[i])));
    }
    return {};
  }

 private:
  std::shared_ptr<const Lattice> m_lattice;
  std::vector<std::uint64_t> m_targets;
  LatticeDistances m_answer;
};

/// Diameter, clustering, connection and density, measured.
class LatticeMeasureProblem final : public Problem {
 public:
  explicit LatticeMeasureProblem(std::shared_ptr<const Lattice> lattice)
      : m_lattice(std::move(lattice)) {
    describe(*this, "BM_Lattice_measure", *m_lattice);
    job = "lattice_measure";
  }
  bool reaches(Space space) const override { return space == Space::serial; }
  DispatchRecord run(std::optional<Space>) override {
    m_found = m_lattice->measure();
    return {};
  }
  std::uint64_t digest() const override { return digest_of_all(values()); }
  std::string check() const override {
    const std::uint64_t expected = m_lattice->shape().diameter();
    if (m_found.is_connected() && m_found.diameter == expected) return {};
    return difference("diameter", 0, static_cast<double>(m_found.diameter.value_or(0)),
                      static_cast<double>(expected));
  }
  void write(JobFolder& folder) const override { write_lattice(m_lattice->shape(), folder); }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    run({});
    return compare_values(values(), answer.scores, 1e-12);
  }

 private:
  std::vector<double> values() const {
    return {m_found.is_connected() ? 1.0 : 0.0, static_cast<double>(m_found.diameter.value_or(0)),
            m_found.average_degree, m_found.clustering, m_found.density};
  }

  std::shared_ptr<const Lattice> m_lattice;
  GraphStructure m_found;
};

/// Shortest paths of random pairs of nodes that are not blocked.
class LatticePathsProblem final : public Problem {
 public:
  LatticePathsProblem(std::shared_ptr<const Lattice> lattice, std::size_t pairs, std::uint64_t seed)
      : m_lattice(std::move(lattice)) {
    describe(*this, "BM_Lattice_paths", *m_lattice);
    job = "lattice_path";
    unit = "paths";
    items = static_cast<double>(pairs);
    const std::uint64_t nodes = m_lattice->shape().nodes();
    const auto open = [&](std::uint64_t place) {
      std::uint64_t node = random_word(seed + 8, place) % nodes;
      while (m_lattice->is_blocked(node)) node = (node + 1) % nodes;
      return node;
    };
    for (std::uint64_t i = 0; i < pairs; ++i) m_pairs.push_back({open(2 * i), open(2 * i + 1)});
    m_paths.resize(pairs);
  }
  bool reaches(Space) const override { return true; }
  DispatchRecord run(std::optional<Space> space) override {
    for (std::size_t i = 0; i < m_pairs.size(); ++i)
      m_paths[i] = m_lattice->path(m_pairs[i].from, m_pairs[i].to, {space});
    DispatchRecord record;
    record.chosen = space.value_or(Space::serial);
    return record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const auto& path : m_paths) {
      for (const std::uint64_t node : path) digest.add(node);
    }
    return digest.value();
  }
  /// A path leads from end to end by neighbours that are not blocked, and cannot be shorter than
  /// without blocks.
  std::string check() const override {
    const LatticeShape& shape = m_lattice->shape();
    for (std::size_t i = 0; i < m_paths.size(); ++i) {
      const std::vector<std::uint64_t>& path = m_paths[i];
      const auto [from, to] = m_pairs[i];
      const std::string what = "path " + std::to_string(i);
      if (path.empty() || path.front() != from || path.back() != to)
        return what + " has other ends";
      if (path.size() <= shape.distance(from, to)) return what + " is too short";
      for (std::size_t place = 0; place < path.size(); ++place) {
        if (m_lattice->is_blocked(path[place])) return what + " leads through a blocked node";
        if (place > 0 && shape.distance(path[place - 1], path[place]) != 1) return what + " jumps";
      }
    }
    return {};
  }
  void write(JobFolder& folder) const override {
    write_lattice(m_lattice->shape(), folder);
    std::vector<std::int64_t> blocked;
    for (std::uint64_t node = 0; node < m_lattice->shape().nodes(); ++node)
      if (m_lattice->is_blocked(node)) blocked.push_back(static_cast<std::int64_t>(node));
    folder.add<std::int64_t>("blocked", "int64", blocked, {blocked.size()});
    std::vector<std::int64_t> ends;
    for (const LatticePair& pair : m_pairs)
      ends.insert(ends.end(),
                  {static_cast<std::int64_t>(pair.from), static_cast<std::int64_t>(pair.to)});
    folder.add<std::int64_t>("pairs", "int64", ends, {m_pairs.size(), 2});
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    run({});
    std::vector<std::size_t> lengths;
    for (const auto& path : m_paths) lengths.push_back(path.size());
    return compare_values(lengths, answer.scores, 0);
  }

 private:
  std::shared_ptr<const Lattice> m_lattice;
  std::vector<LatticePair> m_pairs;
  std::vector<std::vector<std::uint64_t>> m_paths;
};

}  // namespace

std::unique_ptr<Problem> lattice_measure_problem(std::shared_ptr<const Lattice> lattice) {
  return std::make_unique<LatticeMeasureProblem>(std::move(lattice));
}
std::unique_ptr<Problem> lattice_paths_problem(std::shared_ptr<const Lattice> lattice,
                                               std::size_t pairs, std::uint64_t seed) {
  return std::make_unique<LatticePathsProblem>(std::move(lattice), pairs, seed);
}
std::unique_ptr<Problem> lattice_rows_problem(std::shared_ptr<const Lattice> lattice) {
  return std::make_unique<LatticeRowsProblem>(std::move(lattice));
}
std::unique_ptr<Problem> lattice_search_problem(std::shared_ptr<const Lattice> lattice) {
  return std::make_unique<LatticeSearchProblem>(std::move(lattice));
}

}  // namespace Kindred::Perf
