// SPDX-License-Identifier: Apache-2.0
#include "MatchWriter.hpp"

namespace Kindred::Tools {

namespace {

/// Appends `{"index": …, "name": …}`.
void append_member(std::string& out, std::uint64_t index, const NameTable& names) {
  fmt::format_to(std::back_inserter(out), "{{\"index\": {}, \"name\": ", index);
  append_name(out, names[index]);
  out += '}';
}

std::string shown_name(std::uint64_t index, const NameTable& names) {
  const auto name = names[index];
  return name ? Html::clipped(*name, 80) : fmt::format("pattern {}", index);
}

/// The largest clusters, for the report.
ReportTable table_of(const ClusterResults& results, const NameTable& names) {
  constexpr std::size_t clusters_max = 200;
  constexpr std::size_t members_max = 8;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < results.members.rows(); ++i) order.push_back(i);
  const auto size_of = [&](std::size_t cluster) { return results.members[cluster].size(); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size_of(a) > size_of(b); });
  const auto several = std::count_if(order.begin(), order.end(),
                                     [&](std::size_t cluster) { return size_of(cluster) > 1; });
  const std::size_t all = order.size();
  order.resize(std::min(all, clusters_max));
  ReportTable table{.title = "Largest clusters",
                    .note = fmt::format("{}, {} of them of more than one pattern.",
                                        Html::counted(all, "cluster", "clusters"), several)};
  if (order.size() < all) table.note += fmt::format(" The {} largest are shown.", order.size());
  table.columns = {{"representative", ColumnKind::text},
                   {"patterns", ColumnKind::bar},
                   {"other members", ColumnKind::text}};
  for (const std::size_t cluster : order) {
    const std::uint64_t representative = results.representatives[cluster];
    std::string others;
    std::size_t listed = 0;
    for (const auto member : results.members[cluster]) {
      if (member == representative) continue;
      if (++listed > members_max) break;
      others += (others.empty() ? "" : " · ") + shown_name(member, names);
    }
    if (listed > members_max) others += " …";
    const auto size = static_cast<double>(size_of(cluster));
    table.add_row({{shown_name(representative, names)},
                   bar_cell(fmt::format("{}", size_of(cluster)), size,
                            size / static_cast<double>(size_of(order.front()))),
                   {others}});
  }
  return table;
}

}  // namespace

void print_clusters(const SequenceMatcher& matcher, const NameTable& names, const MatchFlags& flags,
                    Session& session) {
  ClusterOptions options;
  options.linkage = *flags.clusters;
  options.matching = flags.options;
  const ClusterResults results =
      session.timed(Phase::compute, [&] { return matcher.cluster(options); });
  if (session.reports()) session.add_result(table_of(results, names));
  Output output;
  std::string& out = output.text();
  for (std::size_t cluster = 0; cluster < results.members.rows(); ++cluster) {
    const auto members = results.members[cluster];
    fmt::format_to(std::back_inserter(out),
                   "{{\"cluster\": {}, \"size\": {}, \"representative\": ", cluster,
                   members.size());
    append_member(out, results.representatives[cluster], names);
    out += ", \"members\": ";
    append_list(out, members, [&](std::uint64_t member) { append_member(out, member, names); });
    out += "}\n";
    output.flush_if_large();
  }
  output.flush();
}

}  // namespace Kindred::Tools
