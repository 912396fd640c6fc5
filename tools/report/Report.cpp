// SPDX-License-Identifier: Apache-2.0
#include "Report.hpp"

#include "Page.hpp"

#include <kindred/backends/AtomicFile.hpp>
#include <kindred/core/seed/Lifecycle.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace Kindred::Tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t rows_max = 1500;   // per list, so that the page stays below 2 MB
constexpr std::size_t text_max = 600;    // bytes per text
constexpr std::size_t points_max = 400;  // per sweep
constexpr std::size_t seed_bins = 200;   // bins that the seeds of a layer are drawn in
constexpr std::size_t states_max = 120;  // of a layer, in chronological order
constexpr std::size_t epochs_max = 32;   // of a layer's telemetry

std::string clipped(const std::string& text) {
  if (text.size() <= text_max) return text;
  std::size_t end = text_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + " …";
}

Json per_space(const std::array<double, space_count>& seconds) {
  Json out = Json::array();
  for (const double value : seconds) out.push_back(std::isfinite(value) ? Json(value) : Json());
  return out;
}

double regret(const DispatchRecord& record) {
  double best = record.taken;
  for (const double value : record.predicted) best = std::fmin(best, value);
  return record.taken - best;
}

/// The rows to show: all, or those of greatest regret, in chronological order.
std::vector<std::size_t> shown_decisions(const std::vector<DispatchRecord>& decisions) {
  std::vector<std::size_t> order(decisions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= rows_max) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return regret(decisions[a]) > regret(decisions[b]);
  });
  order.resize(rows_max);
  std::sort(order.begin(), order.end());
  return order;
}

Json decisions_json(const std::vector<DispatchRecord>& decisions) {
  struct Sum {
    std::uint64_t calls = 0;
    double taken = 0;
    double regret = 0;
  };
  std::map<std::tuple<Operation, Space, Reason>, Sum> sums;
  for (const DispatchRecord& record : decisions) {
    Sum& sum = sums[{record.operation, record.chosen, record.why}];
    ++sum.calls;
    sum.taken += record.taken;
    sum.regret += regret(record);
  }
  Json summary = Json::array();
  for (const auto& [key, sum] : sums) {
    const auto& [operation, space, why] = key;
    summary.push_back({{"op", to_string(operation)},
                       {"chosen", to_string(space)},
                       {"why", to_string(why)},
                       {"calls", sum.calls},
                       {"taken", sum.taken},
                       {"regret", sum.regret}});
  }
  Json rows = Json::array();
  for (const std::size_t i : shown_decisions(decisions)) {
    const DispatchRecord& record = decisions[i];
    rows.push_back({{"n", i + 1},
                    {"op", to_string(record.operation)},
                    {"items", record.items},
                    {"predicted", per_space(record.predicted)},
                    {"chosen", to_string(record.chosen)},
                    {"taken", record.taken},
                    {"why", to_string(record.why)},
                    {"regret", regret(record)}});
  }
  return {{"total", decisions.size()}, {"summary", summary}, {"rows", rows}};
}

Json sweep_json(const ReportSweep& sweep) {
  const std::size_t step = (sweep.points.size() + points_max - 1) / points_max;
  Json points = Json::array();
  for (std::size_t i = 0; i < sweep.points.size(); i += step) {
    const ReportSweepPoint& point = sweep.points[i];
    points.push_back({{"items", point.items},
                      {"taken", per_space(point.taken)},
                      {"predicted", per_space(point.predicted)},
                      {"chosen", point.chosen ? Json(to_string(*point.chosen)) : Json()}});
  }
  std::array<double, space_count> taken{};
  std::array<double, space_count> predicted{};
  for (const Space space : all_spaces) {
    taken[static_cast<std::size_t>(space)] = crossover(sweep, space, &ReportSweepPoint::taken);
    predicted[static_cast<std::size_t>(space)] =
        crossover(sweep, space, &ReportSweepPoint::predicted);
  }
  return {{"op", clipped(sweep.operation)},
          {"unit", clipped(sweep.unit)},
          {"points", points},
          {"crossover", {{"taken", per_space(taken)}, {"predicted", per_space(predicted)}}}};
}

Json hit_json(const ReportHit& hit) {
  Json reasons = Json::array();
  for (const ReportReason& reason : hit.reasons) {
    reasons.push_back({{"ranking", clipped(reason.ranking)},
                       {"place", reason.place},
                       {"score", reason.score},
                       {"contribution", reason.contribution},
                       {"detail", clipped(reason.detail)}});
  }
  return {{"title", clipped(hit.title)},
          {"text", clipped(hit.text)},
          {"score", hit.score},
          {"reasons", reasons}};
}

Json kernels_json(std::vector<ReportKernel> kernels) {
  std::stable_sort(
      kernels.begin(), kernels.end(),
      [](const ReportKernel& a, const ReportKernel& b) { return a.seconds > b.seconds; });
  Json out = Json::array();
  for (std::size_t i = 0; i < std::min(kernels.size(), rows_max); ++i) {
    out.push_back({{"name", clipped(kernels[i].name)},
                   {"space", clipped(kernels[i].space)},
                   {"calls", kernels[i].calls},
                   {"seconds", kernels[i].seconds}});
  }
  return out;
}

/// At most \p seed_bins values, each the mean of consecutive ones.
Json binned(const std::vector<double>& values) {
  const std::size_t bins = std::min(values.size(), seed_bins);
  Json out = Json::array();
  for (std::size_t i = 0; i < bins; ++i) {
    const std::size_t begin = values.size() * i / bins;
    const std::size_t end = values.size() * (i + 1) / bins;
    const double mean = std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                        values.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                        static_cast<double>(end - begin);
    out.push_back(std::isfinite(mean) ? Json(mean) : Json());
  }
  return out;
}

