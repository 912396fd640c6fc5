// SPDX-License-Identifier: Apache-2.0
#include "quality/Quality.hpp"

#include "common/Timing.hpp"
#include "sweep/Problems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace Kindred::Perf {

namespace {

std::size_t slot(Space space) { return static_cast<std::size_t>(space); }

/// The calls of one size on one space.
struct Runs {
  Space space;
  std::vector<double> seconds = {};
  int wanted = 0;
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
      const double memory = 0.5 * static_cast<double>(m_context.info(Space::serial).memory_free);
      double last = 0;
      for (std::size_t size = 1; Problems::bytes(operation, static_cast<double>(size)) < memory;
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
  /// Returns the seconds of the best space.
  double measure(Operation operation, std::size_t size) {
    const std::unique_ptr<Problem> problem = m_problems.make(operation, size);
    std::vector<Runs> all;
    SpaceSet resident;
    for (const Space space : all_spaces) {
      if (!m_context.is_usable(space) || !problem->reaches(space)) continue;
      resident = resident.with(space);
      all.push_back({space});
    }
    DispatchRecord record;
    double best = std::numeric_limits<double>::infinity();
    for (Runs& runs : all) {
      record = problem->run(runs.space);  // allocates, and is cold
      runs.seconds.push_back(timed([&] { problem->run(runs.space); }));
      best = std::min(best, runs.seconds.back());
    }
    for (Runs& runs : all) {
      constexpr double hopeless = 4;
      runs.wanted = runs.seconds.back() <= std::max(hopeless * best, 1e-3) ? m_options.repeats : 2;
      runs.seconds.clear();
    }
    for (int round = 0; round < m_options.repeats; ++round) {
      for (Runs& runs : all) {
        if (round >= runs.wanted) continue;
        // Calls of a program come apart, so that they find the threads of the pool asleep.
        for (const auto start = Clock::now(); seconds_since(start) < 100e-6;) {
        }
        runs.seconds.push_back(timed([&] { problem->run(runs.space); }));
      }
    }
    Json seconds = Json::object();
    best = std::numeric_limits<double>::infinity();
    for (Runs& runs : all) {
      const double middle = median(std::move(runs.seconds));
      seconds[std::string(to_string(runs.space))] = middle;
      best = std::min(best, middle);
    }
    const Workload workload = workload_of(record, resident);
    const DispatchRecord calibrated = m_calibrated.decide(workload);
    m_points.push_back({{"op", to_string(operation)},
                        {"size", size},
                        {"work", record.work},
                        {"starts", record.starts},
                        {"seconds", std::move(seconds)},
                        {"predicted", predicted(calibrated)},
                        {"calibrated", to_string(calibrated.chosen)},
                        {"priors", to_string(m_priors.decide(workload).chosen)}});
    return best;
  }

  static Json predicted(const DispatchRecord& record) {
    Json out = Json::object();
    for (const Space space : all_spaces) {
      const double seconds = record.predicted[slot(space)];
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

Json to_json(const DispatchQuality& quality) {
  return {{"sizes", quality.sizes},
          {"within_5_percent", quality.within},
          {"share", quality.share()},
          {"worst_ratio", quality.worst},
          {"misses", quality.misses}};
}

}  // namespace

Json measure_quality(Context& context, Dispatcher& calibrated, Dispatcher& priors,
                     const QualityOptions& options) {
  return QualityRun(context, calibrated, priors, options).run();
}

void QualityPair::add(const Json& json) {
  Tools::ReportSweepPoint point;
  point.items = json["size"].get<double>();
  for (const auto& [name, seconds] : json["seconds"].items())
    point.taken[slot(*space_from_string(name))] = seconds.get<double>();
  const Operation operation = *operation_from_string(json["op"].get<std::string>());
  const auto space = [&](const char* key) {
    return *space_from_string(json[key].get<std::string>());
  };
  calibrated.add(operation, point, space("calibrated"));
  priors.add(operation, point, space("priors"));
}

Json to_json(const QualityPair& pair) {
  return {{"calibrated", to_json(pair.calibrated)}, {"priors", to_json(pair.priors)}};
}

}  // namespace Kindred::Perf
