// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "common/Timing.hpp"
#include "kokkos_kernels/KokkosKernelsPeers.hpp"
#include "machine/Limits.hpp"
#include "peers/PythonPeers.hpp"
#include "peers/WorkCatalogue.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
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
  std::vector<std::string> only;
  double scale = 1;
  bool gpu = false;
  std::string python = "python3";
  std::string scripts = peers_folder();
  double seconds = 10;
  int rounds = 9;
  int threads = 0;
  std::uint64_t seed = 7;
  std::string out;
};

/// The measurements of a work item with one number of threads.
struct Comparison {
  struct Times {
    std::string name;
    double median = 0;   ///< seconds
    double fastest = 0;  ///< seconds: the run that was disturbed least
  };
  Times ours;
  std::vector<Times> beside;  ///< at most one: an alternative call of our engine
  std::vector<Times> peers;
  double bytes = 0;  ///< minimum number of bytes read per call of our engine
  Json reported;
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
    std::printf("%-13s %-8s %12s  %-30s %12s %8s %8s %8s %8s\n", "work", "ours on", "ours /s",
                "fastest peer", "its rate /s", "ratio", "of best", "target", "% limit");
  }

  const std::vector<Limits>& limits() const { return m_limits; }
  bool agreed() const { return m_agreed; }

  Json compare(const Work& work) {
    JobFolder folder;
    work.write(folder);
    folder.parameters["kind"] = work.kind;
    Json out{
        {"work", work.name}, {"detail", work.detail}, {"unit", work.unit}, {"items", work.items}};
    if (m_arguments.gpu) {
      add(out, work, Space::cuda, 1, measure(work, folder, Space::cuda, 1));
    } else {
      add(out, work, Space::serial, 1, measure(work, folder, Space::serial, 1));
      if (m_threads > 1)
        add(out, work, Space::openmp, m_threads, measure(work, folder, Space::openmp, m_threads));
    }
    if (work.target > 0) out["target_ratio_per_core"] = work.target;
    out["versions"] = m_versions;
    return out;
  }

 private:
  /// Alternates between Kindred and each peer in every round, so that disturbances affect all.
  Comparison measure(const Work& work, JobFolder& folder, Space space, int threads) {
    folder.parameters["threads"] = threads;
    folder.write_job();
    const std::string script =
        m_arguments.scripts + (m_arguments.gpu ? "/gpu_peers.py" : "/cpu_peers.py");
    PythonPeers python(m_arguments.python, script, folder, threads);
    m_versions = python.versions();
    const std::vector<std::unique_ptr<NativePeer>> native = work.native_peers(space);
    if (!native.empty()) m_versions["Kokkos Kernels"] = kokkos_kernels_version();
    const std::vector<PeerCalls> peers = calls_of(python, native);
    Comparison out;
    for (const PeerCalls& peer : peers) {
      const std::string remark = work.compare(peer.name, peer.answer());
      if (remark.empty()) continue;
      out.remarks.push_back(peer.name + ": " + remark);
      if (remark.front() != '=') out.agrees = false;
    }
    work.run(space);
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
      await_others(ours, [&] { work.run(space); });
      for (int call = 0; call < 3; ++call) {
        ours.push_back(timed([&] { work.run(space); }));
        if (!work.beside.empty()) beside.push_back(timed([&] { work.run_beside(space); }));
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
    if (!beside.empty()) out.beside.push_back(times_of(work.beside, beside));
    out.bytes = work.bytes_read();
    out.reported = work.reported();
    for (std::size_t i = 0; i < theirs.size(); ++i)
      out.peers.push_back(times_of(peers[i].name, theirs[i]));
    return out;
  }

  void add(Json& out, const Work& work, Space space, int threads, const Comparison& measured) {
    const Comparison::Times& best = measured.fastest_peer();
    const double ours = measured.ours.median;
    const Limits* limits = find_limits(m_limits, space);
    double percent = 0;
    if (work.word_steps > 0)
      percent = 100 * work.word_steps / ours / limits->word_steps;
    else if (measured.bytes > 0 && work.kind == "score")
      percent = 100 * measured.bytes / ours / limits->random_rows;
    else if (measured.bytes > 0 && work.kind != "difflib")
      percent = 100 * measured.bytes / ours / limits->read;
    char selected[16] = "";
    if (work.target > 0 && space == Space::serial)
      std::snprintf(selected, sizeof(selected), "%.0f", work.target);
    std::printf("%-13s %-8s %12.4g  %-30s %12.4g %8.2f %8.2f %8s %8.1f\n", work.name.c_str(),
                std::string(to_string(space)).c_str(), work.items / ours, best.name.c_str(),
                work.items / best.median, best.median / ours, best.fastest / measured.ours.fastest,
                selected, percent);
    const auto print = [&](const Comparison::Times& other) {
      std::printf("%-13s %-8s %12s  %-30s %12.4g %8.2f %8.2f\n", "", "", "", other.name.c_str(),
                  work.items / other.median, other.median / ours,
                  other.fastest / measured.ours.fastest);
    };
    for (const Comparison::Times& peer : measured.peers) {
      if (&peer != &best) print(peer);
    }
    std::fflush(stdout);
    for (const Comparison::Times& other : measured.beside) print(other);
    if (!measured.reported.empty())
      std::printf("%-13s ours: %s\n", "", measured.reported.dump().c_str());
    for (const std::string& remark : measured.remarks)
      std::printf("%-13s %s\n", measured.agrees ? "" : "DIFFERS", remark.c_str());
    std::fflush(stdout);
    m_agreed = m_agreed && measured.agrees;
    const auto summary_of = [&](const std::vector<Comparison::Times>& others) {
      Json reported = Json::object();
      for (const Comparison::Times& other : others) {
        reported[other.name] = {{"seconds", other.median},
                                {"fastest_seconds", other.fastest},
                                {"items_per_second", work.items / other.median},
                                {"ratio", other.median / ours},
                                {"ratio_of_fastest", other.fastest / measured.ours.fastest}};
      }
      return reported;
    };
    out[std::string(to_string(space))] = {{"threads", threads},
                                          {"seconds", ours},
                                          {"fastest_seconds", measured.ours.fastest},
                                          {"items_per_second", work.items / ours},
                                          {"peers", summary_of(measured.peers)},
                                          {"beside", summary_of(measured.beside)},
                                          {"reported", measured.reported},
                                          {"fastest_peer", best.name},
                                          {"ratio", best.median / ours},
                                          {"percent_of_limit", percent},
                                          {"agrees", measured.agrees},
                                          {"remarks", measured.remarks}};
  }

  const PeersArguments& m_arguments;
  int m_threads;
  std::vector<Limits> m_limits;
  Json m_versions;
  bool m_agreed = true;
};

