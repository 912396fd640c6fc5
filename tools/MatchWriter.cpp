// SPDX-License-Identifier: Apache-2.0
#include "MatchWriter.hpp"

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

void append_texts(std::string& out, const SymbolTexts& texts) {
  append_list(out, texts, [&](const std::string& text) { append_json(out, text); });
}

/// Appends a list of events, or in the fast path a list of symbols.
void append_events(std::string& out, std::string_view key, const EventTexts& events, bool flat) {
  append_key(out, key);
  if (flat) return append_texts(out, events.empty() ? SymbolTexts{} : events.front());
  append_list(out, events, [&](const SymbolTexts& texts) { append_texts(out, texts); });
}

void append_anomalies(std::string& out, const std::vector<Anomaly>& anomalies) {
  append_key(out, "anomalies");
  append_list(out, anomalies, [&](const Anomaly& anomaly) {
    out += '{';
    append_field(out, "observed", anomaly.observed);
    append_field(out, "expected", anomaly.expected);
    append_field(out, "similarity", anomaly.similarity);
    out += '}';
  });
}

/// Appends `[[pattern begin, query begin, length], …]`.
void append_blocks(std::string& out, std::span<const Block> blocks) {
  append_list(out, blocks, [&](const Block& block) {
    fmt::format_to(std::back_inserter(out), "[{}, {}, {}]", block.pattern_begin, block.query_begin,
                   block.length);
  });
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

void MatchWriter::put_query() {
  if (m_name) {
    m_rows->text(*m_name);
  } else {
    m_rows->number(std::uint64_t{m_index});
  }
}

void MatchWriter::result(std::optional<std::string_view> name, const Match& match,
                         std::span<const Block> blocks) {
  m_report.hit(
      {name, match.index, match.similarity, {static_cast<double>(match.matched), match.distance}});
  if (!m_rows) {
    end_result();
    std::string& out = m_output.text();
    out += m_results++ == 0 ? "{" : ", {";
    append_key(out, "name");
    append_name(out, name);
    append_field(out, "index", match.index);
    append_field(out, "similarity", match.similarity);
    append_field(out, "matched", match.matched);
    if (m_has_distance && m_counts_edits)
      append_field(out, "distance", static_cast<std::uint64_t>(match.distance));
    if (m_has_distance && !m_counts_edits) append_field(out, "distance", match.distance);
    if (!m_flags.options.blocks) return;
    append_key(out, "blocks");
    return append_blocks(out, blocks);
  }
  ++m_results;
  put_query();
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
    append_blocks(text, blocks);
    m_rows->text(text);
  }
  m_rows->end_row();
}

void MatchWriter::prediction(std::optional<std::string_view> name, const Prediction& prediction) {
  result(name, {prediction.index, prediction.similarity, prediction.matched}, prediction.blocks);
  std::string& out = m_output.text();
  append_field(out, "frequency", prediction.frequency);
  append_key(out, "matches");
  append_texts(out, prediction.matches);
  for (const auto& [key, events] : {std::pair("past", &Prediction::past),
                                    {"present", &Prediction::present},
                                    {"future", &Prediction::future},
                                    {"missing", &Prediction::missing},
                                    {"extras", &Prediction::extras}})
    append_events(out, key, prediction.*events, prediction.flat);
  append_anomalies(out, prediction.anomalies);
  for (const auto& [key, number] :
       {std::pair("evidence", &Prediction::evidence),
        {"confidence", &Prediction::confidence},
        {"fragmentation", &Prediction::fragmentation},
        {"snr", &Prediction::snr},
        {"entropy", &Prediction::entropy},
        {"normalized_entropy", &Prediction::normalized_entropy},
        {"global_normalized_entropy", &Prediction::global_normalized_entropy},
        {"confluence", &Prediction::confluence},
        {"tfidf_score", &Prediction::tfidf_score},
        {"itfdf_similarity", &Prediction::itfdf_similarity},
        {"bayesian_prior", &Prediction::bayesian_prior},
        {"bayesian_likelihood", &Prediction::bayesian_likelihood},
        {"bayesian_posterior", &Prediction::bayesian_posterior},
        {"predictive_information", &Prediction::predictive_information},
        {"potential", &Prediction::potential}})
    append_field(out, key, prediction.*number);
  for (const auto& [key, number] :
       {std::pair("weighted_similarity", &Prediction::weighted_similarity),
        {"weighted_evidence", &Prediction::weighted_evidence},
        {"weighted_confidence", &Prediction::weighted_confidence},
        {"weighted_snr", &Prediction::weighted_snr}})
    if (prediction.*number) append_field(out, key, *(prediction.*number));
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
    put_query();
    m_rows->end_row();
  }
  m_output.flush_if_large();
}

void MatchWriter::skipped(const SkippedLine& line) {
  ++m_skipped;
  if (m_rows)
    return Log::error(fmt::format("line {} of the queries is skipped: {}", line.line, line.why));
  std::string& out = m_output.text();
  out += '{';
  append_field(out, "error", valid_utf8(line.why));
  append_field(out, "line", line.line);
  out += "}\n";
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
  const bool tokens = m_flags.form() == SequenceForm::json && m_flags.level != Level::character;
  Log::warning(fmt::format(
      "{} a result: no similarity reaches the threshold {:g}{}",
      m_queries == 1 ? "the query does not have"
                     : fmt::format("none of the {} queries has", m_queries),
      m_flags.options.threshold,
      tokens ? "; whole strings are compared, and --level character compares their characters"
             : ""));
}

}  // namespace Kindred::Tools
