// SPDX-License-Identifier: Apache-2.0
#include "dispatch_quality/MeasureQuality.hpp"

#include "common/Timing.hpp"
#include "sweep/Problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

namespace Kindred::Perf {

namespace {

/// The calls of one size on one space; on `openmp`, with one team size.
struct Runs {
  Space space;
  int threads = 1;
  std::vector<double> seconds = {};
  int target = 0;
};

class QualityRun {
 public:
  QualityRun(Context& context, Dispatcher& calibrated, Dispatcher& priors,
             const QualityOptions& options)
      : m_context(context),
        m_calibrated(calibrated),
        m_priors(priors),
        m_options(options),
        m_problems(context, options.seed) {}

  Json run() {
    for (const Operation operation : m_options.operations) {
      const auto start = Clock::now();
      const double limit =
          m_options.seconds > 0
              ? m_options.seconds / static_cast<double>(m_options.operations.size())
              : std::numeric_limits<double>::infinity();
      const double memory = m_problems.memory_allowed();
      double last = 0;
      for (std::size_t size = 1; m_problems.bytes(operation, static_cast<double>(size)) < memory;
           size *= 2) {
        const auto begin = Clock::now();
        if (seconds_since(start) + 2 * last > limit) break;
        if (measure(operation, size) >= m_options.call_seconds) break;
        last = seconds_since(begin);
      }
    }
    return std::move(m_points);
  }

 private:
  /// Returns the time of the fastest combination in seconds.
  double measure(Operation operation, std::size_t size) {
    const std::unique_ptr<Problem> problem = m_problems.make(operation, size);
    SpaceSet resident;
    for (const Space space : all_spaces)
      if (m_context.is_usable(space) && problem->reaches(space)) resident = resident.with(space);
    DispatchRecord record = problem->run(Space::serial);
    const Workload workload = workload_of(record, resident);
    const DispatchRecord calibrated = m_calibrated.decide(workload);
    const DispatchRecord priors = m_priors.decide(workload);

    std::vector<Runs> all;
    for (const Space space : all_spaces) {
      if (!resident.contains(space)) continue;
      if (space != Space::openmp) {
        all.push_back({space});
        continue;
      }
      for (const int threads : m_context.dispatcher().team_sizes()) {
        if (m_options.teams || threads == calibrated.threads || threads == priors.threads)
          all.push_back({space, threads});
      }
    }
    const auto run = [&](const Runs& runs) {
      m_context.dispatcher().force_threads(runs.threads);
      problem->run(runs.space);
      m_context.dispatcher().force_threads(0);
    };
    double best = std::numeric_limits<double>::infinity();
    for (Runs& runs : all) {
      run(runs);  // allocates, with cold caches
      runs.seconds.push_back(timed([&] { run(runs); }));
      best = std::min(best, runs.seconds.back());
    }
    for (Runs& runs : all) {
      constexpr double hopeless = 4;
      runs.target = runs.seconds.back() <= std::max(hopeless * best, 1e-3) ? m_options.repeats : 2;
      runs.seconds.clear();
    }
    for (int round = 0; round < m_options.repeats; ++round) {
      for (Runs& runs : all) {
        if (round >= runs.target) continue;
        // Calls of a real program are spaced, so that the threads of the pool have gone to sleep.
        for (const auto start = Clock::now(); seconds_since(start) < 100e-6;) {
        }
        runs.seconds.push_back(timed([&] { run(runs); }));
      }
    }
    Json seconds = Json::object();
    best = std::numeric_limits<double>::infinity();
    for (Runs& runs : all) {
      const double middle = median(std::move(runs.seconds));
      const std::string space(to_string(runs.space));
      if (runs.space == Space::openmp) {
        seconds[space][std::to_string(runs.threads)] = middle;
      } else {
        seconds[space] = middle;
      }
      best = std::min(best, middle);
    }
    m_points.push_back({{"op", to_string(operation)},
                        {"size", size},
                        {"work", record.work},
                        {"starts", record.starts},
                        {"seconds", std::move(seconds)},
                        {"predicted", predicted(calibrated)},
                        {"calibrated", choice(calibrated)},
                        {"priors", choice(priors)}});
    return best;
  }

  static Json choice(const DispatchRecord& record) {
    return {{"space", to_string(record.chosen)}, {"threads", record.threads}};
  }

  static Json predicted(const DispatchRecord& record) {
    Json out = Json::object();
    for (const Space space : all_spaces) {
      const double seconds = record.predicted[space_index(space)];
      if (!std::isnan(seconds)) out[std::string(to_string(space))] = seconds;
    }
    return out;
  }

  Context& m_context;
  Dispatcher& m_calibrated;
  Dispatcher& m_priors;
  const QualityOptions& m_options;
  Problems m_problems;
  Json m_points = Json::array();
};

}  // namespace

Json measure_quality(Context& context, Dispatcher& calibrated, Dispatcher& priors,
                     const QualityOptions& options) {
  return QualityRun(context, calibrated, priors, options).run();
}

void QualityPair::add(const Json& json) {
  const Operation operation = operations_from(json["op"].get<std::string>()).front();
  const Json& seconds = json["seconds"];
  const auto add_choice = [&](DispatchQuality& quality, const Json& choice) {
    std::array<double, space_count> taken;
    taken.fill(std::numeric_limits<double>::quiet_NaN());
    for (const auto& [name, of_space] : seconds.items()) {
      const Json& one =
          of_space.is_object() ? of_space[std::to_string(choice["threads"].get<int>())] : of_space;
      taken[space_index(*from_string<Space>(name))] = one.get<double>();
    }
    quality.add(operation, json["size"].get<double>(), taken,
                *from_string<Space>(choice["space"].get<std::string>()));
  };
  const Json& choice = json["calibrated"];
  add_choice(calibrated, choice);
  add_choice(priors, json["priors"]);
  if (choice["space"] != to_string(Space::openmp)) return;
  double best = std::numeric_limits<double>::infinity();
  for (const Json& team : seconds["openmp"]) best = std::min(best, team.get<double>());
  const std::string threads = std::to_string(choice["threads"].get<int>());
  teams.add(json["op"].get<std::string>() + " " + std::to_string(json["size"].get<std::size_t>()) +
                ": " + threads + " threads",
            seconds["openmp"][threads].get<double>() / best);
}

Json to_json(const QualityPair& pair) {
  return {{"calibrated", to_json(pair.calibrated)},
          {"priors", to_json(pair.priors)},
          {"teams", to_json(pair.teams)}};
}

}  // namespace Kindred::Perf
