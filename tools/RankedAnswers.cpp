// SPDX-License-Identifier: Apache-2.0
#include "RankedAnswers.hpp"

namespace Kindred::Tools {

namespace {

HitsForm hits_form(Metric metric) {
  HitsForm form;
  form.result = "row";
  form.score = metric == Metric::cosine ? "cosine" : metric == Metric::l2 ? "distance" : "product";
  form.of_one = metric == Metric::cosine;
  if (metric == Metric::l2) form.note = "A bar is a distance: the shorter, the nearer.";
  return form;
}

}  // namespace

RankedAnswers::RankedAnswers(std::string command, const std::string& ids, const std::string& scores)
    : m_command(std::move(command)) {
  if (!ids.empty()) m_ids.emplace(ids);
  if (!scores.empty()) m_scores.emplace(scores);
}

void RankedAnswers::begin(Session& session, Metric metric, std::size_t queries, std::size_t width,
                          const NameTable* names) {
  m_report.emplace(session, hits_form(metric));
  m_queries = queries;
  m_width = width;
  m_padding = padding_score(metric);
  m_names = names;
  const std::string ids = npy_header("<i8", queries, width);
  const std::string scores = npy_header("<f4", queries, width);
  if (m_ids) m_ids->write(ids.data(), ids.size());
  if (m_scores) m_scores->write(scores.data(), scores.size());
}

void RankedAnswers::put(std::span<const ScoredId> row, std::size_t query) {
  m_found += row.size();
  const auto name = m_names != nullptr ? (*m_names)[query] : std::nullopt;
  m_report->begin(name, query);
  for (const ScoredId& found : row)
    m_report->hit({{}, static_cast<std::uint64_t>(found.id), found.score, {}});
  m_report->end();
  if (!m_ids && !m_scores) {
    std::string& out = m_output.text();
    append_query(out, name, query);
    append_key(out, "results");
    append_list(out, row, [&](const ScoredId& found) {
      fmt::format_to(std::back_inserter(out), "[{}, ", found.id);
      append_json(out, found.score);
      out += ']';
    });
    out += "}\n";
    return m_output.flush_if_large();
  }
  std::vector<std::int64_t> ids(m_width, -1);
  std::vector<float> scores(m_width, m_padding);
  for (std::size_t place = 0; place < row.size(); ++place) {
    ids[place] = row[place].id;
    scores[place] = row[place].score;
  }
  if (m_ids) m_ids->write(ids.data(), m_width * sizeof(std::int64_t));
  if (m_scores) m_scores->write(scores.data(), m_width * sizeof(float));
}

void RankedAnswers::finish() {
  if (m_ids && m_scores) {
    AtomicFile::publish({&*m_ids, &*m_scores});
  } else if (m_ids || m_scores) {
    AtomicFile::publish({m_ids ? &*m_ids : &*m_scores});
  }
  m_output.flush();
  m_report->finish();
  if (m_queries == 0 || m_found > 0) return;
  Log::warning(
      fmt::format("{}: no query has a result; check the filter, the candidates and the "
                  "limit of the score",
                  m_command));
}

}  // namespace Kindred::Tools
