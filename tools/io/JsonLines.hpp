// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_JSON_LINES_HPP
#define KINDRED_TOOLS_IO_JSON_LINES_HPP

#include "io/LineReader.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// What the parser of JSON says in an exception, without its prefix.
std::string_view json_reason(std::string_view what) noexcept;

/// \brief A value that is no array and no object.
struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, integer, real, string };
  Kind kind = Kind::null;
  std::string_view text{};      ///< of a string; of a real number as it was written
  double real = 0;              ///< of an integer or a real number
  std::uint64_t magnitude = 0;  ///< of an integer
  bool negative = false;        ///< an integer below 0

  /// As a message shows it.
  std::string shown() const;
};

/// \brief What a line of JSON is read into: told of the fields of its object one by one.
///
/// Fields of other names are skipped. Whatever is wrong is thrown as `RecordError`.
class JsonRecord {
 public:
  virtual ~JsonRecord() = default;
  virtual void begin() = 0;
  /// Whether the values of \p key are wanted.
  virtual bool field(std::string_view key) = 0;
  virtual void begin_array() = 0;
  virtual void end_array() = 0;
  virtual void value(const JsonValue& value) = 0;
  virtual void end() = 0;
};

/// \brief A file of one JSON object a line. No field nests deeper than 64.
class JsonLines {
 public:
  /// \throws InputError when \p path cannot be read
  explicit JsonLines(const std::string& path, ReadProgress progress = {});

  /// \brief Reads the next line into \p record; false at the end of the file.
  /// \throws InputError with file and line for an empty line, for what is not JSON (UTF-8 and the
  /// range of numbers included) or no object, and for what \p record refuses
  bool next(JsonRecord& record);

  LineReader& lines() noexcept { return m_lines; }

 private:
  LineReader m_lines;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_JSON_LINES_HPP
