// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/Interrupt.hpp"
#include "common/JsonOutput.hpp"
#include "common/Roofline.hpp"
#include "common/Timing.hpp"
#include "kokkos_kernels/KokkosKernelsPeers.hpp"
#include "machine/Limits.hpp"
#include "peers/PythonPeers.hpp"
#include "rows/RowOptions.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <thread>

namespace Kindred::Perf {

namespace {

struct PeersArguments {
  RowFilter filter;
  RowsContext on;
  bool gpu = false;
  std::string python = "python3";
  std::string scripts = peers_folder();
  double seconds = 10;
  int rounds = 9;
  std::string out;
};

/// The measurements of a row with one number of threads.
struct Comparison {
  struct Times {
    std::string name;
    double median = 0;   ///< seconds
    double fastest = 0;  ///< seconds: the run that was disturbed least
  };
  Times ours;
  std::vector<double> samples;  ///< of our engine
  std::vector<Times> beside;    ///< at most one: an alternative call of our engine
  std::vector<Times> peers;
  double percent = 0;  ///< of the limit of the machine
  std::vector<std::string> remarks;
  bool agrees = true;

  const Times& fastest_peer() const {
    return *std::min_element(peers.begin(), peers.end(),
                             [](const Times& a, const Times& b) { return a.median < b.median; });
  }
};

/// The calls of one peer, wherever it runs.
struct PeerCalls {
  std::string name;
  std::function<double()> run;  ///< returns the seconds
  std::function<PeerAnswer()> answer;
};

std::vector<PeerCalls> calls_of(PythonPeers& python,
                                const std::vector<std::unique_ptr<NativePeer>>& native) {
  std::vector<PeerCalls> calls;
  for (const std::string& name : python.names()) {
    calls.push_back({name, [&python, name] { return python.run(name); },
                     [&python, name] { return python.answer(name); }});
  }
  for (const auto& peer : native) {
    NativePeer& here = *peer;
    calls.push_back({here.name, [&here] { return timed([&here] { here.run(); }); },
                     [&here] {
                       here.run();
                       return here.answer();
                     }});
  }
  return calls;
}

class Comparer {
 public:
  Comparer(Context& context, const PeersArguments& arguments)
      : m_arguments(arguments),
        m_threads(context.threads()),
        m_limits(measure_limits(context, {256ULL << 20U, 2048ULL << 20U, 5})) {
    std::printf("%-28s %-7s %11s  %-30s %11s %8s %8s %8s %8s\n", "row", "space", "ours /s",
                "fastest peer", "its rate /s", "ratio", "of best", "wanted", "% limit");
  }

  const std::vector<Limits>& limits() const { return m_limits; }
  bool agreed() const { return m_agreed; }

  Json compare(const Row& row) {
    const std::unique_ptr<Problem> problem = row.make();
    KINDRED_THROW_IF(
        problem->job.empty(),
        row.name + ": no other library does this; rows --tag peers --list lists those");
    const std::unique_ptr<Problem> beside = row.make_beside ? row.make_beside() : nullptr;
    Json out = Json::array();
    for (const Space space : {Space::serial, Space::openmp, Space::cuda}) {
      if ((space == Space::cuda) != m_arguments.gpu) continue;
      const int threads = space == Space::openmp ? m_threads : 1;
      if (space == Space::openmp && threads == 1) continue;
      problem->turn(0);
      for (int i = 0; i < row.warm; ++i) problem->run(space);
      JobFolder folder;
      problem->write(folder);
      folder.parameters["kind"] = problem->job;
      folder.parameters["threads"] = threads;
      folder.write_job();
      const Comparison measured = measure(row, *problem, beside.get(), folder, space, threads);
      out.push_back(record(row, *problem, space, threads, measured));
      print(row, *problem, space, measured);
      m_agreed = m_agreed && measured.agrees;
    }
    return out;
  }

