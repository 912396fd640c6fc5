// SPDX-License-Identifier: Apache-2.0
#include "LatticeCommand.hpp"
#include "Progress.hpp"
#include "Session.hpp"
#include "io/AppendJson.hpp"
#include "io/CheckOutputs.hpp"
#include "io/LatticeTasks.hpp"
#include "program/Log.hpp"
#include "program/Output.hpp"
#include "report/Html.hpp"

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace Kindred::Tools {

namespace {

Properties properties_of_answer(const LatticeResult& result) {
  if (const auto* found = std::get_if<GraphStructure>(&result.answer)) return properties_of(*found);
  return properties_of(std::get<LatticeStatistics>(result.answer));
}

/// Appends the answer to one input line as one line.
void append_answer(std::string& out, const LatticeLine& line, std::size_t index,
                   const LatticeResult& result) {
  const auto to = std::back_inserter(out);
  out += "{\"task\": ";
  if (line.name) {
    append_json(out, *line.name);
  } else {
    fmt::format_to(to, "{}", index);
  }
  fmt::format_to(to, ", \"do\": \"{}\", ", line.work);
  if (const auto* path = std::get_if<std::vector<std::uint64_t>>(&result.answer)) {
    fmt::format_to(to, "\"path\": [{}], \"length\": {}", fmt::join(*path, ", "), path->size());
  } else if (const auto* saved = std::get_if<SaveLattice>(&line.task.work)) {
    const auto& statistics = std::get<LatticeStatistics>(result.answer);
    append_json(
        out, {{"out", saved->path}, {"vertices", statistics.nodes}, {"edges", statistics.edges}});
  } else {
    append_json(out, properties_of_answer(result));
  }
  out += "}\n";
}

/// What a task found, in words.
std::string answer_text(const LatticeResult& result) {
  if (const auto* path = std::get_if<std::vector<std::uint64_t>>(&result.answer))
    return path->empty() ? "no path" : fmt::format("{} steps", path->size() - 1);
  const auto text = [](const auto& found, std::uint64_t diameter) {
    return fmt::format("{} vertices, {} edges, diameter {}", found.nodes, found.edges, diameter);
  };
  if (const auto* found = std::get_if<GraphStructure>(&result.answer))
    return text(*found, found->diameter.value_or(0));
  const auto& statistics = std::get<LatticeStatistics>(result.answer);
  return text(statistics, statistics.diameter);
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
  ReportTable table;
  table.title = "Tasks";
  table.columns = {
      {"task", ColumnKind::text}, {"do", ColumnKind::text}, {"result", ColumnKind::text}};
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

void add_lattice_batch_command(CLI::App& group, const GlobalOptions& global) {
  CLI::App* command = group.add_subcommand(
      "batch", "Run the task on each line of a file, with many lattices in one launch");
  const auto path = std::make_shared<std::string>();
  add_file(*command, "--tasks", *path,
           "JSON lines {\"name\": \"a\", \"dimensions\": 4, \"size\": 10, \"do\": \"analyze\"}; "
           "\"do\" is analyze, measure, path (from, to, blocked) or build (out)")
      ->required();
  command->callback([&global, path] { run_batch(global, *path); });
}

}  // namespace Kindred::Tools
