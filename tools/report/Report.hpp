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

/// A value that was not measured or predicted.
inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// What one ranking says for a hit.
struct ReportReason {
  std::string ranking;      ///< `match`, `search`, `spread`
  std::size_t place = 0;    ///< 1 is the best
  double score = 0;         ///< the ranking's own
  double contribution = 0;  ///< to the fused score
  std::string detail;       ///< what matched, or the path of the activation
};

struct ReportHit {
  std::string title;
  std::string text;
  double score = 0;
  std::vector<ReportReason> reasons;
};

/// \brief One batch size of a sweep: seconds per space, in the order of `all_spaces`.
struct ReportSweepPoint {
  double items = 0;
  std::array<double, space_count> taken{not_known, not_known, not_known};
  std::array<double, space_count> predicted{not_known, not_known, not_known};
  std::optional<Space> chosen;  ///< by the dispatcher, left to itself
};

/// \brief The batch sizes of one operation.
struct ReportSweep {
  std::string operation;
  std::string unit;                      ///< what `items` counts
  std::vector<ReportSweepPoint> points;  ///< ascending in `items`
};

/// \brief The smallest size from which \p space is faster than every space before it (in the order
/// of `all_spaces`) at all sizes measured; NaN when there is none.
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

/// \brief Something a program says of itself, and whether it found it true.
struct ReportClaim {
  std::string claim;
  ClaimState state = ClaimState::not_run;
  std::string detail;
};

/// \brief One seed of a layer, as the last state has it.
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

/// \brief How many seeds were in each state at a time, in the order of the codes.
struct ReportSeedCounts {
  std::string label;
  std::vector<std::uint64_t> counts;
};

/// \brief What the seeds saw in an epoch: a value a seed.
struct ReportSeedEpoch {
  std::string label;
  std::vector<double> mean;
  std::vector<double> deviation;
  std::vector<double> dead_ratio;
  std::vector<double> health;
};

/// \brief A seed layer. Without seeds it is left out.
struct ReportSeeds {
  std::vector<ReportSeedCounts> states;  ///< in order of time
  std::vector<ReportSeed> seeds;
  std::vector<ReportSeedEpoch> epochs;
};

/// \brief What a report shows. An empty part is left out of the page.
struct ReportData {
  std::string title;
  std::string subtitle;
  std::vector<std::pair<std::string, std::string>> run;  ///< what was done, in order
  std::vector<ReportClaim> claims;
  std::string query;
  std::vector<ReportHit> hits;
  ReportSeeds seeds;
  std::vector<DispatchRecord> decisions;
  std::vector<ReportSweep> sweeps;
  std::vector<ReportKernel> kernels;
  std::vector<std::pair<std::string, std::string>> environment;
};

/// \brief The page: one self-contained HTML file that fetches nothing.
///
/// Texts may hold anything: they reach the page as one block of JSON with every `<` escaped. Long
/// lists are cut, keeping the decisions of greatest regret and saying so; the page stays below 2
/// MB.
std::string report_html(const ReportData& data);

/// Writes `report_html` to \p path, whole or not at all. \throws as `AtomicFile`
void write_report(const std::string& path, const ReportData& data);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_REPORT_REPORT_HPP
