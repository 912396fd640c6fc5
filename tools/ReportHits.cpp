// SPDX-License-Identifier: Apache-2.0
#include "ReportHits.hpp"

namespace Kindred::Tools {

namespace {

constexpr std::size_t shown_queries = 50;
constexpr std::size_t shown_hits = 20;  // per query
constexpr std::size_t shown_name_bytes = 240;
constexpr std::uint64_t histogram_least = 30;  // results

}  // namespace

ReportHits::ReportHits(Session& session, HitsForm form)
    : m_session(session), m_is_active(session.reports()), m_form(std::move(form)) {
  m_table.title = "Results by query";
  m_table.columns = {{"#", ColumnKind::number},
                     {m_form.result, ColumnKind::text},
                     {m_form.score, ColumnKind::bar}};
  for (const HitNumber& number : m_form.numbers)
    m_table.columns.push_back({number.name, ColumnKind::number});
}

void ReportHits::begin(std::optional<std::string_view> name, std::uint64_t index) {
  if (!m_is_active) return;
  m_group = {};
  m_in_query = 0;
  m_group.heading = name ? Html::clipped(*name, shown_name_bytes) : fmt::format("query {}", index);
}

void ReportHits::hit(const Hit& hit) {
  if (!m_is_active) return;
  ++m_hits;
  ++m_in_query;
  if (m_form.of_one && hit.score < 0) ++m_below;
  if (m_form.of_one && hit.score >= 0)  // rounding may make a score greater than 1
    ++m_scores[static_cast<std::size_t>(std::min(hit.score * 10, 9.0))];
  if (m_table.groups.size() >= shown_queries || m_in_query > shown_hits) return;
  std::vector<ReportCell> row{digits_cell(m_in_query),
                              {hit.name ? Html::clipped(*hit.name, shown_name_bytes)
                                        : fmt::format("{} {}", m_form.result, hit.index)},
                              bar_cell(Html::score(hit.score), hit.score, hit.score)};
  for (std::size_t i = 0; i < m_form.numbers.size(); ++i) {
    const double value = hit.numbers[i];
    row.push_back(
        number_cell(m_form.numbers[i].is_count ? Html::count(value) : Html::score(value), value));
  }
  m_group.rows.push_back(std::move(row));
}

void ReportHits::end() {
  if (!m_is_active) return;
  ++m_queries;
  if (m_in_query > 0) ++m_matched;
  if (m_table.groups.size() >= shown_queries || (m_form.only_matched && m_in_query == 0)) return;
  if (m_in_query == 0) m_group.note = "no result";
  if (m_in_query > shown_hits)
    m_group.note = fmt::format("the first {} of {} results", shown_hits, m_in_query);
  if (!m_form.of_one) {
    double most = 0;
    for (const auto& row : m_group.rows) {
      if (std::isfinite(row[2].value)) most = std::max(most, std::fabs(row[2].value));
    }
    for (auto& row : m_group.rows) row[2].share = most > 0 ? std::fabs(row[2].value) / most : 0;
  }
  m_table.groups.push_back(std::move(m_group));
}

ReportTable ReportHits::histogram() const {
  ReportTable table{.title = fmt::format("Results by {}", m_form.score),
                    .columns = {{m_form.score, ColumnKind::text}, {"results", ColumnKind::bar}}};
  const auto most =
      static_cast<double>(std::max(m_below, *std::max_element(m_scores.begin(), m_scores.end())));
  const auto add = [&](std::string scores, std::uint64_t results) {
    const auto count = static_cast<double>(results);
    table.add_row(
        {{std::move(scores)}, bar_cell(Html::count(count), count, most > 0 ? count / most : 0)});
  };
  for (std::size_t bin = m_scores.size(); bin-- > 0;) {
    add(fmt::format("{:.1f} – {:.1f}", static_cast<double>(bin) / 10,
                    static_cast<double>(bin + 1) / 10),
        m_scores[bin]);
  }
  if (m_below > 0) add("below 0", m_below);
  return table;
}

void ReportHits::finish() {
  if (!m_is_active) return;
  const std::size_t shown = m_table.groups.size();
  const std::uint64_t showable = m_form.only_matched ? m_matched : m_queries;
  m_table.note = fmt::format(
      "{}, {} with results; {} in total.", Html::counted(m_queries, "query", "queries"),
      Html::count(static_cast<double>(m_matched)), Html::counted(m_hits, "result", "results"));
  if (shown < showable) {
    m_table.note += fmt::format(" The first {} queries{} are shown.", shown,
                                m_form.only_matched ? " with results" : "");
  }
  if (!m_form.note.empty()) m_table.note += " " + m_form.note;
  m_session.add_result(std::move(m_table));
  if (m_form.of_one && m_hits >= histogram_least) m_session.add_result(histogram());
}

}  // namespace Kindred::Tools
