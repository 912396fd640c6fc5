// SPDX-License-Identifier: Apache-2.0
#include "Report.hpp"

#include "Parts.hpp"

#include <kindred/memory/AtomicFile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>

namespace Kindred::Tools {
namespace {

constexpr std::size_t page_max = 1'950'000;   // bytes
constexpr std::size_t results_max = 500'000;  // bytes of all results
constexpr std::size_t table_max = 100'000;    // bytes of another table
constexpr std::size_t hits_bytes = 200'000;   // of the hits of the demo
constexpr std::size_t hits_max = 100;         // of the demo
constexpr std::size_t text_max = 400;         // bytes per text
constexpr std::size_t command_max = 4000;     // bytes of the command line

std::string shown(std::string_view text) { return Html::text(Html::clipped(text, text_max)); }

/// The page: a header, then sections.
class PageWriter {
 public:
  /// Appends a section unless \p content is empty.
  void section(const char* id, const char* title, const std::string& content) {
    if (content.empty()) return;
    m_links += fmt::format("<a href=\"#{}\">{}</a>\n", id, title);
    const bool fits = m_sections.size() + content.size() < page_max;
    m_sections += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, title,
                              fits ? content : "<p>This part is too large for the page.</p>\n");
  }

  std::string html(const std::string& title, const std::string& header) const {
    return fmt::format(
        "<!doctype html>\n<!-- SPDX-License-Identifier: Apache-2.0 -->\n<html lang=\"en\">\n"
        "<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n"
        "<style>\n{}</style>\n</head>\n<body>\n<header>\n{}<nav aria-label=\"parts of the "
        "report\">\n{}</nav>\n</header>\n<main>\n{}</main>\n<script>\n{}</script>\n</body>\n"
        "</html>\n",
        title, Page::css, header, m_links, m_sections, Page::js);
  }

