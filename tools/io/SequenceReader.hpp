// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SEQUENCE_READER_HPP
#define KINDRED_TOOLS_IO_SEQUENCE_READER_HPP

#include "io/ColumnReader.hpp"
#include "io/JsonLines.hpp"
#include "io/NameTable.hpp"
#include "io/SymbolEncoder.hpp"

#include <kindred/core/common/Ragged.hpp>

namespace Kindred::Tools {

/// \brief A line that was skipped because it is invalid.
struct SkippedLine {
  std::size_t row = 0;  ///< its place among the sequences, which holds an empty one
  std::uint64_t line = 0;
  std::string why;
};

/// \brief Sequences of symbols with their names, one row per record.
struct Sequences {
  Ragged<Symbol> symbols;
  NameTable names;                   ///< of records in lines or a column: their texts
  std::vector<SkippedLine> skipped;  ///< by row

  std::size_t size() const noexcept { return names.size(); }
  /// The skipped line in place of \p row; null for a sequence.
  const SkippedLine* skipped_at(std::size_t row) const;
  void clear();
};

/// \brief Receives the events of records while they are read.
class EventSink {
 public:
  virtual ~EventSink() = default;
  /// Adds a string to the current event. \param symbol its token
  virtual void append(std::string_view text, Symbol symbol) = 0;
  virtual void end_event() = 0;
  /// \param frequency frequency of a pattern; 1 if the record has none
  virtual void end_record(std::uint32_t frequency) = 0;
};

/// File format of sequences.
enum class SequenceForm : std::uint8_t {
  json,  ///< one record per line: `{"name": "…", "events": [["a", "b"], ["c"]]}` or `{"name": "…",
         ///< "tokens": ["a", "b"]}`
  lines,  ///< each line is a text, which is also its name
  column  ///< each field of a column of a table is a text, which is also its name
};

/// \brief Reads sequences record by record.
class SequenceReader {
 public:
  /// \param column of the table, for `SequenceForm::column`
  /// \throws InputError if \p path cannot be read
  SequenceReader(const std::string& path, SequenceForm form, SymbolEncoder& encoder,
                 Learning learning, ReadProgress progress = {}, Column column = {});
  SequenceReader(const SequenceReader&) = delete;
  SequenceReader& operator=(const SequenceReader&) = delete;

  /// \brief Passes the events of the following JSON records to \p sink, and reads the field
  /// "frequency" of patterns.
  /// \param sink must outlive this object
  void keep_events(EventSink& sink) { m_sink = &sink; }
  /// Puts an empty sequence in place of each following invalid line instead of rejecting it.
  void skip_bad_lines() { m_skips_bad_lines = true; }
  /// \brief Appends the sequence of the next record; returns false at the end.
  /// \throws BadLine with file and line for an invalid record, part of which may have been
  /// appended; InputError if the file cannot be read
  bool next(Sequences& out);
  /// Rejects the record that `next` read last. \throws InputError with file and line, always
  [[noreturn]] void fail(const std::string& why) const;
  /// Whether `next` can return without waiting for input.
  bool buffered();
  /// The greatest number of strings in a JSON record so far.
  std::size_t strings_max() const noexcept { return m_strings_max; }

 private:
  bool keeps(std::string_view field) const;
  bool read(Sequences& out);
  void append(const JsonRecord& record, Sequences& out);
  std::size_t append_strings(const JsonValue& value, std::size_t depth, bool of_events,
                             std::size_t position, std::vector<Symbol>& out);

  SymbolEncoder& m_encoder;
  Learning m_learning;
  bool m_skips_bad_lines = false;
  EventSink* m_sink = nullptr;
  std::size_t m_strings_max = 0;  // over all records
  // One of them, by form.
  std::optional<JsonLines> m_json;
  std::optional<LineReader> m_lines;
  std::optional<ColumnReader> m_column;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SEQUENCE_READER_HPP
