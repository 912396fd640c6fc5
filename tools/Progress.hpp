// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRESS_HPP
#define KINDRED_TOOLS_PROGRESS_HPP

#include <chrono>
#include <cstdint>
#include <string>

namespace Kindred::Tools {

/// \brief A progress line on stderr, if stderr is a terminal. It is erased at the end.
class Progress {
 public:
  Progress(std::string what, bool shown);
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
  bool m_drawn = false;
  std::chrono::steady_clock::time_point m_last;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRESS_HPP
