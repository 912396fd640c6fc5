// SPDX-License-Identifier: Apache-2.0
#include "Session.hpp"

#include "io/ShellText.hpp"

#include <filesystem>
#include <system_error>

namespace Kindred::Tools {

namespace {

constexpr std::array<const char*, phase_count> phase_names{"load", "upload", "compute", "write"};
/// The same for people, and while they last.
constexpr std::array<const char*, phase_count> phase_words{"read", "prepare", "compute", "write"};
constexpr std::array<const char*, phase_count> phase_clocks{"reading", "preparing", "computing",
                                                            "writing"};

/// Rejects a file that cannot be written, before any work is done.
void check_writable(const char* flag, const std::string& path) {
  if (path.empty()) return;
  try {
    const AtomicFile probe(path);
  } catch (const InvalidArgument& error) {
    throw UsageError(fmt::format("{} {}", flag, error.what()));
  }
}

/// What computed, for people.
std::string place_text(Space space, int threads) {
  if (space == Space::cuda) return "the GPU";
  const int used = space == Space::serial ? 1 : threads;
  return fmt::format("{} CPU thread{}", used, used == 1 ? "" : "s");
}

/// Why it computed there, for people.
const char* reason_text(Reason reason) {
  switch (reason) {
    case Reason::forced:
      return "as requested";
    case Reason::only:
      return "no other place can";
    case Reason::fallback:
      return "after a failure elsewhere";
    case Reason::memory:
      return "for lack of GPU memory";
    default:
      return "chosen automatically";
  }
}

/// The places of the calls in \p records: `2 CPU threads (chosen automatically)`.
std::string places_text(const std::vector<DispatchRecord>& records) {
  struct Place {
    Space space;
    std::size_t calls = 0;
    int threads = 1;
    std::vector<std::string> reasons;
  };
  std::vector<Place> places;
  for (const Space space : all_spaces) {
    Place place{space, 0, 1, {}};
    for (const DispatchRecord& done : records) {
      if (done.chosen != space) continue;
      ++place.calls;
      place.threads = std::max(place.threads, done.threads);
      const std::string why = reason_text(done.why);
      if (std::find(place.reasons.begin(), place.reasons.end(), why) == place.reasons.end())
        place.reasons.push_back(why);
    }
    if (place.calls > 0) places.push_back(place);
  }
  std::string text;
  for (const Place& place : places) {
    const std::string calls = places.size() == 1 ? ""
                                                 : fmt::format("{} {}, ", place.calls,
                                                               place.calls == 1 ? "call" : "calls");
    text +=
        fmt::format("{}{} ({}{})", text.empty() ? " on " : " and ",
                    place_text(place.space, place.threads), calls, fmt::join(place.reasons, "; "));
  }
  return text;
}

/// \throws SpaceUnavailable; if the library in use has no CUDA, with the reason for its choice
std::unique_ptr<Context> make_context(const ContextOptions& options, const LoadedLibrary& library) {
  if (library.is_for_hosts() && (options.space == Space::cuda || options.device))
    throw SpaceUnavailable("no GPU can be used: " + library.why);
  return std::make_unique<Context>(options);
}

}  // namespace

std::string concurrency_text(const SpaceInfo& info) {
  if (info.space == Space::cuda) return fmt::format("{} SMs", info.concurrency);
  return fmt::format("{} {}", info.concurrency, info.concurrency == 1 ? "thread" : "threads");
}

Session::Timer::Timer(Session& session, Phase phase)
    : m_session(session), m_phase(phase), m_begin(std::chrono::steady_clock::now()) {
  if (m_session.m_clock) m_session.m_clock->begin(phase_clocks[static_cast<std::size_t>(phase)]);
  if (m_session.m_trace) {
    m_span = std::make_unique<Trace::Span>(
        m_session.m_trace->span(phase_names[static_cast<std::size_t>(phase)]));
  }
}

Session::Timer::~Timer() {
  if (m_session.m_clock) m_session.m_clock->end();
  m_session.m_seconds[static_cast<std::size_t>(m_phase)] +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
}

Session::Session(const GlobalOptions& options, std::string command, bool load_profile)
    : m_options(options),
      m_command(std::move(command)),
      m_report(report_head("kindred " + m_command, options)) {
  check_writable("--trace", m_options.trace);
  check_writable("--report", m_options.report);
  ContextOptions context;
  if (m_options.threads > 0) context.threads = m_options.threads;
  context.device = m_options.device;
  context.space = m_options.space;
  context.load_profile = load_profile;
  context.log = Log::library;
  context.on_dispatch = [this](const DispatchRecord& done) { record(done); };
  m_context = make_context(context, m_options.library);
  if (!m_options.trace.empty()) m_trace = std::make_unique<Trace>();
  if (!m_options.report.empty()) m_kernels = std::make_unique<KernelProfile>();
  if (!m_options.quiet && ::isatty(STDERR_FILENO) != 0) m_clock = std::make_unique<PhaseClock>();
}

Session::~Session() = default;

ReadProgress Session::read_progress(const std::string& path) const {
  auto progress = std::make_shared<Progress>("reading " + path, !m_options.quiet, "B");
  return [progress](std::uint64_t done, std::uint64_t all) { progress->update(done, all); };
}

void Session::record(const DispatchRecord& done) {
  const std::lock_guard lock(m_mutex);
  if (!m_is_recording) return;
  m_report.decisions.push_back(done);
  if (m_options.explain) Log::line(to_json(done));
  if (m_trace) m_trace->add(done);
}

void Session::add_to_report(std::string name, std::string value) {
  m_report.run.emplace_back(std::move(name), std::move(value));
}
void Session::add_to_report(std::string name, std::uint64_t value) {
  add_to_report(std::move(name), std::to_string(value));
}

ReportInput input_of(std::string name, const std::string& path, std::string contents) {
  if (path == "-") return {std::move(name), "standard input", std::move(contents), {}};
  ReportInput input{std::move(name), path, std::move(contents), {}};
  std::error_code failed;
  if (const std::uintmax_t bytes = std::filesystem::file_size(path, failed); !failed)
    input.bytes = bytes;
  return input;
}

ReportData report_head(std::string title, const GlobalOptions& options) {
  std::vector<std::string> arguments = options.command_line;
  if (!arguments.empty()) arguments.front() = "kindred";
  ReportData data;
  data.title = std::move(title);
  data.command = shell_text(arguments);
  data.date = date_text();
  data.version = version_and_commit();
  return data;
}

void Session::add_input(std::string name, const std::string& path, std::string contents) {
  m_report.inputs.push_back(input_of(std::move(name), path, std::move(contents)));
}

void Session::end_recording() {
  const std::lock_guard lock(m_mutex);
  m_is_recording = false;
  if (m_trace) m_trace->write(m_options.trace);
  m_trace.reset();
  if (!m_kernels) return;
  for (const KernelTime& kernel : m_kernels->kernels())
    m_report.kernels.push_back(
        {kernel.label, kernel.device ? "cuda" : "host", kernel.count, kernel.seconds});
  m_kernels.reset();
}

std::string Session::times_text() const {
  std::string text;
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    if (m_seconds[phase] <= 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", phase_words[phase],
                        duration_text(m_seconds[phase]));
    if (phase == static_cast<std::size_t>(Phase::compute)) text += places_text(m_report.decisions);
  }
  return text;
}

void Session::write_report() {
  ReportData& data = m_report;
  data.ran = times_text();
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    if (m_seconds[phase] > 0) data.phases.emplace_back(phase_words[phase], m_seconds[phase]);
  }
  for (const SpaceInfo& info : m_context->spaces()) {
    if (info.usable && (info.space == Space::serial || info.space == Space::cuda))
      data.machine += (data.machine.empty() ? "" : ", ") + info.device;
    data.environment.emplace_back(
        to_string(info.space),
        info.usable ? fmt::format("{}, {}", info.device, concurrency_text(info)) : info.why_not);
  }
  data.machine += ", " + place_text(Space::openmp, m_context->threads());
  Tools::write_report(m_options.report, data);
}

void Session::finish() {
  if (const std::string times = times_text(); !times.empty())
    Log::info(fmt::format("{}: {}", m_command, times));
  if (m_trace) m_trace->write(m_options.trace);
  if (!reports()) return;
  end_recording();
  write_report();
}

}  // namespace Kindred::Tools
