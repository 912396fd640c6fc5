// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/Lattice.hpp>

#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "common/RandomData.hpp"
#include "common/Timing.hpp"
#include "sweep/Sweep.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

namespace {

/// A figure published by KA Lattice (GTX 1080, Python) and the same work here: ordinary calls with
/// data in host memory, on the space that the dispatcher chooses.
struct Figure {
  std::string name;
  std::string work;
  double published = 0;  ///< seconds, or a speed-up
  bool is_ratio = false;
  double measured = 0;
  std::string where;  ///< space of the last call, if one was chosen
};

/// Square matrices and their products.
class Matrices {
 public:
  Matrices(Context& context, std::size_t count, std::size_t side, std::uint64_t seed)
      : m_bulk(context),
        m_side(side),
        m_a(uniform_values(count * side * side, seed, 1)),
        m_b(uniform_values(count * side * side, seed + 1, 1)),
        m_c(count * side * side) {
    const std::size_t each = side * side;
    for (std::size_t i = 0; i < count; ++i) {
      const auto matrix = [&](auto& all) {
        return matrix_array(std::span(all).subspan(i * each, each), side, side);
      };
      m_left.push_back(matrix(m_a));
      m_right.push_back(matrix(m_b));
      m_products.push_back(matrix(m_c));
    }
  }

  std::string multiply(std::optional<Space> space = {}) {
    return std::string(
        to_string(m_bulk.multiply(m_left, m_right, m_products, {space}).record.chosen));
  }
  void multiply_one_by_one() {
    for (std::size_t i = 0; i < m_products.size(); ++i)
      m_bulk.multiply(m_left[i], m_right[i], m_products[i]);
  }
  void check() const {
    const std::size_t last = m_a.size() - m_side * m_side;
    double expected = 0;
    for (std::size_t k = 0; k < m_side; ++k)
      expected += static_cast<double>(m_a[last + k]) * static_cast<double>(m_b[last + k * m_side]);
    if (!(std::abs(expected - static_cast<double>(m_c[last])) <= 1e-3))
      throw Error("a product is wrong: " + std::to_string(m_c[last]) + " for " +
                  std::to_string(expected));
  }

