// SPDX-License-Identifier: Apache-2.0
#include "program/StatusLine.hpp"

#include <kindred/core/common/Utf8.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

namespace Kindred::Tools::StatusLine {

namespace {

using Clock = std::chrono::steady_clock;

struct State {
  std::mutex mutex;
  std::string text;  ///< empty: no line
  Clock::time_point last{};
};

State& state() {
  static State shared;
  return shared;
}

void write(const std::string& text) {
  std::fputs(("\r\x1b[K" + text).c_str(), stderr);
  std::fflush(stderr);
}

/// \p text without the characters that would begin another line of the terminal.
std::string cut(const std::string& text) {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return text;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!Impl::continues_utf8_character(text[i]) && ++characters == size.ws_col)
      return text.substr(0, i);
  }
  return text;
}

}  // namespace

void show(const std::string& text) {
  const std::lock_guard lock(state().mutex);
  state().text = cut(text);
  state().last = Clock::now();
  write(state().text);
}

void erase() {
  const std::lock_guard lock(state().mutex);
  if (!state().text.empty()) write("");
  state().text.clear();
}

Clock::duration age() {
  const std::lock_guard lock(state().mutex);
  return Clock::now() - state().last;
}

Hidden::Hidden() : m_lock(state().mutex) {
  if (!state().text.empty()) write("");
}

Hidden::~Hidden() {
  if (!state().text.empty()) write(state().text);
}

}  // namespace Kindred::Tools::StatusLine
