// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_JSON_LINES_HPP
#define KINDRED_TOOLS_IO_JSON_LINES_HPP

#include "io/LineReader.hpp"

#include <utility>

namespace Kindred::Tools {

/// The message of a JSON parser exception without its prefix.
std::string_view json_reason(std::string_view what) noexcept;

enum class JsonKind : std::uint8_t { null, boolean, integer, real, string, array };

/// \brief A JSON value that is no object. The values in an array follow it in memory.
struct JsonValue {
  /// The values of an array, without those of arrays in it.
  class Iterator {
   public:
    explicit Iterator(const JsonValue* value) : m_value(value) {}
    const JsonValue& operator*() const noexcept { return *m_value; }
    Iterator& operator++() noexcept {
      m_value += 1 + m_value->inside;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const JsonValue* m_value;
  };
  Iterator begin() const noexcept { return Iterator(this + 1); }
  Iterator end() const noexcept { return Iterator(this + 1 + inside); }

  bool is_number() const noexcept { return kind == JsonKind::integer || kind == JsonKind::real; }
  /// Whether the value is a whole number in [0, \p most].
  bool is_count(std::uint64_t most) const noexcept {
    return kind == JsonKind::integer && !negative && magnitude <= most;
  }
  /// Formats the value for a message.
  std::string shown() const;

  JsonKind kind = JsonKind::null;
  bool negative = false;        ///< the integer is negative
  std::string_view text{};      ///< value of a string; a real number as it was written
  double real = 0;              ///< value of an integer or a real number
  std::uint64_t magnitude = 0;  ///< absolute value of an integer
  std::size_t inside = 0;       ///< number of values in an array and in the arrays in it
};

/// \brief The fields of the JSON object on a line, in their order.
class JsonRecord {
 public:
  /// Names of the fields, and their places among the values.
  const std::vector<std::pair<std::string_view, std::size_t>>& fields() const { return m_fields; }
  const JsonValue& operator[](std::size_t place) const { return m_values[place]; }

  /// The value of a field; null without it. \throws RecordError if it is given twice
  const JsonValue* find(std::string_view field) const;
  /// The same. \throws RecordError also without it
  const JsonValue& at(std::string_view field) const;
  /// The string "name", if there is one. \throws RecordError for other values
  std::optional<std::string_view> name() const;

 private:
  friend class JsonSax;

  std::vector<std::pair<std::string_view, std::size_t>> m_fields;
  std::vector<JsonValue> m_values;
  std::string m_texts;  // of the values and fields, at most as long as the line
};

/// Whether to keep a field; others are skipped. May throw `RecordError`.
using FieldFilter = std::function<bool(std::string_view)>;

/// \brief A file with one JSON object per line. Fields must not be nested deeper than 64 levels.
class JsonLines {
 public:
  /// \throws InputError if \p path cannot be read
  JsonLines(const std::string& path, FieldFilter keeps, ReadProgress progress = {});

  /// \brief Passes the next line to \p read; returns false at the end of the file.
  /// \throws InputError with file and line for an empty line, for invalid JSON (including invalid
  /// UTF-8 and numbers out of range), for anything but an object, for an object in a field that is
  /// kept, and for what \p read rejects by `RecordError`
  bool next(const std::function<void(const JsonRecord&)>& read);

  const LineReader& lines() const noexcept { return m_lines; }

 private:
  LineReader m_lines;
  FieldFilter m_keeps;
  JsonRecord m_record;
};

/// Passes every line of a file to \p read, with these \p fields. Parameters as of `JsonLines`.
void read_json_lines(const std::string& path, const std::vector<std::string_view>& fields,
                     const ReadProgress& progress,
                     const std::function<void(const JsonRecord&)>& read);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_JSON_LINES_HPP
