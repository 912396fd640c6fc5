// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "common/RandomData.hpp"
#include "common/Timing.hpp"
#include "peers/PythonPeers.hpp"

#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/Recall.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <CLI/CLI.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace Kindred::Perf {

namespace {

struct HnswArguments {
  std::vector<double> sizes{10000, 30000, 100000};
  std::size_t dimension = 128;
  double rows_per_cluster = 100;
  double spread = 1;
  std::size_t queries = 2000;
  std::vector<std::size_t> efs{10, 14, 20, 28, 40, 56, 80, 112, 160, 224};
  HnswSettings settings;
  int rounds = 5;
  int threads = 0;
  std::uint64_t seed = 7;
  std::string python;
  std::string scripts = peers_folder();
  std::string out;
};

constexpr std::size_t top = 10;

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Rows around centres that depend only on the seed; \p stream distinguishes rows from queries.
Values<float> clustered_rows(const HnswArguments& arguments, std::size_t rows, std::size_t clusters,
                             std::uint64_t stream, int threads) {
  const std::size_t dimension = arguments.dimension;
  const Values<float> centres = normal_rows(clusters, dimension, arguments.seed, threads);
  Values<float> out = normal_rows(rows, dimension, arguments.seed + stream, threads);
  const auto spread = static_cast<float>(arguments.spread);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t centre = random_word(arguments.seed + stream + 100, i) % clusters;
    for (std::size_t d = 0; d < dimension; ++d)
      out[i * dimension + d] = centres[centre * dimension + d] + spread * out[i * dimension + d];
  }
  return out;
}

double recall(std::span<const std::int64_t> found, std::span<const std::int64_t> truth) {
  return recall_of(found, truth, top).share();
}

/// Recall and queries per second for each ef.
struct Curve {
  std::vector<double> recalls;
  std::vector<double> rates;

  /// Interpolates between the two measurements around \p target; empty if there are none.
  std::optional<double> rate_at(double target) const {
    for (std::size_t i = 1; i < recalls.size(); ++i) {
      if (recalls[i - 1] > target || recalls[i] < target) continue;
      const double width = recalls[i] - recalls[i - 1];
      const double share = width > 0 ? (target - recalls[i - 1]) / width : 1.0;
      // The time, not the rate, grows with ef.
      return 1 / ((1 - share) / rates[i - 1] + share / rates[i]);
    }
    return {};
  }
};

class HnswComparison {
 public:
  HnswComparison(Context& context, const HnswArguments& arguments)
      : m_context(context), m_arguments(arguments) {}

  Json run(std::size_t rows) {
    const auto clusters = static_cast<std::size_t>(
        std::max(1.0, static_cast<double>(rows) / m_arguments.rows_per_cluster));
    m_rows = clustered_rows(m_arguments, rows, clusters, 1, m_context.threads());
    m_queries = clustered_rows(m_arguments, m_arguments.queries, clusters, 2, m_context.threads());
    find_truth();
    Json out{{"rows", rows}, {"dimension", m_arguments.dimension}, {"clusters", clusters}};
    std::optional<JobFolder> folder;
    std::optional<PythonPeers> python;
    if (!m_arguments.python.empty()) {
      folder.emplace();
      write_job(*folder, rows);
      python.emplace(m_arguments.python, m_arguments.scripts + "/cpu_peers.py", *folder,
                     m_context.threads());
      out["versions"] = python->versions();
    }
    const double processor = processor_seconds();
    std::optional<HnswIndex> index;
    const double seconds = timed([&] {
      index.emplace(
          HnswIndex::build(m_context, m_rows, m_arguments.dimension, m_arguments.settings));
    });
    out["build"]["ours"] = {{"seconds", seconds}, {"processor", processor_seconds() - processor}};
    std::printf("%zu x %zu, %d threads\nbuild  ours %.2f s", rows, m_arguments.dimension,
                m_context.threads(), seconds);
    if (python) {
      const double theirs = python->run("build");
      out["build"]["hnswlib"] = {{"seconds", theirs},
                                 {"processor", python->answer("build seconds").scores.at(0)}};
      out["build"]["ratio"] = theirs / seconds;
      std::printf(", hnswlib %.2f s, ratio %.2f", theirs, theirs / seconds);
    }
    std::printf("\n");
    const HnswStatistics info = index->statistics();
    out["traversal"] = to_string(info.settings.traversal);
    out["links"] = info.links;
    out["bytes"] = info.bytes;
    out["unreachable"] = info.unreachable;
    for (const int threads : {1, m_context.threads()}) {
      out["search"].push_back(search(*index, python ? &*python : nullptr, threads));
      if (m_context.threads() == 1) break;
    }
    return out;
  }

 private:
  void find_truth() {
    VectorIndex exact(m_context, m_rows, m_arguments.dimension);
    SearchOptions options;
    options.metric = m_arguments.settings.metric;
    options.top = top;
    m_truth = exact.search(m_queries, options).ids;
  }

  void write_job(JobFolder& folder, std::size_t rows) const {
    folder.add<float>("rows", "<f4", m_rows, {rows, m_arguments.dimension});
    folder.add<float>("queries", "<f4", m_queries, {m_arguments.queries, m_arguments.dimension});
    folder.parameters["kind"] = "hnsw_index";
    folder.parameters["space"] = to_string(m_arguments.settings.metric);
    folder.parameters["m"] = m_arguments.settings.m;
    folder.parameters["ef_construction"] = m_arguments.settings.ef_construction;
    folder.parameters["threads"] = m_context.threads();
    folder.parameters["efs"] = m_arguments.efs;
    folder.parameters["top"] = top;
    folder.write_job();
  }

