// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "common/BenchmarkRunner.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "common/ProblemFactories.hpp"
#include "common/SizeLadder.hpp"
#include "common/Timing.hpp"
#include "common/UsableSpace.hpp"
#include "machine/Limits.hpp"
#include "sequence/KatoWorkloads.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Perf {

namespace {

struct SequenceArguments {
  std::vector<std::string> only;
  std::string space = "serial";
  double largest = 1e6;
  double min_time = 0.1;
  int threads = 0;
  std::uint64_t seed = 7;
  std::string out;
};

/// KATO's targets in seconds for a number of patterns on a GPU; 0: none. The first is the goal in
/// the README of its benchmarks, the second is in its requirements document.
struct KatoTarget {
  double patterns, readme, document;

  std::string text() const {
    const auto number = [](double seconds) { return std::to_string(std::lround(1e3 * seconds)); };
    return number(readme) + (document > 0 ? " or " + number(document) : "");
  }
};
constexpr KatoTarget kato_targets[] = {{1e3, 0.005, 0},
                                       {1e4, 0.020, 0},
                                       {1e5, 0.050, 0.005},
                                       {1e6, 0.100, 0.020},
                                       {1e7, 0.100, 0.100}};

MatchOptions options_of(Measure measure, double threshold) {
  MatchOptions options;
  options.measure = measure;
  options.threshold = threshold;
  options.top = 100;
  return options;
}

/// \brief Coefficient of determination of a linear fit of times; 1 is a perfect line.
double r_squared(const std::vector<std::pair<double, double>>& points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (const auto& [items, seconds] : points) {
    n += 1;
    x += items;
    y += seconds;
    xx += items * items;
    xy += items * seconds;
    yy += seconds * seconds;
  }
  const double covariance = n * xy - x * y;
  return covariance * covariance / ((n * xx - x * x) * (n * yy - y * y));
}

/// Patterns of different lengths; the query has that of the first one.
struct LengthMixture {
  const char* name;
  std::vector<std::size_t> lengths;
};
constexpr std::uint32_t mixture_vocabulary = 26;

std::vector<LengthMixture> length_mixtures() {
  constexpr std::size_t length = 20;
  std::vector<LengthMixture> out{{"1,000 of 20", std::vector<std::size_t>(1000, length)}};
  out.push_back({"and one of 100,000", out[0].lengths});
  out.back().lengths.push_back(100000);
  out.push_back({"500 of 20, 500 of 2,000", std::vector<std::size_t>(500, length)});
  out.back().lengths.resize(1000, 2000);
  out.push_back({"20 ... 100,000", {}});
  for (std::size_t i = 0; i < 1000; ++i)
    out.back().lengths.push_back(
        static_cast<std::size_t>(length * std::pow(5000.0, static_cast<double>(i) / 999)));
  return out;
}

SymbolRows mixed_rows(const std::vector<std::size_t>& lengths, std::uint64_t seed) {
  std::size_t symbols = 0;
  for (const std::size_t length : lengths) symbols += length;
  SymbolRows rows = zipf_rows(1, symbols, mixture_vocabulary, seed, 1);
  rows.length = symbols / lengths.size();
  rows.offsets.assign(1, 0);
  for (const std::size_t length : lengths) rows.offsets.push_back(rows.offsets.back() + length);
  return rows;
}

class SequenceRunner {
 public:
  SequenceRunner(Context& context, const SequenceArguments& arguments, Space space)
      : m_context(context),
        m_arguments(arguments),
        m_space(space),
        m_benchmarks(arguments.min_time) {}

  bool wrong() const { return m_wrong; }
  Json finish() { return m_benchmarks.finish(); }

  /// Seconds by number of patterns: 10K … `largest`, two per decade.
  Json patterns() {
    Json out = Json::array();
    for (const Measure measure : {Measure::lcs, Measure::difflib}) {
      std::vector<std::pair<double, double>> points;
      Json times = Json::array();
      const double least = std::min(1e4, m_arguments.largest / 10);
      for (const double count : size_ladder(least, m_arguments.largest, std::sqrt(10.0))) {
        const auto set = patterns_of(static_cast<std::size_t>(count + 0.5), 200);
        const double seconds = time(set, query_of(measure, *set),
                                    options_of(measure, measure == Measure::lcs ? 0.0 : 0.6));
        points.emplace_back(static_cast<double>(set->rows.rows()), seconds);
        times.push_back({{"patterns", set->rows.rows()}, {"seconds", seconds}});
        std::printf("%-8s %9zu patterns %12.4f ms %8.2f ns a pattern\n",
                    std::string(to_string(measure)).c_str(), set->rows.rows(), 1e3 * seconds,
                    1e9 * seconds / static_cast<double>(set->rows.rows()));
      }
      const double fit = r_squared(points);
      std::printf("%-8s R² of a line through them: %.5f (wanted: more than 0.99)\n",
                  std::string(to_string(measure)).c_str(), fit);
      out.push_back(
          {{"measure", to_string(measure)}, {"r_squared", fit}, {"times", std::move(times)}});
    }
    return out;
  }

