// SPDX-License-Identifier: Apache-2.0
#include "LatticeCommand.hpp"

#include "Commands.hpp"
#include "Session.hpp"
#include "io/AppendJson.hpp"
#include "io/CheckOutputs.hpp"
#include "io/LatticeBlocks.hpp"
#include "program/Errors.hpp"
#include "program/Log.hpp"
#include "program/Output.hpp"
#include "report/Html.hpp"

#include <kindred/matcher/Lattice.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Tools {

namespace {

struct LatticeFlags {
  std::uint32_t dimensions = 4;
  std::uint32_t size = 10;
  bool measured = false;
  std::string from;
  std::string to;
  std::string blocked;
  std::string out;

  LatticeShape shape() const { return {dimensions, size}; }
};

void report_shape(Session& session, const LatticeShape& shape) {
  session.add_to_report("lattice", fmt::format("{} dimensions of {}: {} nodes", shape.dimensions(),
                                               shape.size(), shape.nodes()));
}

/// The nodes of a path, one per row, for the report.
ReportTable steps_of(const LatticeShape& shape, std::uint64_t from, std::uint64_t to,
                     const std::vector<std::uint64_t>& nodes) {
  constexpr std::size_t rows_max = 1000;
  ReportTable table;
  table.title = fmt::format("Path from {} to {}", from, to);
  table.columns = {{"step", ColumnKind::number},
                   {"node", ColumnKind::number},
                   {"coordinates", ColumnKind::code}};
  if (nodes.empty()) {
    table.note = "There is no path.";
    return table;
  }
  const std::uint64_t steps = nodes.size() - 1;
  table.note = fmt::format("{} steps.", steps);
  if (const std::uint64_t shortest = shape.distance(from, to); shortest < steps)
    table.note += fmt::format(" Without blocked nodes and edges, {} would do.", shortest);
  if (nodes.size() > rows_max)
    table.note += fmt::format(" The first {} of {} nodes are shown.", rows_max, nodes.size());
  for (std::size_t i = 0; i < std::min(nodes.size(), rows_max); ++i) {
    table.add_row({number_cell(fmt::format("{}", i), static_cast<double>(i)),
                   number_cell(fmt::format("{}", nodes[i]), static_cast<double>(nodes[i])),
                   {fmt::format("{}", fmt::join(shape.coordinates(nodes[i]), ", "))}});
  }
  return table;
}

void analyze(const GlobalOptions& global, const LatticeFlags& flags) {
  const LatticeShape shape = flags.shape();
  Session session(global, "lattice analyze");
  const Lattice lattice(session.context(), shape.dimensions(), shape.size());
  const Properties properties = session.timed(Phase::compute, [&] {
    return flags.measured ? properties_of(lattice.measure()) : properties_of(lattice.statistics());
  });
  Output output;
  std::string& out = output.text();
  const LatticeStatistics statistics = lattice.statistics();
  const auto memory = {std::pair("rows_bytes", statistics.rows_bytes),
                       std::pair("search_bytes", statistics.search_bytes),
                       std::pair("dense_bytes", statistics.dense_bytes)};
  if (global.json) {
    out = "{";
    append_json(out, properties);
    out += "}\n";
  } else {
    append_text(out, properties);
    for (const auto& [name, bytes] : memory)
      fmt::format_to(std::back_inserter(out), "{:18} {:.6g}\n", name, bytes);
  }
  output.flush();
  report_shape(session, shape);
  ReportTable table = table_of("Structure", properties);
  for (const auto& [name, bytes] : memory)
    table.add_row({{name}, number_cell(Html::bytes(bytes), not_known)});
  session.add_result(std::move(table));
  session.finish();
}

std::uint64_t node_of(const char* flag, const std::string& text, const LatticeShape& shape) {
  try {
    return lattice_node(text, shape);
  } catch (const RecordError& error) {
    throw UsageError(fmt::format("{}: {}", flag, error.what()));
  }
}

void path(const GlobalOptions& global, const LatticeFlags& flags) {
  const LatticeShape shape = flags.shape();
  const std::uint64_t from = node_of("--from", flags.from, shape);
  const std::uint64_t to = node_of("--to", flags.to, shape);
  Session session(global, "lattice path");
  const BlockLists blocks = session.timed(Phase::load, [&] {
    return flags.blocked.empty()
               ? BlockLists()
               : read_blocks(flags.blocked, shape, session.read_progress(flags.blocked));
  });
  const std::vector<std::uint64_t> nodes = session.timed(Phase::compute, [&] {
    return Lattice(session.context(), shape.dimensions(), shape.size(),
                   {blocks.nodes, blocks.edges})
        .path(from, to);
  });
  Output output;
  std::string& out = output.text();
  if (global.json) {
    out = fmt::format("{{\"path\": [{}], \"length\": {}}}\n", fmt::join(nodes, ", "), nodes.size());
  } else if (nodes.empty()) {
    out = fmt::format("there is no path from {} to {}\n", from, to);
  } else {
    out = fmt::format("{}\n", fmt::join(nodes, " "));
  }
  output.flush();
  if (!flags.blocked.empty()) session.add_input("blocked", flags.blocked);
  report_shape(session, shape);
  session.add_to_report("path", fmt::format("from {} to {}: {} nodes", from, to, nodes.size()));
  session.add_result(steps_of(shape, from, to, nodes));
  session.finish();
}

void build(const GlobalOptions& global, const LatticeFlags& flags) {
  const LatticeShape shape = flags.shape();
  check_output("lattice build", flags.out, {});
  Session session(global, "lattice build");
  session.timed(Phase::compute, [&] {
    Lattice(session.context(), shape.dimensions(), shape.size()).save(flags.out);
  });
  Log::info(fmt::format("{}: {} nodes, {} edges", flags.out, shape.nodes(), 2 * shape.edges()));
  report_shape(session, shape);
  session.add_to_report("file", flags.out);
  session.end_recording();
  const Lattice lattice(session.context(), shape.dimensions(), shape.size());
  session.add_result(table_of("Structure", properties_of(lattice.statistics())));
  session.finish();
}

CLI::App* add_lattice(CLI::App& group, const char* name, const char* help, LatticeFlags& flags) {
  CLI::App* command = group.add_subcommand(name, help);
  add_count(*command, "--dimensions", flags.dimensions, "Dimensions, 1 to 20 (default: 4)", 1,
            LatticeShape::dimensions_max);
  add_count(*command, "--size", flags.size, "Nodes per dimension, 2 to 1000 (default: 10)",
            LatticeShape::size_min, LatticeShape::size_max);
  return command;
}

}  // namespace

