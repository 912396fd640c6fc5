// SPDX-License-Identifier: Apache-2.0
#include "common/Checking.hpp"
#include "common/ProblemFactories.hpp"

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
}

class LatticeRowsProblem final : public Problem {
 public:
  explicit LatticeRowsProblem(std::shared_ptr<const Lattice> lattice)
      : m_lattice(std::move(lattice)) {
    describe(*this, "BM_Lattice_rows", *m_lattice);
    bytes = m_lattice->statistics().rows_bytes;
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

}  // namespace

std::unique_ptr<Problem> lattice_rows_problem(std::shared_ptr<const Lattice> lattice) {
  return std::make_unique<LatticeRowsProblem>(std::move(lattice));
}
std::unique_ptr<Problem> lattice_search_problem(std::shared_ptr<const Lattice> lattice) {
  return std::make_unique<LatticeSearchProblem>(std::move(lattice));
}

}  // namespace Kindred::Perf
