// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_LINE_READER_HPP
#define KINDRED_TOOLS_IO_LINE_READER_HPP

#include "io/InputBytes.hpp"
#include "program/Errors.hpp"

#include <functional>
#include <optional>

namespace Kindred::Tools {

/// Called occasionally while a file is read: bytes so far and in total (0 if unknown).
using ReadProgress = std::function<void(std::uint64_t, std::uint64_t)>;

/// \brief Reads the lines of a file or of standard input through a buffer.
///
/// Lines end with `\n` or `\r\n`; the last line may have no end. A byte order mark at the beginning
/// is skipped. `-` is standard input; then the reader waits for no more input than the next line
/// needs. Data compressed by gzip or zstd is decompressed; data in another format is refused.
class LineReader {
 public:
  /// \throws InputError if \p path cannot be read
  explicit LineReader(const std::string& path, ReadProgress progress = {});

  /// The next line without its end, valid until the next call; empty optional at the end of the
  /// file.
  std::optional<std::string_view> next();
  /// The end of the line that `next` returned last: `\n`, `\r\n`, or nothing at the end of the
  /// file.
  std::string_view line_end() const noexcept { return m_line_end; }
  /// Whether `next` can return a whole line without reading.
  bool buffered() const noexcept;

  /// The path, or `<stdin>`.
  const std::string& name() const noexcept { return m_name; }
  /// Number of the line that `next` returned last, from 1; 0 before the first call.
  std::uint64_t line() const noexcept { return m_line; }
  /// Bytes of the file after the line returned last; empty if the size is unknown, as that of
  /// decompressed data is.
  std::optional<std::uint64_t> bytes_left() const noexcept;

  /// Throws `BadLine` with the file and the last line. \see line
  [[noreturn]] void fail(const std::string& why) const;
  /// Runs \p body, whose `RecordError` is thrown as `fail` does.
  template <class Body>
  decltype(auto) located(const Body& body) const {
    try {
      return body();
    } catch (const RecordError& error) {
      fail(error.what());
    }
  }

 private:
  bool fill();

  std::string m_name;
  InputBytes m_bytes;
  ReadProgress m_progress;
  std::vector<char> m_buffer;
  std::size_t m_begin = 0;    // of data not returned yet
  std::size_t m_end = 0;      // of data read
  std::size_t m_scanned = 0;  // [m_begin, m_scanned) contains no end of line
  std::uint64_t m_line = 0;
  std::string_view m_line_end;
  bool m_at_end = false;
  bool m_checked = false;  // that the input is text
};

/// \p text with lower-case letters of ASCII.
std::string lower_case(std::string_view text);

/// The parts of \p line between runs of \p separators, in \p out, which is returned.
const std::vector<std::string_view>& split_words(std::string_view line, std::string_view separators,
                                                 std::vector<std::string_view>& out);
inline std::vector<std::string_view> words(std::string_view line, std::string_view separators) {
  std::vector<std::string_view> out;
  return split_words(line, separators, out);
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_LINE_READER_HPP
