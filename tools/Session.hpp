// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_SESSION_HPP
#define KINDRED_TOOLS_SESSION_HPP

// What every command uses.
#include "Progress.hpp"
#include "io/AppendJson.hpp"
#include "io/CheckOutputs.hpp"
#include "io/InputKind.hpp"
#include "io/LineReader.hpp"
#include "program/Errors.hpp"
#include "program/Log.hpp"
#include "program/Options.hpp"
#include "program/Output.hpp"
#include "report/Html.hpp"
#include "report/Report.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/backends/Trace.hpp>
#include <kindred/memory/AtomicFile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <mutex>
#include <span>

namespace Kindred::Tools {

/// Phases that the time of a command is attributed to.
enum class Phase : std::uint8_t { load, upload, compute, write };
inline constexpr std::size_t phase_count = 4;

/// A file as an input of a report. Parameters as of `Session::add_input`.
ReportInput input_of(std::string name, const std::string& path, std::string contents);
/// The beginning of a report: the command line as a user would type it, date and version.
ReportData report_head(std::string title, const GlobalOptions& options);

/// How much a space does at a time: `1 thread`, `132 SMs`.
std::string concurrency_text(const SpaceInfo& info);

/// \brief The environment of a command: its context, and the output to stderr, the trace and the
/// report.
class Session {
 public:
  /// \throws SpaceUnavailable if the requested space cannot be used
  /// \throws UsageError for a trace or report that cannot be written
  Session(const GlobalOptions& options, std::string command, bool load_profile = true);
  ~Session();

  Context& context() noexcept { return *m_context; }
  const GlobalOptions& options() const noexcept { return m_options; }

  /// Runs \p body and attributes its time to \p phase.
  template <class Body>
  decltype(auto) timed(Phase phase, const Body& body) {
    const Timer timer(*this, phase);
    return body();
  }

  /// A progress display for reading the file \p path.
  ReadProgress read_progress(const std::string& path) const;

  /// Adds a property of this run to the report.
  void add_to_report(std::string name, std::string value);
  void add_to_report(std::string name, std::uint64_t value);
  /// Whether a report is written.
  bool reports() const noexcept { return !m_options.report.empty(); }
  /// Adds a file that was read to the report. \param name what it is \param path "-" is standard
  /// input \param contents number of elements
  void add_input(std::string name, const std::string& path, std::string contents = {});
  /// Adds a part of the results to the report.
  void add_result(ReportResult result) { m_report.results.push_back(std::move(result)); }
  /// Ends the recording of calls and kernels, and writes the trace: what follows is done for the
  /// report alone.
  void end_recording();
  /// Sets the seed layer shown in the report.
  void show(ReportSeeds seeds) { m_report.seeds = std::move(seeds); }

  /// Logs times and spaces, and writes the trace and the report.
  void finish();

 private:
  class Timer {
   public:
    Timer(Session& session, Phase phase);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    Session& m_session;
    Phase m_phase;
    std::chrono::steady_clock::time_point m_begin;
    std::unique_ptr<Trace::Span> m_span;
  };

  void record(const DispatchRecord& record);
  std::string times_text() const;
  void write_report();

  GlobalOptions m_options;
  std::string m_command;
  std::unique_ptr<Context> m_context;
  std::unique_ptr<Trace> m_trace;
  std::unique_ptr<KernelProfile> m_kernels;  ///< null: there is no report
  std::unique_ptr<PhaseClock> m_clock;       ///< null: stderr is not a terminal
  std::array<double, phase_count> m_seconds{};
  ReportData m_report;
  std::mutex m_mutex;  ///< of the recorded calls
  bool m_is_recording = true;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_SESSION_HPP
