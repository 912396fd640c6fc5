// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_JSON_LINES_HPP
#define KINDRED_TOOLS_IO_JSON_LINES_HPP

#include "io/LineReader.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// The message of a JSON parser exception without its prefix.
std::string_view json_reason(std::string_view what) noexcept;

/// \brief A scalar JSON value: neither an array nor an object.
struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, integer, real, string };
  Kind kind = Kind::null;
  std::string_view text{};      ///< value of a string; a real number as it was written
  double real = 0;              ///< value of an integer or a real number
  std::uint64_t magnitude = 0;  ///< absolute value of an integer
  bool negative = false;        ///< the integer is negative

  /// Formats the value for a message.
  std::string shown() const;
};

/// \brief Receives the fields of the JSON object on a line one by one.
///
/// Fields that `field` does not accept are skipped. Errors are thrown as `RecordError`.
class JsonRecord {
 public:
  virtual ~JsonRecord() = default;
  virtual void begin() = 0;
  /// Whether to receive the values of \p key.
  virtual bool field(std::string_view key) = 0;
  virtual void begin_array() = 0;
  virtual void end_array() = 0;
  virtual void value(const JsonValue& value) = 0;
  virtual void end() = 0;
};

/// \brief A file with one JSON object per line. Fields must not be nested deeper than 64 levels.
class JsonLines {
 public:
  /// \throws InputError if \p path cannot be read
  explicit JsonLines(const std::string& path, ReadProgress progress = {});

  /// \brief Reads the next line into \p record; returns false at the end of the file.
  /// \throws InputError with file and line for an empty line, for invalid JSON (including invalid
  /// UTF-8 and numbers out of range), for anything but an object, and for what \p record rejects
  bool next(JsonRecord& record);

  LineReader& lines() noexcept { return m_lines; }

 private:
  LineReader m_lines;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_JSON_LINES_HPP
