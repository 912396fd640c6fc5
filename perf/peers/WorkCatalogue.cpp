// SPDX-License-Identifier: Apache-2.0
#include "peers/WorkCatalogue.hpp"

#include "common/ProblemFactories.hpp"
#include "peers/WorkFactories.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace Kindred::Perf {

namespace {

using MakeWork = decltype(WorkEntry::make);

std::size_t scaled(double count, double scale) {
  return static_cast<std::size_t>(std::max(256.0, std::floor(count * scale)));
}

std::unique_ptr<Work> described(std::unique_ptr<Work> work, std::string detail, double target) {
  work->detail = std::move(detail);
  work->target = target;
  return work;
}

// Each of the following functions makes a work item of the catalogue, or returns its maker.

MakeWork lcs_entry(std::uint32_t vocabulary, double target) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    return described(
        sequence_work(context, scaled(100e3, scale), vocabulary, Measure::lcs, 0.0, seed),
        "LCS of a query of 64 with patterns of 100, vocabulary " + std::to_string(vocabulary) +
            ", top-100",
        target);
  };
}

MakeWork difflib_entry(double patterns, double threshold, const char* shown, double target) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    return described(
        sequence_work(context, scaled(patterns, scale), difflib_vocabulary, Measure::difflib,
                      threshold, seed),
        std::string("difflib's ratio of a noisy query of 80 with patterns of 100, ") + shown,
        target);
  };
}

MakeWork strings_entry(const char* peer_measure, Measure measure, std::size_t length,
                       std::size_t queries) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    const bool words = std::string_view(peer_measure).substr(0, 5) == "token";
    return described(
        string_work(context, {peer_measure, measure, scaled(100e3, scale), length, queries, words},
                    seed),
        std::string(peer_measure) + " similarity of texts of " + std::to_string(length) +
            " letters, top-100, queries: " + std::to_string(queries),
        0);
  };
}

MakeWork matrix_entry(const char* peer_measure, Measure measure, std::size_t length,
                      std::size_t queries = 100) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    return described(
        string_work(context,
                    {peer_measure, measure, scaled(100e3, scale), length, queries, false, true},
                    seed),
        std::string(peer_measure) + " similarities of all pairs of texts of " +
            std::to_string(length) + " letters, queries: " + std::to_string(queries),
        0);
  };
}

MakeWork search_entry(double rows, std::size_t queries, double target) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    return described(search_work(context, scaled(rows, scale), queries, 100, seed),
                     "exact cosine top-10 of rows of 768, queries: " + std::to_string(queries),
                     target);
  };
}

MakeWork filter_entry(double percent) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    // Enough rows that 1 % of them is more than the number of results.
    const std::size_t rows = std::max<std::size_t>(scaled(200e3, scale), 20000);
    auto work = search_work(context, rows, 1, percent, seed);
    work->beside = "kindred, no filter";
    return described(std::move(work),
                     "exact cosine top-10 of the rows of 768 that a filter lets pass", 0);
  };
}

MakeWork score_entry(std::size_t candidates) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    const std::size_t rows = std::max(scaled(200e3, scale), candidates);
    return described(score_work(context, rows, candidates, seed),
                     "cosine top-10 of a list of rows of 768", 0);
  };
}

MakeWork row_entry(std::size_t rows, bool ranks) {
  return [=](Context& context, double, std::uint64_t seed) {
    return described(row_work(context, rows, ranks, seed),
                     std::string(ranks ? "the best 10 of " : "cosine of one query with ") +
                         std::to_string(rows) + " rows of 768 without an index",
                     0);
  };
}

MakeWork hop_entry(GraphShape shape) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    return described(hop_work(context, scaled(1e6, scale), 32, 1, shape, seed),
                     std::string("one hop over a ") +
                         (shape == GraphShape::uniform  ? "uniform"
                          : shape == GraphShape::skewed ? "skewed"
                                                        : "power-law") +
                         " graph, 32 edges a node",
                     2);
  };
}

MakeWork csr_hop_entry(double nodes) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    return described(csr_hop_work(context, scaled(nodes, scale), 10, seed),
                     "one hop over borrowed rows of a power-law graph, 10 edges a node", 1);
  };
}

std::unique_ptr<Work> make_hop_of_columns(Context& context, double scale, std::uint64_t seed) {
  return described(hop_work(context, scaled(500e3, scale), 32, 32, GraphShape::skewed, seed),
                   "one hop of 32 columns over a skewed graph, 32 edges a node", 3);
}

MakeWork linear_entry(std::size_t degree, std::size_t queries, const char* detail) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    return described(linear_work(context, scaled(100e3, scale), degree, queries, seed), detail, 0);
  };
}

MakeWork pagerank_entry(double nodes, std::size_t degree) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    return described(pagerank_work(context, scaled(nodes, scale), degree, seed),
                     "personalised PageRank of a node to 1e-6, top-100, " + std::to_string(degree) +
                         " edges a node",
                     2);
  };
}

std::unique_ptr<Work> make_hnsw(Context& context, double scale, std::uint64_t seed) {
  return described(approximate_search_work(context, scaled(50e3, scale), 128, 200, seed),
                   "L2 top-10 of clustered rows of 128, 200 queries; the peer is approximate", 0);
}

