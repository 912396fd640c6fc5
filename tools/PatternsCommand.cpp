// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "MatchInput.hpp"
#include "Properties.hpp"
#include "io/FollowedStore.hpp"
#include "io/SequenceEvents.hpp"
#include "io/SequenceReader.hpp"

#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/PatternMemory.hpp>

namespace Kindred::Tools {

namespace {

struct PatternBuildFlags {
  std::string patterns;
  std::string out;
  bool append = false;
};

/// Learns the lines of a file. Returns their number.
std::uint64_t learn_lines(const std::string& path, PatternMemory& memory, Session& session) {
  SymbolEncoder encoder(Level::token);
  SequenceReader reader(path, SequenceForm::json, encoder, Learning::on,
                        session.read_progress(path));
  Sequences line;
  QueryEvents events;
  reader.keep_events(events);
  std::uint64_t lines = 0;
  for (; reader.next(line); line.clear(), events.clear(), ++lines) {
    try {
      memory.learn(events[0], line.names[0], events.frequency());
    } catch (const InvalidArgument& error) {
      reader.fail(reason_of(error));
    }
  }
  return lines;
}

void build_patterns(const GlobalOptions& global, const PatternBuildFlags& flags) {
  if (flags.append) {
    check_outputs("patterns build", {flags.out}, {flags.patterns});
  } else {
    check_output("patterns build", flags.out, {flags.patterns});
  }
  Session session(global, "patterns build");
  PatternMemory memory =
      flags.append
          ? session.timed(Phase::load, [&] { return load_store(session.context(), flags.out); })
          : PatternMemory(session.context(), store_settings());
  const std::uint64_t before = memory.statistics().learned;
  memory.begin_training();
  const std::uint64_t lines =
      session.timed(Phase::load, [&] { return learn_lines(flags.patterns, memory, session); });
  warn_without_patterns(flags.patterns, lines);
  session.timed(Phase::upload, [&] { memory.end_training(); });
  session.timed(Phase::write, [&] {
    if (flags.append) {
      memory.append(flags.out);
    } else {
      memory.save(flags.out);
    }
  });
  const PatternStatistics statistics = memory.statistics();
  Log::info(fmt::format("{}: {} lines, {} new patterns, {} in all", flags.out, lines,
                        statistics.learned - before, statistics.patterns));
  session.add_input("patterns", flags.patterns, Html::counted(lines, "line", "lines"));
  session.add_to_report("store", fmt::format("{}: {} patterns, {} of them new", flags.out,
                                             statistics.patterns, statistics.learned - before));
  session.finish();
}

InspectedFile inspect_patterns(const std::string& path, int threads) {
  const PatternFileInfo info = PatternMemory::inspect(path, threads);
  return {fmt::format("{} patterns", info.patterns),
          info.bytes,
          {{"patterns", info.patterns},
           {"learned", info.learned},
           {"total_frequency", info.total_frequency},
           {"symbols", info.symbols},
           {"vocabulary", info.vocabulary},
           {"segments", info.segments},
           {"bulk", info.bulk},
           {"commits", info.commits},
           {"bytes", info.bytes},
           {"uncommitted_bytes", info.uncommitted_bytes}}};
}

/// \param what origin of \p text, for messages \throws InputError for invalid UTF-8
void check_text(std::string_view text, const std::string& what) {
  std::vector<Symbol> points;
  with_errors_as<InputError>(what + " cannot be written as JSON: ",
                             [&] { append_code_points(text, points); });
}

/// Checks texts that other programs may have written into a store, before anything is printed.
void check_texts(const PatternMemory& memory, std::uint64_t learned, const std::string& path) {
  for (Symbol symbol = 0; symbol < memory.vocabulary().size(); ++symbol)
    check_text(memory.vocabulary().text(symbol), fmt::format("{}: symbol {}", path, symbol));
  for (std::uint64_t index = 0; index < learned; ++index) {
    if (memory.frequency(index) == 0) continue;
    if (const auto name = memory.pattern(index).name)
      check_text(*name, fmt::format("{}: the name of pattern {}", path, index));
  }
}

void export_lines(const GlobalOptions& global, const std::string& path) {
  Session session(global, "patterns export");
  const PatternMemory memory =
      session.timed(Phase::load, [&] { return load_store(session.context(), path); });
  Progress progress("writing", !global.quiet, "patterns");
  Output output;
  std::string& out = output.text();
  const std::uint64_t learned = memory.statistics().learned;
  check_texts(memory, learned, path);
  for (std::uint64_t index = 0; index < learned; ++index) {
    if (memory.frequency(index) == 0) continue;
    const StoredPattern pattern = memory.pattern(index);
    out += '{';
    if (pattern.name) append_field(out, "name", *pattern.name);
    append_key(out, "events");
    append_list(out, std::size_t{0}, pattern.events.rows(), [&](std::size_t e) {
      append_list(out, pattern.events[e],
                  [&](Symbol symbol) { append_json(out, memory.vocabulary().text(symbol)); });
    });
    fmt::format_to(std::back_inserter(out), ", \"frequency\": {}}}\n", pattern.frequency);
    output.flush_if_large();
    progress.update(index + 1, learned);
  }
  output.flush();
  session.add_input("store", path, Html::counted(learned, "pattern", "patterns"));
  session.finish();
}

}  // namespace

void add_patterns_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* group = add_group(app, "patterns", "Create, check and read a store of patterns");
  const auto [command, flags] = add_command<PatternBuildFlags>(
      *group, "build", "Learn the lines of a file into a store", global, build_patterns);
  add_input(*command, "--patterns", flags->patterns,
            "JSON lines in the format of `match --patterns`, optionally with \"frequency\": "
            "N; equal patterns are merged")
      ->check(named_file());
  add_out(*command, flags->out, "Output file of the store")->check(named_file());
  command->add_flag("--append", flags->append,
                    "Add new and repeated patterns to the store instead of replacing it");
  add_inspections(*group, global, "store", InputKind::patterns, inspect_patterns);
  add_store_reader(*group, "STORE", "patterns build", "export",
                   "Print a store as the JSON lines that `patterns build` reads", global,
                   export_lines);
}

}  // namespace Kindred::Tools
