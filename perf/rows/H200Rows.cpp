// SPDX-License-Identifier: Apache-2.0
#include "rows/Row.hpp"

#include <kindred/matcher/BulkOperationInfo.hpp>

#include "machine/CopyProblem.hpp"
#include "machine/SeedKernelProblem.hpp"
#include "problems/ProblemFactories.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace Kindred::Perf {

namespace {

constexpr const char* copy_name = "a copy";

/// The data sets of the rows; only one of each kind exists at a time.
class Corpora {
 public:
  explicit Corpora(const RowSizes& sizes)
      : m_sizes(sizes), m_context(sizes.context), m_seed(sizes.seed) {}

  std::size_t scaled(double count) const { return m_sizes.scaled(count, 1024); }

  std::shared_ptr<const PatternSet> patterns(std::uint32_t vocabulary) {
    if (!m_patterns || m_patterns->vocabulary != vocabulary) {
      release();
      m_patterns = std::make_shared<PatternSet>(m_context, scaled(10e6), 100, vocabulary, m_seed);
    }
    return m_patterns;
  }
  std::shared_ptr<const RowSet> rows() {
    if (!m_rows) {
      release();
      m_rows = std::make_shared<RowSet>(m_context, scaled(1e6), 768, m_seed);
    }
    return m_rows;
  }
  std::shared_ptr<const ByteRowSet> byte_rows() {
    if (!m_byte_rows) {
      release();
      m_byte_rows = std::make_shared<ByteRowSet>(m_context, scaled(100e6), 128, m_seed);
    }
    return m_byte_rows;
  }
  std::shared_ptr<const GraphSet> graph(std::size_t nodes, std::size_t degree,
                                        GraphShape shape = GraphShape::skewed) {
    if (!m_graph || m_graph->nodes != nodes || m_graph->shape != shape) {
      release();
      m_graph = std::make_shared<GraphSet>(m_context, nodes, nodes * degree, m_seed, shape);
    }
    return m_graph;
  }

 private:
  void release() {
    m_patterns.reset();
    m_rows.reset();
    m_byte_rows.reset();
    m_graph.reset();
  }

