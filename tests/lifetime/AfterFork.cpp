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
#include <kindred/matcher/CallQueue.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include "Check.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace {

using namespace Kindred;

constexpr unsigned seconds_max = 60;
constexpr std::size_t dimension = 8;
constexpr std::array<std::uint64_t, 1> first{0};

ContextOptions options() {
  ContextOptions options;
  options.load_profile = false;
  options.threads = 4;
  return options;
}

/// Runs \p body in a child process, which must end by itself with status 0 and print nothing.
template <class Body>
void in_child(const Body& body, const char* claim) {
  std::FILE* const printed = std::tmpfile();
  check(printed != nullptr, "a temporary file can be made");
  const pid_t child = fork();
  check(child >= 0, "a process can be forked");
  if (child == 0) {
    alarm(seconds_max);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) dup2(fileno(printed), output);
    body();
    std::exit(0);  // with exit handlers and static destructors
  }
  int status = -1;
  const bool has_ended = waitpid(child, &status, 0) == child;
  std::rewind(printed);
  std::array<char, 1000> text{};
  const std::size_t size = std::fread(text.data(), 1, text.size(), printed);
  std::fwrite(text.data(), 1, size, stderr);
  std::fclose(printed);
  check(has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0, claim);
  check(size == 0, "the child prints nothing");
}

PreparedBulk prepared_fill(Context& context, std::span<float> values) {
  return PreparedBulk::random_fill<float>(context, std::array{values}, 7, 0, Space::serial);
}

PreparedNorms prepared_norm(Context& context, std::span<float> values) {
  NormLayer layer;
  layer.x = matrix_of(std::span<const float>(values), 1, dimension);
  layer.y = matrix_of(values, 1, dimension);
  return {context, std::array{layer}, Space::serial};
}

/// What a program holds that uses Kindred.
struct Program {
  Context context{options()};
  std::vector<std::string_view> texts{"abc", "abd", "xyz"};
  SequenceMatcher matcher{context, texts};
  VectorIndex index{context, std::vector<float>(dimension * 1000, 1), dimension};
  PatternMemory memory{context};
  CallQueue queue;
  std::vector<float> values = std::vector<float>(dimension);
  PreparedBulk fill = prepared_fill(context, values);
  PreparedNorms norm = prepared_norm(context, values);
  PreparedScore score{index, 3};

  void compute() {
    MatchOptions forced;
    forced.space = Space::openmp;  // with threads
    check(matcher.match(texts, forced).matches.rows() == 3, "a matcher answers");
    SearchOptions search;
    search.space = Space::openmp;
    index.search(std::vector<float>(dimension, 1), search);
    queue.submit([] {}).get();
    fill.run();
    norm.run();
    check(score.score(values, first).size() == 1, "a prepared call answers");
  }
};

template <class Call>
void check_throws(const Call& call, const char* claim) {
  try {
    call();
  } catch (const SpaceUnavailable& error) {
    check(std::string_view(error.what()).find("forked") != std::string_view::npos, claim);
    return;
  }
  check(false, claim);
}

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
          check_throws([&] { program.matcher.match(program.texts); }, "match throws");
          check_throws([&] { program.index.search(std::vector<float>(dimension, 1)); },
                       "search throws");
          check_throws([&] { program.fill.run(); }, "a prepared bulk call throws");
          check_throws([&] { program.norm.run(); }, "a prepared layer throws");
          check_throws([&] { program.score.score(program.values, first); },
                       "a prepared score throws");
          check_throws([&] { program.queue.submit([] {}); }, "submit throws");
          check_throws([&] { program.queue.wait(); }, "wait throws");
          check_throws([] { const Context another(options()); }, "a new context throws");
          check(program.index.size() == 1000, "what computes nothing works");
          program.~Program();
        },
        "in a child of a process with contexts, every call throws and nothing hangs");
    program.compute();
  }
  static_program->compute();
  return 0;
}