 private:
  std::string m_links;
  std::string m_sections;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string pairs_html(const Pairs& pairs) {
  if (pairs.empty()) return {};
  std::string out = "<dl>\n";
  for (const auto& [name, value] : pairs)
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", shown(name), shown(value));
  return out + "</dl>\n";
}

std::string header_html(const ReportData& data) {
  const std::string title = data.title.empty() ? "Kindred report" : data.title;
  std::string out = fmt::format("<h1>{}</h1>\n", shown(title));
  if (!data.subtitle.empty())
    out += fmt::format("<p class=\"soft\">{}</p>\n", shown(data.subtitle));
  if (!data.command.empty()) {
    out += fmt::format("<pre id=\"command\"><code>{}</code></pre>\n",
                       Html::text(Html::clipped(data.command, command_max)));
  }
  Pairs facts;
  if (!data.date.empty()) facts.emplace_back("Date", data.date);
  if (!data.version.empty()) facts.emplace_back("Version", data.version);
  if (!data.machine.empty()) facts.emplace_back("Machine", data.machine);
  if (!data.ran.empty()) facts.emplace_back("Times", data.ran);
  return out + pairs_html(facts);
}

std::string inputs_html(const ReportData& data) {
  std::string out;
  if (!data.inputs.empty()) {
    ReportTable table{.columns = {{"input", ColumnKind::text},
                                  {"file", ColumnKind::code},
                                  {"contents", ColumnKind::text},
                                  {"size", ColumnKind::number}}};
    for (const ReportInput& input : data.inputs) {
      const double bytes = input.bytes ? static_cast<double>(*input.bytes) : not_known;
      table.add_row({{input.name},
                     {input.file},
                     {input.contents},
                     number_cell(input.bytes ? Html::bytes(bytes) : "–", bytes)});
    }
    append_table(out, table, table_max);
  }
  return out + pairs_html(data.run);
}

std::string results_html(const std::vector<ReportResult>& results) {
  std::string out;
  for (const ReportResult& result : results) {
    if (const auto* table = std::get_if<ReportTable>(&result)) {
      append_table(out, *table, std::min(results_max * 4 / 5, results_max - out.size()));
    } else {
      append_picture(out, std::get<ReportPicture>(result));
    }
    if (out.size() > results_max * 9 / 10) break;
  }
  return out;
}

/// The mark and the class of a claim, by its state.
constexpr std::array<std::pair<const char*, const char*>, 3> claim_marks{
    {{"✓", "holds"}, {"✗", "fails"}, {"–", "soft"}}};

std::string claims_html(const std::vector<ReportClaim>& claims) {
  if (claims.empty()) return {};
  std::string out = "<ul class=\"claims\">\n";
  for (const ReportClaim& claim : claims) {
    const auto& [mark, style] = claim_marks[static_cast<std::size_t>(claim.state)];
    out +=
        fmt::format("<li><b class=\"{}\">{} {}</b><div>{}<div class=\"soft\">{}</div></div></li>\n",
                    style, mark, to_string(claim.state), shown(claim.claim), shown(claim.detail));
  }
  return out + "</ul>\n";
}

std::string ranking_style(const std::string& name) {
  return name == "match" || name == "search" || name == "spread" ? name : "other";
}

/// Hits of fused rankings, with the contribution of each ranking.
std::string hits_html(const ReportData& data) {
  if (data.hits.empty()) return {};
  double most = 0;
  for (const ReportHit& hit : data.hits) most = std::max(most, hit.score);
  std::string out;
  if (!data.query.empty())
    out += fmt::format("<p class=\"soft\">Query: “{}”</p>\n", shown(data.query));
  out += "<ol class=\"hits\">\n";
  for (std::size_t i = 0; i < std::min(data.hits.size(), hits_max); ++i) {
    const ReportHit& hit = data.hits[i];
    if (out.size() > hits_bytes) break;
    out += fmt::format(
        "<li class=\"panel\"><b>{}. {}</b> <span class=\"soft\">{}</span>\n<p>{}</p>\n<div "
        "class=\"track parts\">",
        i + 1, shown(hit.title), Html::score(hit.score), shown(hit.text));
    for (const ReportReason& reason : hit.reasons) {
      out += fmt::format("<i class=\"fill {}\" style=\"width:{:.2f}%\"></i>",
                         ranking_style(reason.ranking),
                         most > 0 ? std::clamp(100 * reason.contribution / most, 0.0, 100.0) : 0.0);
    }
    out += "</div>\n";
    for (const ReportReason& reason : hit.reasons) {
      out += fmt::format(
          "<p class=\"reason\"><span class=\"tag {}\">{}</span> <span>#{}</span> "
          "<span>{:.3f}</span> <span class=\"soft\">{}</span></p>\n",
          ranking_style(reason.ranking), shown(reason.ranking), reason.place, reason.score,
          shown(reason.detail));
    }
    out += "</li>\n";
  }
  return out + "</ol>\n";
}

ReportTable kernels_of(std::vector<ReportKernel> kernels) {
  std::stable_sort(
      kernels.begin(), kernels.end(),
      [](const ReportKernel& a, const ReportKernel& b) { return a.seconds > b.seconds; });
  double total = 0;
  for (const ReportKernel& kernel : kernels) total += kernel.seconds;
  ReportTable table{
      .title = "Kernels",
      .note = "On the host, the time of the launch; on a device, from the launch to its fence.",
      .columns = {{"kernel", ColumnKind::code},
                  {"space", ColumnKind::space},
                  {"calls", ColumnKind::number},
                  {"total", ColumnKind::number},
                  {"a call", ColumnKind::number},
                  {"share", ColumnKind::bar}}};
  for (const ReportKernel& kernel : kernels) {
    const double calls = static_cast<double>(std::max<std::uint64_t>(kernel.calls, 1));
    const double share = total > 0 ? kernel.seconds / total : 0;
    table.add_row({{kernel.name},
                   {kernel.space},
                   count_cell(kernel.calls),
                   time_cell(kernel.seconds),
                   time_cell(kernel.seconds / calls),
                   bar_cell(fmt::format("{:.1f} %", 100 * share), share, share)});
  }
  return table;
}

ReportTable phases_of(const std::vector<std::pair<std::string, double>>& phases) {
  double total = 0;
  for (const auto& [name, seconds] : phases) total += seconds;
  ReportTable table{.title = "Time by phase",
                    .columns = {{"phase", ColumnKind::text}, {"time", ColumnKind::bar}}};
  for (const auto& [name, seconds] : phases)
    table.add_row(
        {{name}, bar_cell(Html::time(seconds), seconds, total > 0 ? seconds / total : 0)});
  return table;
}

}  // namespace

std::string_view to_string(ClaimState state) noexcept {
  constexpr std::array<std::string_view, 3> names{"holds", "fails", "not run"};
  return names[static_cast<std::size_t>(state)];
}

std::string report_html(const ReportData& data) {
  PageWriter page;
  page.section("inputs", "Inputs and settings", inputs_html(data));
  std::string results = hits_html(data) + results_html(data.results);
  if (!data.seeds.seeds.empty() || !data.seeds.epochs.empty()) append_seeds(results, data.seeds);
  page.section("results", "Results", results);
  page.section("proof", "Checks", claims_html(data.claims));
  if (!data.sweeps.empty()) {
    std::string sweeps;
    append_sweeps(sweeps, data.sweeps);
    page.section("sweep", "Where each space starts to pay", sweeps);
  }
  std::string run;
  if (!data.phases.empty()) append_table(run, phases_of(data.phases), table_max);
  append_decisions(run, data.decisions);
  if (!data.kernels.empty()) append_table(run, kernels_of(data.kernels), table_max);
  if (!data.environment.empty())
    run += "<div class=\"part\"><h3>Machine and build</h3>\n" + pairs_html(data.environment) +
           "</div>\n";
  page.section("run", "What ran where", run);
  return page.html(shown(data.title.empty() ? "Kindred report" : data.title), header_html(data));
}

void write_report(const std::string& path, const ReportData& data) {
  AtomicFile file(path);
  const std::string html = report_html(data);
  file.write(html.data(), html.size());
  AtomicFile::publish({&file});
}

std::string date_text() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  bool is_fixed = false;
  if (const char* const epoch = std::getenv("SOURCE_DATE_EPOCH"); epoch != nullptr) {
    const std::string_view digits = epoch;
    std::int64_t seconds = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    is_fixed = read.ec == std::errc() && read.ptr == digits.data() + digits.size() && seconds >= 0;
    if (is_fixed) now = static_cast<std::time_t>(seconds);
  }
  if ((is_fixed ? ::gmtime_r(&now, &parts) : ::localtime_r(&now, &parts)) == nullptr) return {};
  char text[64];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
  const long minutes = is_fixed ? 0 : parts.tm_gmtoff / 60;
  return fmt::format("{}{}{:02}:{:02}", text, minutes < 0 ? '-' : '+', std::labs(minutes) / 60,
                     std::labs(minutes) % 60);
}

}  // namespace Kindred::Tools
