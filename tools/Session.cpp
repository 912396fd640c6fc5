// SPDX-License-Identifier: Apache-2.0
#include "Session.hpp"

#include "Log.hpp"
#include "Progress.hpp"
#include "io/Errors.hpp"
#include "io/LatticeEnvironment.hpp"

#include <kindred/Version.hpp>
#include <kindred/backends/AtomicFile.hpp>

#include <fmt/format.h>

#include <utility>

namespace Kindred::Tools {

namespace {

constexpr std::array<const char*, 3> phase_names{"load", "upload", "compute"};

/// Rejects a file that cannot be written, before any work is done.
void check_writable(const char* flag, const std::string& path) {
  if (path.empty()) return;
  try {
    const AtomicFile probe(path);
  } catch (const InvalidArgument& error) {
    throw UsageError(fmt::format("{} {}", flag, error.what()));
  }
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

}  // namespace

Session::Timer::Timer(Session& session, Phase phase)
    : m_session(session), m_phase(phase), m_begin(std::chrono::steady_clock::now()) {
  if (m_session.m_trace) {
    m_span = std::make_unique<Trace::Span>(
        m_session.m_trace->span(phase_names[static_cast<std::size_t>(phase)]));
  }
}

Session::Timer::~Timer() {
  m_session.m_seconds[static_cast<std::size_t>(m_phase)] +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
}

Session::Session(const GlobalOptions& options, std::string command, bool load_profile)
    : m_options(options), m_command(std::move(command)) {
  check_writable("--trace", m_options.trace);
  check_writable("--report", m_options.report);
  ContextOptions context;
  settings_of_environment().apply_to(context);
  if (m_options.threads > 0) context.threads = m_options.threads;
  context.device = m_options.device;
  context.space = m_options.space;
  context.load_profile = load_profile;
  context.log = Log::library;
  context.on_dispatch = [this](const DispatchRecord& done) { record(done); };
  m_context = std::make_unique<Context>(context);
  if (!m_options.trace.empty()) m_trace = std::make_unique<Trace>();
  if (!m_options.report.empty()) m_kernels = std::make_unique<KernelProfile>();
}

Session::~Session() = default;

ReadProgress Session::read_progress(const std::string& path) const {
  auto progress = std::make_shared<Progress>("reading " + path, !m_options.quiet);
  return [progress](std::uint64_t done, std::uint64_t all) { progress->update(done, all); };
}

void Session::record(const DispatchRecord& done) {
  const std::lock_guard lock(m_mutex);
  m_records.push_back(done);
  if (m_options.explain) Log::line(to_json(done));
  if (m_trace) m_trace->add(done);
}

void Session::add_to_report(std::string name, std::string value) {
  m_reported.emplace_back(std::move(name), std::move(value));
}
void Session::add_to_report(std::string name, std::uint64_t value) {
  add_to_report(std::move(name), std::to_string(value));
}

void Session::print_times() const {
  std::string where;
  for (const Space space : all_spaces) {
    std::size_t calls = 0;
    std::array<std::size_t, reason_count> reasons{};
    for (const DispatchRecord& done : m_records) {
      if (done.chosen != space) continue;
      ++calls;
      ++reasons[static_cast<std::size_t>(done.why)];
    }
    if (calls == 0) continue;
    std::string why;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if (reasons[i] == 0) continue;
      why += fmt::format("{}{}", why.empty() ? "" : ", ", to_string(static_cast<Reason>(i)));
      if (reasons[i] != calls) why += fmt::format(" {}", reasons[i]);
    }
    where += fmt::format("{}{}{} ({})", where.empty() ? "" : ", ", to_string(space),
                         calls > 1 ? fmt::format(" × {}", calls) : "", why);
  }
  Log::info(fmt::format("{}: load {} · upload {} · compute {}{}{}", m_command,
                        seconds_text(m_seconds[0]), seconds_text(m_seconds[1]),
                        seconds_text(m_seconds[2]), where.empty() ? "" : "; ran on ", where));
}

void Session::write_report() const {
  ReportData data;
  data.title = "kindred " + m_command;
  data.subtitle = fmt::format("load {} · upload {} · compute {}", seconds_text(m_seconds[0]),
                              seconds_text(m_seconds[1]), seconds_text(m_seconds[2]));
  data.run = m_reported;
  for (std::size_t phase = 0; phase < phase_names.size(); ++phase) {
    if (m_seconds[phase] > 0)
      data.run.emplace_back(phase_names[phase], seconds_text(m_seconds[phase]));
  }
  data.seeds = m_seeds;
  data.decisions = m_records;
  for (const KernelTime& kernel : m_kernels->kernels())
    data.kernels.push_back(
        {kernel.label, kernel.device ? "device" : "host", kernel.count, kernel.seconds});
  data.environment.emplace_back("Kindred", KINDRED_VERSION_STRING);
  for (const SpaceInfo& info : m_context->spaces()) {
    data.environment.emplace_back(
        to_string(info.space),
        info.usable ? fmt::format("{}, {} at once", info.device, info.concurrency) : info.why_not);
  }
  Tools::write_report(m_options.report, data);
}

void Session::finish() {
  if (!m_options.quiet) print_times();
  if (m_trace) m_trace->write(m_options.trace);
  if (m_kernels) write_report();
}

}  // namespace Kindred::Tools
