// SPDX-License-Identifier: Apache-2.0
#include "MatchClusters.hpp"

#include "io/AnswerLines.hpp"
#include "io/Errors.hpp"
#include "io/Output.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>

namespace Kindred::Tools {

namespace {

/// Appends `{"index": …, "name": …}`.
void append_member(std::string& out, std::uint64_t index, const NameTable& names) {
  fmt::format_to(std::back_inserter(out), "{{\"index\": {}, \"name\": ", index);
  append_name(out, names[index]);
  out += '}';
}

}  // namespace

void add_clusters_flag(CLI::App& command, MatchFlags& flags) {
  command
      .add_option("--clusters", flags.clusters,
                  "With --self: print one line per cluster of similar patterns instead of the "
                  "pairs; single: linked by a chain of similar pairs; complete: all pairs similar")
      ->type_name("NAME");
}

void check_clusters(const MatchFlags& flags) {
  if (flags.clusters.empty()) return;
  if (flags.clusters != to_string(Linkage::single) &&
      flags.clusters != to_string(Linkage::complete))
    throw UsageError(
        fmt::format("match: --clusters: '{}' is not one of single, complete", flags.clusters));
  if (!flags.self) throw UsageError("match: --clusters requires --self");
  if (flags.format != OutputFormat::json)
    throw UsageError("match: --clusters prints lists, which only --format json has");
  if (flags.matched_only)
    throw UsageError("match: --clusters prints every pattern; omit --matched-only");
  if (flags.top > 0) throw UsageError("match: --clusters uses all similar pairs; omit --top");
  if (flags.options.blocks) throw UsageError("match: --clusters prints no pairs; omit --blocks");
  if (flags.threshold == 0.0) throw UsageError("match: --clusters requires a --threshold above 0");
}

void print_clusters(const SequenceMatcher& matcher, const NameTable& names, const MatchFlags& flags,
                    Session& session) {
  ClusterOptions options;
  options.linkage =
      flags.clusters == to_string(Linkage::single) ? Linkage::single : Linkage::complete;
  options.matching = flags.options;
  const ClusterResults results =
      session.timed(Phase::compute, [&] { return matcher.cluster(options); });
  Output output;
  std::string& out = output.text();
  for (std::size_t cluster = 0; cluster < results.members.rows(); ++cluster) {
    const auto members = results.members[cluster];
    fmt::format_to(std::back_inserter(out),
                   "{{\"cluster\": {}, \"size\": {}, \"representative\": ", cluster,
                   members.size());
    append_member(out, results.representatives[cluster], names);
    out += ", \"members\": [";
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out += ", ";
      append_member(out, members[i], names);
    }
    out += "]}\n";
    output.flush_if_large();
  }
  output.flush();
}

}  // namespace Kindred::Tools
