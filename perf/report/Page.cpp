// SPDX-License-Identifier: Apache-2.0
#include "report/Page.hpp"

#include <kindred/backends/Space.hpp>

#include "sweep/DispatchQuality.hpp"

#include <Html.hpp>
#include <Report.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace Kindred::Perf {

namespace {

using Tools::not_known;
namespace Html = Tools::Html;

/// A number of a row; NaN if it has none.
double number(const Json& row, const char* name) {
  const auto found = row.find(name);
  return found != row.end() && found->is_number() ? found->get<double>() : not_known;
}
std::string text(const Json& row, const char* name) { return row.value(name, std::string()); }

std::string fixed(double value, int digits) {
  char out[32];
  std::snprintf(out, sizeof(out), "%.*f", digits, value);
  return out;
}
/// A ratio with two or three significant digits.
std::string times(double ratio) { return fixed(ratio, ratio < 10 ? 1 : 0) + " ×"; }
std::string percent(double value) { return fixed(value, value < 10 ? 1 : 0) + " %"; }

std::string device_of(const Json& context, Space space) {
  for (const Json& one : context.value("spaces", Json::array())) {
    if (text(one, "space") == to_string(space) && one.value("usable", false))
      return text(one, "device");
  }
  return {};
}

/// The processor and the GPU.
std::string machine_of(const Json& context) {
  std::string out = device_of(context, Space::serial);
  const int threads = context.value("threads", 0);
  if (threads > 0)
    out += ", " + Html::counted(static_cast<std::uint64_t>(threads), "thread", "threads");
  const std::string gpu = device_of(context, Space::cuda);
  return gpu.empty() ? out : out + "; " + gpu;
}

/// The rows of one operation on one machine.
struct Swept {
  std::string operation;
  std::string machine;  ///< empty: there is one
  std::string unit;
  std::map<double, std::vector<const Json*>> sizes;

  /// The row of the fastest space at the largest size.
  const Json& fastest() const {
    const std::vector<const Json*>& rows = sizes.rbegin()->second;
    return **std::ranges::min_element(rows, {},
                                      [](const Json* row) { return number(*row, "seconds"); });
  }
};

std::vector<Swept> swept(const NamedRecord& given, const std::string& machine) {
  std::vector<Swept> out;
  for (const Json& row : given.record["rows"]) {
    if (!row.contains("operation")) continue;
    const std::string operation = text(row, "operation");
    auto at = std::ranges::find(out, operation, &Swept::operation);
    if (at == out.end()) {
      out.push_back({operation, machine, text(row, "unit"), {}});
      at = out.end() - 1;
    }
    at->sizes[number(row, "size")].push_back(&row);
  }
  return out;
}

/// Points of the plot; of several numbers of threads, the fastest.
Tools::ReportSweep points_of(const Swept& swept) {
  Tools::ReportSweep out{swept.operation, swept.unit, {}, {}};
  if (!swept.machine.empty()) out.operation += ", " + swept.machine;
  for (const auto& [size, rows] : swept.sizes) {
    Tools::ReportSweepPoint point;
    point.items = size;
    for (const Json* row : rows) {
      const std::optional<Space> space = from_string<Space>(text(*row, "space"));
      if (!space) continue;
      double& taken = point.taken[space_index(*space)];
      taken = std::fmin(taken, number(*row, "seconds"));
      point.predicted[space_index(*space)] = number(*row, "predicted_seconds");
      if (row->value("chosen", false)) point.chosen = space;
    }
    out.points.push_back(point);
  }
  return out;
}

bool is_measured(const Tools::ReportSweep& sweep, Space space) {
  return std::ranges::any_of(sweep.points, [&](const Tools::ReportSweepPoint& point) {
    return std::isfinite(point.taken[space_index(space)]);
  });
}

/// From which size \p space pays, such as `from 4,096`; empty if it was not measured.
std::string pays(const Tools::ReportSweep& sweep, Space space) {
  if (!is_measured(sweep, space)) return {};
  const double from = Tools::crossover(sweep, space, &Tools::ReportSweepPoint::taken);
  return std::isfinite(from) ? "from " + Html::count(from) : "never";
}

/// What the threads of the host bring at the largest size: the time of the fewest over that of the
/// most, or of one thread over that of all.
struct Scaling {
  double ratio = not_known;
  int few = 1;
  int many = 1;

