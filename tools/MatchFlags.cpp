// SPDX-License-Identifier: Apache-2.0
#include "MatchFlags.hpp"

namespace Kindred::Tools {

namespace {

void check_measure(MatchFlags& flags) {
  const Measure measure = flags.options.measure;
  const bool has_blocks = measure == Measure::lcs || measure == Measure::difflib;
  const char* const of_blocks = flags.options.blocks ? "--blocks"
                                : flags.predict      ? "--predict"
                                                     : nullptr;
  if (!has_blocks && of_blocks != nullptr) {
    throw UsageError(fmt::format("match: {}: {} has no blocks; use --measure lcs or difflib",
                                 of_blocks, to_string(measure)));
  }
  if (flags.options.autojunk && measure != Measure::difflib)
    throw UsageError("match: --autojunk is a heuristic of difflib: use --measure difflib");
  if (!compares_words(measure)) return;
  if (!flags.store.empty())
    throw UsageError(
        fmt::format("match: --measure {} compares the words of texts, but a store has patterns "
                    "of tokens or characters: use --lines, --column or --patterns",
                    to_string(measure)));
  if (flags.level == Level::token)
    throw UsageError(
        fmt::format("match: --measure {} compares the words of texts: use --level character",
                    to_string(measure)));
  if (flags.form() == SequenceForm::json) flags.level = Level::character;
}

void check_level(const MatchFlags& flags) {
  if (flags.form() != SequenceForm::json && flags.level == Level::token) {
    throw UsageError(
        fmt::format("match: --level: token does not go with {}, whose symbols are characters",
                    flags.column.empty() ? "--lines" : "--column"));
  }
  if (flags.folding.active() && flags.form() == SequenceForm::json &&
      flags.level != Level::character) {
    throw UsageError(fmt::format("match: {} is for characters: use --level character",
                                 flags.folding.ignore_case ? "--ignore-case" : "--normalize"));
  }
}

void check_format(const GlobalOptions& global, const MatchFlags& flags) {
  if (flags.format == OutputFormat::json) return;
  const char* const lists = flags.predict    ? "--predict prints"
                            : flags.clusters ? "--clusters prints"
                            : global.json    ? "--json asks for"
                                             : nullptr;
  if (lists == nullptr) return;
  throw UsageError(
      fmt::format("match: {} JSON, not --format {}", lists, Kindred::to_string(flags.format)));
}

}  // namespace

void check_match_flags(const CLI::App& command, const GlobalOptions& global, MatchFlags& flags) {
  require_one(command, flags.sources);
  require_one(command, flags.asked);
  if (flags.follow && !flags.streaming()) throw UsageError("match: --follow goes with --queries -");
  check_measure(flags);
  check_level(flags);
  check_format(global, flags);
  if (flags.clusters && flags.options.threshold == 0.0)
    throw UsageError("match: --clusters requires a --threshold above 0");
  if (flags.self) flags.options.top = std::numeric_limits<std::size_t>::max();
  if (flags.top > 0) flags.options.top = flags.top;
  if (is_weighted(flags.prediction.rank_by) && flags.affinity.empty())
    throw UsageError(
        fmt::format("match: --rank: {} needs --affinity", to_string(flags.prediction.rank_by)));
  flags.prediction.top = flags.options.top;
  flags.prediction.threshold = flags.options.threshold;
  if (global.space == Space::serial) flags.prediction.threads = 1;
}

void report_match(Session& session, const MatchFlags& flags, std::uint64_t patterns) {
  session.add_input("patterns", flags.store.empty() ? flags.pattern_file() : flags.store,
                    Html::counted(patterns, "pattern", "patterns"));
  if (!flags.self) session.add_input("queries", flags.queries);
  if (flags.level)
    session.add_to_report("level", flags.level == Level::token ? "token" : "character");
  session.add_to_report("measure", std::string(to_string(flags.options.measure)));
  session.add_to_report("threshold", fmt::format("{:g}", flags.options.threshold));
}

void add_match_flags(CLI::App& command, MatchFlags& flags) {
  constexpr const char* text_group = "Text";
  constexpr const char* output_group = "Output";
  CLI::Option* const patterns =
      add_file(command, "--patterns", flags.patterns,
               "JSON lines {\"name\": \"…\", \"events\": [[\"a\", \"b\"], [\"c\"]]} or {\"name\": "
               "\"…\", \"tokens\": [\"a\", \"b\"]}; \"index\" in the output counts lines from 0. "
               "Files may be compressed by gzip or zstd")
          ->check(named_file());
  CLI::Option* const lines =
      add_file(command, "--lines", flags.lines,
               "Instead of --patterns: each line is a string of characters; the same holds for "
               "the queries")
          ->check(named_file());
  CLI::Option* const store =
      add_file(command, "--store", flags.store,
               "Instead of --patterns: a store created by `kindred patterns build`; \"index\" "
               "counts different patterns in the order in which they were learned")
          ->check(named_file());
  CLI::Option* const queries =
      add_file(command, "--queries", flags.queries,
               "Queries in the format of the patterns; - reads standard input and answers each "
               "line immediately");
  CLI::Option* const self =
      command.add_flag("--self", flags.self,
                       "Instead of --queries: match every pattern against the preceding ones "
                       "(duplicates); requires --threshold");
  command
      .add_flag(
          "--follow", flags.follow,
          "With --store and --queries -: answer each line from the store as it is then, "
          "while other processes append to it, replace it by renaming another, or remove it and "
          "create it again; it must not be rewritten in place")
      ->needs(store);
  Choices<Measure> measures{{"indel", Measure::lcs}};
  for (auto& measure : choices_of<Measure>()) measures.push_back(std::move(measure));
  add_choice(command, "--measure", flags.options.measure,
             "lcs: longest common subsequence, the same as indel; difflib: same as Python's "
             "difflib with autojunk=False; levenshtein, osa (with transpositions), prefix, "
             "postfix: RapidFuzz's normalized_similarity; jaro-winkler: its similarity; "
             "token-sort, token-set: its ratios of the words of texts, divided by 100 "
             "(default: lcs)",
             std::move(measures));
  CLI::Option* const autojunk =
      command.add_flag("--autojunk", flags.options.autojunk,
                       "difflib with Python's default autojunk=True: in a query of 200 symbols or "
                       "more, frequent symbols do not start a block");
  add_choice(command, "--level", flags.level,
             "token: each string is a symbol; character: strings are joined by one space, "
             "and each code point is a symbol (default: token, but character if no record of "
             "--patterns and --queries has more than one string)",
             Choices<Level>{{"token", Level::token}, {"character", Level::character}});
  CLI::Option* const threshold =
      add_number(command, "--threshold", flags.options.threshold,
                 "Minimum similarity, inclusive; 0 returns everything (default: 0.1)", 0, 1);
  CLI::Option* const top = add_top(
      command, flags.top, "Maximum number of results per query (default: 10; with --self: all)");
  CLI::Option* const column =
      command
          .add_option("--column", flags.column,
                      "The files are tables in CSV, or in TSV if their names end with .tsv; each "
                      "field of this column, a name or a number from 1, is a string of characters. "
                      "A file of queries that is no table and has no such column has lines")
          ->type_name("NAME")
          ->excludes(store);
  CLI::Option* const query_column =
      command
          .add_option("--query-column", flags.query_column,
                      "Column of the queries (default: that of --column)")
          ->type_name("NAME")
          ->needs(column);
  CLI::Option* const ignore_case = command
                                       .add_flag("--ignore-case", flags.folding.ignore_case,
                                                 "Compare characters after Unicode case folding")
                                       ->excludes(store);
  CLI::Option* const normalize =
      add_choice(command, "--normalize", flags.folding.normalization,
                 "Compare characters in a normal form of Unicode: nfc or nfkc",
                 Choices<Normalization>{{"nfc", Normalization::nfc}, {"nfkc", Normalization::nfkc}})
          ->type_name("FORM")
          ->excludes(store);
  for (CLI::Option* option : {column, query_column, ignore_case, normalize})
    option->group(text_group);
  add_choice(
      command, "--format", flags.format,
      "json, csv, tsv, table: one JSON object per query, or one row per result (default: json)",
      choices_of<OutputFormat>())
      ->group(output_group);
  CLI::Option* const blocks = command.add_flag(
      "--blocks", flags.options.blocks,
      "Print the matching blocks [pattern begin, query begin, length] of the measure");
  CLI::Option* const matched_only =
      command.add_flag("--matched-only", flags.matched_only, "Omit queries without results");
  CLI::Option* const skip_bad =
      command.add_flag("--skip-bad", flags.skip_bad,
                       "Print {\"error\": \"…\", \"line\": N} in place of the answer to an invalid "
                       "query (in rows: report it on stderr) and continue");
  for (CLI::Option* option : {blocks, matched_only, skip_bad}) option->group(output_group);
  CLI::Option* const clusters =
      add_choice(command, "--clusters", flags.clusters,
                 "With --self: print one line per cluster of similar patterns instead of the "
                 "pairs; single: linked by a chain of similar pairs; complete: all pairs similar",
                 choices_of<Linkage>());
  clusters->needs(self)->excludes(matched_only)->excludes(top)->excludes(blocks);

  CLI::Option* const predict =
      command
          .add_flag("--predict", flags.predict,
                    "Print what the patterns predict, in KATO's fields; --top selects the best of "
                    "all that reach the threshold")
          ->excludes(lines)
          ->excludes(column)
          ->excludes(autojunk);  // KATO's blocks are without it
  add_choice(command, "--rank", flags.prediction.rank_by,
             fmt::format("Field to rank predictions by, largest first: {} (default: potential)",
                         fmt::join(enum_names<RankBy>, ", ")),
             choices_of<RankBy>())
      ->needs(predict);
  add_number(command, "--fuzzy", flags.prediction.fuzzy_token_threshold,
             "Minimum similarity of two texts to treat one as a misspelling of the other; 0: off "
             "(default: 0)",
             0, 1)
      ->needs(predict);
  command
      .add_flag("--single-symbol-fast-path", flags.prediction.single_symbol_fast_path,
                "Answer a query of one symbol from the patterns that begin with it, like KATO's "
                "fast path")
      ->needs(predict);
  add_file(command, "--affinity", flags.affinity,
           "JSON lines {\"symbol\": \"a\", \"affinity\": 0.5}; adds the weighted fields")
      ->needs(predict)
      ->check(named_file());

  flags.sources = {patterns, lines, store};
  flags.asked = {queries, self};
  exclude_each_other(flags.sources);
  self->needs(threshold);
  for (CLI::Option* other : {queries, query_column, skip_bad, predict, store})
    self->excludes(other);
}

}  // namespace Kindred::Tools
