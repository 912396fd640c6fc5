// SPDX-License-Identifier: Apache-2.0
#include "sweep/Problems.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace Kindred::Perf {

std::unique_ptr<Problem> Problems::make(Operation operation, std::size_t size) {
  switch (operation) {
    case Operation::lcs: {
      MatchOptions options;
      options.top = 100;
      return match_problem(patterns(size, 4096), zipf_queries(1, 64, 4096, m_seed + 1), options);
    }
    case Operation::difflib: {
      MatchOptions options;
      options.measure = Measure::difflib;
      options.threshold = 0.6;
      options.top = 100;
      auto set = patterns(size, difflib_vocabulary);
      auto query = noisy_query(*set, size / 2, 80, m_seed + 1);
      return match_problem(std::move(set), std::move(query), options);
    }
    case Operation::search:
      return search_problem(rows(size), 1, std::min<std::size_t>(size, 10), m_seed,
                            SearchPath::brute_force);
    case Operation::search_quantized:
      return search_problem(rows(size), 1, std::min<std::size_t>(size, 10), m_seed,
                            SearchPath::quantized);
    case Operation::search_gemm:
      // Grows with the queries, as the two above grow with the rows.
      return search_problem(candidate_rows(), size, 10, m_seed, SearchPath::gemm);
    case Operation::score:
      return score_problem(candidate_rows(), (size + 1023) / 1024,
                           std::min<std::size_t>(size, 1024), 10, m_seed);
    case Operation::spread: {
      SpreadOptions options;
      options.hops = 3;
      if (m_small_spreads) return small_spread(size, options);
      const std::size_t nodes = std::max<std::size_t>(size / 32, 2);
      return spread_problem(std::make_shared<GraphSet>(m_context, nodes, size, m_seed), 1, 8,
                            options, m_seed);
    }
    case Operation::seeds:
      return seed_problem(m_context, size, m_seed);
    case Operation::lattice_build:
    case Operation::lattice_search: {
      std::uint32_t side = 2;
      while (side < 1000 && LatticeShape(3, side + 1).nodes() <= size) ++side;
      auto lattice = std::make_shared<Lattice>(m_context, 3, side);
      return operation == Operation::lattice_build ? lattice_rows_problem(std::move(lattice))
                                                   : lattice_search_problem(std::move(lattice));
    }
    case Operation::transform:
    case Operation::element_wise:
    case Operation::reduction:
    case Operation::random_generation:
    case Operation::matrix_add:
      return bulk_problem(m_context, {operation, size, 1, 1, false}, m_seed);
    case Operation::matrix_multiply: {
      const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(size)));
      return bulk_problem(m_context, {operation, side * side, 1, 1, false}, m_seed);
    }
  }
  return {};
}

double Problems::bytes(Operation operation, double size) {
  switch (operation) {
    case Operation::lcs:
    case Operation::difflib:
      return size * 100 * 10;
    case Operation::search:
    case Operation::search_quantized:
      return size * dimension * 14;
    case Operation::search_gemm:
      return (size + candidate_corpus) * dimension * 14;
    case Operation::score:
      return size * 32 + candidate_corpus * dimension * 12.0;
    case Operation::spread:
      return size * 64;
    case Operation::seeds:
      return size * 4096 * 16;
    case Operation::lattice_build:
    case Operation::lattice_search:
      return size * 40;
    case Operation::transform:
    case Operation::element_wise:
    case Operation::reduction:
    case Operation::random_generation:
    case Operation::matrix_add:
    case Operation::matrix_multiply:
      return size * 24;
  }
  return 0;
}

const char* Problems::unit(Operation operation) {
  switch (operation) {
    case Operation::lcs:
    case Operation::difflib:
      return "patterns";
    case Operation::search:
    case Operation::search_quantized:
      return "rows";
    case Operation::search_gemm:
      return "queries of 65,536 rows";
    case Operation::score:
      return "candidates";
    case Operation::spread:
      return "edges";
    case Operation::seeds:
      return "rows of 4,096";
    case Operation::lattice_build:
    case Operation::lattice_search:
      return "nodes";
    case Operation::transform:
    case Operation::element_wise:
    case Operation::reduction:
    case Operation::random_generation:
    case Operation::matrix_add:
      return "elements";
    case Operation::matrix_multiply:
      return "elements of a matrix";
  }
  return "";
}

/// Three hops from a node touch d, d² and d³ rows of d edges each, and so some d⁴ edges of a
/// graph that is large beside them.
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
  std::vector<Operation> out;
  using enum Operation;
  const auto routed = {matrix_multiply, random_generation, element_wise,   reduction, transform,
                       matrix_add,      lattice_build,     lattice_search, spread};
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    const std::size_t before = out.size();
    if (name == "routed") out.insert(out.end(), routed);
    for (std::size_t i = 0; i < operation_count; ++i) {
      const auto operation = static_cast<Operation>(i);
      if (name == "all" || name == to_string(operation)) out.push_back(operation);
    }
    std::string names;
    for (std::size_t i = 0; i < operation_count; ++i)
      names += std::string(to_string(static_cast<Operation>(i))) + ", ";
    KINDRED_THROW_IF(out.size() == before,
                     "--op " + name + ": it must be " + names + "routed or all");
  }
  return out;
}

}  // namespace Kindred::Perf
