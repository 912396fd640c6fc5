// SPDX-License-Identifier: Apache-2.0
#include "compare/CompareBuilds.hpp"

#include <kindred/core/common/Error.hpp>

#include "common/JsonProcess.hpp"
#include "common/Timing.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace Kindred::Perf {

namespace {

constexpr std::size_t pairs_least = 5;
constexpr std::size_t pairs_most = 200;

/// A build that runs rows on request.
class Build {
 public:
  Build(const std::string& program, const std::vector<std::string>& arguments)
      : m_program(program), m_process(command_of(program, arguments)) {
    const Json hello = m_process.read();
    m_rows = hello.at("rows").get<std::vector<std::string>>();
    m_context = hello.at("context");
  }

  const std::vector<std::string>& rows() const noexcept { return m_rows; }
  const Json& context() const noexcept { return m_context; }

  /// Makes the data of \p row, and returns a hash of its first answer.
  std::string prepare(const std::string& row) {
    const Json answer = request({{"prepare", row}});
    const auto wrong = answer.at("wrong").get<std::string>();
    if (!wrong.empty()) throw Error(m_program + ", " + row + ": a wrong answer: " + wrong);
    return answer.at("digest").get<std::string>();
  }
  double seconds(const std::string& time) {
    return request({{"time", time}}).at("seconds").get<double>();
  }

 private:
  static std::vector<std::string> command_of(const std::string& program,
                                             const std::vector<std::string>& arguments) {
    std::vector<std::string> command{program, "rows", "--serve"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  }
  Json request(const Json& message) {
    Json answer = m_process.request(message);
    if (answer.contains("error"))
      throw Error(m_program + ": " + answer["error"].get<std::string>());
    return answer;
  }

  std::string m_program;
  JsonProcess m_process;
  std::vector<std::string> m_rows;
  Json m_context;
};

/// The rows of \p before that \p after has too.
std::vector<std::string> common_rows(const Build& before, const Build& after) {
  std::vector<std::string> out;
  for (const std::string& row : before.rows())
    if (std::ranges::find(after.rows(), row) != after.rows().end()) out.push_back(row);
  if (out.empty()) throw InvalidArgument("the two builds have no common row");
  return out;
}

class BuildsRun {
 public:
  explicit BuildsRun(const BuildsOptions& options) : m_options(options) {}

  BuildsComparison run() {
    int starts = m_options.starts;
    for (int start = 0; start == 0 || start < starts; ++start) {
      if (must_stop()) break;
      const Builds builds = start_both(start % 2 == 1);
      if (start == 0) {
        m_out.before = builds[0]->context();
        m_out.after = builds[1]->context();
        for (const std::string& row : common_rows(*builds[0], *builds[1]))
          for (const std::string& time : m_options.times) m_out.rows.push_back({row, time});
        m_error = m_options.precision.error / static_cast<double>(m_out.rows.size());
        if (starts == 0) starts = static_cast<int>(values_needed(m_error, 1));
      }
      m_options.progress("start " + std::to_string(start + 1) + " of " + std::to_string(starts));
      for (auto row = m_out.rows.begin(); row != m_out.rows.end();) {
        if (must_stop()) break;
        const auto end =
            std::find_if(row, m_out.rows.end(), [&](const auto& r) { return r.row != row->row; });
        measure(builds, {row, end}, start);
        row = end;
      }
      m_out.starts = start + 1;
    }
    judge();
    return std::move(m_out);
  }

 private:
  using Builds = std::array<std::unique_ptr<Build>, 2>;

  Builds start_both(bool other_first) const {
    Builds builds;
    for (const bool second : {false, true}) {
      const std::size_t side = second != other_first ? 1 : 0;
      builds[side] = std::make_unique<Build>(side == 0 ? m_options.before : m_options.after,
                                             m_options.arguments);
    }
    return builds;
  }

  bool must_stop() {
    const bool stops = m_options.is_interrupted() || seconds_since(m_start) > m_options.max_seconds;
    m_out.is_complete = m_out.is_complete && !stops;
    return stops;
  }

  /// Adds a pair of times to each of \p rows, the times of one row.
  void measure(const Builds& builds, std::span<RowComparison> rows, int start) {
    std::array<std::string, 2> digests;
    for (const std::size_t side : {0, 1}) digests[side] = builds[side]->prepare(rows[0].row);
    for (RowComparison& row : rows) {
      if (digests[0] != digests[1]) row.remark = "other results";
      std::array<double, 2> least;
      least.fill(std::numeric_limits<double>::infinity());
      const auto begin = Clock::now();
      for (std::size_t pair = 0;
           pair < pairs_least ||
           (pair < pairs_most && seconds_since(begin) < m_options.row_seconds);
           ++pair) {
        const std::size_t first = (pair + static_cast<std::size_t>(start)) % 2;
        for (const std::size_t side : {first, 1 - first})
          least[side] = std::min(least[side], builds[side]->seconds(row.time));
      }
      if (least[0] == 0 || least[1] == 0) continue;  // has no such time
      row.before.push_back(least[0]);
      row.after.push_back(least[1]);
      row.ratios.push_back(least[1] / least[0]);
    }
  }

  void judge() {
    std::erase_if(m_out.rows, [](const RowComparison& row) { return row.before.empty(); });
    for (RowComparison& row : m_out.rows) {
      const bool is_certain = row.ratios.size() >= values_needed(m_error);
      row.ratio = median_interval(row.ratios, m_error);
      row.verdict = verdict_of(row.ratio, m_options.precision, is_certain);
    }
  }

  const BuildsOptions& m_options;
  BuildsComparison m_out;
  double m_error = 0;
  Clock::time_point m_start = Clock::now();
};

}  // namespace

BuildsComparison compare_builds(const BuildsOptions& options) { return BuildsRun(options).run(); }

}  // namespace Kindred::Perf