  RowSizes m_sizes;
  Context& m_context;
  std::uint64_t m_seed;
  std::shared_ptr<const PatternSet> m_patterns;
  std::shared_ptr<const RowSet> m_rows;
  std::shared_ptr<const ByteRowSet> m_byte_rows;
  std::shared_ptr<const GraphSet> m_graph;
};

/// Rows of normalisation, of products, and of many small layers in one launch. On resident
/// matrices, so that the time is that of a kernel in a queue.
std::vector<Row> layer_rows(Context& context, double scale, std::uint64_t seed) {
  std::vector<Row> rows;
  const auto scaled = [=](std::size_t count) {
    return std::max<std::size_t>(64, static_cast<std::size_t>(static_cast<double>(count) * scale));
  };
  constexpr auto bf16 = DataType::bfloat16;
  constexpr auto fp32 = DataType::float32;
  const auto add = [&](std::string name, std::string work, std::size_t calls, bool compare,
                       std::function<std::unique_ptr<Problem>()> make) {
    Row row;
    row.name = std::move(name);
    row.work = std::move(work);
    row.calls = static_cast<double>(calls);
    row.compare_bits = compare;
    row.make = std::move(make);
    rows.push_back(std::move(row));
  };
  for (const auto& [name, count, columns] :
       {std::tuple("norm-4k", 4096, 4096), std::tuple("norm-32k", 32768, 8192)}) {
    for (const DataType element : {bf16, fp32}) {
      const LayerShape shape{scaled(count), static_cast<std::size_t>(columns), 0, element, 1, 8};
      add(std::string(name) + (element == bf16 ? "-bf16" : "-fp32"),
          "LayerNorm and GELU, " + std::to_string(count) + " x " + std::to_string(columns),
          shape.calls, true, [=, &context] { return norm_problem(context, shape, seed); });
    }
  }
  const LayerShape norms{32, 256, 0, bf16, 64, 20};
  add("norm-64-small", "64 LayerNorms and GELU of 32 x 256 in one launch, bf16", norms.calls, true,
      [=, &context] { return norm_problem(context, norms, seed); });
  for (const auto& [name, activation] :
       {std::pair("none", LayerActivation::none), std::pair("relu", LayerActivation::relu),
        std::pair("gelu", LayerActivation::gelu)}) {
    const LayerShape shape{scaled(4096), 4096, 4096, bf16, 1, 8};
    add(std::string("linear-4k-") + name, "4096 x 4096 x 4096 and bias, bf16, " + std::string(name),
        shape.calls, false, [=, &context, activation = activation] {
          return linear_problem(context, shape, activation, {}, seed);
        });
  }
  const LayerShape wide{scaled(4096), 4096, 4096, fp32, 1, 1};
  add("linear-4k-fp32", "4096 x 4096 x 4096, bias and GELU, float32", wide.calls, false,
      [=, &context] { return linear_problem(context, wide, LayerActivation::gelu, {}, seed); });
  const LayerShape exact{scaled(1024), 1024, 1024, fp32, 1, 1};
  add("linear-1k-reproducible", "1024 x 1024 x 1024, bias and GELU, reproducible, float32",
      exact.calls, true, [=, &context] {
        return linear_problem(context, exact, LayerActivation::gelu, {.reproducible = true}, seed);
      });
  const LayerShape small{32, 64, 64, bf16, 256, 20};
  add("linear-256-small", "256 layers of 32 x 64 x 64, bias and GELU, in one launch, bf16",
      small.calls, true,
      [=, &context] { return linear_problem(context, small, LayerActivation::gelu, {}, seed); });
  return rows;
}

/// Bulk operations on resident arrays.
std::vector<Row> bulk_rows(Context& context, double scale, std::uint64_t seed) {
  constexpr double read = 4.28e12;  // bytes per second
  struct Given {
    const char* name;
    const char* work;
    BulkShape shape;
    double target;
    double moved = 0;  // bytes read and written, if the target is relative to a copy
  };
  const auto scaled = [=](double count) {
    return std::max<std::size_t>(4096,
                                 static_cast<std::size_t>(count * std::min(1.0, scale)) / 8 * 8);
  };
  const Given given[] = {
      {"bulk-xor-100m",
       "xor of 100M bytes with a key",
       {Operations::transform, scaled(1e8)},
       0,
       3e8},
      {"bulk-add-100m",
       "sum of two arrays of 100M float32",
       {Operations::matrix_add, scaled(1e8)},
       0,
       12e8},
      {"bulk-reduce-100m",
       "reproducible sum of 100M float32",
       {Operations::reduction, scaled(1e8)},
       4e8 / read / 0.92},
      {"bulk-random-100m", "100M random float32", {Operations::random_generation, scaled(1e8)}, 0},
      {"bmm-10-256", "10 products of 256 x 256", {Operations::matrix_multiply, 256 * 256, 10}, 0},
      {"bmm-1000-32", "1000 products of 32 x 32", {Operations::matrix_multiply, 32 * 32, 1000}, 0},
      {"matmul-1024", "a product of 1024 x 1024", {Operations::matrix_multiply, 1024 * 1024}, 0}};
  std::vector<Row> rows;
  for (const Given& one : given) {
    BulkShape shape = one.shape;
    // Enough that the fence, which takes as long as a small product, is negligible.
    shape.calls = scale < 0.01 ? 1 : shape.operation == Operations::matrix_multiply ? 200 : 20;
    std::function<std::unique_ptr<Problem>()> copy;
    if (one.moved > 0) {
      const CopyWork work{scaled(one.moved / 2), shape.calls, 1};
      copy = [=, &context] { return copy_problem(context, work); };
    }
    rows.push_back({.name = one.name,
                    .work = std::string(one.work) + ": a call",
                    .target = one.target,
                    .of_beside = one.moved > 0 ? 0.92 : 0,
                    .calls = static_cast<double>(shape.calls),
                    .compare_bits = shape.operation != Operations::matrix_multiply,
                    .make = [=, &context] { return bulk_problem(context, shape, seed); },
                    .make_beside = copy,
                    .beside = copy_name});
  }
  return rows;
}

MatchOptions top_100(Measure measure, double threshold) {
  MatchOptions options;
  options.measure = measure;
  options.threshold = threshold;
  options.top = 100;
  return options;
}

/// Rows of the seed layer: the forward call with telemetry, with overlapping and with separate
/// calls, and without telemetry; the backward call; and updates.
std::vector<Row> seed_rows(Context& context, double scale, std::uint64_t seed) {
  std::vector<Row> rows;
  struct Shape {
    const char* name;
    std::uint64_t rows;
    std::uint32_t hidden;
    std::uint32_t seeds;
    DataType element;
    std::size_t calls;
    std::size_t sets;
    double target;   // for the forward call with telemetry
    double of_copy;  // likewise
  };
  using enum DataType;
  const Shape shapes[] = {{"seed-4096-bf16", 4096, 4096, 1000, bfloat16, 100, 3, 0, 0.92},
                          {"seed-4096", 4096, 4096, 1000, float32, 100, 2, 0, 0.92},
                          {"seed-32768-bf16", 32768, 8192, 1000, bfloat16, 10, 2, 0, 0.92},
                          {"seed-32768", 32768, 8192, 1000, float32, 10, 2, 0, 0.92},
                          {"seed-small", 32, 4096, 1000, float32, 100, 2, 5e-6, 0},
                          {"seed-small-bf16", 32, 4096, 1000, bfloat16, 100, 2, 5e-6, 0},
                          {"seed-10k", 512, 40960, 10000, bfloat16, 100, 3, 0, 0},
                          {"seed-100k", 512, 409600, 100000, bfloat16, 10, 2, 0, 0}};
  for (const Shape& shape : shapes) {
    SeedKernelWork work;
    work.rows = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(static_cast<double>(shape.rows) * std::min(1.0, scale)));
    work.hidden = shape.hidden;
    work.seeds = shape.seeds;
    work.element = shape.element;
    work.calls = scale < 0.01 ? 1 : shape.calls;
    work.sets = shape.sets;
    work.seed = seed;
    const std::string what = std::to_string(work.rows) + " x " + std::to_string(shape.hidden) +
                             " " + std::string(to_string(shape.element)) + ", " +
                             std::to_string(shape.seeds) + " seeds";
    const CopyWork copy{work.rows * work.hidden * size_of(work.element), work.calls, work.sets};
    for (const auto& [kind, overlaps, suffix, text] :
         {std::tuple(SeedKernelWork::Kind::telemetry, true, "", "forward with telemetry, "),
          std::tuple(SeedKernelWork::Kind::telemetry, false, "-apart",
                     "forward with telemetry that waits for the one before, "),
          std::tuple(SeedKernelWork::Kind::plain, true, "-plain", "forward without telemetry, ")}) {
      work.kind = kind;
      work.overlaps = overlaps;
      const bool has_target = kind == SeedKernelWork::Kind::telemetry;
      rows.push_back({.name = std::string(shape.name) + suffix,
                      .work = text + what + ": a call",
                      .target = has_target ? shape.target : 0,
                      .of_beside = has_target ? shape.of_copy : 0,
                      .calls = static_cast<double>(work.calls),
                      .compare_bits = false,
                      .make = [&context, work] { return seed_kernel_problem(context, work); },
                      .make_beside = [&context, copy] { return copy_problem(context, copy); },
                      .beside = copy_name});
    }
  }
  const std::size_t in_a_row = scale < 0.01 ? 2 : 100;
  rows.push_back({.name = "seed-sequence",
                  .work = "a SeedSequence of 100 forwards with telemetry, 32 x 4096 float32, 1000 "
                          "seeds: a call",
                  .target = 5e-6,
                  .calls = static_cast<double>(in_a_row),
                  .make = [&context, in_a_row, seed] {
                    return seed_sequence_problem(context, 32, 4096, 1000, in_a_row, seed);
                  }});
  SeedKernelWork backward;
  backward.kind = SeedKernelWork::Kind::backward;
  backward.rows = static_cast<std::uint64_t>(std::max(1.0, 4096 * std::min(1.0, scale)));
  backward.hidden = 4096;
  backward.seeds = 1000;
  backward.calls = scale < 0.01 ? 1 : 100;
  backward.sets = 2;
  backward.seed = seed;
  rows.push_back({.name = "seed-backward",
                  .work = "backward of " + std::to_string(backward.rows) +
                          " x 4096 float32, 1000 seeds: a call",
                  .calls = static_cast<double>(backward.calls),
                  .compare_bits = false,
                  .make = [&context, backward] { return seed_kernel_problem(context, backward); }});
  SeedKernelWork update;
  update.kind = SeedKernelWork::Kind::update;
  update.rows = 1000;
  update.hidden = 100000;
  update.seeds = 100000;
  update.calls = scale < 0.01 ? 1 : 100;
  update.seed = seed;
  rows.push_back({.name = "seed-update",
                  .work = "1000 updates of 100000 seeds: a call",
                  .target = 5e-6,
                  .calls = static_cast<double>(update.calls),
                  .compare_bits = false,
                  .make = [&context, update] { return seed_kernel_problem(context, update); }});
  return rows;
}

}  // namespace

