// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PEERS_WORK_FACTORIES_HPP
#define KINDRED_PERF_PEERS_WORK_FACTORIES_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>

#include "common/RandomData.hpp"
#include "peers/Work.hpp"

#include <cstdint>
#include <memory>

namespace Kindred::Perf {

/// Sequences of 100 symbols against one query: 64 Zipf symbols (lcs) or a noisy pattern (difflib).
std::unique_ptr<Work> sequence_work(Context& context, std::size_t count, std::uint32_t vocabulary,
                                    Measure measure, double threshold, std::uint64_t seed);
/// Texts of one length over 26 letters: every query with every pattern.
struct StringShape {
  const char* peer_measure;  ///< its name in the peers' script
  Measure measure;
  std::size_t patterns;
  std::size_t length;
  std::size_t queries;
  bool words = false;   ///< the texts contain spaces
  bool matrix = false;  ///< the similarities of all pairs, not the best of each query
};
/// The best 100 patterns of each query, whatever their similarity, or the similarities of all
/// pairs. The queries are noisy patterns.
std::unique_ptr<Work> string_work(Context& context, const StringShape& shape, std::uint64_t seed);
/// Cosine search of approximately normal rows of 768. \param percent share of the rows that may be
/// returned
std::unique_ptr<Work> search_work(Context& context, std::size_t rows, std::size_t queries,
                                  double percent, std::uint64_t seed);
/// L2 search of clustered rows; the peer is approximate.
std::unique_ptr<Work> approximate_search_work(Context& context, std::size_t rows,
                                              std::size_t dimension, std::size_t queries,
                                              std::uint64_t seed);
std::unique_ptr<Work> score_work(Context& context, std::size_t rows, std::size_t candidates,
                                 std::uint64_t seed);
std::unique_ptr<Work> row_work(Context& context, std::size_t rows, bool ranks, std::uint64_t seed);
std::unique_ptr<Work> hop_work(Context& context, std::size_t nodes, std::size_t degree,
                               std::size_t columns, GraphShape shape, std::uint64_t seed);
/// One hop over compressed sparse rows that are borrowed for the call.
std::unique_ptr<Work> csr_hop_work(Context& context, std::size_t nodes, std::size_t degree,
                                   std::uint64_t seed);
std::unique_ptr<Work> linear_work(Context& context, std::size_t nodes, std::size_t degree,
                                  std::size_t queries, std::uint64_t seed);
std::unique_ptr<Work> pagerank_work(Context& context, std::size_t nodes, std::size_t degree,
                                    std::uint64_t seed);

/// A forward call of a layer with seeds in every state and mode.
std::unique_ptr<Work> seed_forward_work(Context& context, std::size_t rows, std::uint32_t hidden,
                                        std::uint32_t seeds, DataType element, bool telemetry,
                                        std::uint64_t seed);
std::unique_ptr<Work> seed_update_work(Context& context, std::uint32_t seeds, std::size_t count,
                                       std::uint64_t seed);
/// x·Wᵀ + b and GELU. \param outputs of the product; 0: LayerNorm and GELU instead
std::unique_ptr<Work> layer_work(Context& context, std::size_t rows, std::size_t columns,
                                 std::size_t outputs, DataType element, std::uint64_t seed);
/// xor of bytes with a key; the sum of integers; products of square matrices, with \p peers naming
/// the work in the script.
std::unique_ptr<Work> xor_work(Context& context, std::size_t count, std::uint64_t seed);
std::unique_ptr<Work> integer_sum_work(Context& context, std::size_t count, std::uint64_t seed);
std::unique_ptr<Work> product_work(Context& context, const char* peers, std::size_t count,
                                   std::size_t side, std::uint64_t seed);
/// Builds the graph of a lattice, measures it, or finds shortest paths.
std::unique_ptr<Work> lattice_build_work(Context& context, std::uint32_t size);
std::unique_ptr<Work> lattice_measure_work(Context& context, std::uint32_t size);
std::unique_ptr<Work> lattice_path_work(Context& context, std::uint32_t size, bool blocked,
                                        std::uint64_t seed);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PEERS_WORK_FACTORIES_HPP