 private:
  /// Alternates between Kindred and each peer in every round, so that disturbances affect all.
  Comparison measure(const Row& row, Problem& problem, Problem* beside_problem,
                     const JobFolder& folder, Space space, int threads) {
    const std::string script =
        m_arguments.scripts + (m_arguments.gpu ? "/gpu_peers.py" : "/cpu_peers.py");
    PythonPeers python(m_arguments.python, script, folder, threads);
    m_versions = python.versions();
    const std::vector<std::unique_ptr<NativePeer>> native = problem.native_peers(space);
    if (!native.empty()) m_versions["Kokkos Kernels"] = kokkos_kernels_version();
    const std::vector<PeerCalls> peers = calls_of(python, native);
    Comparison out;
    for (const PeerCalls& peer : peers) {
      const std::string remark = problem.compare(peer.name, peer.answer());
      if (remark.empty()) continue;
      out.remarks.push_back(peer.name + ": " + remark);
      if (remark.front() != '=') out.agrees = false;
    }
    std::size_t turn = 0;
    const auto run = [&] {
      problem.turn(turn++);
      problem.run(space);
    };
    run();
    std::vector<double> ours;
    std::vector<double> beside;
    std::vector<std::vector<double>> theirs(peers.size());
    const auto start = Clock::now();
    // Idle threads of OpenBLAS and OpenMP busy-wait for tens of milliseconds. Each side therefore
    // starts when the threads of the others have gone to sleep, and short calls are preceded by an
    // unmeasured one, because its own threads slept as well.
    const auto await_others = [threads](const std::vector<double>& before, const auto& call) {
      constexpr std::chrono::milliseconds longest_loop{60};
      if (threads == 1) return;
      std::this_thread::sleep_for(longest_loop);
      if (before.empty() || before.back() < std::chrono::duration<double>(longest_loop).count())
        call();
    };
    for (int round = 0; round < m_arguments.rounds; ++round) {
      await_others(ours, run);
      for (int call = 0; call < 3; ++call) {
        ours.push_back(timed(run));
        if (beside_problem != nullptr) beside.push_back(timed([&] { beside_problem->run(space); }));
      }
      for (std::size_t i = 0; i < theirs.size(); ++i) {
        await_others(theirs[i], [&] { peers[i].run(); });
        theirs[i].push_back(peers[i].run());
      }
      if (round >= 2 && seconds_since(start) > m_arguments.seconds) break;
    }
    const auto times_of = [](std::string name, const std::vector<double>& times) {
      return Comparison::Times{std::move(name), median(times),
                               *std::min_element(times.begin(), times.end())};
    };
    out.ours = times_of("kindred", ours);
    out.samples = ours;
    if (!beside.empty()) out.beside.push_back(times_of(row.beside, beside));
    const Roofline least(problem, *find_limits(m_limits, space));
    out.percent = 100 * least.seconds() / out.ours.median;
    for (std::size_t i = 0; i < theirs.size(); ++i)
      out.peers.push_back(times_of(peers[i].name, theirs[i]));
    return out;
  }

  static void print(const Row& row, const Problem& problem, Space space,
                    const Comparison& measured) {
    const Comparison::Times& best = measured.fastest_peer();
    const double ours = measured.ours.median;
    std::printf("%-28s %-7s %11.4g  %-30s %11.4g %8.2f %8.2f %8.3g %8.1f\n", row.name.c_str(),
                std::string(to_string(space)).c_str(), problem.items / ours, best.name.c_str(),
                problem.items / best.median, best.median / ours,
                best.fastest / measured.ours.fastest, row.of_peer, measured.percent);
    const auto print_other = [&](const Comparison::Times& other) {
      std::printf("%-28s %-7s %11s  %-30s %11.4g %8.2f %8.2f\n", "", "", "", other.name.c_str(),
                  problem.items / other.median, other.median / ours,
                  other.fastest / measured.ours.fastest);
    };
    for (const Comparison::Times& peer : measured.peers)
      if (&peer != &best) print_other(peer);
    for (const Comparison::Times& other : measured.beside) print_other(other);
    for (const std::string& remark : measured.remarks)
      std::printf("%-28s %s\n", measured.agrees ? "" : "DIFFERS", remark.c_str());
    std::fflush(stdout);
  }

