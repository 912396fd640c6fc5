// SPDX-License-Identifier: Apache-2.0
#include "peers/Work.hpp"

#include "common/Problem.hpp"
#include "peers/WorkFactories.hpp"

#include <algorithm>
#include <cmath>

namespace Kindred::Perf {

namespace {

std::size_t scaled(double count, double scale) {
  return static_cast<std::size_t>(std::max(256.0, std::floor(count * scale)));
}

}  // namespace

const std::vector<WorkName>& work_names() {
  static const std::vector<WorkName> names{{"lcs", "lcs-200"},
                                           {"lcs", "lcs-50000"},
                                           {"difflib", "difflib-0.6"},
                                           {"difflib", "difflib-none"},
                                           {"search", "search-1"},
                                           {"search", "search-32"},
                                           {"search", "search-1024"},
                                           {"search", "search-1m"},
                                           {"filter", "filter-100"},
                                           {"filter", "filter-50"},
                                           {"filter", "filter-1"},
                                           {"score", "score-1024"},
                                           {"score", "score-65536"},
                                           {"spread", "hop"},
                                           {"spread", "hop-uniform"},
                                           {"spread", "hop-power-law"},
                                           {"spread", "hop-32"},
                                           {"spread", "linear-32"},
                                           {"spread", "spread-1k"},
                                           {"spread", "pagerank-50k"},
                                           {"spread", "pagerank-1m"},
                                           {"hnsw", "hnsw"},
                                           {"seeds", "seed-4096"},
                                           {"seeds", "seed-plain"},
                                           {"seeds", "seed-bf16"},
                                           {"seeds", "seed-bf16-plain"},
                                           {"seeds", "seed-small"},
                                           {"seeds", "seed-10k"},
                                           {"seeds", "seed-100k"},
                                           {"seeds", "seed-update"},
                                           {"fused", "norm-gelu"},
                                           {"fused", "norm-gelu-bf16"},
                                           {"fused", "linear-gelu"},
                                           {"lattice", "lattice-build"},
                                           {"lattice", "lattice-8"},
                                           {"lattice", "lattice-10"},
                                           {"lattice", "lattice-path"},
                                           {"lattice", "lattice-maze"},
                                           {"bulk", "bulk-xor"},
                                           {"bulk", "bmm-1000-32"},
                                           {"bulk", "bmm-10-256"},
                                           {"bulk", "matmul-1024"},
                                           {"bulk", "bmm-1000-32-stacked"}};
  return names;
}

std::unique_ptr<Work> make_work(Context& context, const std::string& name, double scale,
                                std::uint64_t seed) {
  std::unique_ptr<Work> work;
  std::string detail;
  double target = 0;
  if (name == "lcs-200" || name == "lcs-50000") {
    const std::uint32_t vocabulary = name == "lcs-200" ? 200 : 50000;
    work = sequence_work(context, scaled(100e3, scale), vocabulary, Measure::lcs, 0.0, seed);
    detail = "LCS of a query of 64 with patterns of 100, vocabulary " + std::to_string(vocabulary) +
             ", top-100";
    target = vocabulary == 200 ? 6 : 15;
  } else if (name == "difflib-0.6" || name == "difflib-none") {
    const bool threshold = name == "difflib-0.6";
    work = sequence_work(context, scaled(threshold ? 100e3 : 20e3, scale), difflib_vocabulary,
                         Measure::difflib, threshold ? 0.6 : 0.0, seed);
    detail = std::string("difflib's ratio of a noisy query of 80 with patterns of 100, ") +
             (threshold ? "threshold 0.6" : "no threshold");
    target = threshold ? 300 : 15;
  } else if (name == "search-1" || name == "search-32" || name == "search-1024" ||
             name == "search-1m") {
    const std::size_t queries = name == "search-1024" ? 1024 : name == "search-32" ? 32 : 1;
    work =
        search_work(context, scaled(name == "search-1m" ? 1e6 : 200e3, scale), queries, 100, seed);
    detail = "exact cosine top-10 of rows of 768, queries: " + std::to_string(queries);
    target = queries == 1 ? 1.5 : 0;
  } else if (name == "filter-100" || name == "filter-50" || name == "filter-1") {
    const double percent = name == "filter-100" ? 100 : name == "filter-50" ? 50 : 1;
    // Enough rows that 1 % of them is more than the number of results.
    work =
        search_work(context, std::max<std::size_t>(scaled(200e3, scale), 20000), 1, percent, seed);
    work->beside = "kindred, no filter";
    detail = "exact cosine top-10 of the rows of 768 that a filter lets pass";
  } else if (name == "score-1024" || name == "score-65536") {
    const std::size_t candidates = name == "score-1024" ? 1024 : 65536;
    const std::size_t rows = std::max(scaled(200e3, scale), candidates);
    work = score_work(context, rows, candidates, seed);
    detail = "cosine top-10 of a list of rows of 768";
  } else if (name == "hop" || name == "hop-32" || name == "hop-uniform" ||
             name == "hop-power-law") {
    const bool is_one = name != "hop-32";
    const GraphShape shape = name == "hop-uniform"     ? GraphShape::uniform
                             : name == "hop-power-law" ? GraphShape::power_law
                                                       : GraphShape::skewed;
    work = hop_work(context, scaled(is_one ? 1e6 : 500e3, scale), 32, is_one ? 1 : 32, shape, seed);
    detail = std::string("one hop") + (is_one ? "" : " of 32 columns") + " over a " +
             (shape == GraphShape::uniform  ? "uniform"
              : shape == GraphShape::skewed ? "skewed"
                                            : "power-law") +
             " graph, 32 edges a node";
    target = is_one ? 2 : 3;
  } else if (name == "linear-32") {
    work = linear_work(context, scaled(100e3, scale), 16, 32, seed);
    detail = "3 linear hops of 32 queries, 16 edges a node, top-10";
  } else if (name == "spread-1k") {
    work = linear_work(context, scaled(100e3, scale), 5, 1, seed);
    detail = "3 linear hops from one node that touch some 1K edges, 5 edges a node, top-10";
  } else if (name == "pagerank-50k" || name == "pagerank-1m") {
    const bool is_large = name == "pagerank-1m";
    work = pagerank_work(context, scaled(is_large ? 1e6 : 50e3, scale), is_large ? 16 : 8, seed);
    detail = std::string("personalised PageRank of a node to 1e-6, top-100, ") +
             (is_large ? "16" : "8") + " edges a node";
    target = 2;
  } else if (name.starts_with("seed-") && name != "seed-update") {
    struct Shape {
      const char* name;
      double rows;
      std::uint32_t hidden, seeds;
      VectorElement element;
      bool telemetry;
    };
    using enum VectorElement;
    constexpr Shape shapes[] = {{"seed-4096", 4096, 4096, 1000, float32, true},
                                {"seed-plain", 4096, 4096, 1000, float32, false},
                                {"seed-bf16", 4096, 4096, 1000, bfloat16, true},
                                {"seed-bf16-plain", 4096, 4096, 1000, bfloat16, false},
                                {"seed-small", 32, 4096, 1000, float32, true},
                                {"seed-10k", 512, 40960, 10000, float32, true},
                                {"seed-100k", 128, 409600, 100000, float32, true}};
    const Shape* shape =
        std::ranges::find_if(shapes, [&](const Shape& one) { return name == one.name; });
    if (shape == std::end(shapes)) throw InvalidArgument("there is no peer work " + name);
    const auto rows = static_cast<std::size_t>(std::max(4.0, std::floor(shape->rows * scale)));
    work = seed_forward_work(context, rows, shape->hidden, shape->seeds, shape->element,
                             shape->telemetry, seed);
    detail = "forward of " + std::to_string(shape->seeds) + " seeds in every state, " +
             std::to_string(rows) + " x " + std::to_string(shape->hidden) + ", " +
             std::string(to_string(shape->element)) + (shape->telemetry ? ", with telemetry" : "");
  } else if (name == "seed-update") {
    work = seed_update_work(context, 100000, 1000, seed);
    detail = "1000 updates of 100000 seeds";
  } else if (name == "norm-gelu" || name == "norm-gelu-bf16" || name == "linear-gelu") {
    const bool multiplies = name == "linear-gelu";
    work = fused_work(context, scaled(multiplies ? 1024 : 4096, scale), multiplies ? 1024 : 4096,
                      multiplies ? 1024 : 0,
                      name == "norm-gelu-bf16" ? VectorElement::bfloat16 : VectorElement::float32,
                      seed);
    detail = multiplies ? "product with 1024 x 1024 weights, bias and GELU"
                        : "LayerNorm and GELU of rows of 4096";
  } else if (name == "bulk-xor") {
    work = xor_work(context, scaled(200e6, scale), seed);
    detail = "xor of bytes with a key";
    target = 0.9;
  } else if (name.starts_with("bmm-1000-32")) {
    const bool is_loop = name == "bmm-1000-32";
    work = product_work(context, is_loop ? "bulk_loop" : "bulk_stacked", scaled(1000, scale), 32,
                        seed);
    detail = "products of 32 x 32";
    target = is_loop ? 2 : 0;
  } else if (name == "bmm-10-256" || name == "matmul-1024") {
    const bool is_one = name == "matmul-1024";
    work = product_work(context, "bulk_stacked", is_one ? 1 : 10,
                        scale < 0.01 ? 32
                        : is_one     ? 1024
                                     : 256,
                        seed);
    detail = is_one ? "a product of 1024 x 1024" : "10 products of 256 x 256";
    target = 0.95;
  } else if (name == "lattice-build") {
    work = lattice_build_work(context, 10);
    detail = "the graph of a lattice of 4 dimensions of 10";
    target = 20;
  } else if (name == "lattice-8" || name == "lattice-10") {
    work = lattice_measure_work(context, name == "lattice-8" ? 8 : 10);
    detail = "diameter, clustering, connection and density of a lattice of 4 dimensions, measured";
    target = 10;
  } else if (name == "lattice-path" || name == "lattice-maze") {
    const bool is_maze = name == "lattice-maze";
    work = lattice_path_work(context, 10, is_maze, seed);
    detail = std::string("shortest paths between nodes of a lattice of 4 dimensions of 10") +
             (is_maze ? ", a tenth of its nodes blocked" : "");
    target = is_maze ? 0 : 100;
  } else if (name == "hnsw") {
    work = approximate_search_work(context, scaled(50e3, scale), 128, 200, seed);
    detail = "L2 top-10 of clustered rows of 128, 200 queries; the peer is approximate";
  } else {
    throw InvalidArgument("there is no peer work " + name);
  }
  work->name = name;
  work->detail = detail;
  work->target = target;
  return work;
}

}  // namespace Kindred::Perf
