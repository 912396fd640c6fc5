// SPDX-License-Identifier: Apache-2.0
#include "MatchFlags.hpp"

#include "MatchClusters.hpp"
#include "program/Errors.hpp"
#include "report/Html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace Kindred::Tools {

namespace {

void check_inputs(const MatchFlags& flags) {
  if (flags.self && !flags.queries.empty())
    throw UsageError("match: --self uses the patterns as queries; omit --queries");
  if (flags.self && !flags.threshold)
    throw UsageError("match: --threshold is required with --self");
  if (!flags.self && flags.queries.empty())
    throw UsageError("match: --queries is required (or --self)");
  if (!flags.patterns.empty() + !flags.lines.empty() + !flags.store.empty() != 1)
    throw UsageError("match: exactly one of --patterns, --lines and --store is required");
  if (!flags.store.empty() && flags.self)
    throw UsageError("match: --self does not go with --store: no two of its patterns are equal");
  if (!flags.store.empty() && !flags.column.empty())
    throw UsageError("match: --column is for the files of --patterns or --lines, not for --store");
  if (!flags.query_column.empty() && flags.column.empty())
    throw UsageError("match: --query-column goes with --column, the column of the patterns");
  if (!flags.query_column.empty() && flags.self)
    throw UsageError("match: --self has no queries; omit --query-column");
  if (flags.patterns == "-" || flags.lines == "-" || flags.store == "-" ||
      flags.prediction.affinity == "-")
    throw UsageError("match: only --queries can be - (standard input)");
  if (flags.follow && (flags.store.empty() || !flags.streaming()))
    throw UsageError("match: --follow goes with --store and --queries -");
  if (flags.skip_bad && flags.self)
    throw UsageError("match: --skip-bad is for invalid queries, which --self does not have");
}

void check_measure(MatchFlags& flags) {
  const auto named = std::find_if(all_measures.begin(), all_measures.end(), [&](Measure measure) {
    return to_string(measure) == flags.measure;
  });
  if (named == all_measures.end() && flags.measure != "indel") {
    std::string names = "indel";
    for (const Measure measure : all_measures) names += ", " + std::string(to_string(measure));
    throw UsageError(fmt::format("match: --measure: '{}' is not one of {}", flags.measure, names));
  }
  flags.options.measure = named == all_measures.end() ? Measure::lcs : *named;
  const bool has_blocks =
      flags.options.measure == Measure::lcs || flags.options.measure == Measure::difflib;
  if (has_blocks) return;
  if (flags.options.blocks)
    throw UsageError(
        fmt::format("match: --blocks: {} has none; use --measure lcs or difflib", flags.measure));
  if (flags.prediction.predict)
    throw UsageError(
        fmt::format("match: --predict: {} has no blocks to predict from; use --measure lcs or "
                    "difflib",
                    flags.measure));
}

void check_level(MatchFlags& flags) {
  if (!flags.level.empty() && flags.level != "token" && flags.level != "character")
    throw UsageError(
        fmt::format("match: --level: '{}' is not one of token, character", flags.level));
  if (flags.form() != SequenceForm::json && flags.level == "token") {
    throw UsageError(
        fmt::format("match: --level: token does not go with {}, whose symbols are characters",
                    flags.column.empty() ? "--lines" : "--column"));
  }
  if (compares_words(flags.options.measure)) {
    if (!flags.store.empty())
      throw UsageError(
          fmt::format("match: --measure {} compares the words of texts, but a store has patterns "
                      "of tokens or characters: use --lines, --column or --patterns",
                      flags.measure));
    if (flags.level == "token")
      throw UsageError(fmt::format(
          "match: --measure {} compares the words of texts: use --level character", flags.measure));
    if (flags.form() == SequenceForm::json) flags.level = "character";
  }
  const char* const folding = flags.ignore_case          ? "--ignore-case"
                              : !flags.normalize.empty() ? "--normalize"
                                                         : nullptr;
  if (folding == nullptr) return;
  if (!flags.store.empty())
    throw UsageError(
        fmt::format("match: {} does not go with --store, whose patterns are compared as they were "
                    "learned",
                    folding));
  if (flags.form() == SequenceForm::json && flags.level != "character")
    throw UsageError(fmt::format("match: {} is for characters: use --level character", folding));
}

void check_predictions(const MatchFlags& flags) {
  if (!flags.prediction.predict) return;
  if (flags.form() != SequenceForm::json) {
    throw UsageError(fmt::format("match: --predict requires events, which {} does not provide",
                                 flags.column.empty() ? "--lines" : "--column"));
  }
  if (flags.self) throw UsageError("match: --predict does not go with --self");
  if (flags.options.autojunk)
    throw UsageError("match: --predict does not go with --autojunk: KATO's blocks are without it");
  if (flags.format != OutputFormat::json)
    throw UsageError("match: --predict prints lists, which only --format json has");
}

}  // namespace

