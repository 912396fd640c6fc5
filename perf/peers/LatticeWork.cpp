// SPDX-License-Identifier: Apache-2.0
#include "peers/CompareValues.hpp"
#include "peers/WorkFactories.hpp"

#include <kindred/matcher/Lattice.hpp>

#include <numeric>

namespace Kindred::Perf {

namespace {

constexpr std::uint32_t dimensions = 4;

/// Writes the parameters of a lattice for the peers.
void write_lattice(const LatticeShape& shape, JobFolder& folder) {
  folder.parameters["dimensions"] = shape.dimensions();
  folder.parameters["size"] = shape.size();
}

class LatticeBuildWork final : public Work {
 public:
  LatticeBuildWork(Context& context, std::uint32_t size) : m_lattice(context, dimensions, size) {
    kind = "lattice_build";
    unit = "edges";
    items = static_cast<double>(m_lattice.shape().edges());
    bytes = m_lattice.statistics().rows_bytes;
  }
  void write(JobFolder& folder) const override { write_lattice(m_lattice.shape(), folder); }
  void run(Space space) const override { m_rows = m_lattice.rows({space}); }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    const LatticeRows rows = m_lattice.rows();
    std::vector<double> degrees(rows.offsets.size());
    std::adjacent_difference(rows.offsets.begin(), rows.offsets.end(), degrees.begin());
    degrees.erase(degrees.begin());
    // In the peer the first dimension varies fastest, which reverses the numbering of the nodes.
    std::vector<double> mirrored;
    const LatticeShape& shape = m_lattice.shape();
    for (std::uint64_t node = 0; node < shape.nodes(); ++node) {
      std::vector<std::uint32_t> at = shape.coordinates(node);
      std::reverse(at.begin(), at.end());
      mirrored.push_back(degrees[shape.index(at)]);
    }
    return compare_values(mirrored, answer.scores, 0);
  }

 private:
  Lattice m_lattice;
  mutable LatticeRows m_rows;
};

class LatticeMeasureWork final : public Work {
 public:
  LatticeMeasureWork(Context& context, std::uint32_t size) : m_lattice(context, dimensions, size) {
    kind = "lattice_measure";
    unit = "lattices";
    items = 1;
  }
  void write(JobFolder& folder) const override { write_lattice(m_lattice.shape(), folder); }
  void run(Space) const override { m_found = m_lattice.measure(); }
  Json reported() const override { return {{"searches", m_found.searches}}; }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    const GraphStructure found = m_lattice.measure();
    const std::vector<double> values{found.is_connected() ? 1.0 : 0.0,
                                     static_cast<double>(found.diameter.value_or(0)),
                                     found.average_degree, found.clustering, found.density};
    return compare_values(values, answer.scores, 1e-12);
  }

 private:
  Lattice m_lattice;
  mutable GraphStructure m_found;
};

class LatticePathWork final : public Work {
 public:
  LatticePathWork(Context& context, std::uint32_t size, bool blocked, std::uint64_t seed)
      : m_blocked(blocked_nodes(LatticeShape(dimensions, size), blocked, seed)),
        m_lattice(context, dimensions, size, {m_blocked, {}}) {
    kind = "lattice_path";
    unit = "paths";
    const std::uint64_t nodes = m_lattice.shape().nodes();
    const auto open = [&](std::uint64_t place) {
      std::uint64_t node = random_word(seed + 8, place) % nodes;
      while (m_lattice.is_blocked(node)) node = (node + 1) % nodes;
      return node;
    };
    for (std::uint64_t i = 0; i < pairs; ++i) m_pairs.push_back({open(2 * i), open(2 * i + 1)});
    items = pairs;
  }
  void write(JobFolder& folder) const override {
    write_lattice(m_lattice.shape(), folder);
    std::vector<std::int64_t> nodes(m_blocked.begin(), m_blocked.end());
    folder.add<std::int64_t>("blocked", "int64", nodes, {nodes.size()});
    nodes.clear();
    for (const LatticePair& pair : m_pairs) {
      nodes.push_back(static_cast<std::int64_t>(pair.from));
      nodes.push_back(static_cast<std::int64_t>(pair.to));
    }
    folder.add<std::int64_t>("pairs", "int64", nodes, {m_pairs.size(), 2});
  }
  void run(Space space) const override {
    for (const LatticePair& pair : m_pairs) m_path = m_lattice.path(pair.from, pair.to, {space});
  }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    std::vector<double> lengths;
    for (const LatticePair& pair : m_pairs)
      lengths.push_back(static_cast<double>(m_lattice.path(pair.from, pair.to).size()));
    return compare_values(lengths, answer.scores, 0);
  }

 private:
  static constexpr std::uint64_t pairs = 100;

  static std::vector<std::uint64_t> blocked_nodes(const LatticeShape& shape, bool blocked,
                                                  std::uint64_t seed) {
    std::vector<std::uint64_t> nodes;
    for (std::uint64_t node = 0; blocked && node < shape.nodes(); ++node)
      if (random_word(seed + 9, node) % 10 == 0) nodes.push_back(node);
    return nodes;
  }

  std::vector<std::uint64_t> m_blocked;
  Lattice m_lattice;
  std::vector<LatticePair> m_pairs;
  mutable std::vector<std::uint64_t> m_path;
};

}  // namespace

std::unique_ptr<Work> lattice_build_work(Context& context, std::uint32_t size) {
  return std::make_unique<LatticeBuildWork>(context, size);
}
std::unique_ptr<Work> lattice_measure_work(Context& context, std::uint32_t size) {
  return std::make_unique<LatticeMeasureWork>(context, size);
}
std::unique_ptr<Work> lattice_path_work(Context& context, std::uint32_t size, bool blocked,
                                        std::uint64_t seed) {
  return std::make_unique<LatticePathWork>(context, size, blocked, seed);
}

}  // namespace Kindred::Perf