  /// Seconds by length of the query in words.
  Json words() {
    Json out = Json::array();
    const auto count = static_cast<std::size_t>(std::min(1e5, m_arguments.largest));
    for (const std::uint32_t vocabulary : {200U, 50000U}) {
      const auto set = patterns_of(count, vocabulary);
      double one = 0;
      for (const std::size_t length : {64U, 80U, 128U, 256U, 512U, 1024U}) {
        const double seconds = time(set, zipf_queries(1, length, vocabulary, m_arguments.seed + 1),
                                    options_of(Measure::lcs, 0.0));
        if (length == 64) one = seconds;
        const double ratio = seconds / one / (static_cast<double>(length) / 64);
        std::printf("lcs, vocabulary %5u, query of %4zu %12.4f ms %6.2f x of linear in words%s\n",
                    vocabulary, length, 1e3 * seconds, ratio,
                    length <= 512 ? " (wanted: 1.3 at most)" : "");
        out.push_back({{"vocabulary", vocabulary},
                       {"query", length},
                       {"seconds", seconds},
                       {"of_linear", ratio}});
      }
    }
    return out;
  }

  /// KATO's own workloads, compared with its targets.
  Json kato() {
    Json out = Json::array();
    for (const KatoGenerator& generator : kato_generators()) {
      for (const KatoTarget& target : kato_targets) {
        if (target.patterns > m_arguments.largest * 1.001) break;
        const auto set = std::make_shared<const PatternSet>(
            m_context,
            kato_patterns(generator, static_cast<std::size_t>(target.patterns), m_arguments.seed),
            generator.vocabulary);
        for (const Measure measure : {Measure::lcs, Measure::difflib}) {
          const double seconds =
              time(set, kato_query(generator, m_arguments.seed), options_of(measure, 0.1));
          std::printf("%-9s %9.0f patterns of %zu, %-7s %10.4f ms  KATO's goal on a GPU: %s ms\n",
                      generator.name.c_str(), target.patterns, set->rows.length,
                      std::string(to_string(measure)).c_str(), 1e3 * seconds,
                      target.text().c_str());
          out.push_back({{"generator", generator.name},
                         {"patterns", target.patterns},
                         {"mean_length", set->rows.length},
                         {"measure", to_string(measure)},
                         {"seconds", seconds},
                         {"target_readme_seconds", target.readme},
                         {"target_document_seconds", target.document}});
        }
      }
    }
    return out;
  }

  /// The same queries by a scan and with postings.
  Json postings() {
    Json out = Json::array();
    const auto count = static_cast<std::size_t>(m_arguments.largest);
    const auto set = patterns_of(count, 50000);
    for (const Measure measure : {Measure::lcs, Measure::difflib}) {
      for (const double threshold : {0.1, 0.3, 0.6}) {
        MatchOptions options = options_of(measure, threshold);
        const Ragged<Symbol> query = noisy_query(*set, 7, 64, m_arguments.seed + 1);
        options.postings = PostingsUse::never;
        const double scanned = time(set, query, options);
        options.postings = PostingsUse::always;
        const double listed = time(set, query, options);
        std::printf(
            "%-7s at %.1f, %zu patterns, vocabulary 50000: scan %.4f ms, postings %.4f ms\n",
            std::string(to_string(measure)).c_str(), threshold, count, 1e3 * scanned, 1e3 * listed);
        out.push_back({{"patterns", count},
                       {"measure", to_string(measure)},
                       {"threshold", threshold},
                       {"scan_seconds", scanned},
                       {"postings_seconds", listed}});
      }
    }
    return out;
  }

  /// Seconds of a query over patterns most of whose symbols are in patterns that it cannot match.
  Json lengths() {
    Json out = Json::array();
    for (const LengthMixture& mixture : length_mixtures()) {
      const auto set = std::make_shared<const PatternSet>(
          m_context, mixed_rows(mixture.lengths, m_arguments.seed), mixture_vocabulary);
      Ragged<Symbol> query;
      query.push_row(noisy_copy(set->rows[0], 0.3, mixture_vocabulary, mixture.lengths[0],
                                m_arguments.seed + 1));
      for (const Measure measure : {Measure::lcs, Measure::levenshtein}) {
        for (const double threshold : {0.0, 0.5, 0.9}) {
          MatchOptions options = options_of(measure, threshold);
          options.top = 10;
          const double seconds = time(set, query, options);
          std::printf("%-11s from %.1f, %-22s %10.1f us\n", std::string(to_string(measure)).c_str(),
                      threshold, mixture.name, 1e6 * seconds);
          out.push_back({{"measure", to_string(measure)},
                         {"threshold", threshold},
                         {"patterns", mixture.name},
                         {"seconds", seconds}});
        }
      }
    }
    return out;
  }

