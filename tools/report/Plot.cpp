// SPDX-License-Identifier: Apache-2.0
#include "Plot.hpp"

#include "Html.hpp"

#include <fmt/format.h>

#include <cmath>

namespace Kindred::Tools {

double PlotAxis::percent(double value) const {
  const double from = logarithmic ? std::log(low) : low;
  const double to = logarithmic ? std::log(high) : high;
  const double at = logarithmic ? std::log(value) : value;
  return to > from ? 100 * (at - from) / (to - from) : 50;
}

Plot::Plot(std::string_view label, const PlotAxis& x, const PlotAxis& y)
    : m_label(label), m_x(x), m_y(y) {}

void Plot::tick_x(double at, std::string_view text) {
  const double percent = m_x.percent(at);
  m_elements += fmt::format("<i class=\"grid-x\" style=\"left:{:.2f}%\"></i>", percent);
  m_elements += fmt::format("<span class=\"tick-x\" style=\"left:{:.2f}%\">{}</span>\n", percent,
                            Html::text(text));
}

void Plot::tick_y(double at, std::string_view text) {
  const double percent = 100 - m_y.percent(at);
  m_elements += fmt::format("<i class=\"grid-y\" style=\"top:{:.2f}%\"></i>", percent);
  m_elements += fmt::format("<span class=\"tick-y\" style=\"top:{:.2f}%\">{}</span>\n", percent,
                            Html::text(text));
}

void Plot::curve(std::string_view style, const std::vector<std::pair<double, double>>& points,
                 bool dashed) {
  if (points.size() < 2) return;
  m_curves += fmt::format("<path class=\"{}{}\" d=\"", style, dashed ? " dashed" : "");
  const char* step = "M";
  for (const auto& [x, y] : points) {
    m_curves += fmt::format("{}{:.2f} {:.2f}", step, m_x.percent(x), 100 - m_y.percent(y));
    step = "L";
  }
  m_curves += "\"/>\n";
}

void Plot::point(std::string_view style, double x, double y, std::string_view title) {
  m_elements +=
      fmt::format("<i class=\"point {}\" style=\"left:{:.2f}%;top:{:.2f}%\" title=\"{}\"></i>\n",
                  style, m_x.percent(x), 100 - m_y.percent(y), Html::text(title));
}

void Plot::mark(std::string_view style, double x, std::string_view text, int row) {
  const double percent = m_x.percent(x);
  m_elements += fmt::format("<i class=\"mark {}\" style=\"left:{:.2f}%\"></i>", style, percent);
  const std::string side = percent > 55 ? fmt::format("right:{:.2f}%", 100 - percent)
                                        : fmt::format("left:{:.2f}%", percent);
  m_elements += fmt::format("<span class=\"mark-text {}\" style=\"{};top:{:.1f}em\">{}</span>\n",
                            style, side, 1.4 * row, Html::text(text));
}

void Plot::strip(std::string_view style, double from, double to) {
  const double begin = m_x.percent(from);
  m_elements += fmt::format("<i class=\"strip {}\" style=\"left:{:.2f}%;width:{:.2f}%\"></i>\n",
                            style, begin, m_x.percent(to) - begin);
}

std::string Plot::html() const {
  return fmt::format(
      "<div class=\"plot\" role=\"img\" aria-label=\"{}\">\n<svg viewBox=\"0 0 100 100\" "
      "preserveAspectRatio=\"none\" aria-hidden=\"true\">\n{}</svg>\n{}</div>\n",
      Html::text(m_label), m_curves, m_elements);
}

}  // namespace Kindred::Tools
