// SPDX-License-Identifier: Apache-2.0
#include "Parts.hpp"
#include "Plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace Kindred::Tools {
namespace {

constexpr std::size_t points_max = 30;            // drawn per sweep
constexpr std::size_t sweeps_max = 16;            // drawn
constexpr std::size_t sweep_bytes_max = 150'000;  // of the table

using Seconds = std::array<double, space_count> ReportSweepPoint::*;

std::string name_of(Space space) { return std::string(to_string(space)); }

/// At most `points_max` points at equal distances, and the last one.
std::vector<ReportSweepPoint> drawn(const ReportSweep& sweep) {
  const std::size_t step = (sweep.points.size() + points_max - 1) / points_max;
  std::vector<ReportSweepPoint> out;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if ((sweep.points.size() - 1 - i) % step == 0) out.push_back(sweep.points[i]);
  }
  return out;
}

/// Powers of ten within an axis, at most about seven.
std::vector<double> powers_of(const PlotAxis& axis) {
  const int first = static_cast<int>(std::ceil(std::log10(axis.low * 0.999)));
  const int last = static_cast<int>(std::floor(std::log10(axis.high * 1.001)));
  const int step = std::max(1, (last - first + 6) / 7);
  std::vector<double> out;
  for (int power = first; power <= last; power += step) out.push_back(std::pow(10.0, power));
  return out;
}

PlotAxis axis_of(const std::vector<double>& values) {
  double low = not_known;
  double high = not_known;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) continue;
    low = std::fmin(low, value);
    high = std::fmax(high, value);
  }
  if (!std::isfinite(low)) return {1, 10, true};
  if (high < 2 * low) return {low / 2, high * 2, true};
  return {low / 1.1, high * 1.1, true};
}

void draw_space(Plot& plot, const ReportSweep& sweep, const std::vector<ReportSweepPoint>& points,
                Space space, int& marks) {
  const auto at = static_cast<std::size_t>(space);
  const std::string name = name_of(space);
  for (const Seconds seconds : {&ReportSweepPoint::predicted, &ReportSweepPoint::taken}) {
    std::vector<std::pair<double, double>> curve;
    for (const ReportSweepPoint& point : points) {
      if (std::isfinite((point.*seconds)[at]))
        curve.emplace_back(point.items, (point.*seconds)[at]);
    }
    plot.curve(name, curve, seconds == &ReportSweepPoint::predicted);
  }
  for (const ReportSweepPoint& point : points) {
    if (!std::isfinite(point.taken[at])) continue;
    plot.point(name, point.items, point.taken[at],
               fmt::format("{} {} on {}: {} (predicted {})", Html::count(point.items), sweep.unit,
                           name, Html::time(point.taken[at]), Html::time(point.predicted[at])));
  }
  const double from = crossover(sweep, space, &ReportSweepPoint::taken);
  if (std::isfinite(from))
    plot.mark(name, from, fmt::format("{} pays from {}", name, Html::brief(from)), marks++);
}

/// From which size each space pays, measured and predicted.
void append_payments(std::string& out, const ReportSweep& sweep,
                     const std::vector<ReportSweepPoint>& points) {
  for (const Space space : all_spaces) {
    const auto at = static_cast<std::size_t>(space);
    if (space == Space::serial ||
        std::none_of(points.begin(), points.end(),
                     [&](const ReportSweepPoint& point) { return std::isfinite(point.taken[at]); }))
      continue;
    const double taken = crossover(sweep, space, &ReportSweepPoint::taken);
    const double predicted = crossover(sweep, space, &ReportSweepPoint::predicted);
    const std::string prediction =
        std::isfinite(predicted) ? "from " + Html::count(predicted) : "never";
    out += fmt::format(
        "<p><span class=\"tag {0}\">{0}</span> {1} (predicted: {2})</p>\n", name_of(space),
        std::isfinite(taken)
            ? fmt::format("pays from {} {}", Html::count(taken), Html::text(sweep.unit))
            : "never pays here",
        prediction);
  }
}

