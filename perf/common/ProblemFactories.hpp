// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_PROBLEM_FACTORIES_HPP
#define KINDRED_PERF_COMMON_PROBLEM_FACTORIES_HPP

#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "common/Problem.hpp"
#include "common/RandomData.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace Kindred::Perf {

/// Patterns and the engine that holds them.
struct PatternSet {
  std::uint32_t vocabulary;
  SymbolRows rows;
  SequenceMatcher matcher;
  PatternSet(Context& context, std::size_t count, std::size_t length, std::uint32_t vocabulary,
             std::uint64_t seed);
  /// Symbols of \p rows must be below \p vocabulary; `rows.length` is their mean length.
  PatternSet(Context& context, SymbolRows rows, std::uint32_t vocabulary);
};

/// Rows of float32 and the engine that holds them.
struct RowSet {
  Context* context;
  std::size_t dimension;
  Values<float> values;
  VectorIndex index;
  RowSet(Context& context, std::size_t count, std::size_t dimension, std::uint64_t seed);
};

/// \brief Minimum number of bytes that a search of \p rows reads: the rows, or their int8-quantized
/// copy with its scales if it was prefiltered, plus the rows that were re-scored.
inline double search_bytes(const SearchReport& report, Metric metric, DataType element, double rows,
                           std::size_t dimension) {
  const bool is_int8 = element == DataType::int8;
  double row = static_cast<double>(dimension * size_of(element)) + (is_int8 ? sizeof(float) : 0);
  double quantized = row;
  if (!is_int8) quantized = static_cast<double>((dimension + 15) / 16 * 16 + 3 * sizeof(float));
  if (metric != Metric::ip) quantized += sizeof(double);
  if (metric == Metric::cosine) row += sizeof(double);
  if (report.path == to_string(SearchPath::brute_force)) return rows * row;
  const bool is_quantized = report.path == to_string(SearchPath::quantized);
  return rows * (is_quantized ? quantized : row) + static_cast<double>(report.survivors) * row;
}

/// Rows of int8 with a scale of 1 / 128 each, and the engine that holds them.
struct ByteRowSet {
  std::uint64_t seed;
  std::size_t dimension;
  VectorIndex index;
  ByteRowSet(Context& context, std::size_t count, std::size_t dimension, std::uint64_t seed);
};

/// A graph and the engine that holds it.
struct GraphSet {
  Context* context;
  std::size_t nodes;
  Values<Edge> edges;
  GraphShape shape;
  SpreadingEngine engine;
  GraphSet(Context& context, std::size_t nodes, std::size_t edges, std::uint64_t seed,
           GraphShape shape = GraphShape::skewed);
};

/// \p queries rows; every run sets \p options.space.
std::unique_ptr<Problem> match_problem(std::shared_ptr<const PatternSet> patterns,
                                       Ragged<Symbol> queries, const MatchOptions& options);
/// \p path selects the algorithm; if not set, the one predicted to be fastest.
std::unique_ptr<Problem> search_problem(std::shared_ptr<const RowSet> rows, std::size_t queries,
                                        std::size_t top, std::uint64_t seed,
                                        std::optional<SearchPath> path = {}, int passing = -1);
/// One query over int8 rows.
std::unique_ptr<Problem> byte_search_problem(std::shared_ptr<const ByteRowSet> rows, Metric metric,
                                             std::size_t top);
/// \p candidates row ids per query.
std::unique_ptr<Problem> score_problem(std::shared_ptr<const RowSet> rows, std::size_t queries,
                                       std::size_t candidates, std::size_t top, std::uint64_t seed);
/// \p candidates row ids of one query, with `PreparedScore`.
std::unique_ptr<Problem> prepared_score_problem(std::shared_ptr<const RowSet> rows,
                                                std::size_t candidates, std::size_t top,
                                                std::uint64_t seed);
/// Spreading from \p sources random nodes per query; every run sets \p options.space. Enqueued
/// calls on a device have one query with one source, and use the kernel for small spreads.
std::unique_ptr<Problem> spread_problem(std::shared_ptr<const GraphSet> graph, std::size_t queries,
                                        std::size_t sources, const SpreadOptions& options,
                                        std::uint64_t seed);
/// One dense hop with \p columns, `y = Wᵀx` or `y = W x`.
std::unique_ptr<Problem> hop_problem(std::shared_ptr<const GraphSet> graph, std::uint64_t seed,
                                     std::size_t columns = 1,
                                     HopDirection direction = HopDirection::along);

/// Builds the compressed rows of a lattice.
std::unique_ptr<Problem> lattice_rows_problem(std::shared_ptr<const Lattice> lattice);
/// Breadth-first search from a corner of a lattice; distances stay in the memory of the space.
std::unique_ptr<Problem> lattice_search_problem(std::shared_ptr<const Lattice> lattice);

/// Applies a layer of 1000 seeds, with telemetry, to \p rows host rows of 4096 float32.
std::unique_ptr<Problem> seed_problem(Context& context, std::size_t rows, std::uint64_t seed);
/// A `SeedSequence` of \p calls forward calls of a layer, with telemetry.
std::unique_ptr<Problem> seed_sequence_problem(Context& context, std::size_t rows,
                                               std::uint32_t hidden, std::uint32_t seeds,
                                               std::size_t calls, std::uint64_t seed);
/// Layers on resident matrices of float32 or bfloat16; a run enqueues `calls` before one fence.
struct LayerShape {
  std::size_t rows = 0;
  std::size_t inputs = 0;
  std::size_t outputs = 0;  ///< of a linear layer
  DataType element = DataType::float32;
  std::size_t layers = 1;
  std::size_t calls = 1;
};
/// LayerNorm and GELU; results stay in the memory of the space.
std::unique_ptr<Problem> norm_problem(Context& context, const LayerShape& shape,
                                      std::uint64_t seed);
/// x·Wᵀ + b followed by \p activation.
std::unique_ptr<Problem> linear_problem(Context& context, const LayerShape& shape,
                                        LayerActivation activation, const LayerOptions& options,
                                        std::uint64_t seed);

/// Equal arrays of float32 (bytes for xor), or products of square matrices.
struct BulkShape {
  Operation operation;
  std::size_t elements = 0;  ///< per array or matrix
  std::size_t arrays = 1;
  std::size_t calls = 1;  ///< enqueued before one fence, if resident
  bool resident = true;   ///< false: on the host, by `Bulk`
};
/// xor, · 0.5, sum, random numbers, or products or sums of matrices.
std::unique_ptr<Problem> bulk_problem(Context& context, const BulkShape& shape, std::uint64_t seed);

/// Vocabulary size for patterns that are matched by difflib: small enough that at least 2 % of the
/// patterns share, as multisets, enough symbols with a noisy query of 80 to reach 0.6, so that
/// their blocks must be computed.
inline constexpr std::uint32_t difflib_vocabulary = 70;

/// \p count queries of \p length Zipf symbols.
Ragged<Symbol> zipf_queries(std::size_t count, std::size_t length, std::uint32_t vocabulary,
                            std::uint64_t seed);
/// Pattern \p row with 30 % of its symbols replaced, truncated to \p length.
Ragged<Symbol> noisy_query(const PatternSet& patterns, std::size_t row, std::size_t length,
                           std::uint64_t seed);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_PROBLEM_FACTORIES_HPP