Json seeds_json(const ReportSeeds& layer) {
  Json states = Json::array();
  for (std::size_t i = 0; i < layer.states.size(); ++i) {
    // The last state, and others at equal distances.
    const std::size_t step = (layer.states.size() + states_max - 1) / states_max;
    if ((layer.states.size() - 1 - i) % step != 0) continue;
    states.push_back(
        {{"label", clipped(layer.states[i].label)}, {"counts", layer.states[i].counts}});
  }
  Json epochs = Json::array();
  for (std::size_t i = 0; i < layer.epochs.size(); ++i) {
    const std::size_t step = (layer.epochs.size() + epochs_max - 1) / epochs_max;
    if ((layer.epochs.size() - 1 - i) % step != 0) continue;
    const ReportSeedEpoch& epoch = layer.epochs[i];
    epochs.push_back({{"label", clipped(epoch.label)},
                      {"mean", binned(epoch.mean)},
                      {"deviation", binned(epoch.deviation)},
                      {"dead_ratio", binned(epoch.dead_ratio)},
                      {"health", binned(epoch.health)}});
  }
  Json rows = Json::array();
  const ReportSeedEpoch* last = layer.epochs.empty() ? nullptr : &layer.epochs.back();
  for (std::size_t i = 0; i < std::min(layer.seeds.size(), rows_max); ++i) {
    const ReportSeed& seed = layer.seeds[i];
    const bool has_health = last != nullptr && i < last->health.size();
    rows.push_back({{"seed", i},
                    {"lifecycle", clipped(seed.lifecycle)},
                    {"blueprint", seed.blueprint},
                    {"mode", clipped(seed.mode)},
                    {"schedule", clipped(seed.schedule)},
                    {"alpha", seed.alpha},
                    {"epochs", seed.epochs},
                    {"errors", seed.errors},
                    {"health", has_health ? Json(last->health[i]) : Json()},
                    {"history", clipped(seed.history)}});
  }
  return {{"names", lifecycle_names},
          {"total", layer.seeds.size()},
          {"states", states},
          {"epochs", epochs},
          {"rows", rows}};
}

Json data_json(const ReportData& data) {
  Json claims = Json::array();
  for (const ReportClaim& claim : data.claims) {
    claims.push_back({{"claim", clipped(claim.claim)},
                      {"state", to_string(claim.state)},
                      {"detail", clipped(claim.detail)}});
  }
  Json hits = Json::array();
  for (std::size_t i = 0; i < std::min<std::size_t>(data.hits.size(), 100); ++i)
    hits.push_back(hit_json(data.hits[i]));
  Json sweeps = Json::array();
  for (const ReportSweep& sweep : data.sweeps) sweeps.push_back(sweep_json(sweep));
  const auto pairs = [](const std::vector<std::pair<std::string, std::string>>& from) {
    Json out = Json::array();
    for (const auto& [name, value] : from) out.push_back({clipped(name), clipped(value)});
    return out;
  };
  Json spaces = Json::array();
  for (const Space space : all_spaces) spaces.push_back(to_string(space));
  return {{"title", clipped(data.title)},
          {"subtitle", clipped(data.subtitle)},
          {"spaces", spaces},
          {"run", pairs(data.run)},
          {"claims", claims},
          {"query", clipped(data.query)},
          {"hits", hits},
          {"seeds", seeds_json(data.seeds)},
          {"decisions", decisions_json(data.decisions)},
          {"sweeps", sweeps},
          {"kernels", kernels_json(data.kernels)},
          {"environment", pairs(data.environment)}};
}

/// Escapes JSON for use inside `<script>`: no `<` can end the element or open a comment.
std::string script_safe(const std::string& json) {
  std::string out;
  out.reserve(json.size() + 64);
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string_view to_string(ClaimState state) noexcept {
  constexpr std::array<std::string_view, 3> names{"holds", "fails", "not run"};
  return names[static_cast<std::size_t>(state)];
}

double crossover(const ReportSweep& sweep, Space space,
                 std::array<double, space_count> ReportSweepPoint::*seconds) {
  const auto which = static_cast<std::size_t>(space);
  double from = not_known;
  if (which == 0) return from;
  for (auto point = sweep.points.rbegin(); point != sweep.points.rend(); ++point) {
    const std::array<double, space_count>& values = (*point).*seconds;
    if (!std::isfinite(values[which])) break;
    double best_before = not_known;
    for (std::size_t other = 0; other < which; ++other)
      best_before = std::fmin(best_before, values[other]);
    if (!(values[which] < best_before)) break;
    from = point->items;
  }
  return from;
}

std::string report_html(const ReportData& data) {
  const std::string json =
      script_safe(data_json(data).dump(-1, ' ', false, Json::error_handler_t::replace));
  const std::string template_text = Page::html;
  std::string out;
  std::size_t begin = 0;
  // A single pass over the template, so that a placeholder inside a user's text is not expanded.
  while (begin < template_text.size()) {
    const std::size_t open = template_text.find('%', begin);
    out.append(template_text, begin, open == std::string::npos ? open : open - begin);
    if (open == std::string::npos) break;
    const std::size_t close = template_text.find('%', open + 1);
    const std::string mark = template_text.substr(open + 1, close - open - 1);
    if (mark == "STYLE") {
      out += Page::css;
    } else if (mark == "DATA") {
      out += json;
    } else if (mark == "SCRIPT") {
      out += Page::js;
    }
    begin = close + 1;
  }
  return out;
}

void write_report(const std::string& path, const ReportData& data) {
  AtomicFile file(path);
  const std::string html = report_html(data);
  file.write(html.data(), html.size());
  AtomicFile::publish({&file});
}

}  // namespace Kindred::Tools
