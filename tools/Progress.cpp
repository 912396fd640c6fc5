// SPDX-License-Identifier: Apache-2.0
#include "Progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace Kindred::Tools {

Progress::Progress(std::string what, bool shown)
    : m_what(std::move(what)),
      m_shown(shown && ::isatty(STDERR_FILENO) != 0),
      m_last(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (m_drawn) std::fputs("\r\x1b[K", stderr);
}

bool Progress::due() {
  constexpr std::chrono::milliseconds interval(100);
  if (!m_shown) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - m_last < interval) return false;
  m_last = now;
  m_drawn = true;
  return true;
}

void Progress::update(std::uint64_t done, std::uint64_t all) {
  if (!due()) return;
  if (all == 0) {
    fmt::print(stderr, "\r\x1b[K{} {}", m_what, done);
    return;
  }
  constexpr std::size_t width = 30;
  const double part = static_cast<double>(done) / static_cast<double>(all);
  const auto full = static_cast<std::size_t>(part * width);
  fmt::print(stderr, "\r\x1b[K{} [{:#<{}}{:{}}] {:3.0f} %", m_what, "", full, "", width - full,
             100 * part);
}

void Progress::update(const std::string& text) {
  if (due()) fmt::print(stderr, "\r\x1b[K{} {}", m_what, text);
}

}  // namespace Kindred::Tools
