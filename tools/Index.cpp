// SPDX-License-Identifier: Apache-2.0
#include "Batches.hpp"
#include "Commands.hpp"
#include "Log.hpp"
#include "Progress.hpp"
#include "VectorFlags.hpp"
#include "io/InputError.hpp"
#include "io/Output.hpp"
#include "io/OutputPath.hpp"
#include "io/RankedOutput.hpp"
#include "io/Text.hpp"

#include <kindred/backends/AtomicFile.hpp>
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/VectorFile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace Kindred::Tools {

namespace {

constexpr std::size_t m_max = 512;
constexpr std::size_t ef_max = std::size_t{1} << 31U;

struct BuildFlags {
  std::string vectors;
  std::string out;
  std::string metric = "cosine";
  std::string traversal = "automatic";
  std::size_t m = 16;
  std::size_t ef_construction = 200;
  std::size_t seed = 1;
};

struct SearchFlags {
  std::string index;
  std::string queries;
  std::string filter;
  std::string truth;
  std::string out_ids;
  std::string out_scores;
  std::size_t top = 0;  // 0: not given
  std::size_t ef = 0;   // 0: not given
};

struct ImportFlags {
  std::string hnswlib;
  std::string metric;
  std::string out;
  std::size_t dimension = 0;
};

struct ExportFlags {
  std::string index;
  std::string hnswlib;
};

HnswTraversal traversal_from_string(const std::string& name) {
  for (const HnswTraversal traversal :
       {HnswTraversal::automatic, HnswTraversal::bytes, HnswTraversal::floats}) {
    if (to_string(traversal) == name) return traversal;
  }
  throw UsageError(fmt::format("--traversal: '{}' is none of automatic, bytes, floats", name));
}

HnswIndex load_index(Session& session, const std::string& path) {
  return session.timed(Phase::load, [&] {
    return reading_file([&] { return HnswIndex::load(session.context(), path); });
  });
}

void build(const GlobalOptions& global, const BuildFlags& flags) {
  HnswSettings settings;
  settings.metric = metric_from_string(flags.metric);
  settings.traversal = traversal_from_string(flags.traversal);
  settings.m = flags.m;
  settings.ef_construction = flags.ef_construction;
  settings.seed = flags.seed;
  if (settings.ef_construction < settings.m) {
    throw UsageError(fmt::format("index build: --ef-construction: {} is less than --m, {}",
                                 settings.ef_construction, settings.m));
  }
  check_outputs("index build", {flags.out}, {flags.vectors});
  { const AtomicFile probe(flags.out); }  // before hours of work, not after
  Session session(global, "index build");
  const Matrix rows = session.timed(Phase::load, [&] {
    return read_matrix(flags.vectors, {}, session.read_progress(flags.vectors));
  });
  const HnswIndex index = session.timed(Phase::compute, [&] {
    try {
      return HnswIndex::build(session.context(), rows.span(), rows.columns, settings);
    } catch (const InvalidArgument& error) {
      throw InputError(fmt::format("{}: {}", flags.vectors, error.what()));
    }
  });
  session.timed(Phase::load, [&] { index.save(flags.out); });
  Log::info(fmt::format("{}: {} rows of dimension {}", flags.out, index.size(), rows.columns));
  session.finish();
}

/// The true neighbours of each query, as many as are compared.
class Truth {
 public:
  Truth(const std::string& path, std::size_t queries, std::size_t top) : m_top(top) {
    reading_file([&] {
      const VectorFile file(path, {.dataset = "neighbors"});
      if (file.rows() != queries || file.dimension() < top) {
        throw InputError(fmt::format("{}: {} × {} neighbours; {} queries need {} each", path,
                                     file.rows(), file.dimension(), queries, top));
      }
      std::vector<std::int64_t> row(file.dimension());
      m_ids.reserve(queries * top);
      for (std::size_t query = 0; query < queries; ++query) {
        file.read(query, 1, std::span<std::int64_t>(row));
        m_ids.insert(m_ids.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(top));
      }
    });
  }

  void compare(const HnswResults& results, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto truth = m_ids.begin() + static_cast<std::ptrdiff_t>((first + i) * m_top);
      for (std::size_t k = 0; k < m_top; ++k) {
        const std::int64_t id = results.ids[i * m_top + k];
        if (id >= 0 && std::find(truth, truth + static_cast<std::ptrdiff_t>(m_top), id) !=
                           truth + static_cast<std::ptrdiff_t>(m_top))
          ++m_found;
      }
    }
  }
  double recall() const {
    return m_ids.empty() ? 1.0 : static_cast<double>(m_found) / static_cast<double>(m_ids.size());
  }

 private:
  std::size_t m_top;
  std::vector<std::int64_t> m_ids;
  std::size_t m_found = 0;
};

HnswSearchOptions search_options(const SearchFlags& flags, const HnswIndex& index) {
  constexpr std::size_t top_default = 10;
  constexpr std::size_t ef_default = 64;
  if (index.size() == 0)
    throw InputError(fmt::format("{}: the index is empty; there is nothing to find", flags.index));
  if (flags.top > index.size()) {
    throw UsageError(fmt::format("index search: --top: {} is more than the {} rows of {}",
                                 flags.top, index.size(), flags.index));
  }
  HnswSearchOptions options;
  options.top = flags.top > 0 ? flags.top : std::min(top_default, index.size());
  options.ef = flags.ef > 0 ? flags.ef : std::max(ef_default, options.top);
  if (options.ef < options.top) {
    throw UsageError(
        fmt::format("index search: --ef: {} is less than --top, {}", options.ef, options.top));
  }
  return options;
}

void append_recall(std::string& out, double recall, std::size_t top, std::size_t queries) {
  out += "{\"recall\": ";
  append_json(out, recall);
  fmt::format_to(std::back_inserter(out), ", \"top\": {}, \"queries\": {}}}\n", top, queries);
}

void search(const GlobalOptions& global, const SearchFlags& flags) {
  check_out_files("index search", flags.out_ids, flags.out_scores);
  check_outputs("index search", {flags.out_ids, flags.out_scores},
                {flags.index, flags.queries, flags.filter, flags.truth});
  std::optional<RankedFiles> files;
  if (!flags.out_ids.empty()) files.emplace(flags.out_ids, flags.out_scores);
  Session session(global, "index search");
  const HnswIndex index = load_index(session, flags.index);
  const Matrix queries = session.timed(Phase::load, [&] {
    return read_matrix(flags.queries, {.dataset = "test", .one_row = true});
  });
  if (queries.columns != index.dimension()) {
    throw InputError(fmt::format("{}: queries of dimension {}; the rows of {} have dimension {}",
                                 flags.queries, queries.columns, flags.index, index.dimension()));
  }
  HnswSearchOptions options = search_options(flags, index);
  options.space = global.space;
  std::vector<std::uint8_t> filter;
  if (!flags.filter.empty()) {
    filter = session.timed(Phase::load,
                           [&] { return reading_file([&] { return read_mask(flags.filter); }); });
    if (filter.size() != index.id_limit()) {
      throw InputError(fmt::format("{}: a mask of {} ids; those of {} are below {}", flags.filter,
                                   filter.size(), flags.index, index.id_limit()));
    }
    options.filter = filter;
  }
  std::optional<Truth> truth;
  if (!flags.truth.empty()) {
    session.timed(Phase::load, [&] { truth.emplace(flags.truth, queries.rows, options.top); });
  }

  RankedLines lines;
  if (files) files->begin(queries.rows, options.top);
  Progress progress("answering", !global.quiet);
  for_each_batch(queries.rows, batch_size(options.top), [&](std::size_t first, std::size_t count) {
    const HnswResults results = session.timed(Phase::compute, [&] {
      try {
        return index.search(rows_of(queries, first, count), options);
      } catch (const InvalidArgument& error) {
        throw InputError(fmt::format("{}: {}", flags.queries, error.what()));
      }
    });
    if (truth) truth->compare(results, first, count);
    if (files) {
      files->put(results);
    } else {
      lines.put(results, first, count);
    }
    progress.update(first + count, queries.rows);
  });
  if (truth) append_recall(lines.text(), truth->recall(), options.top, queries.rows);
  if (files) files->close();
  lines.close();
  session.finish();
}

void info(const GlobalOptions& global, const std::string& path) {
  Session session(global, "index info");
  const HnswStatistics told = load_index(session, path).statistics();
  const std::vector<std::pair<const char*, std::string>> texts{
      {"metric", std::string(to_string(told.settings.metric))},
      {"traversal", std::string(to_string(told.settings.traversal))}};
  const std::vector<std::pair<const char*, std::uint64_t>> numbers{
      {"dimension", told.dimension}, {"rows", told.rows},
      {"deleted", told.deleted},     {"id_limit", told.id_limit},
      {"m", told.settings.m},        {"ef_construction", told.settings.ef_construction},
      {"seed", told.settings.seed},  {"levels", told.levels},
      {"links", told.links},         {"unreachable", told.unreachable}};
  Output output;
  std::string& out = output.text();
  if (global.json) {
    out = "{\"index\": ";
    append_json(out, path);
    for (const auto& [name, text] : texts)
      fmt::format_to(std::back_inserter(out), ", \"{}\": \"{}\"", name, text);
    for (const auto& [name, number] : numbers)
      fmt::format_to(std::back_inserter(out), ", \"{}\": {}", name, number);
    out += "}\n";
  } else {
    for (const auto& [name, text] : texts)
      fmt::format_to(std::back_inserter(out), "{:16} {}\n", name, text);
    for (const auto& [name, number] : numbers)
      fmt::format_to(std::back_inserter(out), "{:16} {}\n", name, number);
  }
  output.flush();
}

void import_index(const GlobalOptions& global, const ImportFlags& flags) {
  const Metric metric = metric_from_string(flags.metric);
  check_outputs("index import", {flags.out}, {flags.hnswlib});
  { const AtomicFile probe(flags.out); }
  Session session(global, "index import");
  const HnswIndex index = session.timed(Phase::load, [&] {
    return reading_file([&] {
      return HnswIndex::import_hnswlib(session.context(), flags.hnswlib, metric, flags.dimension);
    });
  });
  session.timed(Phase::load, [&] { index.save(flags.out); });
  Log::info(fmt::format("{}: {} rows of dimension {}", flags.out, index.size(), flags.dimension));
  session.finish();
}

void export_index(const GlobalOptions& global, const ExportFlags& flags) {
  check_outputs("index export", {flags.hnswlib}, {flags.index});
  { const AtomicFile probe(flags.hnswlib); }
  Session session(global, "index export");
  const HnswIndex index = load_index(session, flags.index);
  session.timed(Phase::load, [&] { index.export_hnswlib(flags.hnswlib); });
  session.finish();
}

CLI::Option* add_file(CLI::App& command, const char* name, std::string& value, const char* help,
                      const char* type = "FILE") {
  return command.add_option(name, value, help)->type_name(type);
}

void add_build(CLI::App& group, const GlobalOptions& global) {
  CLI::App* command = group.add_subcommand("build", "Make an index of rows");
  const auto flags = std::make_shared<BuildFlags>();
  add_file(*command, "--vectors", flags->vectors,
           "The rows, n × d: a file as `search --vectors` takes it")
      ->required();
  add_file(*command, "--out", flags->out, "The index; one that is there is replaced")->required();
  command
      ->add_option("--metric", flags->metric,
                   "cosine or ip (larger is better), l2 (smaller is better) (default: cosine)")
      ->type_name("NAME");
  add_count(*command, "--m", flags->m,
            "Links that a row chooses; twice as many at most on level 0 (default: 16)", 2, m_max);
  add_count(*command, "--ef-construction", flags->ef_construction,
            "Candidates of a new row (default: 200)", 2, 65536);
  add_count(*command, "--seed", flags->seed, "Of the levels (default: 1)", 0);
  command
      ->add_option(
          "--traversal", flags->traversal,
          "What the graph is walked by: bytes, floats, or automatic (bytes unless they are "
          "too coarse; default). Scores are exact with each")
      ->type_name("NAME");
  command->callback([&global, flags] { build(global, *flags); });
}

void add_search(CLI::App& group, const GlobalOptions& global) {
  CLI::App* command =
      group.add_subcommand("search", "Find the rows nearest to each query, approximately");
  const auto flags = std::make_shared<SearchFlags>();
  add_file(*command, "--index", flags->index, "What `index build` or `index import` made")
      ->required();
  add_file(*command, "--queries", flags->queries,
           "The queries, q × d: a file as `search --queries` takes it")
      ->required();
  add_count(*command, "--top", flags->top,
            "Results a query, at most the number of rows (default: 10, or all if fewer)");
  add_count(*command, "--ef", flags->ef,
            "Candidates of a query, at least --top: more find more (default: 64)", 1, ef_max);
  add_file(*command, "--filter", flags->filter,
           "Ids that may be returned: .npy, bool or uint8 (default: all)", "FILE.npy");
  add_file(*command, "--truth", flags->truth,
           "The true neighbours, integers, q × at least --top: tells the recall in a last line");
  add_file(*command, "--out-ids", flags->out_ids,
           "Write the ids, int64, q × k, in place of JSON lines; -1 where a filter left fewer",
           "FILE.npy");
  add_file(*command, "--out-scores", flags->out_scores,
           "Write the scores, float32, q × k; -inf there (l2: inf)", "FILE.npy");
  command->callback([&global, flags] { search(global, *flags); });
}

void add_import(CLI::App& group, const GlobalOptions& global) {
  CLI::App* command = group.add_subcommand("import", "Read an index that hnswlib saved");
  const auto flags = std::make_shared<ImportFlags>();
  add_file(*command, "--hnswlib", flags->hnswlib, "What hnswlib's save_index wrote, of float32")
      ->required();
  command
      ->add_option("--metric", flags->metric,
                   "What it was made with: l2, ip or cosine (the file does not say)")
      ->type_name("NAME")
      ->required();
  add_count(*command, "--dim", flags->dimension, "Its dimension")->required();
  add_file(*command, "--out", flags->out, "The index; one that is there is replaced")->required();
  command->callback([&global, flags] { import_index(global, *flags); });
}

}  // namespace

void add_index_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* group =
      app.add_subcommand("index", "Make and search an approximate index (HNSW) of vectors");
  group->require_subcommand(1);
  add_build(*group, global);
  add_search(*group, global);
  CLI::App* command = group->add_subcommand("info", "Tell what an index holds");
  const auto path = std::make_shared<std::string>();
  add_file(*command, "--index", *path, "What `index build` or `index import` made")->required();
  command->callback([&global, path] { info(global, *path); });
  add_import(*group, global);
  command = group->add_subcommand("export", "Write an index as hnswlib reads it");
  const auto flags = std::make_shared<ExportFlags>();
  add_file(*command, "--index", flags->index, "What `index build` or `index import` made")
      ->required();
  add_file(*command, "--hnswlib", flags->hnswlib, "For hnswlib's load_index")->required();
  command->callback([&global, flags] { export_index(global, *flags); });
}

}  // namespace Kindred::Tools
