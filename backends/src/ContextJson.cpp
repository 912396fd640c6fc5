// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/ContextJson.hpp>

#include "Json.hpp"

#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace {

using Impl::Json;

Json json_of(const SpaceInfo& info, const Context& context) {
  Json::Array teams;
  if (info.space == Space::openmp)
    for (const int size : context.dispatcher().team_sizes()) teams.emplace_back(size);
  return Json::Object{{"compiled", info.compiled},
                      {"usable", info.usable},
                      {"why_not", info.why_not},
                      {"device", info.device},
                      {"device_index", info.device_index},
                      {"device_count", info.device_count},
                      {"concurrency", info.concurrency},
                      {"kernels_from_ptx", info.kernels_from_ptx},
                      {"compute_capability", info.compute_capability},
                      {"kernels_for", info.kernels_for},
                      {"memory_total", info.memory_total},
                      {"memory_free", info.memory_free},
                      {"memory_budget", info.memory_budget},
                      {"threads", info.space == Space::openmp ? context.threads() : 1},
                      {"teams", std::move(teams)}};
}

Json json_of(const Dispatcher& dispatcher, Operation operation) {
  Json::Object spaces;
  for (const Space space : all_spaces) {
    if (!dispatcher.usable().contains(space)) continue;
    const double crossover = dispatcher.crossover(operation, space);
    spaces.emplace_back(to_string(space),
                        Json::Object{{"breaker_open", dispatcher.breaker_open(operation, space)},
                                     {"crossover", crossover > 0 ? Json(crossover) : Json()}});
  }
  return Json::Object{{"batch_bytes", dispatcher.batch_bytes(operation)},
                      {"spaces", std::move(spaces)}};
}

}  // namespace

std::string to_json(const Context& context, std::span<const Operation> operations,
                    std::string_view library, std::string_view why) try {
  const Dispatcher& dispatcher = context.dispatcher();
  Json::Object out{{"threads", context.threads()}};
  if (!library.empty()) out.emplace_back("library", Json::Object{{"name", library}, {"why", why}});
  out.emplace_back("profile",
                   Json::Object{{"path", context.profile_path()},
                                {"calibrated", dispatcher.calibrated()},
                                {"calibration", *Json::parse(dispatcher.profile_json())}});
  const Dispatcher::Regret regret = dispatcher.regret();
  out.emplace_back("dispatcher", Json::Object{{"decisions", regret.decisions},
                                              {"taken", regret.taken},
                                              {"lost", regret.seconds}});
  Json::Object spaces;
  for (const SpaceInfo& info : context.spaces())
    spaces.emplace_back(to_string(info.space), json_of(info, context));
  out.emplace_back("spaces", std::move(spaces));
  Json::Object described;
  for (const Operation operation : operations)
    described.emplace_back(operation.name(), json_of(dispatcher, operation));
  out.emplace_back("operations", std::move(described));
  return Json(std::move(out)).dump();
} catch (...) {
  Impl::rethrow_translated("Kindred::to_json");
}

}  // namespace Kindred
