// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_REPORT_PLOT_HPP
#define KINDRED_TOOLS_REPORT_PLOT_HPP

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Kindred::Tools {

/// \brief A range of values along a side of a plot.
struct PlotAxis {
  double low = 0;
  double high = 1;
  bool logarithmic = false;  ///< requires 0 < low

  /// Where \p value is between the ends, in percent.
  double percent(double value) const;
};

/// \brief A plot as HTML: curves are drawn in SVG and stretched to the width of the page; texts and
/// points are elements of the page, so that they keep their size at any width.
class Plot {
 public:
  /// \param label describes the plot to a reader who cannot see it
  Plot(std::string_view label, const PlotAxis& x, const PlotAxis& y);

  /// A text below the plot, or left of it with a line across.
  void tick_x(double at, std::string_view text);
  void tick_y(double at, std::string_view text);
  /// \param style class that determines colour and stroke
  void curve(std::string_view style, const std::vector<std::pair<double, double>>& points,
             bool dashed);
  void point(std::string_view style, double x, double y, std::string_view title);
  /// A dotted vertical line with a text beside it. \param row of the text, from above
  void mark(std::string_view style, double x, std::string_view text, int row);
  /// A strip below the axis from \p from to \p to.
  void strip(std::string_view style, double from, double to);

  std::string html() const;

 private:
  std::string m_label;
  PlotAxis m_x;
  PlotAxis m_y;
  std::string m_curves;
  std::string m_elements;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_REPORT_PLOT_HPP