  /// Alternates between Kindred and hnswlib in every round, so that disturbances affect both.
  Json search(const HnswIndex& index, PythonPeers* python, int threads) const {
    Curve ours;
    Curve theirs;
    Json out{{"threads", threads}};
    std::printf("%7s %6s %8s %12s %8s %12s %6s\n", "threads", "ef", "recall", "ours /s", "recall",
                "hnswlib /s", "ratio");
    for (const std::size_t ef : m_arguments.efs) {
      HnswSearchOptions options;
      options.top = top;
      options.ef = ef;
      options.space = threads == 1 ? Space::serial : Space::openmp;
      const std::string peer = "ef " + std::to_string(ef) + (threads == 1 ? ", 1 thread" : "");
      HnswResults found = index.search(m_queries, options);
      std::vector<double> our_times;
      std::vector<double> their_times;
      for (int round = 0; round < m_arguments.rounds; ++round) {
        our_times.push_back(timed([&] { found = index.search(m_queries, options); }));
        if (python != nullptr) their_times.push_back(python->run(peer));
      }
      const auto queries = static_cast<double>(m_arguments.queries);
      ours.recalls.push_back(recall(found.ids, m_truth));
      ours.rates.push_back(queries / median(our_times));
      Json row{{"ef", ef},
               {"recall", ours.recalls.back()},
               {"per_second", ours.rates.back()},
               {"visited_per_query", static_cast<double>(found.visited) / queries}};
      std::printf("%7d %6zu %8.4f %12.0f", threads, ef, ours.recalls.back(), ours.rates.back());
      if (python != nullptr) {
        theirs.recalls.push_back(recall(python->answer(peer).ids, m_truth));
        theirs.rates.push_back(queries / median(their_times));
        row["hnswlib"] = {{"recall", theirs.recalls.back()}, {"per_second", theirs.rates.back()}};
        std::printf(" %8.4f %12.0f %6.2f", theirs.recalls.back(), theirs.rates.back(),
                    ours.rates.back() / theirs.rates.back());
      }
      std::printf("\n");
      std::fflush(stdout);
      out["curve"].push_back(std::move(row));
    }
    for (const double target : {0.9, 0.95, 0.99}) {
      const auto our_rate = ours.rate_at(target);
      if (!our_rate) continue;
      Json row{{"recall", target}, {"per_second", *our_rate}};
      std::printf("at recall %.2f: ours %.0f /s", target, *our_rate);
      if (const auto their_rate = theirs.rate_at(target)) {
        row["hnswlib"] = *their_rate;
        row["ratio"] = *our_rate / *their_rate;
        std::printf(", hnswlib %.0f /s, ratio %.2f", *their_rate, *our_rate / *their_rate);
      }
      std::printf("\n");
      out["at_recall"].push_back(std::move(row));
    }
    return out;
  }

  Context& m_context;
  const HnswArguments& m_arguments;
  Values<float> m_rows;
  Values<float> m_queries;
  std::vector<std::int64_t> m_truth;
};

int run_hnsw(const HnswArguments& arguments) {
  ContextOptions context_options;
  context_options.threads = arguments.threads;
  Context context(context_options);
  Json out{{"context", environment(context, arguments.seed, {})},
           {"spread", arguments.spread},
           {"m", arguments.settings.m},
           {"ef_construction", arguments.settings.ef_construction}};
  for (const double size : arguments.sizes)
    out["rows"].push_back(HnswComparison(context, arguments).run(static_cast<std::size_t>(size)));
  if (!arguments.out.empty()) write_json(out, arguments.out);
  return 0;
}

}  // namespace

void add_hnsw(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<HnswArguments>();
  arguments->settings.metric = Metric::l2;
  CLI::App* command = app.add_subcommand(
      "hnsw",
      "HNSW on clustered rows: build, recall and queries per second, compared with hnswlib");
  command->add_option("--sizes", arguments->sizes, "Rows, comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(100.0, 1e9));
  command->add_option("--dimension", arguments->dimension)->check(CLI::Range(1, 100000));
  command->add_option("--rows-per-cluster", arguments->rows_per_cluster)
      ->check(CLI::Range(1.0, 1e9));
  command
      ->add_option("--spread", arguments->spread,
                   "Standard deviation of a cluster; that of the centres is 1")
      ->check(CLI::Range(0.0, 1e3));
  command->add_option("--queries", arguments->queries)->check(CLI::Range(1, 10000000));
  command->add_option("--efs", arguments->efs, "Ascending, comma-separated")->delimiter(',');
  command->add_option("--m", arguments->settings.m)->check(CLI::Range(2, 512));
  command->add_option("--ef-construction", arguments->settings.ef_construction)
      ->check(CLI::Range(16, 65536));
  command
      ->add_option("--rounds", arguments->rounds,
                   "Rounds that alternate between Kindred and hnswlib")
      ->check(CLI::Range(1, 1000));
  command->add_option("--threads", arguments->threads, "Threads of the space openmp")
      ->check(CLI::Range(1, 512));
  command->add_option("--seed", arguments->seed, "Seed of the data");
  command->add_option(
      "--python", arguments->python,
      "Python with hnswlib (perf/peers/requirements.txt); omit to measure only Kindred");
  command->add_option("--out", arguments->out, "JSON file");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_hnsw(*arguments); }; });
}

}  // namespace Kindred::Perf
