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
  const char* unit;  ///< of the size
  /// Host memory per unit: input, engine and staging buffers of a device.
  double (*bytes)(const ProblemShape&);
  bool has_rows;  ///< besides, it needs an index of `ProblemShape::rows`
  Make make;
};

const Problems::Kind& Problems::kind_of(Operation operation) {
  using Shape = const ProblemShape&;
  static constexpr auto of_pattern = [](Shape shape) {
    return 10.0 * static_cast<double>(shape.length);
  };
  static constexpr auto of_row = [](Shape shape) {
    return 14.0 * static_cast<double>(shape.dimension);
  };
  static constexpr auto of_array = [](Shape) { return 24.0; };
  static constexpr auto of_node = [](Shape) { return 40.0; };
  static const std::array kinds{
      Kind{Operations::lcs, "patterns", of_pattern, false,
           [](Problems& on, Operation, std::size_t size) { return on.match(size, Measure::lcs); }},
      Kind{Operations::difflib, "patterns", of_pattern, false,
           [](Problems& on, Operation, std::size_t size) {
             return on.match(size, Measure::difflib);
           }},
      Kind{Operations::edit_distance, "patterns", of_pattern, false,
           [](Problems& on, Operation, std::size_t size) {
             return on.match(size, Measure::levenshtein);
           }},
      Kind{Operations::search, "rows", of_row, false,
           [](Problems& on, Operation, std::size_t size) {
             return on.search(size, SearchPath::brute_force);
           }},
      Kind{Operations::search_quantized, "rows", of_row, false,
           [](Problems& on, Operation, std::size_t size) {
             return on.search(size, SearchPath::quantized);
           }},
      // Grows with the queries, while the two above grow with the rows.
      Kind{Operations::search_gemm, "queries", of_row, true,
           [](Problems& on, Operation, std::size_t size) {
             return search_problem(on.candidate_rows(), size, on.top_rows(on.m_shape.rows),
                                   on.m_seed, SearchPath::gemm);
           }},
      Kind{Operations::score, "candidates", [](Shape) { return 32.0; }, true,
           [](Problems& on, Operation, std::size_t size) {
             return score_problem(on.candidate_rows(), (size + 1023) / 1024,
                                  std::min<std::size_t>(size, 1024), on.top_rows(1024), on.m_seed);
           }},
      Kind{Operations::spread, "edges", [](Shape) { return 64.0; }, false,
           [](Problems& on, Operation, std::size_t size) { return on.spread(size); }},
      Kind{Operations::seeds, "rows of 4,096", [](Shape) { return 4096 * 16.0; }, false,
           [](Problems& on, Operation, std::size_t size) {
             return seed_problem(on.m_context, {.rows = size}, on.m_seed);
           }},
      Kind{Operations::lattice_build, "nodes", of_node, false,
           [](Problems& on, Operation, std::size_t size) {
             return lattice_rows_problem(on.lattice(size));
           }},
      Kind{Operations::lattice_search, "nodes", of_node, false,
           [](Problems& on, Operation, std::size_t size) {
             return lattice_search_problem(on.lattice(size));
           }},
      Kind{Operations::transform, "elements", of_array, false, &Problems::bulk},
      Kind{Operations::element_wise, "elements", of_array, false, &Problems::bulk},
      Kind{Operations::reduction, "elements", of_array, false, &Problems::bulk},
      Kind{Operations::random_generation, "elements", of_array, false, &Problems::bulk},
      Kind{Operations::matrix_add, "elements", of_array, false, &Problems::bulk},
      Kind{Operations::matrix_multiply, "elements of a matrix", of_array, false,
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

double Problems::bytes(Operation operation, double size) const {
  const Kind& kind = kind_of(operation);
  return size * kind.bytes(m_shape) + bytes_of_rows(kind);
}

double Problems::memory_allowed() const {
  return 0.5 * static_cast<double>(m_context.info(Space::serial).memory_free);
}

double Problems::largest_size(Operation operation) const {
  const Kind& kind = kind_of(operation);
  return std::max(0.0, (memory_allowed() - bytes_of_rows(kind)) / kind.bytes(m_shape));
}

double Problems::bytes_of_rows(const Kind& kind) const {
  if (!kind.has_rows) return 0;
  return static_cast<double>(m_shape.rows) * static_cast<double>(m_shape.dimension) * 14;
}

std::string Problems::unit(Operation operation) const { return kind_of(operation).unit; }

std::size_t Problems::top_rows(std::size_t rows) const {
  return std::min(rows, m_shape.top > 0 ? m_shape.top : 10);
}

std::unique_ptr<Problem> Problems::match(std::size_t size, Measure measure) {
  const bool is_difflib = measure == Measure::difflib;
  const std::uint32_t vocabulary = m_shape.vocabulary > 0 ? m_shape.vocabulary
                                   : is_difflib           ? difflib_vocabulary
                                                          : 4096;
  const std::size_t length = m_shape.query_length > 0 ? m_shape.query_length : is_difflib ? 80 : 64;
  MatchOptions options;
  options.measure = measure;
  options.top = m_shape.top > 0 ? m_shape.top : 100;
  auto set = patterns(size, vocabulary);
  Ragged<Symbol> queries;
  if (is_difflib) {
    options.threshold = 0.6;
    for (std::size_t q = 0; q < m_shape.queries; ++q)
      queries.push_row(noisy_query(*set, (size / 2 + q) % size, length, m_seed + 1 + q)[0]);
  } else {
    queries = zipf_queries(m_shape.queries, length, vocabulary, m_seed + 1);
  }
  return match_problem(std::move(set), std::move(queries), options);
}

std::unique_ptr<Problem> Problems::search(std::size_t size, SearchPath path) {
  return search_problem(rows(size), m_shape.queries, top_rows(size), m_seed, path);
}

std::unique_ptr<Problem> Problems::spread(std::size_t size) {
  SpreadOptions options;
  options.hops = 3;
  if (m_shape.top > 0) options.top = m_shape.top;
  if (m_shape.small_spreads) return small_spread(size, options);
  const std::size_t nodes = std::max<std::size_t>(size / 32, 2);
  return spread_problem(std::make_shared<GraphSet>(m_context, nodes, size, m_seed), m_shape.queries,
                        8, options, m_seed);
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