Properties properties_of(const LatticeStatistics& statistics) {
  return {{"vertices", statistics.nodes},
          {"edges", statistics.edges},
          {"connected", true},
          {"diameter", statistics.diameter},
          {"average_degree", statistics.average_degree},
          {"clustering", statistics.clustering},
          {"density", statistics.density}};
}

Properties properties_of(const GraphStructure& found) {
  return {{"vertices", found.nodes},
          {"edges", found.edges},
          {"connected", found.is_connected()},
          {"diameter", std::uint64_t{found.diameter.value_or(0)}},
          {"average_degree", found.average_degree},
          {"clustering", found.clustering},
          {"density", found.density}};
}

void add_lattice_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* group = app.add_subcommand("lattice", "Structure and shortest paths of a grid");
  group->require_subcommand(1);
  const auto flags = std::make_shared<LatticeFlags>();

  CLI::App* command = add_lattice(*group, "analyze", "Describe the structure of a lattice", *flags);
  command->add_flag(
      "--by-search", flags->measured,
      "Measure by searches over the graph instead of using formulas: the same numbers, slower");
  command->callback([&global, flags] { analyze(global, *flags); });

  command = add_lattice(*group, "path", "Find a shortest path", *flags);
  command->add_option("--from", flags->from, "First node: an index, or coordinates such as 0,0,1,0")
      ->type_name("NODE")
      ->required();
  command->add_option("--to", flags->to, "Last node")->type_name("NODE")->required();
  add_file(*command, "--blocked", flags->blocked,
           "Lines with a node, or with the two ends of an edge, that the path must avoid");
  command->callback([&global, flags] { path(global, *flags); });

  command = add_lattice(*group, "build", "Write the graph of a lattice to a file", *flags);
  add_out(*command, flags->out, "Output file");
  command->callback([&global, flags] { build(global, *flags); });

  add_lattice_batch_command(*group, global);
}

}  // namespace Kindred::Tools
