// SPDX-License-Identifier: Apache-2.0
#include "rows/Row.hpp"

#include <kindred/matcher/BulkOperationInfo.hpp>

#include "problems/ProblemFactories.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace Kindred::Perf {

namespace {

/// \brief Rows whose work other libraries do as well, in sizes for a machine with two cores.
///
/// Each function adds the rows of one engine. The last number of a row is the ratio that it should
/// reach.
class PeerRows {
 public:
  explicit PeerRows(const RowSizes& sizes) : m_sizes(sizes) {
    sequences();
    texts();
    vectors();
    graphs();
    seeds();
    layers();
    lattices();
    bulk();
    // Short rows, one of each kernel: the nightly run compares their ratios with the recorded ones.
    constexpr std::string_view nightly[] = {
        "lcs-200",         "difflib-0.6",        "indel-100",
        "levenshtein-20",  "levenshtein-100-64", "prefix-20",
        "jaro-winkler-20", "token-sort-20",      "matrix-indel-32",
        "score-1024",      "row-scores-1024",    "hop-csr",
        "spread-1k",       "pagerank-50k",       "seed-4096",
        "seed-bf16",       "norm-gelu",          "linear-gelu",
        "lattice-path",    "bulk-xor",           "matmul-1024"};
    for (Row& row : rows) {
      const std::string_view name = std::string_view(row.name).substr(row.name.find('/') + 1);
      if (std::ranges::find(nightly, name) != std::end(nightly)) row.tags.emplace_back("nightly");
    }
  }

  std::vector<Row> rows;

 private:
  using Make = std::function<std::unique_ptr<Problem>(const RowSizes&)>;

  Row& add(const char* engine, const std::string& name, std::string work, double ratio, Make make) {
    rows.push_back({.name = "peers/" + name,
                    .tags = {engine},
                    .work = std::move(work),
                    .of_peer = ratio,
                    .compare_bits = false,
                    .make = [sizes = m_sizes, make = std::move(make)] { return make(sizes); }});
    return rows.back();
  }
  /// Also with the libraries for GPUs.
  static void also_on_gpu(Row& row) { row.tags.emplace_back("gpu"); }

  void match(const char* name, double count, std::uint32_t vocabulary, const std::string& work,
             Measure measure, double threshold, double ratio) {
    add("sequences", name, work, ratio, [=](const RowSizes& on) {
      auto patterns =
          std::make_shared<PatternSet>(on.context, on.scaled(count), 100, vocabulary, on.seed);
      MatchOptions options;
      options.measure = measure;
      options.threshold = threshold;
      // RapidFuzz's `extract` returns the best 100; users of difflib take every pattern that
      // reaches the threshold.
      const bool is_lcs = measure == Measure::lcs;
      options.top = is_lcs ? 100 : patterns->rows.rows();
      Ragged<Symbol> queries = is_lcs ? zipf_queries(1, 64, vocabulary, on.seed + 1)
                                      : noisy_query(*patterns, 7, 80, on.seed + 1);
      return match_problem(std::move(patterns), std::move(queries), options);
    });
  }
  void sequences() {
    const auto lcs = [&](std::uint32_t vocabulary, double ratio) {
      match(("lcs-" + std::to_string(vocabulary)).c_str(), 100e3, vocabulary,
            "LCS of a query of 64 with patterns of 100, vocabulary " + std::to_string(vocabulary) +
                ", top-100",
            Measure::lcs, 0, ratio);
    };
    lcs(200, 6);
    lcs(50000, 15);
    const std::string work = "difflib's ratio of a noisy query of 80 with patterns of 100, ";
    match("difflib-0.6", 100e3, difflib_vocabulary, work + "threshold 0.6", Measure::difflib, 0.6,
          300);
    match("difflib-none", 20e3, difflib_vocabulary, work + "no threshold", Measure::difflib, 0, 15);
  }

