// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "Properties.hpp"
#include "io/LatticeTasks.hpp"

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

/// \param found statistics by closed forms, or what was measured
Properties properties_of(const auto& found) {
  const std::optional<std::uint64_t> diameter = found.diameter;  // of a connected graph
  return {{"vertices", found.nodes},
          {"edges", found.edges},
          {"connected", diameter.has_value()},
          {"diameter", diameter.value_or(0)},
          {"average_degree", found.average_degree},
          {"clustering", found.clustering},
          {"density", found.density}};
}

void report_shape(Session& session, const LatticeShape& shape) {
  session.add_to_report("lattice", fmt::format("{} dimensions of {}: {} nodes", shape.dimensions(),
                                               shape.size(), shape.nodes()));
}

/// The nodes of a path, one per row, for the report.
ReportTable steps_of(const LatticeShape& shape, std::uint64_t from, std::uint64_t to,
                     const std::vector<std::uint64_t>& nodes) {
  constexpr std::size_t rows_max = 1000;
  ReportTable table{.title = fmt::format("Path from {} to {}", from, to),
                    .columns = {{"step", ColumnKind::number},
                                {"node", ColumnKind::number},
                                {"coordinates", ColumnKind::code}}};
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
    table.add_row({digits_cell(i),
                   digits_cell(nodes[i]),
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
  std::string out;
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
  print(std::move(out));
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
  std::string out;
  if (global.json) {
    out = fmt::format("{{\"path\": [{}], \"length\": {}}}\n", fmt::join(nodes, ", "), nodes.size());
  } else if (nodes.empty()) {
    out = fmt::format("there is no path from {} to {}\n", from, to);
  } else {
    out = fmt::format("{}\n", fmt::join(nodes, " "));
  }
  print(std::move(out));
  if (!flags.blocked.empty()) session.add_input("blocked", flags.blocked);
  report_shape(session, shape);
  session.add_to_report("path", fmt::format("from {} to {}: {} nodes", from, to, nodes.size()));
  session.add_result(steps_of(shape, from, to, nodes));
  session.finish();
}

void build_lattice(const GlobalOptions& global, const LatticeFlags& flags) {
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

auto add_lattice(CLI::App& group, const char* name, const char* help, const GlobalOptions& global,
                 void (*run)(const GlobalOptions&, const LatticeFlags&)) {
  const auto made = add_command<LatticeFlags>(group, name, help, global, run);
  const auto& [command, flags] = made;
  add_count(*command, "--dimensions", flags->dimensions, "Dimensions, 1 to 20 (default: 4)", 1,
            LatticeShape::dimensions_max);
  add_count(*command, "--size", flags->size, "Nodes per dimension, 2 to 1000 (default: 10)",
            LatticeShape::size_min, LatticeShape::size_max);
  return made;
}

/// `use(found)` for the structure that a task found.
auto with_structure(const LatticeResult& result, const auto& use) {
  if (const auto* found = std::get_if<GraphStructure>(&result.answer)) return use(*found);
  return use(std::get<LatticeStatistics>(result.answer));
}

/// Appends the answer to one input line as one line.
void append_answer(std::string& out, const LatticeLine& line, std::size_t index,
                   const LatticeResult& result) {
  append_query(out, line.name, index, "task");
  append_field(out, "do", line.work);
  if (const auto* path = std::get_if<std::vector<std::uint64_t>>(&result.answer)) {
    fmt::format_to(std::back_inserter(out), ", \"path\": [{}], \"length\": {}",
                   fmt::join(*path, ", "), path->size());
  } else if (const auto* saved = std::get_if<SaveLattice>(&line.task.work)) {
    const auto& statistics = std::get<LatticeStatistics>(result.answer);
    append_json(
        out, {{"out", saved->path}, {"vertices", statistics.nodes}, {"edges", statistics.edges}});
  } else {
    append_json(out,
                with_structure(result, [](const auto& found) { return properties_of(found); }));
  }
  out += "}\n";
}

/// What a task found, in words.
std::string answer_text(const LatticeResult& result) {
  if (const auto* path = std::get_if<std::vector<std::uint64_t>>(&result.answer))
    return path->empty() ? "no path" : fmt::format("{} steps", path->size() - 1);
  return with_structure(result, [](const auto& found) {
    return fmt::format("{} vertices, {} edges, diameter {}", found.nodes, found.edges,
                       std::optional<std::uint64_t>(found.diameter).value_or(0));
  });
}

void run_batch(const GlobalOptions& global, const std::string& path) {
  Session session(global, "lattice batch");
  const std::vector<LatticeLine> lines = session.timed(
      Phase::load, [&] { return read_lattice_tasks(path, session.read_progress(path)); });
  std::vector<LatticeTask> tasks;
  std::vector<std::string> outputs;
  for (const LatticeLine& line : lines) {
    tasks.push_back(line.task);
    if (const auto* saved = std::get_if<SaveLattice>(&line.task.work))
      outputs.push_back(saved->path);
  }
  check_outputs("lattice batch", outputs, {path});
  constexpr std::size_t reported_tasks = 1000;
  ReportTable table{
      .title = "Tasks",
      .columns = {
          {"task", ColumnKind::text}, {"do", ColumnKind::text}, {"result", ColumnKind::text}}};
  if (lines.size() > reported_tasks)
    table.note = fmt::format("The first {} of {} tasks.", reported_tasks, lines.size());
  Output output;
  Progress progress("answering", !global.quiet, "tasks");
  LatticeBatchOptions options;
  options.space = global.space;
  options.on_result = [&](std::size_t task, const LatticeResult& result) {
    if (result.error) {
      output.flush();
      Log::error(
          fmt::format("{}:{}: the task failed", path == "-" ? "<stdin>" : path, lines[task].line));
      std::rethrow_exception(result.error);
    }
    append_answer(output.text(), lines[task], task, result);
    output.flush_if_large();
    if (session.reports() && task < reported_tasks) {
      const LatticeLine& line = lines[task];
      table.add_row(
          {{line.name ? *line.name : fmt::format("{}", task)}, {line.work}, {answer_text(result)}});
    }
    progress.update(task + 1, lines.size());
  };
  session.timed(Phase::compute, [&] { run_lattices(session.context(), tasks, options); });
  output.flush();
  session.add_input("tasks", path, Html::counted(lines.size(), "task", "tasks"));
  session.add_result(std::move(table));
  session.finish();
}

}  // namespace

void add_lattice_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* group = add_group(app, "lattice", "Structure and shortest paths of a grid");
  const auto [described, shape] =
      add_lattice(*group, "analyze", "Describe the structure of a lattice", global, analyze);
  described->add_flag(
      "--by-search", shape->measured,
      "Measure by searches over the graph instead of using formulas: the same numbers, slower");

  const auto [found, ends] = add_lattice(*group, "path", "Find a shortest path", global, path);
  found->add_option("--from", ends->from, "First node: an index, or coordinates such as 0,0,1,0")
      ->type_name("NODE")
      ->required();
  found->add_option("--to", ends->to, "Last node")->type_name("NODE")->required();
  add_file(*found, "--blocked", ends->blocked,
           "Lines with a node, or with the two ends of an edge, that the path must avoid");

  const auto [built, file] =
      add_lattice(*group, "build", "Write the graph of a lattice to a file", global, build_lattice);
  add_out(*built, file->out, "Output file");

  const auto [batch, tasks] = add_command<std::string>(
      *group, "batch", "Run the task on each line of a file, with many lattices at once", global,
      run_batch);
  add_input(*batch, "--tasks", *tasks,
            "JSON lines {\"name\": \"a\", \"dimensions\": 4, \"size\": 10, \"do\": \"analyze\"}; "
            "\"do\" is analyze, measure, path (from, to, blocked) or build (out)");
}

}  // namespace Kindred::Tools
