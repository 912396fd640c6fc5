// SPDX-License-Identifier: Apache-2.0
#include "MatchWriter.hpp"

#include "io/AnswerLines.hpp"
#include "program/Log.hpp"

#include <fmt/format.h>

#include <vector>

namespace Kindred::Tools {

namespace {

HitsForm hits_form(const MatchFlags& flags, bool has_distance) {
  HitsForm form;
  form.result = "pattern";
  form.score = "similarity";
  form.numbers.push_back({.name = "matched"});
  if (has_distance) {
    form.numbers.push_back({.name = "distance", .is_count = counts_edits(flags.options.measure)});
  }
  form.only_matched = flags.self || flags.matched_only;
  return form;
}

}  // namespace

MatchWriter::MatchWriter(const MatchFlags& flags, Session& session)
    : m_flags(flags),
      m_has_distance(flags.options.measure != Measure::lcs &&
                     flags.options.measure != Measure::difflib),
      m_counts_edits(counts_edits(flags.options.measure)),
      m_report(session, hits_form(flags, m_has_distance)) {
  if (flags.format == OutputFormat::json) return;
  std::vector<std::string> columns{"query", "name", "index", "similarity", "matched"};
  if (m_has_distance) columns.emplace_back("distance");
  if (flags.options.blocks) columns.emplace_back("blocks");
  m_rows.emplace(flags.format, std::move(columns), m_output.text());
}

void MatchWriter::begin(std::optional<std::string_view> name, std::size_t index) {
  m_report.begin(name, index);
  m_results = 0;
  m_begin = m_output.text().size();
  if (!m_rows) {
    append_query(m_output.text(), name, index);
    m_output.text() += ", \"results\": [";
    return;
  }
  m_name = name;
  m_index = index;
}

void MatchWriter::result(std::optional<std::string_view> name, const Match& match,
                         std::span<const Block> blocks) {
  m_report.hit(
      {name, match.index, match.similarity, {static_cast<double>(match.matched), match.distance}});
  if (!m_rows) {
    end_result();
    append_match(m_output.text(), m_results++, name, match);
    if (m_has_distance) append_distance(m_output.text(), match.distance, m_counts_edits);
    if (m_flags.options.blocks) append_blocks(m_output.text(), blocks);
    return;
  }
  ++m_results;
  if (m_name) {
    m_rows->text(*m_name);
  } else {
    m_rows->number(std::uint64_t{m_index});
  }
  if (name) {
    m_rows->text(*name);
  } else {
    m_rows->empty();
  }
  m_rows->number(match.index);
  m_rows->number(match.similarity);
  m_rows->number(std::uint64_t{match.matched});
  if (m_has_distance && m_counts_edits) m_rows->number(static_cast<std::uint64_t>(match.distance));
  if (m_has_distance && !m_counts_edits) m_rows->number(match.distance);
  if (m_flags.options.blocks) {
    std::string text;
    append_block_list(text, blocks);
    m_rows->text(text);
  }
  m_rows->end_row();
}

void MatchWriter::end_result() {
  if (m_results > 0) m_output.text() += '}';
}

void MatchWriter::end() {
  m_report.end();
  ++m_queries;
  if (m_results > 0) ++m_matched;
  if (!m_rows) {
    end_result();
    m_output.text() += "]}\n";
    if (m_results == 0 && m_flags.matched_only) m_output.text().resize(m_begin);
  } else if (m_results == 0 && !m_flags.matched_only) {
    if (m_name) {
      m_rows->text(*m_name);
    } else {
      m_rows->number(std::uint64_t{m_index});
    }
    m_rows->end_row();
  }
  m_output.flush_if_large();
}

void MatchWriter::skipped(const SkippedLine& line) {
  ++m_skipped;
  if (m_rows) {
    Log::error(fmt::format("line {} of the queries is skipped: {}", line.line, line.why));
    return;
  }
  append_error(m_output.text(), line.why, line.line);
  m_output.flush_if_large();
}

void MatchWriter::finish_early() {
  if (m_rows && m_queries > 0) m_rows->finish();
  m_output.flush();
}

void MatchWriter::finish(std::uint64_t patterns) {
  if (m_rows) m_rows->finish();
  m_output.flush();
  m_report.finish();
  if (m_skipped > 0) {
    Log::warning(fmt::format("{} of {} queries are skipped: their lines are invalid", m_skipped,
                             m_skipped + m_queries));
  }
  // Without a threshold, only empty queries have no result.
  if (patterns == 0 || m_queries == 0 || m_matched > 0 || m_flags.self ||
      m_flags.options.threshold == 0.0)
    return;
  const bool tokens = m_flags.form() == SequenceForm::json && m_flags.level != "character";
  Log::warning(fmt::format(
      "{} a result: no similarity reaches the threshold {:g}{}",
      m_queries == 1 ? "the query does not have"
                     : fmt::format("none of the {} queries has", m_queries),
      m_flags.options.threshold,
      tokens ? "; whole strings are compared, and --level character compares their characters"
             : ""));
}

}  // namespace Kindred::Tools
