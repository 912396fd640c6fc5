// SPDX-License-Identifier: Apache-2.0
#include "Parts.hpp"
#include "Plot.hpp"

#include <kindred/core/seed/Lifecycle.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Kindred::Tools {
namespace {

constexpr std::size_t bins_max = 200;            // the seeds of a layer are drawn in
constexpr std::size_t states_max = 60;           // in chronological order
constexpr std::size_t epochs_max = 16;           // of telemetry
constexpr std::size_t seed_rows_max = 2000;      // of the table
constexpr std::size_t seed_bytes_max = 200'000;  // of the table

/// Every how many of \p count elements one is shown, counted from the last.
std::size_t step_of(std::size_t count, std::size_t most) { return (count + most - 1) / most; }

/// At most `bins_max` points, each the mean of consecutive values.
std::vector<std::pair<double, double>> binned(const std::vector<double>& values) {
  const std::size_t bins = std::min(values.size(), bins_max);
  std::vector<std::pair<double, double>> out;
  for (std::size_t i = 0; i < bins; ++i) {
    const std::size_t begin = values.size() * i / bins;
    const std::size_t end = values.size() * (i + 1) / bins;
    const double mean = std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                        values.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                        static_cast<double>(end - begin);
    const double middle = 0.5 * static_cast<double>(begin + end - 1);
    if (std::isfinite(mean)) out.emplace_back(middle, mean);
  }
  return out;
}

/// One bar per state, divided by lifecycle.
void append_states(std::string& out, const ReportSeeds& layer) {
  out +=
      "<div class=\"part\"><h3>Seeds in each state</h3>\n<div class=\"panel\"><p "
      "class=\"legend\">";
  const std::vector<std::uint64_t>& now = layer.states.back().counts;
  for (std::size_t code = 0; code < now.size(); ++code) {
    if (now[code] == 0) continue;
    out += fmt::format("<span><i class=\"swatch life-{}\"></i>{} {}</span>", code,
                       enum_names<Lifecycle>[code], Html::count(static_cast<double>(now[code])));
  }
  out += "</p>\n";
  const std::size_t step = step_of(layer.states.size(), states_max);
  for (std::size_t i = 0; i < layer.states.size(); ++i) {
    if ((layer.states.size() - 1 - i) % step != 0) continue;
    const ReportSeedCounts& state = layer.states[i];
    const std::uint64_t all =
        std::accumulate(state.counts.begin(), state.counts.end(), std::uint64_t{0});
    out += fmt::format("<div class=\"stack\"><span>{}</span><div>",
                       Html::text(Html::clipped(state.label, 200)));
    for (std::size_t code = 0; code < state.counts.size(); ++code) {
      if (state.counts[code] == 0) continue;
      out += fmt::format("<i class=\"life-{}\" style=\"width:{:.2f}%\" title=\"{} {}\"></i>", code,
                         100.0 * static_cast<double>(state.counts[code]) / static_cast<double>(all),
                         Html::count(static_cast<double>(state.counts[code])),
                         enum_names<Lifecycle>[code]);
    }
    out += "</div></div>\n";
  }
  out += "</div></div>\n";
}

/// One metric by seed: one curve per epoch, the last one solid.
void append_telemetry_plot(std::string& out, const ReportSeeds& layer,
                           std::vector<double> ReportSeedEpoch::*metric, const char* title) {
  const std::size_t step = step_of(layer.epochs.size(), epochs_max);
  double low = 0;
  double high = 0;
  std::size_t seeds = 0;
  std::vector<std::vector<std::pair<double, double>>> curves;
  for (std::size_t i = 0; i < layer.epochs.size(); ++i) {
    if ((layer.epochs.size() - 1 - i) % step != 0) continue;
    const std::vector<double>& values = layer.epochs[i].*metric;
    seeds = std::max(seeds, values.size());
    curves.push_back(binned(values));
    for (const auto& [seed, value] : curves.back()) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (curves.empty() || curves.back().empty()) return;
  if (high == low) high = low + 1;
  const double last = static_cast<double>(std::max<std::size_t>(seeds, 2) - 1);
  Plot plot(fmt::format("{} by seed", title), {0, last, false}, {low, high, false});
  plot.tick_x(0, "seed 0");
  if (seeds > 1) plot.tick_x(last, Html::count(last));
  for (const double share : {0.0, 0.5, 1.0}) {
    const double value = low + share * (high - low);
    plot.tick_y(value, Html::brief(value));
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const bool is_last = i + 1 == curves.size();
    plot.curve(is_last ? "now" : "earlier", curves[i], !is_last);
    if (!is_last || curves[i].size() > 40) continue;
    for (const auto& [seed, value] : curves[i])
      plot.point("now", seed, value, fmt::format("seed {:.0f}: {}", seed, Html::score(value)));
  }
  out += fmt::format("<div class=\"panel\"><h3>{}</h3>\n{}</div>\n", title, plot.html());
}

ReportTable table_of(const ReportSeeds& layer) {
  ReportTable table{.title = "Every seed",
                    .columns = {{"seed", ColumnKind::number},
                                {"lifecycle", ColumnKind::text},
                                {"blueprint", ColumnKind::number},
                                {"mode", ColumnKind::text},
                                {"alpha", ColumnKind::number},
                                {"schedule", ColumnKind::text},
                                {"epochs", ColumnKind::number},
                                {"errors", ColumnKind::number},
                                {"health", ColumnKind::number},
                                {"last transitions", ColumnKind::text}},
                    .folded = layer.seeds.size() > 40};
  const ReportSeedEpoch* last = layer.epochs.empty() ? nullptr : &layer.epochs.back();
  const auto number = [](double value) { return number_cell(Html::score(value), value); };
  const std::size_t rows = std::min(layer.seeds.size(), seed_rows_max);
  if (rows < layer.seeds.size()) {
    table.note = fmt::format("The first {} of {} seeds.", Html::count(static_cast<double>(rows)),
                             Html::count(static_cast<double>(layer.seeds.size())));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const ReportSeed& seed = layer.seeds[i];
    const bool has_health =
        last != nullptr && i < last->health.size() && std::isfinite(last->health[i]);
    table.add_row({digits_cell(i),
                   {seed.lifecycle},
                   seed.blueprint < 0 ? number_cell("–", not_known)
                                      : digits_cell(static_cast<std::uint64_t>(seed.blueprint)),
                   {seed.mode},
                   number(seed.alpha),
                   {seed.schedule},
                   count_cell(seed.epochs),
                   count_cell(seed.errors),
                   has_health ? number(last->health[i]) : number_cell("–", not_known),
                   {seed.history}});
  }
  return table;
}

}  // namespace

void append_seeds(std::string& out, const ReportSeeds& layer) {
  if (!layer.states.empty()) append_states(out, layer);
  if (!layer.epochs.empty()) {
    out += "<div class=\"part\"><h3>Telemetry by seed</h3>\n";
    out +=
        fmt::format("<p class=\"soft\">{}{}</p>\n<div class=\"charts\">\n",
                    Html::text(Html::clipped(layer.epochs.back().label, 200)),
                    layer.epochs.size() > 1 ? " is solid, the epochs before it are dashed." : "");
    append_telemetry_plot(out, layer, &ReportSeedEpoch::mean, "Mean of the input");
    append_telemetry_plot(out, layer, &ReportSeedEpoch::deviation,
                          "Standard deviation of the input");
    append_telemetry_plot(out, layer, &ReportSeedEpoch::dead_ratio, "Share of dead inputs");
    append_telemetry_plot(out, layer, &ReportSeedEpoch::health, "Health");
    out += "</div></div>\n";
  }
  if (!layer.seeds.empty()) append_table(out, table_of(layer), seed_bytes_max);
}

}  // namespace Kindred::Tools
