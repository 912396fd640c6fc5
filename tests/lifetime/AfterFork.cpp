// SPDX-License-Identifier: Apache-2.0
// In a process that was forked from one with contexts, calls throw and nothing hangs, also when
// objects are destroyed and when the process ends.
#include <kindred/Bulk.hpp>
#include <kindred/Graph.hpp>
#include <kindred/Layers.hpp>
#include <kindred/Patterns.hpp>
#include <kindred/Sequence.hpp>
#include <kindred/Vector.hpp>
#include <kindred/backends/Context.hpp>

#include "Check.hpp"
#include "InChild.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace {

using namespace Kindred;

constexpr std::size_t dimension = 8;
constexpr std::array<std::uint64_t, 1> first{0};

ContextOptions options() { return {.threads = 4, .load_profile = false}; }

Prepared prepared_fill(Context& context, std::span<float> values) {
  return Bulk::prepare_random_fill(context, values, 7, 0, {Space::serial});
}

Prepared prepared_norm(Context& context, std::span<float> values) {
  NormLayer layer{.x = matrix_array(std::span<const float>(values), 1, dimension),
                  .y = matrix_array(values, 1, dimension)};
  return prepare_layers(context, std::span(&layer, 1), {Space::serial});
}

/// What a program holds that uses Kindred.
struct Program {
  Context context{options()};
  std::vector<std::string_view> texts{"abc", "abd", "xyz"};
  SequenceMatcher matcher{context, texts};
  VectorIndex index{context, std::vector<float>(dimension * 1000, 1), dimension};
  PatternMemory memory{context};
  std::vector<float> query = std::vector<float>(dimension, 1);
  std::vector<float> values = std::vector<float>(dimension);
  Prepared fill = prepared_fill(context, values);
  Prepared norm = prepared_norm(context, values);
  PreparedScore score{index, 3};

  void compute() {
    MatchOptions forced;
    forced.space = Space::openmp;  // with threads
    check(matcher.match(texts, forced).matches.rows() == 3, "a matcher answers");
    const SearchOptions search{.space = Space::openmp};
    index.search(query, search);
    fill.run();
    norm.run();
    check(score.score(values, first).size() == 1, "a prepared call answers");
  }
};

std::optional<Program> static_program;

}  // namespace

int main() {
  in_child(
      [] {
        Program program;
        program.compute();
      },
      "a child forked before the first context computes");
  {
    Program program;
    program.compute();
    static_program.emplace();
    static_program->compute();
    in_child(
        [&] {
          check_throws("match throws", [&] { program.matcher.match(program.texts); });
          check_throws("search throws", [&] { program.index.search(program.query); });
          check_throws("a prepared bulk call throws", [&] { program.fill.run(); });
          check_throws("a prepared layer throws", [&] { program.norm.run(); });
          check_throws("a prepared score throws",
                       [&] { program.score.score(program.values, first); });
          check_throws("a new context throws", [] { const Context another(options()); });
          check(program.index.size() == 1000, "what computes nothing works");
          program.~Program();
        },
        "in a child of a process with contexts, every call throws and nothing hangs");
    program.compute();
  }
  static_program->compute();
  return 0;
}
