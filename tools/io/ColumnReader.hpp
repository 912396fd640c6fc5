// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_COLUMN_READER_HPP
#define KINDRED_TOOLS_IO_COLUMN_READER_HPP

#include "io/LineReader.hpp"

namespace Kindred::Tools {

/// A column of a table in a text file.
struct Column {
  std::string name;      ///< or, if no column has this name, its number, from 1
  char separator = ',';  ///< of fields
};

/// The separator of the fields of \p path: a tab if its name ends with `.tsv` or `.tab`, also
/// before `.gz` or `.zst`; otherwise a comma.
char separator_of(std::string_view path) noexcept;

/// \brief Reads one column of a table in CSV or TSV (RFC 4180) whose first record names the
/// columns.
///
/// A field in quotes may contain separators, ends of lines, and quotes written twice. A field
/// without quotes contains neither quotes nor carriage returns. All records have the same number of
/// fields. An empty line is not a record, as in pandas and Python's `csv.DictReader`: in a table of
/// one column, an empty field is written `""`.
class ColumnReader {
 public:
  /// \throws InputError if \p path cannot be read
  ColumnReader(const std::string& path, Column column, ReadProgress progress = {});

  /// \brief The field of the next record, valid until the next call of `next` or `buffered`; empty
  /// optional at the end of the file.
  /// \throws BadLine with the first line of an invalid record; the next call continues after the
  /// line with the error. InputError without a header, or if it does not have the column once
  std::optional<std::string_view> next();
  /// Whether `next` can return without waiting for input.
  bool buffered();

  /// Throws `BadLine` with the file and the first line of the record returned last.
  [[noreturn]] void fail(const std::string& why) const;

 private:
  enum class Where : std::uint8_t { record, field, unquoted, quoted, quote };

  void take(std::string_view line);
  void take_fields(std::string_view line);
  void end_field();
  void end_record();
  void find_column();
  std::string field_in_message() const;

  LineReader m_lines;
  Column m_column;
  Where m_where = Where::record;  // state at the beginning of the next line
  std::string m_text;             // fields of the record, or of the header
  std::vector<std::size_t> m_ends;
  std::uint64_t m_first_line = 0;     // of the record
  std::uint64_t m_returned_line = 0;  // first line of the record returned last
  std::size_t m_fields = 0;           // of each record; 0 before the header
  std::size_t m_wanted = 0;           // index of the column
  bool m_ready = false;               // a record or an error is complete
  std::string m_error;                // of the complete record; empty if it is valid
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_COLUMN_READER_HPP
