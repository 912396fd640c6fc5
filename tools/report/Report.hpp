// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_REPORT_REPORT_HPP
#define KINDRED_TOOLS_REPORT_REPORT_HPP

#include "Picture.hpp"
#include "Table.hpp"

#include <kindred/backends/Dispatcher.hpp>
#include <kindred/backends/Space.hpp>

#include <array>
#include <optional>
#include <string_view>
#include <variant>

namespace Kindred::Tools {

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
  std::string sentence = {};  ///< what the plot shows; empty: from which size each space pays
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

/// \brief A file that a command read.
struct ReportInput {
  std::string name;                    ///< what it is: `patterns`
  std::string file;                    ///< its path
  std::string contents;                ///< `50 rows of dimension 4`
  std::optional<std::uint64_t> bytes;  ///< its size
};

/// A part of the results.
using ReportResult = std::variant<ReportTable, ReportPicture>;

/// \brief The contents of a report. Empty parts are omitted from the page.
struct ReportData {
  std::string title;
  std::string subtitle;
  std::string command;  ///< the command line, quoted for a shell
  std::string date;     ///< ISO 8601
  std::string version;
  std::string machine;
  std::string ran;  ///< times and places of the phases, in words
  std::vector<ReportInput> inputs;
  std::vector<std::pair<std::string, std::string>> run;  ///< settings and counts, in order
  std::vector<ReportResult> results;
  std::vector<ReportClaim> claims;
  std::string query;
  std::vector<ReportHit> hits;
  ReportSeeds seeds;
  std::vector<std::pair<std::string, double>> phases;  ///< seconds of each phase
  std::vector<DispatchRecord> decisions;
  std::vector<ReportSweep> sweeps;
  std::vector<ReportKernel> kernels;
  std::vector<std::pair<std::string, std::string>> environment;
};

/// \brief Formats the report as one self-contained HTML file that loads nothing else.
///
/// It begins with the command line, the date and the inputs, continues with the results, and ends
/// with what ran where. A script adds sorting and copying to tables; without it everything is
/// readable. Texts can contain anything: they are escaped. Long lists are truncated with a note,
/// keeping the decisions of greatest regret; the page stays below 2 MB.
std::string report_html(const ReportData& data);

/// Writes `report_html` to \p path atomically. \throws as `AtomicFile`
void write_report(const std::string& path, const ReportData& data);

/// \brief The present time in the local time zone: `2026-11-23T20:04:50+01:00`.
///
/// If the variable SOURCE_DATE_EPOCH contains a number of seconds, that time in UTC.
std::string date_text();

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_REPORT_REPORT_HPP
