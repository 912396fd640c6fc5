// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_STATUS_LINE_HPP
#define KINDRED_TOOLS_PROGRAM_STATUS_LINE_HPP

#include <chrono>
#include <mutex>
#include <string>

/// \brief The line of a terminal on which progress is shown, one for the process. Thread-safe.
namespace Kindred::Tools::StatusLine {

/// Replaces the line by \p text, which is cut to the width of the terminal.
void show(const std::string& text);
/// Removes the line, if there is one.
void erase();
/// Time since the last `show`; very long if there was none.
std::chrono::steady_clock::duration age();

/// \brief While other text is written to the terminal: removes the line, and shows it again at the
/// end. Calls of other threads wait.
class Hidden {
 public:
  Hidden();
  ~Hidden();
  Hidden(const Hidden&) = delete;
  Hidden& operator=(const Hidden&) = delete;

 private:
  std::lock_guard<std::mutex> m_lock;
};

}  // namespace Kindred::Tools::StatusLine

#endif  // KINDRED_TOOLS_PROGRAM_STATUS_LINE_HPP
