// SPDX-License-Identifier: Apache-2.0
#include "MatchInput.hpp"

#include "program/ParseNumber.hpp"

#include <filesystem>
#include <initializer_list>
#include <system_error>

namespace Kindred::Tools {

namespace {

/// The level at which strings are encoded. The texts of a query of a store are looked up in its
/// vocabulary later.
Level encoded_level(const MatchFlags& flags) {
  if (!flags.store.empty()) return Level::token;
  return flags.form() != SequenceForm::json ? Level::character : flags.level.value_or(Level::token);
}

/// Whether the name of a file, before .gz or .zst, ends with one of \p ends.
bool is_named(std::string_view path, std::initializer_list<std::string_view> ends) {
  path = without_compression(path);
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return path.ends_with(end); });
}

bool is_table(const std::string& path) { return is_named(path, {".csv", ".tsv", ".tab"}); }

/// Warns of a file that --lines probably does not suit, and refuses one whose name contradicts the
/// form in which it would be read.
void check_name(const std::string& path, SequenceForm form) {
  const bool is_json = is_named(path, {".jsonl", ".ndjson"});
  if (form == SequenceForm::lines && is_json) {
    Log::warning(fmt::format(
        "{}: --lines compares whole lines as text; JSON lines are read with --patterns", path));
  } else if (form == SequenceForm::lines && is_table(path)) {
    Log::warning(
        fmt::format("{}: --lines compares whole lines; --column NAME compares one column", path));
  } else if (form == SequenceForm::json && is_table(path)) {
    throw UsageError(
        fmt::format("match: {} is a table; --column NAME gives the column to compare", path));
  } else if (form == SequenceForm::column && is_json) {
    throw UsageError(fmt::format("match: {} has JSON lines, not columns; omit --column", path));
  }
}

/// \brief Whether the queries are lines although --column names a column: of a file that is no
/// table, neither by its name nor because its first line names the column.
///
/// What can be read only once, as standard input, is a table.
bool has_lines_for_a_column(const MatchFlags& flags) {
  std::error_code unknown;
  if (flags.form() != SequenceForm::column || !flags.query_column.empty() || flags.self ||
      is_table(flags.queries) || !std::filesystem::is_regular_file(flags.queries, unknown))
    return false;
  if (!parse_count(flags.column)) {  // a number would be a column of any text
    try {
      ColumnReader(flags.queries, {flags.column, separator_of(flags.queries)}).next();
      return false;
    } catch (const BadLine&) {
      return false;
    } catch (const InputError&) {  // or the reader of lines reports it, too
    }
  }
  Log::info(fmt::format("match: {} is no table with a column {}: every line is a query",
                        flags.queries, in_quotes(flags.column)));
  return true;
}

/// Replaces sequences of one token at most by the code points of its text.
/// \param text_of returns the text of a row
template <class TextOf>
void compare_characters(Sequences& sequences, const TextOf& text_of) {
  SymbolEncoder encoder(Level::character);
  Ragged<Symbol> characters;
  for (std::size_t row = 0; row < sequences.size(); ++row) {
    encoder.append(text_of(row), 0, Learning::off, characters.values);
    characters.close_row();
  }
  sequences.symbols = std::move(characters);
}

}  // namespace

MatchInput::MatchInput(MatchFlags& flags, Session& session)
    : encoder(encoded_level(flags), flags.folding) {
  const bool is_stored = !flags.store.empty();
  const SequenceForm form = flags.form();
  const std::string& path = flags.pattern_file();
  const Column column{flags.column, separator_of(path)};
  bool is_one_string = false;  // the level is not given, and every pattern is one string
  if (!is_stored) {
    check_name(path, form);
    if (!flags.self && flags.queries != path) check_name(flags.queries, form);
    session.timed(Phase::load, [&] {
      SequenceReader pattern_reader(path, form, encoder, Learning::on, session.read_progress(path),
                                    column);
      if (flags.predict) pattern_reader.keep_events(pattern_events);
      while (pattern_reader.next(patterns)) continue;
      is_one_string = form == SequenceForm::json && !flags.level && !flags.predict &&
                      pattern_reader.strings_max() == 1;
    });
    warn_without_patterns(path, patterns.size());
  }
  if (!flags.self) {
    reader.emplace(flags.queries, has_lines_for_a_column(flags) ? SequenceForm::lines : form,
                   encoder, Learning::off, ReadProgress{},
                   Column{flags.query_column.empty() ? flags.column : flags.query_column,
                          flags.streaming() ? column.separator : separator_of(flags.queries)});
    if (flags.predict || is_one_string || is_stored) reader->keep_events(query_events);
    if (flags.skip_bad) reader->skip_bad_lines();
  }
  // A file is read completely before the first answer, so that an invalid line leaves no partial
  // output.
  if (!flags.streaming() && !flags.self) {
    session.timed(Phase::load, [&] {
      while (reader->next(queries)) continue;
    });
  }
  choose_level(flags, session, is_one_string);
}

void MatchInput::choose_level(MatchFlags& flags, Session& session, bool is_one_string) {
  if (!is_one_string) return;
  if (flags.streaming()) {
    throw UsageError(fmt::format(
        "match: every pattern in {} is one string, so --level is required with --queries -: "
        "character compares the characters of strings, token compares whole strings",
        flags.patterns));
  }
  if (reader && reader->strings_max() > 1) return;
  session.timed(Phase::load, [&] {
    compare_characters(patterns, [&](std::size_t row) {
      const auto tokens = patterns.symbols[row];
      return tokens.empty() ? std::string_view() : encoder.tokens().text(tokens[0]);
    });
    compare_characters(queries, [&](std::size_t row) {
      if (queries.skipped_at(row) != nullptr) return std::string_view();
      const Ragged<std::string_view> events = query_events[row];
      return events.values.empty() ? std::string_view() : events.values[0];
    });
  });
  flags.level = Level::character;
  Log::info(
      "match: no record has more than one string, so characters are compared (--level character); "
      "--level token compares whole strings");
}

void warn_without_patterns(const std::string& source, std::uint64_t patterns) {
  if (patterns == 0) Log::warning(fmt::format("{}: there are no patterns", source));
}

}  // namespace Kindred::Tools