  void text(const char* peer_measure, Measure measure, std::size_t length, std::size_t queries,
            bool is_matrix = false) {
    std::string name =
        (is_matrix ? "matrix-" : "") + std::string(peer_measure) + "-" + std::to_string(length);
    if (queries != (is_matrix ? 100 : 1)) name += "-" + std::to_string(queries);
    const std::string what =
        std::string(peer_measure) +
        (is_matrix ? " similarities of all pairs of texts of " : " similarity of texts of ");
    add("texts", name,
        what + std::to_string(length) + " letters, queries: " + std::to_string(queries), 0,
        [=](const RowSizes& on) {
          const bool has_words = std::string_view(peer_measure).substr(0, 5) == "token";
          return text_problem(
              on.context,
              {peer_measure, measure, on.scaled(100e3), length, queries, has_words, is_matrix},
              on.seed);
        });
  }
  void texts() {
    using enum Measure;
    for (const auto& [name, measure] :
         {std::pair("indel", lcs), std::pair("levenshtein", levenshtein)}) {
      for (const std::size_t length : {20, 100})
        for (const std::size_t queries : {1, 64}) text(name, measure, length, queries);
    }
    text("osa", osa, 20, 1);
    text("osa", osa, 100, 64);
    text("prefix", prefix, 20, 1);
    text("postfix", postfix, 20, 1);
    text("jaro-winkler", jaro_winkler, 20, 1);
    text("jaro-winkler", jaro_winkler, 20, 64);
    text("token-sort", token_sort, 20, 1);
    text("token-set", token_set, 20, 1);
    text("token-set", token_set, 100, 64);
    for (const std::size_t length : {8, 32, 100}) {
      text("indel", lcs, length, 100, true);
      text("levenshtein", levenshtein, length, 100, true);
    }
    text("levenshtein", levenshtein, 8, 4, true);
    text("jaro-winkler", jaro_winkler, 8, 100, true);
  }

  /// Rows that several rows share while they are measured one after the other.
  struct SharedRows {
    std::shared_ptr<const RowSet> set;
    std::shared_ptr<const RowSet> of(const RowSizes& on, std::size_t count) {
      if (!set || set->index.size() != count) {
        set.reset();
        set = std::make_shared<RowSet>(on.context, count, 768, on.seed);
      }
      return set;
    }
  };

  void vectors() {
    const auto shared = std::make_shared<SharedRows>();
    constexpr int quantized_pays = 64;  // searches after which there is a copy in int8
    const auto search = [&](const char* name, double count, std::size_t queries, double ratio) {
      Row& row =
          add("vectors", name,
              "exact cosine top-10 of rows of 768, queries: " + std::to_string(queries), ratio,
              [=](const RowSizes& on) {
                return search_problem(shared->of(on, on.scaled(count)), queries, 10, on.seed);
              });
      row.warm = queries == 1 ? quantized_pays : 3;
      also_on_gpu(row);
    };
    search("search-1", 200e3, 1, 1.5);
    search("search-32", 200e3, 32, 0);
    search("search-1024", 200e3, 1024, 0);
    for (const int percent : {100, 50, 1}) {
      // Enough rows that 1 % of them is more than the number of results.
      const auto problem = [=](const RowSizes& on, int passing) {
        return search_problem(shared->of(on, on.scaled(200e3, 20000)), 1, 10, on.seed, {}, passing);
      };
      Row& row = add("vectors", "filter-" + std::to_string(percent),
                     "exact cosine top-10 of the rows of 768 that a filter lets pass", 0,
                     [=](const RowSizes& on) { return problem(on, percent); });
      row.warm = quantized_pays;
      row.make_beside = [=, sizes = m_sizes] { return problem(sizes, -1); };
      row.beside = "kindred, no filter";
    }
    for (const std::size_t candidates : {1024, 65536}) {
      also_on_gpu(add("vectors", "score-" + std::to_string(candidates),
                      "cosine top-10 of a list of rows of 768", 0, [=](const RowSizes& on) {
                        const auto least = static_cast<double>(candidates);
                        return prepared_score_problem(shared->of(on, on.scaled(200e3, least)),
                                                      candidates, 10, on.seed);
                      }));
    }
    search("search-1m", 1e6, 1, 1.5);
    for (const auto& [name, count, ranks] :
         {std::tuple("row-scores-16", 16, false), std::tuple("row-scores-1024", 1024, false),
          std::tuple("top-rows-1024", 1024, true)}) {
      add("vectors", name,
          std::string(ranks ? "the best 10 of " : "cosine of one query with ") +
              std::to_string(count) + " rows of 768 without an index",
          0, [count = static_cast<std::size_t>(count), ranks = ranks](const RowSizes& on) {
            return rows_problem(on.context, count, ranks, on.seed);
          });
    }
  }

