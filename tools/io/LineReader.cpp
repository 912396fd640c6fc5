// SPDX-License-Identifier: Apache-2.0
#include "io/LineReader.hpp"

#include "io/InputKind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace Kindred::Tools {

namespace {
constexpr std::uint64_t buffer_bytes = 1U << 20U;
}

LineReader::LineReader(const std::string& path, ReadProgress progress)
    : m_name(path == "-" ? "<stdin>" : path), m_bytes(path), m_progress(std::move(progress)) {
  // One byte more than a small file has, so that its end is detected without growing the buffer.
  const std::uint64_t size = m_bytes.file_size();
  m_buffer.resize(size == 0 ? buffer_bytes : std::min(buffer_bytes, size + 1));
}

bool LineReader::buffered() const noexcept {
  return m_at_end ? m_begin < m_end
                  : std::memchr(m_buffer.data() + m_begin, '\n', m_end - m_begin) != nullptr;
}

std::optional<std::uint64_t> LineReader::bytes_left() const noexcept {
  const std::uint64_t size = m_bytes.file_size();
  const std::uint64_t returned = m_bytes.file_bytes() - (m_end - m_begin);
  if (size == 0 || m_bytes.compressed() || returned > size) return {};
  return size - returned;
}

void LineReader::fail(const std::string& why) const { throw BadLine(m_name, m_line, why); }

bool LineReader::fill() {
  if (m_begin > 0) {
    std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
    m_end -= m_begin;
    m_scanned -= m_begin;
    m_begin = 0;
  }
  if (m_end == m_buffer.size()) m_buffer.resize(2 * m_buffer.size());
  // A small file may contain much compressed data.
  if (m_bytes.compressed() && m_buffer.size() < buffer_bytes) m_buffer.resize(buffer_bytes);
  std::size_t count = 0;
  try {
    count = m_bytes.read(m_buffer.data() + m_end, m_buffer.size() - m_end);
  } catch (const RecordError& error) {
    throw InputError(
        fmt::format("{}: cannot be read after line {}: {}", m_name, m_line, error.what()));
  }
  m_end += count;
  if (!m_checked) check_text(m_name, {m_buffer.data(), m_end});
  m_checked = true;
  if (m_progress) m_progress(m_bytes.file_bytes(), m_bytes.file_size());
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
    const bool windows = end != nullptr && !line.empty() && line.back() == '\r';
    if (windows) line.remove_suffix(1);
    m_line_end = end == nullptr ? "" : windows ? "\r\n" : "\n";
    return line;
  }
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

const std::vector<std::string_view>& split_words(std::string_view line, std::string_view separators,
                                                 std::vector<std::string_view>& out) {
  out.clear();
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(separators), line.size()));
    if (line.empty()) return out;
    const auto end = std::min(line.find_first_of(separators), line.size());
    out.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

}  // namespace Kindred::Tools