MakeWork seed_forward_entry(double most_rows, std::uint32_t hidden, std::uint32_t seeds,
                            DataType element, bool telemetry) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    const auto rows = static_cast<std::size_t>(std::max(4.0, std::floor(most_rows * scale)));
    return described(seed_forward_work(context, rows, hidden, seeds, element, telemetry, seed),
                     "forward of " + std::to_string(seeds) + " seeds in every state, " +
                         std::to_string(rows) + " x " + std::to_string(hidden) + ", " +
                         std::string(to_string(element)) + (telemetry ? ", with telemetry" : ""),
                     0);
  };
}

std::unique_ptr<Work> make_seed_update(Context& context, double, std::uint64_t seed) {
  return described(seed_update_work(context, 100000, 1000, seed), "1000 updates of 100000 seeds",
                   0);
}

MakeWork norm_entry(DataType element) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    return described(layer_work(context, scaled(4096, scale), 4096, 0, element, seed),
                     "LayerNorm and GELU of rows of 4096", 0);
  };
}

std::unique_ptr<Work> make_linear_gelu(Context& context, double scale, std::uint64_t seed) {
  return described(layer_work(context, scaled(1024, scale), 1024, 1024, DataType::float32, seed),
                   "product with 1024 x 1024 weights, bias and GELU", 0);
}

std::unique_ptr<Work> make_lattice_build(Context& context, double, std::uint64_t) {
  return described(lattice_build_work(context, 10), "the graph of a lattice of 4 dimensions of 10",
                   20);
}

MakeWork lattice_measure_entry(std::uint32_t size) {
  return [=](Context& context, double, std::uint64_t) {
    return described(
        lattice_measure_work(context, size),
        "diameter, clustering, connection and density of a lattice of 4 dimensions, measured", 10);
  };
}

MakeWork lattice_path_entry(bool is_maze) {
  return [=](Context& context, double, std::uint64_t seed) {
    return described(
        lattice_path_work(context, 10, is_maze, seed),
        std::string("shortest paths between nodes of a lattice of 4 dimensions of 10") +
            (is_maze ? ", a tenth of its nodes blocked" : ""),
        is_maze ? 0 : 100);
  };
}

std::unique_ptr<Work> make_bulk_xor(Context& context, double scale, std::uint64_t seed) {
  return described(xor_work(context, scaled(200e6, scale), seed), "xor of bytes with a key", 0.9);
}

std::unique_ptr<Work> make_integer_sum(Context& context, double scale, std::uint64_t seed) {
  return described(integer_sum_work(context, scaled(50e6, scale), seed), "the sum of int32", 0);
}

MakeWork small_products_entry(const char* peers, double target) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    return described(product_work(context, peers, scaled(1000, scale), 32, seed),
                     "products of 32 x 32", target);
  };
}

MakeWork products_entry(std::size_t count, std::size_t side, const char* detail) {
  return [=](Context& context, double scale, std::uint64_t seed) {
    return described(product_work(context, "bulk_stacked", count, scale < 0.01 ? 32 : side, seed),
                     detail, 0.95);
  };
}

}  // namespace