  static std::shared_ptr<const GraphSet> graph(const RowSizes& on, double nodes, std::size_t degree,
                                               GraphShape shape = GraphShape::skewed) {
    const std::size_t count = on.scaled(nodes);
    return std::make_shared<GraphSet>(on.context, count, count * degree, on.seed, shape);
  }
  void graphs() {
    using enum GraphShape;
    for (const auto& [name, shape, what, is_on_gpu] :
         {std::tuple("hop", skewed, "skewed", true),
          std::tuple("hop-uniform", uniform, "uniform", true),
          std::tuple("hop-power-law", power_law, "power-law", false)}) {
      Row& row =
          add("graphs", name, std::string("one hop over a ") + what + " graph, 32 edges a node", 2,
              [shape = shape](const RowSizes& on) {
                return hop_problem(graph(on, 1e6, 32, shape), on.seed);
              });
      if (is_on_gpu) also_on_gpu(row);
    }
    for (const auto& [name, nodes] : {std::pair("hop-csr", 1e6), std::pair("hop-csr-1m", 100e3)}) {
      add("graphs", name, "one hop over borrowed rows of a power-law graph, 10 edges a node", 1,
          [nodes = nodes](const RowSizes& on) {
            return csr_hop_problem(graph(on, nodes, 10, power_law), on.seed);
          });
    }
    also_on_gpu(
        add("graphs", "hop-32", "one hop of 32 columns over a skewed graph, 32 edges a node", 3,
            [](const RowSizes& on) { return hop_problem(graph(on, 500e3, 32), on.seed, 32); }));
    const auto linear = [&](const char* name, std::size_t degree, std::size_t queries,
                            std::size_t sources, const char* work) {
      add("graphs", name, work, 0, [=](const RowSizes& on) {
        SpreadOptions options;
        options.mode = SpreadMode::linear;
        options.hops = 3;
        return spread_problem(graph(on, 100e3, degree), queries, sources, options, on.seed);
      });
    };
    linear("linear-32", 16, 32, 8, "3 linear hops of 32 queries, 16 edges a node, top-10");
    linear("spread-1k", 5, 1, 1,
           "3 linear hops from one node that touch some 1K edges, 5 edges a node, top-10");
    for (const auto& [name, nodes, degree] :
         {std::tuple("pagerank-50k", 50e3, 8), std::tuple("pagerank-1m", 1e6, 16)}) {
      SpreadOptions options;
      options.mode = SpreadMode::pagerank;
      options.top = 100;
      const auto problem = [=, nodes = nodes, degree = static_cast<std::size_t>(degree)](
                               const RowSizes& on, std::size_t queries) {
        return spread_problem(graph(on, nodes, degree), queries, 1, options, on.seed);
      };
      Row& row = add("graphs", name,
                     "personalised PageRank of a node to 1e-6, top-100, " + std::to_string(degree) +
                         " edges a node",
                     2, [=](const RowSizes& on) { return problem(on, 1); });
      row.make_beside = [=, sizes = m_sizes] { return problem(sizes, 32); };
      row.beside = "kindred, 32 queries a call";
    }
  }

  void seeds() {
    using enum DataType;
    for (const auto& [name, most, hidden, count, element, telemetry] :
         {std::tuple("seed-4096", 4096, 4096U, 1000U, float32, true),
          std::tuple("seed-plain", 4096, 4096U, 1000U, float32, false),
          std::tuple("seed-bf16", 4096, 4096U, 1000U, bfloat16, true),
          std::tuple("seed-bf16-plain", 4096, 4096U, 1000U, bfloat16, false),
          std::tuple("seed-small", 32, 4096U, 1000U, float32, true),
          std::tuple("seed-10k", 512, 40960U, 10000U, float32, true),
          std::tuple("seed-100k", 128, 409600U, 100000U, float32, true)}) {
      const SeedShape shape{m_sizes.scaled(most, 4), hidden, count, element, telemetry};
      add("seeds", name,
          "forward of " + std::to_string(count) + " seeds in every state, " +
              std::to_string(shape.rows) + " x " + std::to_string(hidden) + ", " +
              std::string(to_string(element)) + (telemetry ? ", with telemetry" : ""),
          0, [=](const RowSizes& on) { return seed_problem(on.context, shape, on.seed); });
    }
    add("seeds", "seed-update", "1000 updates of 100000 seeds", 0,
        [](const RowSizes& on) { return seed_update_problem(on.context, 100000, 1000, on.seed); });
  }

