// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_ROW_WRITER_HPP
#define KINDRED_TOOLS_IO_ROW_WRITER_HPP

#include <kindred/core/common/Names.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred {
namespace Tools {

/// Format of results on standard output.
enum class OutputFormat : std::uint8_t {
  json,  ///< JSON lines
  csv,   ///< RFC 4180 with a header row; records end with `\n`
  tsv,   ///< the same with tabs
  table  ///< columns of equal width, for reading
};

}  // namespace Tools

template <>
inline constexpr auto enum_names<Tools::OutputFormat> =
    std::to_array<std::string_view>({"json", "csv", "tsv", "table"});

namespace Tools {

/// \brief Writes results as rows of named columns: CSV, TSV or a table.
///
/// The header precedes the first row. The rows of a table are kept until `finish`, because the
/// width of a column depends on all of them.
class RowWriter {
 public:
  /// \param format not `OutputFormat::json`
  /// \param out what is written is appended to it; must outlive this object
  RowWriter(OutputFormat format, std::vector<std::string> columns, std::string& out);

  /// Each adds the next cell of the current row. \param text valid UTF-8
  void text(std::string_view text);
  void number(std::uint64_t number);
  /// The number as in JSON; in a table with four decimals.
  template <std::floating_point Float>
  void number(Float number);
  void empty();
  /// Ends the row; missing cells are empty.
  void end_row();

  /// Writes what was not written yet; once, after all rows.
  void finish();

 private:
  struct Cell {
    std::string text;
    bool right = false;  ///< is aligned to the right
  };

  void cell(std::string text, bool right);
  void append_record(const std::vector<std::string_view>& fields);
  void write_header();
  void write_table();

  OutputFormat m_format;
  std::vector<std::string> m_columns;
  std::string& m_out;
  std::vector<Cell> m_cells;  // of the current row; of a table: of all rows
  std::size_t m_in_row = 0;   // cells in the current row
  bool m_began = false;       // the header was written
};

}  // namespace Tools
}  // namespace Kindred

#endif  // KINDRED_TOOLS_IO_ROW_WRITER_HPP
