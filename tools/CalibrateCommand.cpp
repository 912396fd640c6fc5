// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"

#include <kindred/matcher/Calibration.hpp>

#include <nlohmann/json.hpp>

namespace Kindred::Tools {

namespace {

/// Human-readable form of the work from which on a space is predicted to be fastest.
std::string crossover_text(Operation operation, double work) {
  return work > 0 ? fmt::format("from {:.4g} {}", work, operation.work_unit()) : "never";
}

bool has_batches(const Context& context, Operation operation) {
  return context.is_usable(Space::cuda) &&
         std::ranges::find(batched_operations, operation) != batched_operations.end();
}

nlohmann::ordered_json as_json(const Context& context, std::size_t points) {
  nlohmann::ordered_json out;
  out["profile"] = context.profile_path();
  out["points"] = points;
  for (const Operation operation : engine_operations()) {
    nlohmann::ordered_json entry;
    for (const Space space : all_spaces) {
      if (space == Space::serial || !context.is_usable(space)) continue;
      const double work = context.dispatcher().crossover(operation, space);
      entry[std::string(to_string(space))] =
          work > 0 ? nlohmann::ordered_json(work) : nlohmann::ordered_json();
    }
    out["crossovers"][std::string(to_string(operation))] = entry;
    if (has_batches(context, operation))
      out["batch_bytes"][std::string(to_string(operation))] =
          context.dispatcher().batch_bytes(operation);
  }
  return out;
}

std::string as_text(const Context& context, std::size_t points) {
  std::string out =
      heading("Smallest work for which each space is predicted to be the fastest", STDOUT_FILENO) +
      "\n";
  auto to = std::back_inserter(out);
  for (const Operation operation : engine_operations()) {
    fmt::format_to(to, "  {:17}", to_string(operation));
    for (const Space space : all_spaces) {
      if (space == Space::serial || !context.is_usable(space)) continue;
      fmt::format_to(to, "  {} {}", to_string(space),
                     crossover_text(operation, context.dispatcher().crossover(operation, space)));
    }
    if (has_batches(context, operation)) {
      fmt::format_to(to, ", in batches of {} MiB",
                     context.dispatcher().batch_bytes(operation) >> 20U);
    }
    out += '\n';
  }
  fmt::format_to(to, "{} points saved to {}\n", points, context.profile_path());
  return out;
}

void calibrate_command(const GlobalOptions& global, CalibrationOptions options) {
  Session session(global, "calibrate", false);
  Context& context = session.context();
  std::size_t points = 0;
  {
    Progress progress("measuring", !global.quiet);
    options.on_point = [&](const CalibrationPoint& point) {
      ++points;
      progress.update(fmt::format("{} on {}: {:.3g} {} in {:.3g} s", to_string(point.operation),
                                  to_string(point.space), point.work, point.operation.work_unit(),
                                  point.seconds));
    };
    session.timed(Phase::compute, [&] { calibrate(context, options); });
  }
  context.save_profile();
  print(global.json ? as_json(context, points).dump(2) + "\n" : as_text(context, points));
  session.add_to_report("points", points);
  session.add_to_report("profile", context.profile_path());
  session.finish();
}

}  // namespace

void add_calibrate_command(CLI::App& app, const GlobalOptions& global) {
  const auto [command, options] = add_command<CalibrationOptions>(
      app, "calibrate",
      "Measure this machine and save the costs that determine the choice of the space", global,
      calibrate_command);
  add_number(*command, "--seconds", options->seconds,
             "Approximate duration in seconds (default: 5)", 0.1, 3600);
}

}  // namespace Kindred::Tools
