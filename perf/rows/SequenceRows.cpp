// SPDX-License-Identifier: Apache-2.0
#include "common/SizeLadder.hpp"
#include "problems/KatoWorkloads.hpp"
#include "problems/ProblemFactories.hpp"
#include "rows/Row.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace Kindred::Perf {

namespace {

MatchOptions options_of(Measure measure, double threshold, std::size_t top = 100) {
  MatchOptions options;
  options.measure = measure;
  options.threshold = threshold;
  options.top = top;
  return options;
}

/// Patterns of 100 that adjacent rows share.
class SharedPatterns {
 public:
  explicit SharedPatterns(const RowSizes& sizes) : m_sizes(sizes) {}

  std::shared_ptr<const PatternSet> of(std::size_t count, std::uint32_t vocabulary) {
    if (!m_set || m_set->rows.rows() != count || m_set->vocabulary != vocabulary) {
      m_set.reset();
      m_set = std::make_shared<PatternSet>(m_sizes.context, count, 100, vocabulary, m_sizes.seed);
    }
    return m_set;
  }

 private:
  RowSizes m_sizes;
  std::shared_ptr<const PatternSet> m_set;
};

/// Patterns of different lengths; the query has that of the first one.
struct LengthMixture {
  const char* name;
  const char* work;
  std::vector<std::size_t> lengths;
};
constexpr std::uint32_t mixture_vocabulary = 26;

std::vector<LengthMixture> length_mixtures() {
  constexpr std::size_t length = 20;
  constexpr std::size_t count = 1000;
  std::vector<LengthMixture> out{{"equal", "1,000 of 20", std::vector<std::size_t>(count, length)}};
  out.push_back({"one-long", "1,000 of 20 and one of 100,000", out[0].lengths});
  out.back().lengths.push_back(100000);
  out.push_back(
      {"half-long", "500 of 20, 500 of 2,000", std::vector<std::size_t>(count / 2, length)});
  out.back().lengths.resize(count, 2000);
  out.push_back({"all", "1,000 of 20 ... 100,000", {}});
  for (std::size_t i = 0; i < count; ++i)
    out.back().lengths.push_back(
        static_cast<std::size_t>(length * std::pow(5000.0, static_cast<double>(i) / (count - 1))));
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

std::string threshold_text(double threshold) {
  return threshold == 0 ? "0" : "0." + std::to_string(std::lround(10 * threshold));
}

}  // namespace

std::vector<Row> sequence_rows(const RowSizes& sizes) {
  std::vector<Row> rows;
  const auto add = [&](const std::string& name, std::string work,
                       std::function<std::unique_ptr<Problem>()> make) -> Row& {
    rows.push_back({.name = "scaling/" + name,
                    .tags = {"sequences"},
                    .work = std::move(work),
                    .compare_bits = false,
                    .make = std::move(make)});
    return rows.back();
  };
  const auto shared = std::make_shared<SharedPatterns>(sizes);
  const auto largest = static_cast<double>(sizes.scaled(1e6, 1000));

  // Time by number of patterns, which should be linear.
  for (const Measure measure : {Measure::lcs, Measure::difflib}) {
    const bool is_lcs = measure == Measure::lcs;
    for (const double size : size_ladder(largest / 100, largest, std::sqrt(10.0))) {
      const auto count = static_cast<std::size_t>(size + 0.5);
      add(std::string(to_string(measure)) + "-" + std::to_string(count),
          std::to_string(count) + " patterns of 100, vocabulary 200, top-100", [=] {
            auto set = shared->of(count, 200);
            Ragged<Symbol> query = is_lcs ? zipf_queries(1, 64, 200, sizes.seed + 1)
                                          : noisy_query(*set, 7, 80, sizes.seed + 1);
            return match_problem(std::move(set), std::move(query),
                                 options_of(measure, is_lcs ? 0.0 : 0.6));
          });
    }
  }
  // Time by length of the query, which should be linear in words of 64.
  const auto count = static_cast<std::size_t>(std::min(1e5, largest));
  for (const std::uint32_t vocabulary : {200U, 50000U}) {
    for (const std::uint32_t length : {64U, 80U, 128U, 256U, 512U, 1024U}) {
      add("words-" + std::to_string(vocabulary) + "-" + std::to_string(length),
          "LCS, query of " + std::to_string(length) + ", vocabulary " + std::to_string(vocabulary),
          [=] {
            return match_problem(shared->of(count, vocabulary),
                                 zipf_queries(1, length, vocabulary, sizes.seed + 1),
                                 options_of(Measure::lcs, 0));
          });
    }
  }
  // The same queries with postings and by a scan.
  for (const Measure measure : {Measure::lcs, Measure::difflib}) {
    for (const double threshold : {0.1, 0.3, 0.6}) {
      const auto problem = [=](PostingsUse use) {
        auto set = shared->of(static_cast<std::size_t>(largest), 50000);
        Ragged<Symbol> query = noisy_query(*set, 7, 64, sizes.seed + 1);
        MatchOptions options = options_of(measure, threshold);
        options.postings = use;
        return match_problem(std::move(set), std::move(query), options);
      };
      Row& row =
          add("postings-" + std::string(to_string(measure)) + "-" + threshold_text(threshold),
              "a noisy query of 64, vocabulary 50000, threshold " + threshold_text(threshold),
              [=] { return problem(PostingsUse::always); });
      row.make_beside = [=] { return problem(PostingsUse::never); };
      row.beside = "a scan";
    }
  }
  // Most symbols are in patterns that the query cannot match.
  for (const LengthMixture& mixture : length_mixtures()) {
    for (const Measure measure : {Measure::lcs, Measure::levenshtein}) {
      for (const double threshold : {0.0, 0.5, 0.9}) {
        add("lengths-" + std::string(mixture.name) + "-" + std::string(to_string(measure)) + "-" +
                threshold_text(threshold),
            std::string(to_string(measure)) + " from " + threshold_text(threshold) + ", " +
                mixture.work,
            [=] {
              auto set = std::make_shared<const PatternSet>(
                  sizes.context, mixed_rows(mixture.lengths, sizes.seed), mixture_vocabulary);
              Ragged<Symbol> query;
              query.push_row(noisy_copy(set->rows[0], 0.3, mixture_vocabulary, mixture.lengths[0],
                                        sizes.seed + 1));
              return match_problem(std::move(set), std::move(query),
                                   options_of(measure, threshold, 10));
            });
      }
    }
  }
  // Time until the first query over the patterns is possible.
  for (const std::uint32_t vocabulary : {200U, 50000U, 100000U}) {
    add("build-" + std::to_string(vocabulary),
        "an engine of " + std::to_string(static_cast<std::size_t>(largest)) +
            " patterns of 100, vocabulary " + std::to_string(vocabulary),
        [=] {
          const auto symbols = std::make_shared<const SymbolRows>(
              zipf_rows(static_cast<std::size_t>(largest), 100, vocabulary, sizes.seed,
                        sizes.context.threads()));
          return call_problem("BM_Match_build", [=](std::optional<Space>) {
            const SequenceMatcher matcher(sizes.context, symbols->span(), Residency::host);
            return DispatchRecord{};
          });
        });
  }
  return rows;
}

std::vector<Row> kato_rows(const RowSizes& sizes) {
  /// KATO's goals in seconds for a number of patterns on a GPU: that of the README of its
  /// benchmarks, and that of its requirements document (0: none).
  constexpr std::tuple<double, double, double> goals[] = {{1e3, 0.005, 0},
                                                          {1e4, 0.020, 0},
                                                          {1e5, 0.050, 0.005},
                                                          {1e6, 0.100, 0.020},
                                                          {1e7, 0.100, 0.100}};
  std::vector<Row> rows;
  for (const KatoGenerator& generator : kato_generators()) {
    for (const auto& [patterns, readme, document] : goals) {
      if (patterns > 1e6 * sizes.scale) break;
      const auto count = static_cast<std::size_t>(patterns);
      for (const Measure measure : {Measure::lcs, Measure::difflib}) {
        const std::string also =
            document > 0 ? " (its document: " + std::to_string(std::lround(1e3 * document)) + " ms)"
                         : "";
        rows.push_back({.name = "kato/" + generator.name + "-" + std::string(to_string(measure)) +
                                "-" + std::to_string(count),
                        .tags = {"sequences"},
                        .work = "KATO's generator " + generator.name + ", " +
                                std::to_string(count) +
                                " patterns; the target is KATO's goal on a GPU" + also,
                        .target = readme,
                        .compare_bits = false,
                        .make = [=, &generator] {
                          auto set = std::make_shared<const PatternSet>(
                              sizes.context, kato_patterns(generator, count, sizes.seed),
                              generator.vocabulary);
                          return match_problem(std::move(set), kato_query(generator, sizes.seed),
                                               options_of(measure, 0.1));
                        }});
      }
    }
  }
  return rows;
}

}  // namespace Kindred::Perf