void append_chart(std::string& out, const ReportSweep& sweep) {
  const std::vector<ReportSweepPoint> points = drawn(sweep);
  std::vector<double> sizes;
  std::vector<double> times;
  for (const ReportSweepPoint& point : points) {
    sizes.push_back(point.items);
    times.insert(times.end(), point.taken.begin(), point.taken.end());
    times.insert(times.end(), point.predicted.begin(), point.predicted.end());
  }
  const PlotAxis x = axis_of(sizes);
  const PlotAxis y = axis_of(times);
  Plot plot(fmt::format("Times of {} by {}", sweep.operation, sweep.unit), x, y);
  for (const double at : powers_of(x)) plot.tick_x(at, Html::brief(at));
  for (const double at : powers_of(y)) plot.tick_y(at, Html::time(at));
  int marks = 0;
  for (const Space space : all_spaces) draw_space(plot, sweep, points, space, marks);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].chosen) continue;
    const double before = i == 0 ? x.low : std::sqrt(points[i - 1].items * points[i].items);
    const double after =
        i + 1 == points.size() ? x.high : std::sqrt(points[i].items * points[i + 1].items);
    plot.strip(name_of(*points[i].chosen), before, after);
  }
  out += fmt::format("<div class=\"panel\"><h3>{}</h3>\n", Html::text(sweep.operation));
  if (sweep.sentence.empty())
    append_payments(out, sweep, points);
  else
    out += fmt::format("<p>{}</p>\n", Html::text(sweep.sentence));
  out += plot.html();
  out += fmt::format("<p class=\"soft axis\">{}</p></div>\n", Html::text(sweep.unit));
}

ReportTable times_of(const std::vector<ReportSweep>& sweeps) {
  ReportTable table{.title = "The sweep as a table",
                    .columns = {{"operation", ColumnKind::text},
                                {"items", ColumnKind::number},
                                {"unit", ColumnKind::text}},
                    .folded = true};
  std::vector<Space> used;
  for (const Space space : all_spaces) {
    const auto at = static_cast<std::size_t>(space);
    bool is_used = false;
    for (const ReportSweep& sweep : sweeps) {
      for (const ReportSweepPoint& point : sweep.points)
        is_used = is_used || std::isfinite(point.taken[at]);
    }
    if (!is_used) continue;
    used.push_back(space);
    table.columns.push_back({name_of(space) + " taken", ColumnKind::number});
    table.columns.push_back({name_of(space) + " predicted", ColumnKind::number});
  }
  table.columns.push_back({"dispatcher took", ColumnKind::space});
  for (const ReportSweep& sweep : sweeps) {
    for (const ReportSweepPoint& point : sweep.points) {
      double least = not_known;
      for (const double taken : point.taken) least = std::fmin(least, taken);
      std::vector<ReportCell> row{{sweep.operation}, count_cell(point.items), {sweep.unit}};
      for (const Space space : used) {
        const auto at = static_cast<std::size_t>(space);
        row.push_back(time_cell(point.taken[at]));
        row.back().best = point.taken[at] == least;
        row.push_back(time_cell(point.predicted[at]));
      }
      row.push_back({point.chosen ? name_of(*point.chosen) : "–"});
      table.add_row(std::move(row));
    }
  }
  return table;
}

}  // namespace

double crossover(const ReportSweep& sweep, Space space, Seconds seconds) {
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

void append_sweeps(std::string& out, const std::vector<ReportSweep>& sweeps) {
  out += "<p class=\"legend\">";
  for (const Space space : all_spaces)
    out +=
        fmt::format("<span class=\"tag {0}\"><i class=\"swatch\"></i>{0}</span>", name_of(space));
  out +=
      "<span class=\"soft\">dashed: predicted; dotted: the space pays from here; strip: the space "
      "that the dispatcher took</span></p>\n<div class=\"charts\">\n";
  for (std::size_t i = 0; i < std::min(sweeps.size(), sweeps_max); ++i) {
    if (!sweeps[i].points.empty()) append_chart(out, sweeps[i]);
  }
  out += "</div>\n";
  append_table(out, times_of(sweeps), sweep_bytes_max);
}

}  // namespace Kindred::Tools