  bool is_known() const { return std::isfinite(ratio) && many > few; }
};

Scaling scaling_of(const Swept& swept) {
  std::map<int, double> seconds;
  double serial = not_known;
  for (const Json* row : swept.sizes.rbegin()->second) {
    if (text(*row, "space") == "openmp")
      seconds[row->value("threads", 1)] = number(*row, "seconds");
    else if (text(*row, "space") == "serial")
      serial = number(*row, "seconds");
  }
  if (seconds.empty()) return {};
  const auto& [many, least] = *seconds.rbegin();
  if (seconds.size() > 1 && !std::isfinite(serial))
    return {seconds.begin()->second / least, seconds.begin()->first, many};
  return {serial / least, 1, many};
}

/// What more threads or a GPU would bring, as far as the measurements show it.
std::string outlook(const Json& fastest, const Scaling& scaling) {
  const double limit = number(fastest, "percent_of_limit");
  if (text(fastest, "limit") == "memory" && limit >= 60)
    return "It is limited by memory, so more threads would bring little.";
  if (text(fastest, "space") == "openmp" && scaling.many > scaling.few &&
      scaling.ratio > 0.8 * scaling.many / scaling.few)
    return "It still scales with the threads, so more would help.";
  return {};
}

std::string sentence_of(const Swept& swept, const Tools::ReportSweep& sweep) {
  std::string out;
  for (const Space space : {Space::openmp, Space::cuda}) {
    const std::string from = pays(sweep, space);
    if (from.empty()) continue;
    out += (out.empty() ? "" : ", ") + std::string(to_string(space)) +
           (from == "never" ? " never pays here" : " pays " + from + " " + swept.unit);
  }
  if (!out.empty()) out += ". ";
  const Json& fastest = swept.fastest();
  const double seconds = number(fastest, "seconds");
  out += "At " + Html::count(number(fastest, "size")) + " " + swept.unit + ", " +
         text(fastest, "space") + " takes " + Html::time(seconds);
  const double limit = number(fastest, "percent_of_limit");
  if (limit > 0)
    out += ", at " + percent(limit) + " of what " +
           (text(fastest, "limit") == "memory" ? "the memory" : "the arithmetic") + " allows";
  out += ".";
  const Scaling scaling = scaling_of(swept);
  if (scaling.is_known()) {
    const std::string few = scaling.few == 1 ? "one" : std::to_string(scaling.few);
    out += " " + std::to_string(scaling.many) + " threads are " +
           (scaling.ratio < 0.95 ? "slower than " : times(scaling.ratio) + " as fast as ") + few +
           ".";
  }
  const double cold = number(fastest, "cold_seconds") / seconds;
  if (cold > 1.05) out += " With cold caches it takes " + times(cold) + " as long.";
  const std::string more = outlook(fastest, scaling);
  return more.empty() ? out : out + " " + more;
}

Tools::ReportTable summary_of(const std::vector<Swept>& all, bool has_machines) {
  std::vector<Tools::ReportSweep> sweeps;
  for (const Swept& one : all) sweeps.push_back(points_of(one));
  std::vector<Space> spaces;
  for (const Space space : {Space::openmp, Space::cuda}) {
    if (std::ranges::any_of(sweeps, [&](const auto& sweep) { return is_measured(sweep, space); }))
      spaces.push_back(space);
  }
  using Kind = Tools::ColumnKind;
  Tools::ReportTable table{.title = "The answers in short"};
  table.columns = {{"operation", Kind::text}};
  if (has_machines) table.columns.push_back({"machine", Kind::text});
  for (const Space space : spaces)
    table.columns.push_back({std::string(to_string(space)) + " pays", Kind::text});
  for (const auto& [name, kind] :
       {std::pair("largest size", Kind::number), std::pair("fastest there", Kind::space),
        std::pair("time", Kind::number), std::pair("of its limit", Kind::bar),
        std::pair("which limit", Kind::text), std::pair("threads bring", Kind::number)})
    table.columns.push_back({name, kind});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Swept& one = all[i];
    const Json& fastest = one.fastest();
    std::vector<Tools::ReportCell> row{{one.operation}};
    if (has_machines) row.push_back({one.machine});
    for (const Space space : spaces) {
      const std::string from = pays(sweeps[i], space);
      row.push_back({from.empty() ? "not measured" : from});
    }
    const double size = number(fastest, "size");
    row.push_back(Tools::number_cell(Html::count(size) + " " + one.unit, size));
    row.push_back({text(fastest, "space")});
    const double seconds = number(fastest, "seconds");
    row.push_back(Tools::number_cell(Html::time(seconds), seconds));
    const double limit = number(fastest, "percent_of_limit");
    const bool has_limit = limit > 0;
    row.push_back(has_limit ? Tools::bar_cell(percent(limit), limit, std::min(1.0, limit / 100))
                            : Tools::ReportCell{"–"});
    row.push_back({has_limit ? text(fastest, "limit") : "–"});
    const Scaling scaling = scaling_of(one);
    row.push_back(scaling.is_known() ? Tools::number_cell(times(scaling.ratio) + " with " +
                                                              std::to_string(scaling.many),
                                                          scaling.ratio)
                                     : Tools::ReportCell{"–"});
    table.add_row(std::move(row));
  }
  return table;
}