void check_match_flags(const GlobalOptions& global, MatchFlags& flags) {
  check_inputs(flags);
  check_measure(flags);
  if (flags.options.autojunk && flags.options.measure != Measure::difflib)
    throw UsageError("match: --autojunk is a heuristic of difflib: use --measure difflib");
  check_level(flags);
  if (!flags.normalize.empty() && flags.normalize != "nfc" && flags.normalize != "nfkc")
    throw UsageError(
        fmt::format("match: --normalize: '{}' is not one of nfc, nfkc", flags.normalize));
  flags.folding.ignore_case = flags.ignore_case;
  if (flags.normalize == "nfc") flags.folding.normalization = Normalization::nfc;
  if (flags.normalize == "nfkc") flags.folding.normalization = Normalization::nfkc;
  const auto format = output_format_from_string(flags.format_name);
  if (!format) {
    throw UsageError(fmt::format("match: --format: '{}' is not one of {}", flags.format_name,
                                 output_format_names));
  }
  flags.format = *format;
  if (global.json && *format != OutputFormat::json)
    throw UsageError(
        fmt::format("match: --json and --format {} exclude each other", flags.format_name));
  check_predictions(flags);
  check_clusters(flags);
  if (flags.threshold) flags.options.threshold = *flags.threshold;
  if (flags.self) flags.options.top = std::numeric_limits<std::size_t>::max();
  if (flags.top > 0) flags.options.top = flags.top;
}

void report_match(Session& session, const MatchFlags& flags, std::uint64_t patterns) {
  session.add_input("patterns", flags.store.empty() ? flags.pattern_file() : flags.store,
                    Html::counted(patterns, "pattern", "patterns"));
  if (!flags.self) session.add_input("queries", flags.queries);
  if (!flags.level.empty()) session.add_to_report("level", flags.level);
  session.add_to_report("measure", flags.measure);
  session.add_to_report("threshold", fmt::format("{:g}", flags.options.threshold));
}

void add_match_flags(CLI::App& command, MatchFlags& flags) {
  constexpr const char* text_group = "Text";
  constexpr const char* output_group = "Output";
  add_file(command, "--patterns", flags.patterns,
           "JSON lines {\"name\": \"…\", \"events\": [[\"a\", \"b\"], [\"c\"]]} or {\"name\": "
           "\"…\", \"tokens\": [\"a\", \"b\"]}; \"index\" in the output counts lines from 0. "
           "Files may be compressed by gzip or zstd");
  add_file(command, "--lines", flags.lines,
           "Instead of --patterns: each line is a string of characters; the same holds for "
           "the queries");
  add_file(command, "--store", flags.store,
           "Instead of --patterns: a store created by `kindred patterns build`; \"index\" "
           "counts different patterns in the order in which they were learned");
  add_file(command, "--queries", flags.queries,
           "Queries in the format of the patterns; - reads standard input and answers each "
           "line immediately");
  command.add_flag("--self", flags.self,
                   "Instead of --queries: match every pattern against the preceding ones "
                   "(duplicates); requires --threshold");
  command.add_flag(
      "--follow", flags.follow,
      "With --store and --queries -: answer each line from the store as it is then, "
      "while other processes append to it, replace it by renaming another, or remove it and "
      "create it again; it must not be rewritten in place");
  command
      .add_option("--measure", flags.measure,
                  "lcs: longest common subsequence, the same as indel; difflib: same as Python's "
                  "difflib with autojunk=False; levenshtein, osa (with transpositions), prefix, "
                  "postfix: RapidFuzz's normalized_similarity; jaro-winkler: its similarity; "
                  "token-sort, token-set: its ratios of the words of texts, divided by 100 "
                  "(default: lcs)")
      ->type_name("NAME");
  command.add_flag("--autojunk", flags.options.autojunk,
                   "difflib with Python's default autojunk=True: in a query of 200 symbols or "
                   "more, frequent symbols do not start a block");
  command
      .add_option("--level", flags.level,
                  "token: each string is a symbol; character: strings are joined by one space, "
                  "and each code point is a symbol (default: token, but character if no record of "
                  "--patterns and --queries has more than one string)")
      ->type_name("NAME");
  add_number(command, "--threshold", flags.threshold,
             "Minimum similarity, inclusive; 0 returns everything (default: 0.1)", 0, 1);
  add_top(command, flags.top,
          "Maximum number of results per query (default: 10; with --self: all)");
  command
      .add_option("--column", flags.column,
                  "The files are tables in CSV, or in TSV if their names end with .tsv; each field "
                  "of this column, a name or a number from 1, is a string of characters")
      ->type_name("NAME")
      ->group(text_group);
  command
      .add_option("--query-column", flags.query_column,
                  "Column of the queries (default: that of --column)")
      ->type_name("NAME")
      ->group(text_group);
  command
      .add_flag("--ignore-case", flags.ignore_case, "Compare characters after Unicode case folding")
      ->group(text_group);
  command
      .add_option("--normalize", flags.normalize,
                  "Compare characters in a normal form of Unicode: nfc or nfkc")
      ->type_name("FORM")
      ->group(text_group);
  command
      .add_option("--format", flags.format_name,
                  std::string(output_format_names) +
                      ": one JSON object per query, or one row per result (default: json)")
      ->type_name("NAME")
      ->group(output_group);
  command
      .add_flag("--blocks", flags.options.blocks,
                "Print the matching blocks [pattern begin, query begin, length] of the measure")
      ->group(output_group);
  command.add_flag("--matched-only", flags.matched_only, "Omit queries without results")
      ->group(output_group);
  command
      .add_flag("--skip-bad", flags.skip_bad,
                "Print {\"error\": \"…\", \"line\": N} in place of the answer to an invalid query "
                "(in rows: report it on stderr) and continue")
      ->group(output_group);
  add_clusters_flag(command, flags);
  add_prediction_flags(command, flags.prediction);
}

}  // namespace Kindred::Tools
