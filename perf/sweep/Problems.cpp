// SPDX-License-Identifier: Apache-2.0
#include "sweep/Problems.hpp"

#include <kindred/matcher/BulkOperationInfo.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>
#include <kindred/matcher/LatticeOperationInfo.hpp>
#include <kindred/matcher/SeedOperationInfo.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <kindred/matcher/Calibration.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace Kindred::Perf {

struct Problems::Kind {
  Operation operation;
  const char* unit;    ///< unit of the size
  double bytes;        ///< host memory per unit: input, engine and staging buffers of a device
  double bytes_apart;  ///< host memory independent of the size
  Make make;
};

const Problems::Kind& Problems::kind_of(Operation operation) {
  static constexpr double vector_bytes = dimension * 14.0;
  static constexpr double array_bytes = 24;
  static constexpr double corpus = candidate_corpus;
  static const std::array kinds{
      Kind{Operations::lcs, "patterns", 1000, 0,
           [](Problems& on, Operation, std::size_t size) { return on.match(size, Measure::lcs); }},
      Kind{Operations::difflib, "patterns", 1000, 0,
           [](Problems& on, Operation, std::size_t size) {
             return on.match(size, Measure::difflib);
           }},
      Kind{Operations::edit_distance, "patterns", 1000, 0,
           [](Problems& on, Operation, std::size_t size) {
             return on.match(size, Measure::levenshtein);
           }},
      Kind{Operations::search, "rows", vector_bytes, 0,
           [](Problems& on, Operation, std::size_t size) {
             return on.search(size, SearchPath::brute_force);
           }},
      Kind{Operations::search_quantized, "rows", vector_bytes, 0,
           [](Problems& on, Operation, std::size_t size) {
             return on.search(size, SearchPath::quantized);
           }},
      // Grows with the queries, while the two above grow with the rows.
      Kind{Operations::search_gemm, "queries of 65,536 rows", vector_bytes, corpus * vector_bytes,
           [](Problems& on, Operation, std::size_t size) {
             return search_problem(on.candidate_rows(), size, 10, on.m_seed, SearchPath::gemm);
           }},
      Kind{Operations::score, "candidates", 32, corpus * dimension * 12,
           [](Problems& on, Operation, std::size_t size) {
             return score_problem(on.candidate_rows(), (size + 1023) / 1024,
                                  std::min<std::size_t>(size, 1024), 10, on.m_seed);
           }},
      Kind{Operations::spread, "edges", 64, 0,
           [](Problems& on, Operation, std::size_t size) { return on.spread(size); }},
      Kind{Operations::seeds, "rows of 4,096", 4096 * 16, 0,
           [](Problems& on, Operation, std::size_t size) {
             return seed_problem(on.m_context, size, on.m_seed);
           }},
      Kind{Operations::lattice_build, "nodes", 40, 0,
           [](Problems& on, Operation, std::size_t size) {
             return lattice_rows_problem(on.lattice(size));
           }},
      Kind{Operations::lattice_search, "nodes", 40, 0,
           [](Problems& on, Operation, std::size_t size) {
             return lattice_search_problem(on.lattice(size));
           }},
      Kind{Operations::transform, "elements", array_bytes, 0, &Problems::bulk},
      Kind{Operations::element_wise, "elements", array_bytes, 0, &Problems::bulk},
      Kind{Operations::reduction, "elements", array_bytes, 0, &Problems::bulk},
      Kind{Operations::random_generation, "elements", array_bytes, 0, &Problems::bulk},
      Kind{Operations::matrix_add, "elements", array_bytes, 0, &Problems::bulk},
      Kind{Operations::matrix_multiply, "elements of a matrix", array_bytes, 0,
           [](Problems& on, Operation operation, std::size_t size) {
             const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(size)));
             return bulk(on, operation, side * side);
           }}};
  const auto found = std::ranges::find(kinds, operation, &Kind::operation);
  KINDRED_THROW_IF(found == kinds.end(),
                   "there is no problem for operation " + std::string(operation.name()));
  return *found;
}

std::unique_ptr<Problem> Problems::make(Operation operation, std::size_t size) {
  return kind_of(operation).make(*this, operation, size);
}

double Problems::bytes(Operation operation, double size) {
  const Kind& kind = kind_of(operation);
  return size * kind.bytes + kind.bytes_apart;
}

const char* Problems::unit(Operation operation) { return kind_of(operation).unit; }

std::unique_ptr<Problem> Problems::match(std::size_t size, Measure measure) {
  MatchOptions options;
  options.measure = measure;
  options.top = 100;
  if (measure != Measure::difflib)
    return match_problem(patterns(size, 4096), zipf_queries(1, 64, 4096, m_seed + 1), options);
  options.threshold = 0.6;
  auto set = patterns(size, difflib_vocabulary);
  auto query = noisy_query(*set, size / 2, 80, m_seed + 1);
  return match_problem(std::move(set), std::move(query), options);
}

std::unique_ptr<Problem> Problems::search(std::size_t size, SearchPath path) {
  return search_problem(rows(size), 1, std::min<std::size_t>(size, 10), m_seed, path);
}

std::unique_ptr<Problem> Problems::spread(std::size_t size) {
  SpreadOptions options;
  options.hops = 3;
  if (m_small_spreads) return small_spread(size, options);
  const std::size_t nodes = std::max<std::size_t>(size / 32, 2);
  return spread_problem(std::make_shared<GraphSet>(m_context, nodes, size, m_seed), 1, 8, options,
                        m_seed);
}

std::shared_ptr<Lattice> Problems::lattice(std::size_t size) {
  std::uint32_t side = 2;
  while (side < 1000 && LatticeShape(3, side + 1).nodes() <= size) ++side;
  return std::make_shared<Lattice>(m_context, 3, side);
}

std::unique_ptr<Problem> Problems::bulk(Problems& on, Operation operation, std::size_t size) {
  return bulk_problem(on.m_context, {operation, size, 1, 1, false}, on.m_seed);
}

/// Three hops from a node read about d, d² and d³ rows of d edges each, and therefore about d⁴
/// edges of a much larger graph.
std::unique_ptr<Problem> Problems::small_spread(std::size_t touched, SpreadOptions& options) {
  options.threshold = 0;
  const auto degree =
      static_cast<std::size_t>(std::lround(std::pow(static_cast<double>(touched), 0.25)));
  const std::size_t edges = 200'000 * std::max<std::size_t>(degree, 1);
  return spread_problem(
      std::make_shared<GraphSet>(m_context, 200'000, edges, m_seed, GraphShape::uniform), 1, 1,
      options, m_seed);
}

std::vector<Operation> operations_from(const std::string& text) {
  using namespace Operations;
  const std::array<Operation, 9> routed{matrix_multiply, random_generation, element_wise,
                                        reduction,       transform,         matrix_add,
                                        lattice_build,   lattice_search,    Operations::spread};
  const std::vector<Operation> all = engine_operations();
  std::vector<Operation> out;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    const std::size_t before = out.size();
    if (name == "routed") out.insert(out.end(), routed.begin(), routed.end());
    std::string names;
    for (const Operation operation : all) {
      if (name == "all" || name == operation.name()) out.push_back(operation);
      names += std::string(operation.name()) + ", ";
    }
    KINDRED_THROW_IF(out.size() == before,
                     "--op " + name + ": it must be " + names + "routed or all");
  }
  return out;
}

}  // namespace Kindred::Perf
