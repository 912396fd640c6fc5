// SPDX-License-Identifier: Apache-2.0
#include "Picture.hpp"

#include "Html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace Kindred::Tools {
namespace {

constexpr std::size_t edges_max = 200;
constexpr std::size_t column_nodes = 10;     // a longer column is continued in the next one
constexpr double row_pixels = 34;            // height of a node and its distance to the next
constexpr double column_pixels_least = 150;  // below it, the picture scrolls
constexpr double node_share = 0.72;          // of the width of a column

struct Place {
  std::size_t column = 0;
  double row = 0;  ///< of its centre, in rows
};

/// The number of edges on the shortest way from a source to each node. Nodes that no edge of the
/// picture leads to are behind the others.
std::vector<std::size_t> layers_of(const ReportPicture& picture) {
  const std::size_t unknown = picture.nodes.size();
  std::vector<std::size_t> layer(picture.nodes.size(), unknown);
  for (std::size_t i = 0; i < layer.size(); ++i) {
    if (picture.nodes[i].is_source) layer[i] = 0;
  }
  std::size_t last = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const ReportEdge& edge : picture.edges) {
      if (layer[edge.from] == unknown || layer[edge.from] + 1 >= layer[edge.to]) continue;
      layer[edge.to] = layer[edge.from] + 1;
      changed = true;
    }
  }
  for (const std::size_t one : layer) {
    if (one != unknown) last = std::max(last, one);
  }
  for (std::size_t& one : layer) {
    if (one == unknown) one = last + 1;
  }
  return layer;
}

/// Orders each layer by the mean place of the nodes before it that lead to its nodes, which
/// avoids crossings, and divides it into columns.
std::vector<Place> places_of(const ReportPicture& picture, std::size_t& columns) {
  const std::vector<std::size_t> layer = layers_of(picture);
  std::vector<Place> places(picture.nodes.size());
  columns = 0;
  const std::size_t layers = layer.empty() ? 0 : 1 + *std::max_element(layer.begin(), layer.end());
  for (std::size_t current = 0; current < layers; ++current) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t node = 0; node < layer.size(); ++node) {
      if (layer[node] != current) continue;
      double sum = 0;
      std::size_t count = 0;
      for (const ReportEdge& edge : picture.edges) {
        if (edge.to != node || layer[edge.from] >= current) continue;
        sum += places[edge.from].row;
        ++count;
      }
      order.emplace_back(count > 0 ? sum / static_cast<double>(count) : 0, node);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::size_t parts = (order.size() + column_nodes - 1) / column_nodes;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t begin = order.size() * part / parts;
      const std::size_t end = order.size() * (part + 1) / parts;
      // Columns are centred at row 0.
      for (std::size_t i = begin; i < end; ++i) {
        places[order[i].second] = {
            columns, static_cast<double>(i - begin) - 0.5 * static_cast<double>(end - begin - 1)};
      }
      ++columns;
    }
  }
  double top = 0;
  for (const Place& place : places) top = std::min(top, place.row);
  for (Place& place : places) place.row -= top;
  return places;
}

}  // namespace

void append_picture(std::string& out, const ReportPicture& picture) {
  std::size_t columns = 0;
  const std::vector<Place> places = places_of(picture, columns);
  if (places.empty()) return;
  double rows = 0;
  for (const Place& place : places) rows = std::max(rows, place.row + 1);
  double value_max = 0;
  double weight_max = 0;
  for (const ReportNode& node : picture.nodes)
    value_max = std::max(value_max, std::fabs(node.value));
  for (const ReportEdge& edge : picture.edges)
    weight_max = std::max(weight_max, std::fabs(edge.weight));
  const double step = 100.0 / static_cast<double>(columns);
  const auto left = [&](const Place& place) {
    return step * (static_cast<double>(place.column) + 0.5 * (1 - node_share));
  };
  const auto y = [](const Place& place) { return row_pixels * (place.row + 0.5); };

  out += "<div class=\"part\">\n";
  out += fmt::format("<h3>{}</h3>\n<p class=\"soft\">{}</p>\n", Html::text(picture.title),
                     Html::text(picture.note));
  out += fmt::format(
      "<div class=\"scroll picture-box\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><div "
      "class=\"picture\" style=\"height:{:.0f}px;min-width:{:.0f}px\">\n",
      Html::text(picture.title), row_pixels * rows,
      column_pixels_least * static_cast<double>(columns));
  out +=
      "<svg aria-hidden=\"true\"><defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" "
      "refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" "
      "orient=\"auto\"><path d=\"M0 0L8 4L0 8Z\"/></marker></defs>\n";
  for (std::size_t i = 0; i < std::min(picture.edges.size(), edges_max); ++i) {
    const ReportEdge& edge = picture.edges[i];
    if (edge.from == edge.to) continue;
    const Place& from = places[edge.from];
    const Place& to = places[edge.to];
    const bool is_forward = to.column > from.column;
    const double from_x = left(from) + (to.column >= from.column ? step * node_share : 0);
    const double to_x = left(to) + (to.column <= from.column ? step * node_share : 0);
    const double width = weight_max > 0 ? 1 + 2 * std::fabs(edge.weight) / weight_max : 1;
    out += fmt::format(
        "<line{} x1=\"{:.2f}%\" y1=\"{:.1f}\" x2=\"{:.2f}%\" y2=\"{:.1f}\" "
        "stroke-width=\"{:.1f}\" marker-end=\"url(#arrow)\"><title>{} → {}: {}</title></line>\n",
        is_forward ? "" : " class=\"back\"", from_x, y(from), to_x, y(to), width,
        Html::text(Html::clipped(picture.nodes[edge.from].name, 80)),
        Html::text(Html::clipped(picture.nodes[edge.to].name, 80)), Html::score(edge.weight));
  }
  out += "</svg>\n";
  for (std::size_t i = 0; i < places.size(); ++i) {
    const ReportNode& node = picture.nodes[i];
    const double shade = value_max > 0 ? std::fabs(node.value) / value_max : 0;
    const std::string name = Html::text(Html::clipped(node.name, 80));
    out += fmt::format(
        "<div class=\"node{}\" style=\"left:{:.2f}%;top:{:.1f}px;width:{:.2f}%\" title=\"{}: "
        "{}\"><i style=\"opacity:{:.2f}\"></i><b>{}</b><span>{}</span></div>\n",
        node.is_source ? " source" : "", left(places[i]), y(places[i]), step * node_share, name,
        Html::score(node.value), 0.08 + 0.42 * shade, name, Html::brief(node.value));
  }
  out += "</div></div></div>\n";
}

}  // namespace Kindred::Tools
