// SPDX-License-Identifier: Apache-2.0
#include "Progress.hpp"

#include "program/StatusLine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

namespace Kindred::Tools {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 0.9995e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string rate_text(double per_second, std::string_view unit) {
  double scaled = per_second;
  std::string_view prefix;
  for (const auto& [size, name] : {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")}) {
    if (per_second < size) continue;
    scaled = per_second / size;
    prefix = name;
    break;
  }
  const int digits = scaled < 10 ? 1 : 0;
  const bool spaced = unit != "B" && !prefix.empty();
  return fmt::format("{:.{}f} {}{}{}/s", scaled, digits, prefix, spaced ? " " : "", unit);
}

Progress::Progress(std::string what, bool shown, std::string unit)
    : m_what(std::move(what)),
      m_shown(shown && ::isatty(STDERR_FILENO) != 0),
      m_unit(std::move(unit)),
      m_begin(Clock::now()),
      m_last(m_begin) {}

Progress::~Progress() {
  if (m_drawn) StatusLine::erase();
}

bool Progress::due() {
  constexpr std::chrono::milliseconds interval(100);
  if (!m_shown) return false;
  const auto now = Clock::now();
  if (now - m_last < interval) return false;
  m_last = now;
  m_drawn = true;
  return true;
}

void Progress::update(std::uint64_t done, std::uint64_t all) {
  if (due()) StatusLine::show(progress_text(m_what, done, all, seconds_since(m_begin), m_unit));
}

void Progress::update(const std::string& text) {
  if (due()) StatusLine::show(m_what + " " + text);
}

std::string progress_text(const std::string& what, std::uint64_t done, std::uint64_t all,
                          double seconds, const std::string& unit) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const std::string speed = unit.empty() || done == 0 ? "" : ", " + rate_text(rate, unit);
  if (all == 0) return fmt::format("{} {}{}", what, done, speed);
  constexpr std::size_t width = 24;
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  const auto full = static_cast<std::size_t>(part * width);
  const std::string left =
      done == 0 || done >= all
          ? ""
          : fmt::format(", {} left", duration_text(static_cast<double>(all - done) / rate));
  return fmt::format("{} [{:#<{}}{:{}}] {:3.0f} %{}{}", what, "", full, "", width - full,
                     100 * part, speed, left);
}

PhaseClock::PhaseClock() {
  try {
    m_thread = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return;  // nothing is shown
  }
}

PhaseClock::~PhaseClock() {
  {
    const std::lock_guard lock(m_mutex);
    m_stop = true;
  }
  m_changed.notify_one();
  if (m_thread.joinable()) m_thread.join();
  if (m_drawn) StatusLine::erase();
}

void PhaseClock::begin(const char* what) {
  const std::lock_guard lock(m_mutex);
  m_what = what;
  m_begin = Clock::now();
}

void PhaseClock::end() {
  const std::lock_guard lock(m_mutex);
  m_what = nullptr;
  if (std::exchange(m_drawn, false)) StatusLine::erase();
}

void PhaseClock::run() {
  constexpr std::chrono::seconds quiet(1);  // after which the clock is shown
  constexpr std::chrono::milliseconds interval(250);
  std::unique_lock lock(m_mutex);
  while (!m_changed.wait_for(lock, interval, [this] { return m_stop; })) {
    if (m_what == nullptr || Clock::now() - m_begin < quiet) continue;
    if (!m_drawn && StatusLine::age() < quiet) continue;
    StatusLine::show(fmt::format("{}, {}", m_what, duration_text(seconds_since(m_begin))));
    m_drawn = true;
  }
}

}  // namespace Kindred::Tools
