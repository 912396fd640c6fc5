// SPDX-License-Identifier: Apache-2.0
#include "MatchInput.hpp"

#include "Log.hpp"
#include "io/Errors.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace Kindred::Tools {

namespace {

bool has_level_character(const MatchFlags& flags) {
  return flags.form() != SequenceForm::json || flags.level == "character";
}

/// Warns of a file that --lines probably does not suit.
void warn_of_name(const std::string& path) {
  std::string_view name = path;
  for (const std::string_view end : {".gz", ".zst"}) {
    if (name.ends_with(end)) name.remove_suffix(end.size());
  }
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) {
    Log::warning(fmt::format(
        "{}: --lines compares whole lines as text; JSON lines are read with --patterns", path));
  } else if (name.ends_with(".csv") || name.ends_with(".tsv")) {
    Log::warning(
        fmt::format("{}: --lines compares whole lines; --column NAME compares one column", path));
  }
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
    : encoder(has_level_character(flags) ? Level::character : Level::token, flags.folding) {
  const bool predicts = flags.prediction.predict;
  const SequenceForm form = flags.form();
  const std::string& path = flags.pattern_file();
  if (form == SequenceForm::lines) {
    warn_of_name(path);
    if (!flags.self && flags.queries != path) warn_of_name(flags.queries);
  }
  const Column column{flags.column, separator_of(path)};
  bool is_one_string = false;  // the level is not given, and every pattern is one string
  session.timed(Phase::load, [&] {
    SequenceReader pattern_reader(path, form, encoder, Learning::on, session.read_progress(path),
                                  column);
    if (predicts) pattern_reader.keep_events(pattern_events);
    while (pattern_reader.next(patterns)) continue;
    is_one_string = form == SequenceForm::json && flags.level.empty() && !predicts &&
                    pattern_reader.strings_max() == 1;
  });
  warn_without_patterns(path, patterns.size());
  if (!flags.self) {
    reader.emplace(flags.queries, form, encoder, Learning::off, ReadProgress{},
                   Column{flags.query_column.empty() ? flags.column : flags.query_column,
                          flags.streaming() ? column.separator : separator_of(flags.queries)});
    if (predicts || is_one_string) reader->keep_events(query_events);
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
  flags.level = "character";
  Log::info(
      "match: no record has more than one string, so characters are compared (--level character); "
      "--level token compares whole strings");
}

void warn_without_patterns(const std::string& source, std::uint64_t patterns) {
  if (patterns == 0) Log::warning(fmt::format("{}: there are no patterns", source));
}

}  // namespace Kindred::Tools