/// The dispatcher's choices: how often the fastest space, by operation.
Tools::ReportTable choices_of(const std::vector<Swept>& all, bool has_machines) {
  struct Quality : DispatchQuality {
    std::string where;  ///< the worst choice was made
  };
  const auto quality_of = [](const Swept& swept, const char* chosen) {
    Quality out;
    for (const auto& [size, rows] : swept.sizes) {
      double best = not_known;
      double taken = not_known;
      std::set<std::string> spaces;
      for (const Json* row : rows) {
        best = std::fmin(best, number(*row, "seconds"));
        spaces.insert(text(*row, "space"));
        if (row->value(chosen, false)) taken = std::fmin(taken, number(*row, "seconds"));
      }
      if (spaces.size() < 2 || !std::isfinite(taken)) continue;
      const double worst = out.worst;
      out.add(swept.operation, taken / best);
      if (out.worst > worst) out.where = " at " + Html::count(size);
    }
    return out;
  };
  using Kind = Tools::ColumnKind;
  Tools::ReportTable table{
      .title = "The dispatcher's choices",
      .note =
          "At how many sizes the space that it would choose takes at most 5 % longer than the "
          "fastest, with what it knew before, and after it has observed the calls of the size."};
  table.columns = {{"operation", Kind::text}};
  if (has_machines) table.columns.push_back({"machine", Kind::text});
  for (const char* name : {"before", "worst before", "after", "worst after"})
    table.columns.push_back({name, Kind::number});
  for (const Swept& one : all) {
    std::vector<Tools::ReportCell> row{{one.operation}};
    if (has_machines) row.push_back({one.machine});
    for (const char* chosen : {"chosen", "chosen_after"}) {
      const Quality quality = quality_of(one, chosen);
      const double share = quality.sizes == 0 ? not_known : quality.share();
      row.push_back(Tools::number_cell(
          std::to_string(quality.within) + " of " + std::to_string(quality.sizes), share));
      row.push_back(Tools::number_cell(times(quality.worst) + quality.where, quality.worst));
    }
    table.add_row(std::move(row));
  }
  return table;
}

