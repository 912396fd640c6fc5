// SPDX-License-Identifier: Apache-2.0
#include "SpreadPicture.hpp"

#include <kindred/core/common/Ragged.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace Kindred::Tools {

namespace {

constexpr std::size_t pictured_sources = 10;
constexpr std::size_t pictured_nodes = 30;
constexpr std::size_t pictured_edges = 120;

/// The edges from \p node that a query with \p options may follow: targets and weights.
Ragged<Activation> targets_of(const SpreadingEngine& engine, const SpreadOptions& options,
                              std::uint32_t node) {
  SpreadOptions one_hop;
  one_hop.mode = SpreadMode::linear;
  one_hop.hops = 1;
  one_hop.decay = {Decay::Kind::constant, 1};
  one_hop.top = engine.nodes();
  one_hop.kinds = options.kinds;
  one_hop.modifiers = options.modifiers;
  one_hop.space = options.space;
  Ragged<Activation> sources;
  sources.values.push_back({node, 1});
  sources.close_row();
  return engine.spread(sources, one_hop).activations;
}

}  // namespace

ReportPicture neighbourhood_of(const SpreadingEngine& engine, const SpreadOptions& options,
                               const NodeNames& names, std::span<const Activation> sources,
                               std::span<const Activation> found, const std::string& query) {
  ReportPicture picture;
  std::map<std::uint32_t, std::size_t> index;  // of a node in the picture
  const auto add = [&](const Activation& node, bool is_source) {
    if (!index.emplace(node.node, picture.nodes.size()).second) return;
    picture.nodes.push_back({names.text(node.node), node.value, is_source});
  };
  for (const Activation& source : sources) {
    if (index.size() < pictured_sources) add(source, true);
  }
  const std::size_t shown_sources = index.size();
  for (const Activation& node : found) {
    if (const auto at = index.find(node.node); at != index.end()) {
      picture.nodes[at->second].value = node.value;
    } else if (index.size() < pictured_nodes) {
      add(node, false);
    }
  }
  for (const auto& [node, from] : index) {
    const Ragged<Activation> targets = targets_of(engine, options, node);
    for (const Activation& target : targets[0]) {
      const auto to = index.find(target.node);
      if (to != index.end() && to->first != node)
        picture.edges.push_back({from, to->second, target.value});
    }
  }
  std::stable_sort(picture.edges.begin(), picture.edges.end(),
                   [](const ReportEdge& a, const ReportEdge& b) {
                     return std::fabs(a.weight) > std::fabs(b.weight);
                   });
  const std::size_t edges = picture.edges.size();
  picture.edges.resize(std::min(edges, pictured_edges));
  picture.title = fmt::format("Neighbourhood of the query {}", query);
  const std::string of_all = shown_sources < sources.size()
                                 ? fmt::format("the first {} of {}", shown_sources, sources.size())
                                 : fmt::format("{}", shown_sources);
  picture.note = fmt::format(
      "Left, with a thick frame: its sources ({}). Then, by the number of edges from them: the {} "
      "most activated other nodes; the deeper the colour, the greater the activation. A line is an "
      "edge{}: the thicker, the greater its weight; dashed if it leads back.",
      of_all, picture.nodes.size() - shown_sources,
      picture.edges.size() < edges
          ? fmt::format(" (the {} strongest of {})", picture.edges.size(), edges)
          : "");
  return picture;
}

}  // namespace Kindred::Tools