std::vector<Row> h200_rows(const RowSizes& sizes) {
  Context& context = sizes.context;
  const double scale = sizes.scale;
  const std::uint64_t seed = sizes.seed;
  auto corpora = std::make_shared<Corpora>(sizes);
  std::vector<Row> rows;
  const char* engine = "sequences";
  const auto add = [&](Row row) {
    row.tags.emplace_back(engine);
    rows.push_back(std::move(row));
  };

  for (const std::uint32_t vocabulary : {100000U, 50000U, 4096U, 200U}) {
    add({.name = "lcs-" + std::to_string(vocabulary),
         .work = "LCS top-100, query of 64, 10M patterns of 100, vocabulary " +
                 std::to_string(vocabulary),
         .target = 1.0e-3,
         .make = [=] {
           return match_problem(corpora->patterns(vocabulary),
                                zipf_queries(1, 64, vocabulary, seed + 1),
                                top_100(Measure::lcs, 0.1));
         }});
  }
  add({.name = "levenshtein",
       .work = "Levenshtein top-100, query of 64, 10M patterns of 100, vocabulary 4096",
       .target = 2.5e-3,
       .make = [=] {
         return match_problem(corpora->patterns(4096), zipf_queries(1, 64, 4096, seed + 1),
                              top_100(Measure::levenshtein, 0.1));
       }});
  add({.name = "lcs-64q",
       .work = "LCS top-100, 64 queries of 64 at once, 10M patterns of 100, vocabulary 200",
       .target = 64.0 * 64 * 100 * 10e6 / 60e12,
       .compare_bits = false,
       .make = [=] {
         return match_problem(corpora->patterns(200), zipf_queries(64, 64, 200, seed + 1),
                              top_100(Measure::lcs, 0.1));
       }});
  add({.name = "lcs-4096q",
       .work = "LCS top-100, 4096 queries of 64 at once, 10M patterns of 100, vocabulary 200",
       .target = 4096.0 * 64 * 100 * 10e6 / 60e12,
       .on_request = true,
       .compare_bits = false,
       .make = [=] {
         return match_problem(corpora->patterns(200), zipf_queries(4096, 64, 200, seed + 1),
                              top_100(Measure::lcs, 0.1));
       }});
  for (const auto& [name, threshold, target] :
       {std::tuple("difflib-0.6", 0.6, 1.5e-3), std::tuple("difflib-none", 0.0, 15e-3)}) {
    add({.name = name,
         .work =
             std::string("difflib top-100, noisy query of 80, 10M patterns of 100, vocabulary 70, "
                         "threshold ") +
             (threshold > 0 ? "0.6" : "0"),
         .target = target,
         .compare_bits = threshold > 0,
         .make = [=, threshold = threshold] {
           const auto patterns = corpora->patterns(difflib_vocabulary);
           return match_problem(patterns, noisy_query(*patterns, 7, 80, seed + 1),
                                top_100(Measure::difflib, threshold));
         }});
  }

  engine = "vectors";
  constexpr int quantized_pays =
      64;  // searches of one query after which the int8-quantized copy is created
  add({.name = "search-1",
       .work = "exact cosine top-100, 1 query x 1M x 768",
       .target = 0.25e-3,
       .kernel = "Vector::prefilter_rows::",
       .warm = quantized_pays,
       .make = [=] { return search_problem(corpora->rows(), 1, 100, seed); }});
  add({.name = "search-1024",
       .work = "exact cosine top-100, 1024 queries x 1M x 768",
       .target = 3.0e-3,
       .compare_bits = false,
       .queued = true,
       .make = [=] { return search_problem(corpora->rows(), 1024, 100, seed); }});
  add({.name = "search-10k",
       .work = "exact cosine top-100, 10K queries x 1M x 768",
       .target = 30e-3,
       .on_request = true,
       .compare_bits = false,
       .make = [=] { return search_problem(corpora->rows(), 10000, 100, seed); }});
  for (const std::size_t queries : {1UL, 1024UL}) {
    for (const int passing : {100, 50, 1}) {
      add({.name = "search-" + std::to_string(queries) + "-filter-" + std::to_string(passing),
           .work = "the same, " + std::to_string(queries) +
                   (queries == 1 ? " query, " : " queries, ") + std::to_string(passing) +
                   " % of the rows pass a filter",
           .on_request = true,
           .compare_bits = false,
           .warm = queries == 1 ? quantized_pays : 1,
           .make = [=] {
             return search_problem(corpora->rows(), queries, 100, seed, {}, passing);
           }});
    }
  }
  for (const Metric metric : {Metric::ip, Metric::cosine}) {
    add({.name = "search-100m-" + std::string(to_string(metric)),
         .work =
             "exact " + std::string(to_string(metric)) + " top-100, 1 query x 100M x 128 of int8",
         .target = 4e-3,
         .on_request = true,
         .compare_bits = false,
         .make = [=] { return byte_search_problem(corpora->byte_rows(), metric, 100); }});
  }
  add({.name = "score-1",
       .work = "cosine top-10 of 1 x 1024 candidates of 768, prepared, result on the host",
       .target = 10e-6,
       .make = [=] { return prepared_score_problem(corpora->rows(), 1024, 10, seed); }});
  add({.name = "score-1-device",
       .work = "cosine top-10 of 1 x 1024 candidates of 768, all arrays on the device",
       .target = 12e-6,
       .queued = true,
       .make = [=] { return score_problem(corpora->rows(), 1, 1024, 10, seed); }});
  add({.name = "score-1024", .work = "cosine top-10 of 1024 x 1024 candidates of 768", .make = [=] {
         return score_problem(corpora->rows(), 1024, 1024, 10, seed);
       }});
  add({.name = "score-10k",
       .work = "cosine top-10 of 10K x 1K candidates of 768",
       .on_request = true,
       .compare_bits = false,
       .make = [=] { return score_problem(corpora->rows(), 10000, 1000, 10, seed); }});
  add({.name = "engram-1k",
       .work = "Engram: cosine of a query with 1K rows of 768, all ranked",
       .target = 300e-6,
       .make = [=] { return prepared_score_problem(corpora->rows(), 1000, 1000, seed); }});
  for (const auto& [name, count, target] :
       {std::tuple("engram-10k", 10000, 180e-6), std::tuple("engram-100k", 100000, 850e-6)}) {
    add({.name = name,
         .work = std::string("Engram: top-10 of an index of ") + std::to_string(count) + " x 768",
         .target = target,
         .make = [=, &context, count = corpora->scaled(count)] {
           return search_problem(std::make_shared<RowSet>(context, count, 768, seed), 1, 10, seed);
         }});
  }

  engine = "graphs";
  add({.name = "spread-small",
       .work = "3 thresholded hops and top-10, 10K nodes x 50",
       .target = 15e-6,
       .make = [=] {
         SpreadOptions options;
         options.hops = 3;
         return spread_problem(corpora->graph(10'000, 50), 1, 1, options, seed);
       }});
  add({.name = "spread-1k",
       .work = "3 hops, threshold 0, 100K nodes x 3: some 1K edges are touched",
       .target = 15e-6,
       .queued = true,
       .make = [=] {
         SpreadOptions options;
         options.hops = 3;
         options.threshold = 0;
         return spread_problem(corpora->graph(corpora->scaled(1e5), 3), 1, 1, options, seed);
       }});
  add({.name = "spread-1m",
       .work = "3 hops, threshold 0.001, 1M nodes x 10: some 50K edges are touched",
       .target = 15e-6,
       .queued = true,
       .make = [=] {
         SpreadOptions options;
         options.hops = 3;
         options.threshold = 1e-3;
         return spread_problem(corpora->graph(corpora->scaled(1e6), 10), 1, 1, options, seed);
       }});
  const std::size_t large = corpora->scaled(10e6);
  const char* hop_kernel = "Graph::hop::";
  constexpr int bins_pay = 32;  // hops of one query after which propagation blocking is used
  // From few sources, three hops reach only a small part of the graph, unlike what a hop row
  // measures.
  const std::size_t wide_sources = large / 2000;
  add({.name = "hop-100m",
       .work = "one hop, 10M nodes x 10, 100M edges",
       .target = 0.6e-3,
       .kernel = hop_kernel,
       .warm = bins_pay,
       .queued = true,
       .make = [=] { return hop_problem(corpora->graph(large, 10), seed); }});
  for (const bool is_short : {false, true}) {
    add({.name = is_short ? "hop-32q-bf16" : "hop-32q",
         .work = std::string("3 linear hops of 32 queries, 10M nodes x 10") +
                 (is_short ? ", activations of bfloat16" : "") + ": a query-hop",
         .target = is_short ? 60e-6 : 120e-6,
         .calls = 96,
         .compare_bits = false,
         .kernel = hop_kernel,
         .make = [=] {
           SpreadOptions options;
           options.mode = SpreadMode::linear;
           options.hops = 3;
           if (is_short) options.activations = ActivationPrecision::bfloat16;
           return spread_problem(corpora->graph(large, 10), 32, wide_sources, options, seed);
         }});
  }
  add({.name = "spread-dense",
       .work = "3 linear hops of 1 query from 100K nodes, 10M nodes x 10: a hop",
       .target = 0.6e-3,
       .calls = 3,
       .compare_bits = false,
       .kernel = hop_kernel,
       .warm = bins_pay,
       .make = [=] {
         SpreadOptions options;
         options.mode = SpreadMode::linear;
         options.hops = 3;
         return spread_problem(corpora->graph(large, 10), 1, large / 100, options, seed);
       }});
  for (const bool is_large : {false, true}) {
    add({.name = is_large ? "pagerank-1g" : "pagerank-100m",
         .work = std::string("PageRank to 1e-6 and top-1000 of 64 queries, ") +
                 (is_large ? "50M nodes x 20" : "10M nodes x 10") + ", power law: a query",
         .target = is_large ? 10e-3 : 0,
         .calls = 64,
         .on_request = is_large,
         .compare_bits = false,
         .kernel = hop_kernel,
         .make = [=] {
           SpreadOptions options;
           options.mode = SpreadMode::pagerank;
           options.top = 1000;
           return spread_problem(corpora->graph(corpora->scaled(is_large ? 50e6 : 10e6),
                                                is_large ? 20 : 10, GraphShape::power_law),
                                 64, 1, options, seed);
         }});
  }
  add({.name = "spmm-32",
       .work = "one hop of 32 columns, 10M nodes x 10: a column",
       .target = 120e-6,
       .calls = 32,
       .on_request = true,
       .compare_bits = false,
       .kernel = hop_kernel,
       .make = [=] { return hop_problem(corpora->graph(large, 10), seed, 32); }});
  for (const auto& [name, shape] : {std::pair("hop-uniform", GraphShape::uniform),
                                    std::pair("hop-power-law", GraphShape::power_law)}) {
    add({.name = name,
         .work = std::string("one hop, 10M nodes x 10, ") +
                 (shape == GraphShape::uniform ? "every node alike" : "a hub of 1.8M edges"),
         .target = 0.6e-3,
         .on_request = true,
         .compare_bits = false,
         .kernel = hop_kernel,
         .warm = bins_pay,
         .make = [=, shape = shape] {
           return hop_problem(corpora->graph(large, 10, shape), seed);
         }});
    add({.name = std::string(name) + "-32q",
         .work = std::string("3 linear hops of 32 queries, 10M nodes x 10, ") +
                 (shape == GraphShape::uniform ? "every node alike" : "a hub of 1.8M edges") +
                 ": a query-hop",
         .target = 120e-6,
         .calls = 96,
         .on_request = true,
         .compare_bits = false,
         .kernel = hop_kernel,
         .make = [=, shape = shape] {
           SpreadOptions options;
           options.mode = SpreadMode::linear;
           options.hops = 3;
           return spread_problem(corpora->graph(large, 10, shape), 32, wide_sources, options, seed);
         }});
  }
  for (const auto& [name, nodes, target] :
       {std::tuple("engram-hop-1k", 1000, 120e-6), std::tuple("engram-hop-10k", 10000, 450e-6)}) {
    add({.name = name,
         .work = std::string("Engram: one hop over ") + std::to_string(nodes) + " nodes x 50",
         .target = target,
         .make = [=, nodes = static_cast<std::size_t>(nodes)] {
           return hop_problem(corpora->graph(nodes, 50), seed);
         }});
  }
  engine = "lattices";
  // 100 per side at scale 1; the number of nodes is proportional to the scale.
  const auto side =
      static_cast<std::uint32_t>(std::clamp(std::round(100 * std::pow(scale, 0.25)), 2.0, 180.0));
  add({.name = "lattice-100m",
       .work = "breadth-first search from a corner of a lattice of 4 dimensions, 100M nodes",
       .target = 3.96e8 / 20e9,
       .compare_bits = false,
       .kernel = "Lattice::search::level",
       .make = [=, &context] {
         return lattice_search_problem(std::make_shared<Lattice>(context, 4, side));
       }});
  engine = "layers";
  for (Row& row : layer_rows(context, scale, seed)) add(std::move(row));
  engine = "bulk";
  for (Row& row : bulk_rows(context, scale, seed)) add(std::move(row));
  engine = "seeds";
  for (Row& row : seed_rows(context, scale, seed)) add(std::move(row));
  return rows;
}

}  // namespace Kindred::Perf