/// The rows that belong to no sweep, with the columns of each machine.
Tools::ReportTable rows_of(const std::vector<NamedRecord>& records,
                           const std::vector<std::string>& machines) {
  using Kind = Tools::ColumnKind;
  Tools::ReportTable table{.title = "Rows"};
  table.columns = {{"row", Kind::text}, {"work", Kind::text}};
  std::vector<std::string> names;
  std::map<std::string, std::string> work;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string suffix = machines[i].empty() ? "" : ", " + machines[i];
    table.columns.push_back({"time" + suffix, Kind::number});
    table.columns.push_back({"of the limit" + suffix, Kind::number});
    for (const Json& row : records[i].record["rows"]) {
      if (row.contains("operation") || !row.contains("row")) continue;
      const std::string name = text(row, "row");
      if (work.emplace(name, text(row, "work")).second) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    std::vector<Tools::ReportCell> cells{{name}, {work[name]}};
    for (const NamedRecord& one : records) {
      double seconds = not_known;
      double limit = not_known;
      for (const Json& row : one.record["rows"]) {
        if (text(row, "row") != name) continue;
        seconds = number(row, "seconds");
        limit = std::fmax(number(row, "percent_of_read_limit"),
                          number(row, "percent_of_arithmetic_limit"));
      }
      cells.push_back(Tools::number_cell(Html::time(seconds), seconds));
      cells.push_back(
          Tools::number_cell(std::isfinite(limit) && limit > 0 ? percent(limit) : "–", limit));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

void append_environment(Tools::ReportData& page, const Json& context, const std::string& prefix) {
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) page.environment.emplace_back(prefix + name, value);
  };
  add("machine", machine_of(context));
  add("measured", text(context, "date"));
  const Json build = context.value("kindred", Json::object());
  for (const char* key : {"version", "commit", "compiler", "arch"}) add(key, text(build, key));
  add("Kokkos", text(context.value("kokkos", Json::object()), "version"));
  add("calibrated", context.value("calibrated", false) ? "yes" : "no");
  for (const Json& limits : context.value("limits", Json::array())) {
    const double read = number(limits, "read_bytes_per_second");
    if (read > 0) add("memory limit of " + text(limits, "space"), fixed(read / 1e9, 1) + " GB/s");
  }
}

/// Short names that tell the machines of \p records apart; empty if there is one record.
std::vector<std::string> machine_names(const std::vector<NamedRecord>& records) {
  std::vector<std::string> out(records.size());
  if (records.size() == 1) return out;
  std::map<std::string, int> count;
  for (const NamedRecord& one : records) ++count[machine_of(one.record["context"])];
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string machine = machine_of(records[i].record["context"]);
    out[i] = count[machine] == 1 ? machine : records[i].name;
  }
  return out;
}

}  // namespace

void write_page(const std::string& path, const std::vector<NamedRecord>& records) {
  const std::vector<std::string> machines = machine_names(records);
  const bool has_machines = records.size() > 1;
  std::vector<Swept> all;
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::vector<Swept> of_record = swept(records[i], machines[i]);
    std::ranges::move(of_record, std::back_inserter(all));
  }
  // The plots of an operation stand beside each other.
  std::map<std::string, std::size_t> order;
  for (const Swept& one : all) order.emplace(one.operation, order.size());
  std::ranges::stable_sort(all, {}, [&](const Swept& one) { return order[one.operation]; });

  Tools::ReportData page;
  const Json& context = records[0].record["context"];
  page.title = has_machines ? "Kindred on " + std::to_string(records.size()) + " machines"
                            : "Kindred on this machine";
  page.subtitle =
      "From which size does each space pay, how far is each operation from the limit, and what "
      "would more threads or a GPU bring?";
  if (!has_machines) page.machine = machine_of(context);
  page.date = Tools::date_text();
  if (!all.empty()) page.results.emplace_back(summary_of(all, has_machines));
  Tools::ReportTable rows = rows_of(records, machines);
  if (!rows.groups.empty()) page.results.emplace_back(std::move(rows));
  for (const Swept& one : all) {
    Tools::ReportSweep sweep = points_of(one);
    sweep.sentence = sentence_of(one, sweep);
    page.sweeps.push_back(std::move(sweep));
  }
  if (!all.empty()) page.results.emplace_back(choices_of(all, has_machines));
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Json& record = records[i].record;
    append_environment(page, record["context"], has_machines ? machines[i] + ": " : "");
    for (const Json& kernel : record.value("kernels", Json::array()))
      page.kernels.push_back({text(kernel, "kernel"), text(kernel, "space"),
                              kernel.value("calls", std::uint64_t{0}), number(kernel, "seconds")});
    for (const Json& name : record.value("not_run", Json::array()))
      page.run.emplace_back("not measured", name.get<std::string>());
  }
  Tools::write_report(path, page);
}

}  // namespace Kindred::Perf
