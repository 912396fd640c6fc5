// SPDX-License-Identifier: Apache-2.0
#include "io/LineReader.hpp"

#include "io/Errors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace Kindred::Tools {

namespace {
constexpr std::uint64_t buffer_bytes = 1U << 20U;
}

LineReader::LineReader(std::string path, ReadProgress progress)
    : m_name(std::move(path)), m_progress(std::move(progress)) {
  if (m_name == "-") {
    m_name = "<stdin>";
    m_file = STDIN_FILENO;
    m_buffer.resize(buffer_bytes);
    return;
  }
  m_file = ::open(m_name.c_str(), O_RDONLY | O_CLOEXEC);
  if (m_file < 0) throw InputError(fmt::format("{}: {}", m_name, std::strerror(errno)));
  struct stat status {};
  if (::fstat(m_file, &status) == 0 && S_ISREG(status.st_mode))
    m_size = static_cast<std::uint64_t>(status.st_size);
  // One byte more than a small file has, so that its end is detected without growing the buffer.
  m_buffer.resize(m_size == 0 ? buffer_bytes : std::min(buffer_bytes, m_size + 1));
}

LineReader::~LineReader() {
  if (m_file > STDIN_FILENO) ::close(m_file);
}

bool LineReader::buffered() const noexcept {
  return m_at_end ? m_begin < m_end
                  : std::memchr(m_buffer.data() + m_begin, '\n', m_end - m_begin) != nullptr;
}

std::optional<std::uint64_t> LineReader::bytes_left() const noexcept {
  const std::uint64_t returned = m_read - (m_end - m_begin);
  if (m_size == 0 || returned > m_size) return {};
  return m_size - returned;
}

void LineReader::fail(const std::string& why) const {
  throw InputError(fmt::format("{}:{}: {}", m_name, m_line, why));
}

bool LineReader::fill() {
  if (m_begin > 0) {
    std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
    m_end -= m_begin;
    m_scanned -= m_begin;
    m_begin = 0;
  }
  if (m_end == m_buffer.size()) m_buffer.resize(2 * m_buffer.size());
  ssize_t count = 0;
  do {
    count = ::read(m_file, m_buffer.data() + m_end, m_buffer.size() - m_end);
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    throw InputError(
        fmt::format("{}: cannot be read after line {}: {}", m_name, m_line, std::strerror(errno)));
  }
  m_end += static_cast<std::size_t>(count);
  m_read += static_cast<std::uint64_t>(count);
  if (m_progress) m_progress(m_read, m_size);
  return count > 0;
}

std::optional<std::string_view> LineReader::next() {
  while (true) {
    const char* const from = m_buffer.data() + m_scanned;
    const auto* end = static_cast<const char*>(std::memchr(from, '\n', m_end - m_scanned));
    if (end == nullptr && !m_at_end) {
      m_scanned = m_end;
      m_at_end = !fill();
      continue;
    }
    if (end == nullptr && m_begin == m_end) return {};
    const char* const begin = m_buffer.data() + m_begin;
    const char* const last = end == nullptr ? m_buffer.data() + m_end : end;
    std::string_view line(begin, static_cast<std::size_t>(last - begin));
    m_begin += line.size() + (end == nullptr ? 0 : 1);
    m_scanned = m_begin;
    ++m_line;
    if (m_line == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (end != nullptr && !line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }
}

}  // namespace Kindred::Tools
