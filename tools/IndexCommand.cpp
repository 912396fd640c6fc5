// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "Properties.hpp"
#include "RankedAnswers.hpp"
#include "VectorInput.hpp"

#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/Recall.hpp>
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>
#include <kindred/matcher/VectorFile.hpp>

namespace Kindred::Tools {

namespace {

constexpr std::size_t m_max = 512;
constexpr std::size_t ef_max = std::size_t{1} << 31U;

struct IndexBuildFlags {
  std::string vectors;  // either this or `store` is given
  std::string store;
  std::vector<CLI::Option*> sources;
  std::optional<VectorFormat> format;
  std::string out;
  HnswSettings settings;
};

struct IndexSearchFlags {
  std::string index;
  std::string queries;
  std::optional<VectorFormat> format;
  std::string filter;
  std::string truth;
  std::string out_ids;
  std::string out_scores;
  std::size_t top = 10;
  std::size_t ef = 0;  // 0: not given
};

struct ImportFlags {
  std::string hnswlib;
  Metric metric = Metric::cosine;
  std::string out;
  std::size_t dimension = 0;
};

struct ExportFlags {
  std::string index;
  std::string out;
};

/// The rows of a store as float32. \throws InputError if rows were removed, since the rows of an
/// index are numbered without gaps
Matrix read_store(const std::string& path, int threads) {
  return reading_file([&] {
    const StoredVectors stored = StoredVectors::load(path, threads);
    const std::size_t count = stored.rows.count();
    if (stored.end_id != count) {
      throw InputError(
          fmt::format("{}: {} rows with ids below {}; an index requires rows 0, 1, … without gaps",
                      path, count, stored.end_id));
    }
    Matrix rows;
    rows.rows = count;
    rows.columns = stored.rows.dimension;
    rows.values = std::make_unique_for_overwrite<float[]>(count * rows.columns);
    decode_rows(stored.rows, {rows.values.get(), count * rows.columns});
    return rows;
  });
}

HnswIndex load_index(Session& session, const std::string& path) {
  check_kind(path, InputKind::index);
  return session.timed(Phase::load, [&] {
    return reading_file([&] { return HnswIndex::load(session.context(), path); });
  });
}

Properties index_properties(const HnswStatistics& summary) {
  return {{"metric", std::string(to_string(summary.settings.metric))},
          {"traversal", std::string(to_string(summary.settings.traversal))},
          {"dimension", summary.dimension},
          {"rows", summary.rows},
          {"removed", summary.removed},
          {"end_id", summary.end_id},
          {"m", std::uint64_t{summary.settings.m}},
          {"ef_construction", std::uint64_t{summary.settings.ef_construction}},
          {"seed", summary.settings.seed},
          {"levels", std::uint64_t{summary.levels}},
          {"links", summary.links},
          {"unreachable", summary.unreachable}};
}

/// Adds what \p index contains to the results of the report.
void report_index(Session& session, const std::string& path, const HnswIndex& index) {
  if (!session.reports()) return;  // computing the statistics traverses the graph
  session.end_recording();
  session.add_result(table_of(fmt::format("Index {}", path), index_properties(index.statistics())));
}

void build_index(const CLI::App& command, const GlobalOptions& global,
                 const IndexBuildFlags& flags) {
  require_one(command, flags.sources);
  const std::string& source = flags.store.empty() ? flags.vectors : flags.store;
  const HnswSettings& settings = flags.settings;
  if (settings.ef_construction < settings.m) {
    throw UsageError(fmt::format("index build: --ef-construction: {} is less than --m, {}",
                                 settings.ef_construction, settings.m));
  }
  check_output("index build", flags.out, {source});
  const VectorFileOptions file = vector_file_options(source, flags.format, "train");
  Session session(global, "index build");
  check_kind(source, flags.store.empty() ? InputKind::rows : InputKind::vectors,
             flags.format.has_value());
  const Matrix rows = session.timed(Phase::load, [&] {
    return flags.store.empty() ? read_matrix(source, file, session.read_progress(source))
                               : read_store(source, global.threads);
  });
  const HnswIndex index = session.timed(Phase::compute, [&] {
    Progress progress("building the index", !global.quiet, "rows");
    return with_errors_as<InputError>(source + ": ", [&] {
      return HnswIndex::build(session.context(), rows.span(), rows.columns, settings,
                              [&](std::uint64_t done) { progress.update(done, rows.rows); });
    });
  });
  session.timed(Phase::write, [&] { index.save(flags.out); });
  Log::info(fmt::format("{}: {} rows of dimension {}", flags.out, index.size(), rows.columns));
  session.add_input(flags.store.empty() ? "vectors" : "store", source,
                    rows_text(rows.rows, rows.columns));
  report_index(session, flags.out, index);
  session.finish();
}

/// \brief The \p top true neighbours of each query.
/// \throws InputError for a different shape, or an id that no row of \p index has; −1 means no
/// neighbour
std::vector<std::int64_t> read_truth(const std::string& path, const VectorFileOptions& options,
                                     std::size_t queries, std::size_t top, const HnswIndex& index) {
  return reading_file([&] {
    const VectorFile file(path, options);
    if (file.rows() != queries || file.dimension() < top) {
      throw InputError(fmt::format("{}: {} × {} neighbours; {} queries need {} each", path,
                                   file.rows(), file.dimension(), queries, top));
    }
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> row(file.dimension());
    ids.reserve(queries * top);
    for (std::size_t query = 0; query < queries; ++query) {
      file.read(query, 1, std::span<std::int64_t>(row));
      for (std::size_t place = 0; place < top; ++place) {
        const std::int64_t id = row[place];
        if (id == -1 || (id >= 0 && index.contains(static_cast<std::uint64_t>(id)))) continue;
        throw InputError(fmt::format(
            "{}: neighbour {} of query {} is {}; the index has {} rows with ids below {}", path,
            place, query, id, index.size(), index.end_id()));
      }
      ids.insert(ids.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(top));
    }
    return ids;
  });
}

HnswSearchOptions search_options(const IndexSearchFlags& flags, const HnswIndex& index) {
  check_some_rows(flags.index, index.size());
  HnswSearchOptions options;
  options.top = std::min(flags.top, index.size());
  options.ef = flags.ef > 0 ? flags.ef : std::max(HnswSearchOptions::ef_default, options.top);
  if (options.ef < options.top) {
    throw UsageError(
        fmt::format("index search: --ef: {} is less than --top, {}", options.ef, options.top));
  }
  return options;
}

void append_recall(std::string& out, double recall, std::size_t top, std::size_t queries) {
  out += '{';
  append_field(out, "recall", recall);
  append_field(out, "top", top);
  append_field(out, "queries", queries);
  out += "}\n";
}

/// Prints the work of a call. A query is scanned if that takes no more work, or if the traversal
/// found too few rows.
void explain(const HnswIndex& index, std::size_t queries, const HnswResults& results) {
  Log::line(fmt::format(
      R"({{"op": "index search", "path": "{}", "traversal": "{}", "queries": {}, "scanned": {}, "visited": {}}})",
      results.scanned < queries ? "graph" : "scan", to_string(index.settings().traversal), queries,
      results.scanned, results.visited));
}

void search_index(const GlobalOptions& global, const IndexSearchFlags& flags) {
  check_outputs("index search", {flags.out_ids, flags.out_scores},
                {flags.index, flags.queries, flags.filter, flags.truth});
  VectorFileOptions query_file = vector_file_options(flags.queries, flags.format, "test");
  query_file.one_row = true;
  const VectorFileOptions truth_file = vector_file_options(flags.truth, flags.format, "neighbors");
  RankedAnswers answers("index search", flags.out_ids, flags.out_scores);
  Session session(global, "index search");
  const HnswIndex index = load_index(session, flags.index);
  check_kind(flags.queries, InputKind::queries, flags.format.has_value());
  const Matrix queries =
      session.timed(Phase::load, [&] { return read_matrix(flags.queries, query_file); });
  if (queries.columns != index.dimension()) {
    throw InputError(fmt::format("{}: queries of dimension {}; the rows of {} have dimension {}",
                                 flags.queries, queries.columns, flags.index, index.dimension()));
  }
  HnswSearchOptions options = search_options(flags, index);
  options.space = global.space;
  const std::vector<std::uint8_t> filter =
      load_filter(session, flags.filter, flags.index, index.end_id());
  options.filter = filter;
  const bool has_truth = !flags.truth.empty();
  std::vector<std::int64_t> truth;
  if (has_truth)
    truth = session.timed(Phase::load, [&] {
      return read_truth(flags.truth, truth_file, queries.rows, options.top, index);
    });

  Recall recall;
  std::uint64_t scanned = 0;
  std::uint64_t visited = 0;
  answers.answer(session, index.settings().metric, queries, options.top,
                 [&](std::span<const float> rows, std::size_t first, std::size_t count) {
                   HnswResults results = with_errors_as<InputError>(
                       flags.queries + ": ", [&] { return index.search(rows, options); });
                   if (global.explain) explain(index, count, results);
                   scanned += results.scanned;
                   visited += results.visited;
                   if (has_truth) {
                     const std::size_t top = options.top;
                     const Recall now = recall_of(
                         results.ids, std::span(truth).subspan(first * top, count * top), top);
                     recall.found += now.found;
                     recall.all += now.all;
                   }
                   return results;
                 });
  if (has_truth) append_recall(answers.text(), recall.share(), options.top, queries.rows);
  answers.finish();
  report_index(session, flags.index, index);
  session.add_input("index", flags.index, rows_text(index.size(), index.dimension()));
  session.add_input("queries", flags.queries, rows_text(queries.rows, queries.columns));
  if (!flags.filter.empty()) session.add_input("filter", flags.filter);
  if (has_truth) session.add_input("true neighbours", flags.truth);
  session.add_to_report("requested", fmt::format("the best {}, ef {}", options.top, options.ef));
  session.add_to_report("queries answered by a scan", scanned);
  session.add_to_report("rows visited", visited);
  if (has_truth) session.add_to_report("recall", fmt::format("{:.4f}", recall.share()));
  session.finish();
}

void describe_index(const GlobalOptions& global, const std::string& path) {
  Session session(global, "index info");
  const HnswIndex index = load_index(session, path);
  const HnswStatistics summary = session.timed(Phase::compute, [&] { return index.statistics(); });
  print_properties(global, "index", path, index_properties(summary), 16);
}

void import_index(const GlobalOptions& global, const ImportFlags& flags) {
  check_output("index import", flags.out, {flags.hnswlib});
  Session session(global, "index import");
  const HnswIndex index = session.timed(Phase::load, [&] {
    return reading_file([&] {
      return HnswIndex::import_hnswlib(session.context(), flags.hnswlib, flags.metric,
                                       flags.dimension);
    });
  });
  session.timed(Phase::write, [&] { index.save(flags.out); });
  Log::info(fmt::format("{}: {} rows of dimension {}", flags.out, index.size(), flags.dimension));
  session.add_input("hnswlib", flags.hnswlib);
  report_index(session, flags.out, index);
  session.finish();
}

void export_index(const GlobalOptions& global, const ExportFlags& flags) {
  check_output("index export", flags.out, {flags.index});
  Session session(global, "index export");
  const HnswIndex index = load_index(session, flags.index);
  session.timed(Phase::write, [&] { index.export_hnswlib(flags.out); });
  session.add_input("index", flags.index);
  report_index(session, flags.index, index);
  session.add_to_report("output", flags.out);
  session.finish();
}

void add_build(CLI::App& group, const GlobalOptions& global) {
  const auto [command, flags] =
      add_command<IndexBuildFlags>(group, "build", "Create an index of rows", global, build_index);
  flags->sources = add_rows_flags(*command, flags->vectors, flags->store,
                                  "The rows, n × d, in a format that `search --vectors` accepts");
  add_format_flag(*command, flags->format, "--vectors");
  add_out(*command, flags->out, "Output file of the index");
  HnswSettings& settings = flags->settings;
  add_metric_flag(*command, settings.metric, metric_help);
  add_count(*command, "--m", settings.m,
            "Number of neighbours that each row is linked with. More find more of the true "
            "neighbours, but the index is larger and slower (default: 16)",
            2, m_max);
  add_count(*command, "--ef-construction", settings.ef_construction,
            "Number of candidates among which the neighbours of a row are chosen. More make a "
            "better index, which takes longer to build (default: 200)",
            2, 65536);
  add_count(*command, "--seed", settings.seed,
            "Any number: the same rows, settings and seed give the same index (default: 1)", 0);
  add_choice(*command, "--traversal", settings.traversal,
             "How distances are estimated while searching: bytes (fast), floats (accurate), "
             "or automatic: bytes unless they are too coarse (default). Printed scores are "
             "exact in every case",
             choices_of<HnswTraversal>());
}

void add_search(CLI::App& group, const GlobalOptions& global) {
  const auto [command, flags] = add_command<IndexSearchFlags>(
      group, "search", "Find the rows nearest to each query, approximately", global, search_index);
  add_input(*command, "--index", flags->index,
            "An index created by `index build` or `index import`");
  add_input(*command, "--queries", flags->queries,
            "The queries, q × d, in a format that `search --queries` accepts");
  add_format_flag(*command, flags->format, "--queries and --truth");
  add_top(*command, flags->top);
  add_count(*command, "--ef", flags->ef,
            "Candidates that a query keeps, at least --top. More find more of the true neighbours, "
            "but take longer (default: 64)",
            1, ef_max);
  add_filter_flag(*command, flags->filter);
  add_file(*command, "--truth", flags->truth,
           "The true neighbours, integers, q × at least --top; prints the recall in a last line");
  add_out_flags(*command, flags->out_ids, flags->out_scores);
}

void add_import(CLI::App& group, const GlobalOptions& global) {
  const auto [command, flags] = add_command<ImportFlags>(
      group, "import", "Convert an index saved by hnswlib", global, import_index);
  add_input(*command, "--hnswlib", flags->hnswlib,
            "A float32 index written by hnswlib's save_index");
  add_metric_flag(*command, flags->metric,
                  "Metric that the index was built with: l2, ip or cosine (the file does not "
                  "contain it). Kindred's l2 is the distance, hnswlib's its square")
      ->required();
  add_count(*command, "--dimensions", flags->dimension, "Dimension of the rows")->required();
  add_out(*command, flags->out, "Output file of the index");
}

}  // namespace

void add_index_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* group =
      add_group(app, "index", "Create and search an approximate index (HNSW) of vectors");
  add_build(*group, global);
  add_search(*group, global);
  add_store_reader(*group, "INDEX", "index build` or `index import", "info",
                   "Describe the contents of an index", global, describe_index);
  add_import(*group, global);
  const auto [command, flags] = add_command<ExportFlags>(
      *group, "export", "Write an index in hnswlib's format", global, export_index);
  add_input_argument(*command, flags->index, "INDEX", "index build` or `index import");
  add_out(*command, flags->out, "Output file for hnswlib's load_index");
}

}  // namespace Kindred::Tools
