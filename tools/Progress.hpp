// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRESS_HPP
#define KINDRED_TOOLS_PROGRESS_HPP

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace Kindred::Tools {

/// A time for people: `113 µs`, `3 ms`, `2.1 s`, `3 min 12 s` or `2 h 5 min`.
std::string duration_text(double seconds);

/// A number of units per second for people: `1.2 GB/s` for the unit `B`, otherwise `3.4 M rows/s`.
std::string rate_text(double per_second, std::string_view unit);

/// \brief Shows how much of a phase is done, its rate and the time left, if stderr is a terminal.
/// The line is erased at the end.
class Progress {
 public:
  /// \param what what is being done, such as `reading x.npy`
  /// \param shown false: nothing is shown
  /// \param unit what is counted: `B`, `rows`, `queries` or other
  Progress(std::string what, bool shown, std::string unit = "");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// \param done units that are finished
  /// \param all total; 0 if unknown
  void update(std::uint64_t done, std::uint64_t all);
  void update(const std::string& text);

 private:
  bool due();

  std::string m_what;
  bool m_shown;
  std::string m_unit;
  bool m_drawn = false;
  std::chrono::steady_clock::time_point m_begin;
  std::chrono::steady_clock::time_point m_last;
};

/// The text of a progress line: part, rate and time left. \param all total; 0 if unknown
std::string progress_text(const std::string& what, std::uint64_t done, std::uint64_t all,
                          double seconds, const std::string& unit);

/// \brief Shows how long a phase has taken while nothing else shows its progress.
class PhaseClock {
 public:
  PhaseClock();
  ~PhaseClock();
  PhaseClock(const PhaseClock&) = delete;
  PhaseClock& operator=(const PhaseClock&) = delete;

  void begin(const char* what);
  void end();

 private:
  void run();

  std::mutex m_mutex;
  std::condition_variable m_changed;
  const char* m_what = nullptr;  // null: no phase
  bool m_drawn = false;
  bool m_stop = false;
  std::chrono::steady_clock::time_point m_begin;
  std::thread m_thread;
};

/// \brief Runs \p body and shows how long it has taken, if that is long and stderr is a terminal.
/// \param what what it does, such as `checking x.knd`
/// \param shown false: nothing is shown
template <class Body>
decltype(auto) with_clock(const std::string& what, bool shown, const Body& body) {
  std::optional<PhaseClock> clock;
  if (shown && ::isatty(STDERR_FILENO) != 0) clock.emplace().begin(what.c_str());
  return body();
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRESS_HPP