/// Topics and names of the works that `gpu_peers.py` knows.
constexpr std::array on_gpus{"search", "score",       "hop",        "hop-uniform",
                             "hop-32", "matmul-1024", "bmm-10-256", "bmm-1000-32-stacked"};

int run_peers(const PeersArguments& arguments) {
  for (const std::string& topic : arguments.only) {
    const bool known =
        std::any_of(work_catalogue().begin(), work_catalogue().end(),
                    [&](const WorkEntry& w) { return topic == w.topic || topic == w.name; });
    KINDRED_THROW_IF(!known, "--only " + topic + ": there is no such work");
  }
  ContextOptions context_options;
  context_options.threads = arguments.threads;
  Context context(context_options);
  if (arguments.gpu && !context.is_usable(Space::cuda))
    throw SpaceUnavailable("--gpu: " + context.info(Space::cuda).why_not);
  Comparer comparer(context, arguments);
  Json works = Json::array();
  for (const WorkEntry& entry : work_catalogue()) {
    const std::string topic = entry.topic;
    const auto named = [&](const std::string& text) { return text == topic || text == entry.name; };
    if (!arguments.only.empty() &&
        std::none_of(arguments.only.begin(), arguments.only.end(), named))
      continue;
    if (arguments.gpu && std::none_of(on_gpus.begin(), on_gpus.end(), named)) continue;
    works.push_back(comparer.compare(*make_work(entry, context, arguments.scale, arguments.seed)));
  }
  if (!arguments.out.empty()) {
    write_json(Json{{"context", environment(context, arguments.seed, comparer.limits())},
                    {"scale", arguments.scale},
                    {"works", std::move(works)}},
               arguments.out);
  }
  if (!comparer.agreed()) throw Error("a peer's answer differs from ours: see above");
  return 0;
}

}  // namespace

void add_peers(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<PeersArguments>();
  CLI::App* command = app.add_subcommand(
      "peers", "The same work with alternative libraries in the same run, as ratios");
  command
      ->add_option("--only", arguments->only,
                   "lcs, difflib, strings, search, filter, score, spread, hnsw, seeds, fused, "
                   "lattice, bulk, or the name of a row; separated by commas")
      ->delimiter(',');
  command->add_option("--scale", arguments->scale, "Scale of the sizes")
      ->check(CLI::Range(1e-4, 100.0));
  command->add_flag("--gpu", arguments->gpu,
                    "Compare Kindred on cuda with PyTorch and Kokkos Kernels on the same device");
  command->add_option("--python", arguments->python, "Python interpreter with the peers installed");
  command->add_option("--scripts", arguments->scripts, "Folder of cpu_peers.py and gpu_peers.py");
  command->add_option("--seconds", arguments->seconds, "Approximate duration per row")
      ->check(CLI::PositiveNumber);
  command->add_option("--rounds", arguments->rounds, "Maximum number of alternating rounds")
      ->check(CLI::Range(1, 1000));
  command->add_option("--threads", arguments->threads, "Threads of the space openmp")
      ->check(CLI::Range(1, 512));
  command->add_option("--seed", arguments->seed, "Seed of the data");
  command->add_option("--out", arguments->out, "JSON file");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_peers(*arguments); }; });
}

}  // namespace Kindred::Perf