  void layers() {
    for (const DataType element : {DataType::float32, DataType::bfloat16}) {
      add("layers", element == DataType::float32 ? "norm-gelu" : "norm-gelu-bf16",
          "LayerNorm and GELU of rows of 4096", 0, [=](const RowSizes& on) {
            return norm_problem(on.context, {on.scaled(4096), 4096, 0, element}, on.seed);
          });
    }
    add("layers", "linear-gelu", "product with 1024 x 1024 weights, bias and GELU", 0,
        [](const RowSizes& on) {
          return linear_problem(on.context, {on.scaled(1024), 1024, 1024, DataType::float32},
                                LayerActivation::gelu, {}, on.seed);
        });
  }

  static std::shared_ptr<const Lattice> lattice(const RowSizes& on, std::uint32_t size,
                                                const LatticeBlocks& blocks = {}) {
    return std::make_shared<Lattice>(on.context, 4, size, blocks);
  }
  void lattices() {
    add("lattices", "lattice-build", "the graph of a lattice of 4 dimensions of 10", 20,
        [](const RowSizes& on) { return lattice_rows_problem(lattice(on, 10)); });
    for (const std::uint32_t size : {8U, 10U}) {
      add("lattices", "lattice-" + std::to_string(size),
          "diameter, clustering, connection and density of a lattice of 4 dimensions, measured", 10,
          [=](const RowSizes& on) { return lattice_measure_problem(lattice(on, size)); });
    }
    const std::string work = "shortest paths between nodes of a lattice of 4 dimensions of 10";
    add("lattices", "lattice-path", work, 100,
        [](const RowSizes& on) { return lattice_paths_problem(lattice(on, 10), 100, on.seed); });
    add("lattices", "lattice-maze", work + ", a tenth of its nodes blocked", 0,
        [](const RowSizes& on) {
          std::vector<std::uint64_t> blocked;
          for (std::uint64_t node = 0; node < LatticeShape(4, 10).nodes(); ++node)
            if (random_word(on.seed + 9, node) % 10 == 0) blocked.push_back(node);
          return lattice_paths_problem(lattice(on, 10, {blocked, {}}), 100, on.seed);
        });
  }

  void products(const char* name, const char* job, double count, std::size_t side, double ratio,
                const char* work, bool is_on_gpu) {
    Row& row = add("bulk", name, work, ratio, [=](const RowSizes& on) {
      const BulkShape shape{Operations::matrix_multiply,
                            side * side,
                            count < 100 ? static_cast<std::size_t>(count) : on.scaled(count),
                            1,
                            false,
                            job};
      return bulk_problem(on.context, shape, on.seed);
    });
    if (is_on_gpu) also_on_gpu(row);
  }
  void bulk() {
    add("bulk", "bulk-xor", "xor of bytes with a key", 0.9, [](const RowSizes& on) {
      return bulk_problem(
          on.context, {Operations::transform, on.scaled(200e6) / 8 * 8, 1, 1, false, "bulk_xor"},
          on.seed);
    });
    add("bulk", "bulk-sum-int32", "the sum of int32", 0, [](const RowSizes& on) {
      return integer_sum_problem(on.context, on.scaled(50e6), on.seed);
    });
    const std::size_t small = m_sizes.scale < 0.01 ? 32 : 0;
    products("bmm-1000-32", "bulk_loop", 1000, 32, 2, "products of 32 x 32", false);
    products("bmm-10-256", "bulk_stacked", 10, small > 0 ? small : 256, 0.95,
             "10 products of 256 x 256", true);
    products("matmul-1024", "bulk_stacked", 1, small > 0 ? small : 1024, 0.95,
             "a product of 1024 x 1024", true);
    products("bmm-1000-32-stacked", "bulk_stacked", 1000, 32, 0, "products of 32 x 32", true);
  }

  RowSizes m_sizes;
};

}  // namespace

std::vector<Row> peer_rows(const RowSizes& sizes) { return PeerRows(sizes).rows; }

}  // namespace Kindred::Perf