const std::vector<WorkEntry>& work_catalogue() {
  using enum DataType;
  static const std::vector<WorkEntry> entries{
      {"lcs", "lcs-200", lcs_entry(200, 6)},
      {"lcs", "lcs-50000", lcs_entry(50000, 15)},
      {"difflib", "difflib-0.6", difflib_entry(100e3, 0.6, "threshold 0.6", 300)},
      {"difflib", "difflib-none", difflib_entry(20e3, 0.0, "no threshold", 15)},
      {"strings", "indel-20", strings_entry("indel", Measure::lcs, 20, 1)},
      {"strings", "indel-20-64", strings_entry("indel", Measure::lcs, 20, 64)},
      {"strings", "indel-100", strings_entry("indel", Measure::lcs, 100, 1)},
      {"strings", "indel-100-64", strings_entry("indel", Measure::lcs, 100, 64)},
      {"strings", "levenshtein-20", strings_entry("levenshtein", Measure::levenshtein, 20, 1)},
      {"strings", "levenshtein-20-64", strings_entry("levenshtein", Measure::levenshtein, 20, 64)},
      {"strings", "levenshtein-100", strings_entry("levenshtein", Measure::levenshtein, 100, 1)},
      {"strings", "levenshtein-100-64",
       strings_entry("levenshtein", Measure::levenshtein, 100, 64)},
      {"strings", "osa-20", strings_entry("osa", Measure::osa, 20, 1)},
      {"strings", "osa-100-64", strings_entry("osa", Measure::osa, 100, 64)},
      {"strings", "prefix-20", strings_entry("prefix", Measure::prefix, 20, 1)},
      {"strings", "postfix-20", strings_entry("postfix", Measure::postfix, 20, 1)},
      {"strings", "jaro-winkler-20", strings_entry("jaro-winkler", Measure::jaro_winkler, 20, 1)},
      {"strings", "jaro-winkler-20-64",
       strings_entry("jaro-winkler", Measure::jaro_winkler, 20, 64)},
      {"strings", "token-sort-20", strings_entry("token-sort", Measure::token_sort, 20, 1)},
      {"strings", "token-set-20", strings_entry("token-set", Measure::token_set, 20, 1)},
      {"strings", "token-set-100-64", strings_entry("token-set", Measure::token_set, 100, 64)},
      {"strings", "matrix-indel-8", matrix_entry("indel", Measure::lcs, 8)},
      {"strings", "matrix-levenshtein-8", matrix_entry("levenshtein", Measure::levenshtein, 8)},
      {"strings", "matrix-indel-32", matrix_entry("indel", Measure::lcs, 32)},
      {"strings", "matrix-levenshtein-32", matrix_entry("levenshtein", Measure::levenshtein, 32)},
      {"strings", "matrix-indel-100", matrix_entry("indel", Measure::lcs, 100)},
      {"strings", "matrix-levenshtein-100", matrix_entry("levenshtein", Measure::levenshtein, 100)},
      {"strings", "matrix-levenshtein-8-4",
       matrix_entry("levenshtein", Measure::levenshtein, 8, 4)},
      {"strings", "matrix-jaro-winkler-8", matrix_entry("jaro-winkler", Measure::jaro_winkler, 8)},
      {"search", "search-1", search_entry(200e3, 1, 1.5)},
      {"search", "search-32", search_entry(200e3, 32, 0)},
      {"search", "search-1024", search_entry(200e3, 1024, 0)},
      {"search", "search-1m", search_entry(1e6, 1, 1.5)},
      {"filter", "filter-100", filter_entry(100)},
      {"filter", "filter-50", filter_entry(50)},
      {"filter", "filter-1", filter_entry(1)},
      {"score", "score-1024", score_entry(1024)},
      {"score", "score-65536", score_entry(65536)},
      {"score", "row-scores-16", row_entry(16, false)},
      {"score", "row-scores-1024", row_entry(1024, false)},
      {"score", "top-rows-1024", row_entry(1024, true)},
      {"spread", "hop", hop_entry(GraphShape::skewed)},
      {"spread", "hop-uniform", hop_entry(GraphShape::uniform)},
      {"spread", "hop-power-law", hop_entry(GraphShape::power_law)},
      {"spread", "hop-csr", csr_hop_entry(1e6)},
      {"spread", "hop-csr-1m", csr_hop_entry(100e3)},
      {"spread", "hop-32", make_hop_of_columns},
      {"spread", "linear-32",
       linear_entry(16, 32, "3 linear hops of 32 queries, 16 edges a node, top-10")},
      {"spread", "spread-1k",
       linear_entry(
           5, 1, "3 linear hops from one node that touch some 1K edges, 5 edges a node, top-10")},
      {"spread", "pagerank-50k", pagerank_entry(50e3, 8)},
      {"spread", "pagerank-1m", pagerank_entry(1e6, 16)},
      {"hnsw", "hnsw", make_hnsw},
      {"seeds", "seed-4096", seed_forward_entry(4096, 4096, 1000, float32, true)},
      {"seeds", "seed-plain", seed_forward_entry(4096, 4096, 1000, float32, false)},
      {"seeds", "seed-bf16", seed_forward_entry(4096, 4096, 1000, bfloat16, true)},
      {"seeds", "seed-bf16-plain", seed_forward_entry(4096, 4096, 1000, bfloat16, false)},
      {"seeds", "seed-small", seed_forward_entry(32, 4096, 1000, float32, true)},
      {"seeds", "seed-10k", seed_forward_entry(512, 40960, 10000, float32, true)},
      {"seeds", "seed-100k", seed_forward_entry(128, 409600, 100000, float32, true)},
      {"seeds", "seed-update", make_seed_update},
      {"fused", "norm-gelu", norm_entry(float32)},
      {"fused", "norm-gelu-bf16", norm_entry(bfloat16)},
      {"fused", "linear-gelu", make_linear_gelu},
      {"lattice", "lattice-build", make_lattice_build},
      {"lattice", "lattice-8", lattice_measure_entry(8)},
      {"lattice", "lattice-10", lattice_measure_entry(10)},
      {"lattice", "lattice-path", lattice_path_entry(false)},
      {"lattice", "lattice-maze", lattice_path_entry(true)},
      {"bulk", "bulk-xor", make_bulk_xor},
      {"bulk", "bulk-sum-int32", make_integer_sum},
      {"bulk", "bmm-1000-32", small_products_entry("bulk_loop", 2)},
      {"bulk", "bmm-10-256", products_entry(10, 256, "10 products of 256 x 256")},
      {"bulk", "matmul-1024", products_entry(1, 1024, "a product of 1024 x 1024")},
      {"bulk", "bmm-1000-32-stacked", small_products_entry("bulk_stacked", 0)}};
  return entries;
}

std::unique_ptr<Work> make_work(const WorkEntry& entry, Context& context, double scale,
                                std::uint64_t seed) {
  std::unique_ptr<Work> work = entry.make(context, scale, seed);
  work->name = entry.name;
  return work;
}

}  // namespace Kindred::Perf
