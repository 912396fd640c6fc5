// SPDX-License-Identifier: Apache-2.0
#include "program/Output.hpp"

#include "program/StatusLine.hpp"

#include <kindred/core/common/Error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

namespace Kindred::Tools {

void Output::flush_if_large() {
  constexpr std::size_t large = 1U << 20U;
  if (m_text.size() >= large) flush();
}

void Output::flush() {
  std::optional<StatusLine::Hidden> hidden;
  if (!m_text.empty() && ::isatty(STDOUT_FILENO) != 0) hidden.emplace();
  std::size_t done = 0;
  while (done < m_text.size()) {
    const ssize_t count = ::write(STDOUT_FILENO, m_text.data() + done, m_text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw Error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
    done += static_cast<std::size_t>(count);
  }
  m_text.clear();
}

void print(std::string text) {
  Output output;
  output.text() = std::move(text);
  output.flush();
}

}  // namespace Kindred::Tools
