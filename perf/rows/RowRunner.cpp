// SPDX-License-Identifier: Apache-2.0
#include "rows/RowRunner.hpp"

#include "common/KernelsOf.hpp"
#include "common/Roofline.hpp"
#include "common/Timing.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

namespace Kindred::Perf {

namespace {

constexpr double seconds_most = 5;

/// The kernels of one call on \p space.
Json kernel_times(Problem& problem, Space space) {
  Json kernels = Json::array();
  for (const KernelTime& kernel : kernels_of(problem, space))
    kernels.push_back(
        {{"label", kernel.label}, {"count", kernel.count}, {"seconds", kernel.seconds}});
  return kernels;
}

bool has_kernel(const Json& kernels, const std::string& part) {
  return std::ranges::any_of(kernels, [&](const Json& kernel) {
    return kernel["label"].get_ref<const std::string&>().find(part) != std::string::npos;
  });
}

/// The value below which \p share of \p times lie.
double quantile(std::vector<double> times, double share) {
  std::ranges::sort(times);
  const auto place = static_cast<std::size_t>(share * static_cast<double>(times.size()));
  return times[std::min(times.size() - 1, place)];
}

}  // namespace

RowRunner::RowRunner(Context& context, const Options& options, const std::vector<Limits>& limits)
    : m_context(context), m_options(options), m_limits(limits) {
  std::printf("%-28s %-7s %11s %11s %11s %11s %8s %8s %11s  %s\n", "row", "space", "time ms",
              "kernels ms", "queued ms", "target ms", "% read", "% arith", "rate/s", "work");
}

std::vector<double> RowRunner::samples_of(Problem& problem, const Row& row,
                                          std::optional<Space> space) const {
  std::size_t call = 0;
  const auto next = [&] {
    problem.turn(call++);
    problem.run(space);
  };
  for (int i = 1; i < row.warm; ++i) next();
  std::vector<double> samples =
      times_of(row.repeats > 0 ? row.repeats : m_options.repeats, seconds_most, next);
  for (double& sample : samples) sample /= row.calls;
  return samples;
}

std::string RowRunner::compare_bits(const Row& row, Problem& problem, std::uint64_t digest) const {
  const Space other = m_options.space == Space::openmp ? Space::serial : Space::openmp;
  if (!row.compare_bits || !m_context.is_usable(other) || !problem.reaches(other)) return {};
  problem.turn(0);
  problem.run(other);
  return digest == problem.digest() ? std::string()
                                    : "other bits than " + std::string(to_string(other));
}

void RowRunner::add_beside(const Row& row, double taken, Json& out) const {
  if (!row.make_beside) return;
  const std::unique_ptr<Problem> beside = row.make_beside();
  const auto space = row.is_routed ? std::optional<Space>() : m_options.space;
  const double seconds = median(samples_of(*beside, row, space));
  out["beside"] = row.beside;
  out["beside_seconds"] = seconds;
  out["times_beside"] = seconds / taken;
  if (row.of_beside > 0) out["wanted_times_beside"] = row.of_beside;
  std::printf(
      "%-28s %-7s %11.4f  %s: %.3g times as long%s\n", "", "", 1e3 * seconds, row.beside.c_str(),
      seconds / taken,
      row.of_beside > 0 ? (" (wanted: " + std::to_string(row.of_beside) + ")").c_str() : "");
}

Json RowRunner::run(const Row& row) {
  const auto start = Clock::now();
  const std::unique_ptr<Problem> problem = row.make();
  const double preparation = seconds_since(start);
  const auto forced = row.is_routed ? std::optional<Space>() : m_options.space;
  problem->turn(0);
  const DispatchRecord first = problem->run(forced);
  const Space space = forced.value_or(first.chosen);
  std::string wrong = problem->check();
  const std::uint64_t digest = problem->digest();
  const std::vector<double> samples = samples_of(*problem, row, forced);
  const double taken = median(samples);
  Json kernels = kernel_times(*problem, space);
  double in_kernels = 0;
  for (const Json& kernel : kernels) in_kernels += kernel["seconds"].get<double>() / row.calls;
  const Problem::Queued queued =
      row.queued ? problem->queued(space, m_options.repeats) : Problem::Queued{};
  if (wrong.empty()) wrong = queued.wrong;
  if (m_options.is_whole && wrong.empty() && !row.kernel.empty() &&
      !has_kernel(kernels, row.kernel))
    wrong = "no kernel " + row.kernel + " has run: the row measured other work than it names";
  if (wrong.empty() && !row.is_routed) wrong = compare_bits(row, *problem, digest);
  const double rate = problem->items / row.calls / taken;
  // The limits apply to kernels; the difference of the two times shows the rest.
  const double kernel_time = in_kernels > 0 ? in_kernels : taken;
  const Roofline least(*problem, *find_limits(m_limits, space));
  const double of_read = 100 * least.memory / row.calls / kernel_time;
  const double of_arithmetic = 100 * least.arithmetic / row.calls / kernel_time;
  std::printf("%-28s %-7s %11.4f %11.4f %11.4f %11.4f %8.1f %8.1f %11.4g  %s%s%s\n",
              row.name.c_str(), std::string(to_string(space)).c_str(), 1e3 * taken,
              1e3 * in_kernels, 1e3 * queued.seconds, 1e3 * row.target, of_read, of_arithmetic,
              rate, row.work.c_str(), wrong.empty() ? "" : "  WRONG: ", wrong.c_str());
  Json out{{"row", row.name},
           {"tags", row.tags},
           {"work", row.work},
           {"space", to_string(space)},
           {"seconds", taken},
           {"samples", samples},
           {"kernel_seconds", in_kernels},
           {"kernels", std::move(kernels)},
           {"items_per_second", rate},
           {"cell_updates_per_second", problem->cell_updates / row.calls / taken},
           {"percent_of_read_limit", of_read},
           {"percent_of_arithmetic_limit", of_arithmetic},
           {"preparation_seconds", preparation},
           {"correct", wrong.empty()}};
  constexpr std::size_t enough_for_quantiles = 100;
  if (samples.size() >= enough_for_quantiles) {
    out["p99_seconds"] = quantile(samples, 0.99);
    out["p999_seconds"] = quantile(samples, 0.999);
    out["longest_seconds"] = quantile(samples, 1);
    out["samples"] = std::vector<double>(samples.begin(), samples.begin() + enough_for_quantiles);
  }
  if (queued.seconds > 0) out["queued_seconds"] = queued.seconds;
  if (!wrong.empty()) out["wrong"] = wrong;
  if (row.target > 0) {
    out["target_seconds"] = row.target;
    const double counted = queued.seconds > 0 ? queued.seconds : taken;
    if (m_options.is_whole) out["times_target"] = counted / row.target;
  }
  for (const auto& [name, value] : problem->arguments) out["arguments"][name] = value;
  add_beside(row, taken, out);
  std::fflush(stdout);
  return out;
}

}  // namespace Kindred::Perf
