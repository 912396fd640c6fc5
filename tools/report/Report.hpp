// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_REPORT_REPORT_HPP
#define KINDRED_TOOLS_REPORT_REPORT_HPP

#include <kindred/backends/Dispatcher.hpp>
#include <kindred/backends/Space.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Tools {

/// Stands for a value that was not measured or predicted.
inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// The contribution of one ranking to a hit.
struct ReportReason {
  std::string ranking;      ///< `match`, `search`, `spread`
  std::size_t place = 0;    ///< rank, from 1
  double score = 0;         ///< score in that ranking
  double contribution = 0;  ///< share of the fused score
  std::string detail;       ///< the matching words, or the path of the activation
};

struct ReportHit {
  std::string title;
  std::string text;
  double score = 0;
  std::vector<ReportReason> reasons;
};

/// \brief Times of one batch size of a sweep, per space in the order of `all_spaces`.
struct ReportSweepPoint {
  double items = 0;
  std::array<double, space_count> taken{not_known, not_known, not_known};
  std::array<double, space_count> predicted{not_known, not_known, not_known};
  std::optional<Space> chosen;  ///< the dispatcher's choice without a forced space
};

/// \brief The batch sizes of one operation.
struct ReportSweep {
  std::string operation;
  std::string unit;                      ///< unit of `items`
  std::vector<ReportSweepPoint> points;  ///< ascending in `items`
};

/// \brief The smallest size from which \p space is faster than every preceding space (in the order
/// of `all_spaces`) at all measured sizes; NaN if there is none.
double crossover(const ReportSweep& sweep, Space space,
                 std::array<double, space_count> ReportSweepPoint::*seconds);

/// \brief The time of one kernel on one space.
struct ReportKernel {
  std::string name;
  std::string space;
  std::uint64_t calls = 0;
  double seconds = 0;
};

enum class ClaimState : std::uint8_t { holds, fails, not_run };
std::string_view to_string(ClaimState state) noexcept;

/// \brief A statement that a program checked, and the result.
struct ReportClaim {
  std::string claim;
  ClaimState state = ClaimState::not_run;
  std::string detail;
};

/// \brief The last known state of one seed of a layer.
struct ReportSeed {
  std::string lifecycle;
  std::string mode;
  std::string schedule;
  std::int64_t blueprint = -1;
  double alpha = 0;
  std::int64_t epochs = 0;
  std::int64_t errors = 0;
  std::string history;  ///< newest first
};

/// \brief Number of seeds in each state at one time, in the order of the state codes.
struct ReportSeedCounts {
  std::string label;
  std::vector<std::uint64_t> counts;
};

/// \brief Telemetry of one epoch: one value per seed.
struct ReportSeedEpoch {
  std::string label;
  std::vector<double> mean;
  std::vector<double> deviation;
  std::vector<double> dead_ratio;
  std::vector<double> health;
};

/// \brief A seed layer. Omitted from the report if it has no seeds.
struct ReportSeeds {
  std::vector<ReportSeedCounts> states;  ///< in chronological order
  std::vector<ReportSeed> seeds;
  std::vector<ReportSeedEpoch> epochs;
};

/// \brief The contents of a report. Empty parts are omitted from the page.
struct ReportData {
  std::string title;
  std::string subtitle;
  std::vector<std::pair<std::string, std::string>> run;  ///< properties of the run, in order
  std::vector<ReportClaim> claims;
  std::string query;
  std::vector<ReportHit> hits;
  ReportSeeds seeds;
  std::vector<DispatchRecord> decisions;
  std::vector<ReportSweep> sweeps;
  std::vector<ReportKernel> kernels;
  std::vector<std::pair<std::string, std::string>> environment;
};

/// \brief Formats the report as one self-contained HTML file that loads nothing else.
///
/// Texts can contain anything: they are stored as one block of JSON with every `<` escaped. Long
/// lists are truncated with a note, keeping the decisions of greatest regret; the page stays below
/// 2 MB.
std::string report_html(const ReportData& data);

/// Writes `report_html` to \p path atomically. \throws as `AtomicFile`
void write_report(const std::string& path, const ReportData& data);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_REPORT_REPORT_HPP