  Json record(const Row& row, const Problem& problem, Space space, int threads,
              const Comparison& measured) const {
    const double ours = measured.ours.median;
    const auto summary_of = [&](const std::vector<Comparison::Times>& others) {
      Json out = Json::object();
      for (const Comparison::Times& other : others) {
        out[other.name] = {{"seconds", other.median},
                           {"items_per_second", problem.items / other.median},
                           {"ratio", other.median / ours},
                           {"ratio_of_fastest", other.fastest / measured.ours.fastest}};
      }
      return out;
    };
    Json out{{"row", row.name},
             {"tags", row.tags},
             {"work", row.work},
             {"space", to_string(space)},
             {"threads", threads},
             {"unit", problem.unit},
             {"items", problem.items},
             {"seconds", ours},
             {"samples", measured.samples},
             {"items_per_second", problem.items / ours},
             {"peers", summary_of(measured.peers)},
             {"beside", summary_of(measured.beside)},
             {"fastest_peer", measured.fastest_peer().name},
             {"ratio", measured.fastest_peer().median / ours},
             {"percent_of_limit", measured.percent},
             {"correct", measured.agrees},
             {"remarks", measured.remarks},
             {"versions", m_versions}};
    if (row.of_peer > 0) out["wanted_ratio_per_core"] = row.of_peer;
    for (const auto& [name, value] : problem.arguments) out["arguments"][name] = value;
    return out;
  }

  const PeersArguments& m_arguments;
  int m_threads;
  std::vector<Limits> m_limits;
  Json m_versions;
  bool m_agreed = true;
};

int run_peers(const PeersArguments& arguments) {
  ContextOptions context_options;
  context_options.threads = arguments.on.threads;
  Context context(context_options);
  if (arguments.gpu && !context.is_usable(Space::cuda))
    throw SpaceUnavailable("--gpu: " + context.info(Space::cuda).why_not);
  RowFilter filter = arguments.filter;
  if (filter.only.empty()) filter.tags.emplace_back(arguments.gpu ? "gpu" : "peers");
  const std::vector<Row> rows =
      selected_rows({context, arguments.on.scale, arguments.on.seed}, filter);
  Comparer comparer(context, arguments);
  Json measured = Json::array();
  watch_interrupts();
  for (const Row& row : rows) {
    if (is_interrupted()) break;
    for (Json& one : comparer.compare(row)) measured.push_back(std::move(one));
  }
  if (!arguments.out.empty()) {
    write_json(Json{{"context", environment(context, arguments.on.seed, comparer.limits())},
                    {"scale", arguments.on.scale},
                    {"rows", std::move(measured)}},
               arguments.out);
  }
  if (!comparer.agreed()) throw Error("a peer's answer differs from ours: see above");
  return is_interrupted() ? interrupted_status : 0;
}

}  // namespace

void add_peers(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<PeersArguments>();
  CLI::App* command = app.add_subcommand(
      "peers", "Rows whose work other libraries do as well, in the same run, as ratios");
  add_row_filter(*command, arguments->filter);
  add_rows_context(*command, arguments->on);
  command->add_flag("--gpu", arguments->gpu,
                    "Compare Kindred on cuda with PyTorch and Kokkos Kernels on the same device");
  command->add_option("--python", arguments->python, "Python interpreter with the peers installed");
  command->add_option("--scripts", arguments->scripts, "Folder of cpu_peers.py and gpu_peers.py");
  command->add_option("--seconds", arguments->seconds, "Approximate duration per row")
      ->check(CLI::PositiveNumber);
  command->add_option("--rounds", arguments->rounds, "Maximum number of alternating rounds")
      ->check(CLI::Range(1, 1000));
  command->add_option("--out", arguments->out, "JSON file");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_peers(*arguments); }; });
}

}  // namespace Kindred::Perf
