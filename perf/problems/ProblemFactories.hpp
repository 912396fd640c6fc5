// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PROBLEMS_PROBLEM_FACTORIES_HPP
#define KINDRED_PERF_PROBLEMS_PROBLEM_FACTORIES_HPP

#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "problems/Problem.hpp"
#include "problems/RandomData.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
/// One query with \p rows rows of 768 of the caller, without an index: all scores, or the best 10.
std::unique_ptr<Problem> rows_problem(Context& context, std::size_t rows, bool ranks,
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
/// One hop over compressed sparse rows that are borrowed for the call.
std::unique_ptr<Problem> csr_hop_problem(std::shared_ptr<const GraphSet> graph, std::uint64_t seed);

/// Builds the compressed rows of a lattice.
std::unique_ptr<Problem> lattice_rows_problem(std::shared_ptr<const Lattice> lattice);
/// Breadth-first search from a corner of a lattice; distances stay in the memory of the space.
std::unique_ptr<Problem> lattice_search_problem(std::shared_ptr<const Lattice> lattice);
/// Measures the structure of a lattice, or finds shortest paths between random nodes.
std::unique_ptr<Problem> lattice_measure_problem(std::shared_ptr<const Lattice> lattice);
std::unique_ptr<Problem> lattice_paths_problem(std::shared_ptr<const Lattice> lattice,
                                               std::size_t pairs, std::uint64_t seed);

/// Host rows of a layer with seeds in every state and mode.
struct SeedShape {
  std::size_t rows = 0;
  std::uint32_t hidden = 4096;
  std::uint32_t seeds = 1000;
  DataType element = DataType::float32;
  bool telemetry = true;
};
std::unique_ptr<Problem> seed_problem(Context& context, const SeedShape& shape, std::uint64_t seed);
std::unique_ptr<Problem> seed_update_problem(Context& context, std::uint32_t seeds,
                                             std::size_t count, std::uint64_t seed);
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
  const char* job = "";   ///< \see Problem::job
};
/// xor, · 0.5, sum, random numbers, or products or sums of matrices.
std::unique_ptr<Problem> bulk_problem(Context& context, const BulkShape& shape, std::uint64_t seed);

/// The sum of \p count 32-bit integers of the host.
std::unique_ptr<Problem> integer_sum_problem(Context& context, std::size_t count,
                                             std::uint64_t seed);

/// Texts of one length over 26 letters: every query, a noisy pattern, with every pattern.
struct TextShape {
  const char* peer_measure;  ///< its name in the peers' script
  Measure measure;
  std::size_t patterns;
  std::size_t length;
  std::size_t queries;
  bool words = false;   ///< the texts contain spaces
  bool matrix = false;  ///< the similarities of all pairs, not the best 100 of each query
};
std::unique_ptr<Problem> text_problem(Context& context, const TextShape& shape, std::uint64_t seed);

/// Clustered rows of 128, queries near them, and the nearest rows of these.
struct ClusteredRows {
  Context* context;
  std::size_t dimension;
  Values<float> rows;
  Values<float> queries;
  std::vector<std::int64_t> nearest;
  ClusteredRows(Context& context, std::size_t count, std::size_t queries, std::uint64_t seed);
};
/// Builds an HNSW index with M = 16 and ef_construction = 200, or searches it for 10 rows.
std::unique_ptr<Problem> hnsw_build_problem(std::shared_ptr<const ClusteredRows> rows);
std::unique_ptr<Problem> hnsw_search_problem(std::shared_ptr<const ClusteredRows> rows,
                                             std::shared_ptr<const HnswIndex> index,
                                             std::size_t ef);
HnswIndex hnsw_index(const ClusteredRows& rows);

/// What a call does to a pattern memory.
enum class MemoryCall : std::uint8_t {
  learn_texts,        ///< `learn_all` of all patterns, as texts, into a new memory
  learn_symbols,      ///< the same as numbers
  train,              ///< the same one by one, and the synchronisation
  query,              ///< the best 100 patterns of a query of 64
  query_candidates,   ///< the same of one pattern in a thousand
  learn_one,          ///< a new pattern
  query_after_learn,  ///< a query after a pattern was learned
  save,
  load,
};
/// Patterns as events of five texts, and a memory that has learned them.
class TrainedMemory;
std::shared_ptr<TrainedMemory> trained_memory(Context& context, std::size_t patterns,
                                              std::uint64_t seed);
std::unique_ptr<Problem> memory_problem(std::shared_ptr<TrainedMemory> memory, MemoryCall call);

/// A call that is no other problem. \param check empty: the call throws if its answer is wrong
std::unique_ptr<Problem> call_problem(std::string name,
                                      std::function<DispatchRecord(std::optional<Space>)> run,
                                      std::function<std::string()> check = {});

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

#endif  // KINDRED_PERF_PROBLEMS_PROBLEM_FACTORIES_HPP