 private:
  Bulk m_bulk;
  std::size_t m_side;
  Values<float> m_a;
  Values<float> m_b;
  Values<float> m_c;
  std::vector<ConstArray> m_left;
  std::vector<ConstArray> m_right;
  std::vector<Array> m_products;
};

void require(bool holds, const char* what) {
  if (!holds) throw Error(std::string("an answer is wrong: ") + what);
}

std::vector<Figure> figures(Context& context, double budget, std::uint64_t seed) {
  std::vector<Figure> out;
  const auto time = [&](const auto& body) { return median_of(2001, budget, body); };

  const Bulk bulk(context);
  const std::vector<std::uint8_t> bytes{1, 2, 3, 4, 5};
  const std::vector<std::uint8_t> key{200, 100, 50, 25, 12};
  std::vector<std::uint8_t> result(bytes.size());
  std::string where;
  const double small_xor =
      time([&] { where = to_string(bulk.xor_elements(bytes, key, result).record.chosen); });
  require(result[4] == (5 ^ 12), "xor");
  out.push_back({"xor-small", "xor of 5 bytes with a key", 0.20e-3, false, small_xor, where});

  const Lattice lattice(context, 4, 10);
  out.push_back({"lattice-10k", "the rows of a lattice of 4 dimensions of 10", 10.34e-3, false,
                 time([&] { where = to_string(lattice.rows().record.chosen); }), where});
  std::size_t length = 0;
  out.push_back({"path-10k", "a shortest path from corner to corner of it", 71.87e-3, false,
                 time([&] { length = lattice.path(0, 9999).size(); }), ""});
  require(length == 37, "the length of a path");
  const std::uint64_t blocked = 9989;
  const Lattice with_block(context, 4, 10, {{&blocked, 1}, {}});
  out.push_back({"search-10k", "the same by a search, a node blocked", 71.87e-3, false,
                 time([&] { length = with_block.path(0, 9999).size(); }), ""});
  require(length == 37, "the length of a path around a block");
  std::uint64_t diameter = 0;
  out.push_back({"analysis-10k", "its structure, measured by searches", 71.87e-3, false,
                 time([&] { diameter = lattice.measure().diameter.value_or(0); }), "serial"});
  require(diameter == 36, "a diameter");
  const Lattice small(context, 4, 8);
  out.push_back({"analysis-4k", "the structure of 4 dimensions of 8, measured", 345.35e-3, false,
                 time([&] { diameter = small.measure().diameter.value_or(0); }), "serial"});
  require(diameter == 28, "a diameter");

  Matrices large(context, 1, 1024, seed);
  // Measured first, so that observations of single-threaded calls do not influence the choice.
  const double large_product = time([&] { where = large.multiply(); });
  const double one_thread = time([&] { large.multiply(Space::serial); });
  large.check();
  out.push_back({"matmul-1024", "a product of 1024 x 1024", 10e-3, false, large_product, where});
  out.push_back({"matmul-gain", "the same, times as fast as one host thread", 21.22, true,
                 one_thread / large_product, where});
  Matrices ten(context, 10, 256, seed);
  const double batched = time([&] { where = ten.multiply(); });
  const double sequential = time([&] { ten.multiply_one_by_one(); });
  ten.check();
  out.push_back(
      {"bmm-10-256", "10 products of 256 x 256 in a call", 6.00e-3, false, batched, where});
  out.push_back(
      {"bmm-gain", "the same, times as fast as 10 calls", 1.95, true, sequential / batched, where});

  out.push_back({"decision", "choosing a space", 0.03e-3, false,
                 seconds_per_decision(context.dispatcher()), ""});
  out.push_back({"routing", "a call by the dispatcher beyond the call itself", 0.03e-3, false,
                 seconds_per_routed_call(context), ""});
  return out;
}

int run_published(int threads, double budget, std::uint64_t seed, const std::string& path) {
  ContextOptions options;
  options.threads = threads;
  Context context(options);
  std::printf("%-13s %14s %14s %9s  %-7s %s\n", "row", "KA Lattice", "here", "times", "space",
              "work");
  Json rows = Json::array();
  for (const Figure& figure : figures(context, budget, seed)) {
    const double times =
        figure.is_ratio ? figure.measured / figure.published : figure.published / figure.measured;
    const double scale = figure.is_ratio ? 1 : 1e3;
    const char* unit = figure.is_ratio ? "x " : "ms";
    std::printf("%-13s %11.4g %s %11.4g %s %9.4g  %-7s %s\n", figure.name.c_str(),
                scale * figure.published, unit, scale * figure.measured, unit, times,
                figure.where.c_str(), figure.work.c_str());
    rows.push_back({{"row", figure.name},
                    {"work", figure.work},
                    {"unit", figure.is_ratio ? "times" : "seconds"},
                    {"published", figure.published},
                    {"measured", figure.measured},
                    {"times_published", times},
                    {"space", figure.where}});
  }
  if (!path.empty())
    write_json(Json{{"context", environment(context, seed, {})}, {"rows", std::move(rows)}}, path);
  return 0;
}

}  // namespace

void add_published(CLI::App& app, Action& action) {
  struct Arguments {
    int threads = 0;
    double seconds = 0.3;
    std::uint64_t seed = 7;
    std::string out;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("published", "The figures published by KA Lattice, compared with Kindred");
  command->add_option("--threads", arguments->threads, "Threads of the space openmp")
      ->check(CLI::Range(1, 512));
  command
      ->add_option("--seconds", arguments->seconds,
                   "Approximate seconds for which a row repeats its call")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", arguments->seed, "Seed of the matrices");
  command->add_option("--out", arguments->out, "JSON file");
  command->callback([arguments, &action] {
    action = [arguments] {
      return run_published(arguments->threads, arguments->seconds, arguments->seed, arguments->out);
    };
  });
}

}  // namespace Kindred::Perf