  /// Seconds until the first query over the patterns is possible.
  Json build() {
    Json out = Json::array();
    for (const std::uint32_t vocabulary : {200U, 50000U, 100000U}) {
      const auto count = static_cast<std::size_t>(m_arguments.largest);
      const SymbolRows rows =
          zipf_rows(count, 100, vocabulary, m_arguments.seed, m_context.threads());
      std::uint64_t bytes = 0;
      const double seconds = timed([&] {
        const SequenceMatcher matcher(m_context, rows.span(), Residency::host);
        bytes = matcher.bytes(Space::serial);
      });
      std::printf("build: %zu patterns of 100, vocabulary %u: %.3f s, %.1f MB\n", count, vocabulary,
                  seconds, 1e-6 * static_cast<double>(bytes));
      out.push_back({{"patterns", count},
                     {"vocabulary", vocabulary},
                     {"seconds", seconds},
                     {"bytes", bytes}});
    }
    return out;
  }

 private:
  std::shared_ptr<const PatternSet> patterns_of(std::size_t count, std::uint32_t vocabulary) {
    return std::make_shared<const PatternSet>(m_context, count, 100, vocabulary, m_arguments.seed);
  }
  Ragged<Symbol> query_of(Measure measure, const PatternSet& set) const {
    return measure == Measure::lcs ? zipf_queries(1, 64, set.vocabulary, m_arguments.seed + 1)
                                   : noisy_query(set, 7, 80, m_arguments.seed + 1);
  }
  double time(const std::shared_ptr<const PatternSet>& set, Ragged<Symbol> query,
              const MatchOptions& options) {
    const auto problem = match_problem(set, std::move(query), options);
    problem->run(m_space);
    const std::string wrong = problem->check();
    m_wrong = m_wrong || !wrong.empty();
    return m_benchmarks.time(*problem, m_space, wrong);
  }

  Context& m_context;
  const SequenceArguments& m_arguments;
  Space m_space;
  BenchmarkRunner m_benchmarks;
  bool m_wrong = false;
};

int run_sequence(const SequenceArguments& arguments) {
  const std::vector<std::pair<std::string, Json (SequenceRunner::*)()>> parts{
      {"patterns", &SequenceRunner::patterns}, {"words", &SequenceRunner::words},
      {"kato", &SequenceRunner::kato},         {"postings", &SequenceRunner::postings},
      {"lengths", &SequenceRunner::lengths},   {"build", &SequenceRunner::build}};
  for (const std::string& name : arguments.only) {
    const bool known = std::any_of(parts.begin(), parts.end(),
                                   [&](const auto& part) { return part.first == name; });
    KINDRED_THROW_IF(!known, "--only " + name +
                                 ": it must be patterns, words, kato, postings, lengths or build");
  }
  ContextOptions context_options;
  context_options.threads = arguments.threads;
  Context context(context_options);
  const Space space = usable_space(context, "--space", arguments.space);
  LimitsOptions limits_options;
  if (arguments.largest < 1e5) limits_options.host_bytes = 64ULL << 20U;
  const std::vector<Limits> limits = measure_limits(context, limits_options);
  SequenceRunner runner(context, arguments, space);
  Json out{{"context", environment(context, arguments.seed, limits)}, {"space", arguments.space}};
  for (const auto& [name, part] : parts) {
    const auto& only = arguments.only;
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) continue;
    out[name] = (runner.*part)();
    std::fflush(stdout);
  }
  out["benchmarks"] = runner.finish()["benchmarks"];
  if (!arguments.out.empty()) write_json(out, arguments.out);
  if (runner.wrong()) throw Error("an answer was wrong: see the benchmarks above");
  return 0;
}

}  // namespace

void add_sequence(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<SequenceArguments>();
  CLI::App* command = app.add_subcommand(
      "sequence", "Scaling of matching with patterns and query words, and KATO's own workloads");
  command
      ->add_option("--only", arguments->only,
                   "Comma-separated: patterns, words, kato, postings, lengths, build")
      ->delimiter(',');
  command->add_option("--space", arguments->space, "serial, openmp or cuda");
  command->add_option("--largest", arguments->largest, "Maximum number of patterns")
      ->check(CLI::Range(100.0, 1e8));
  command->add_option("--min-time", arguments->min_time, "Seconds for which a call is repeated")
      ->check(CLI::PositiveNumber);
  command->add_option("--threads", arguments->threads, "Threads of the space openmp")
      ->check(CLI::Range(1, 512));
  command->add_option("--seed", arguments->seed, "Seed of the data");
  command->add_option("--out", arguments->out, "JSON file");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_sequence(*arguments); }; });
}

}  // namespace Kindred::Perf
