// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SEQUENCE_READER_HPP
#define KINDRED_TOOLS_IO_SEQUENCE_READER_HPP

#include "io/LineReader.hpp"
#include "io/NameTable.hpp"
#include "io/SymbolEncoder.hpp"

#include <kindred/core/common/Ragged.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// \brief Sequences of symbols with their names, one row per line.
struct Sequences {
  Ragged<Symbol> symbols;
  NameTable names;

  std::size_t size() const noexcept { return names.size(); }
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
  lines  ///< each line is a text without a name
};

/// \brief Reads sequences line by line.
class SequenceReader {
 public:
  /// \throws InputError if \p path cannot be read
  SequenceReader(const std::string& path, SequenceForm form, SymbolEncoder& encoder,
                 Learning learning, ReadProgress progress = {});
  ~SequenceReader();
  SequenceReader(const SequenceReader&) = delete;
  SequenceReader& operator=(const SequenceReader&) = delete;

  /// \brief Passes the events of the following JSON records to \p sink, and reads the field
  /// "frequency" of patterns.
  /// \param sink must outlive this object
  void keep_events(EventSink& sink);
  /// Appends the sequence of the next line; returns false at the end. \throws InputError with file
  /// and line
  bool next(Sequences& out);
  /// Rejects the record that `next` read last. \throws InputError with file and line, always
  [[noreturn]] void fail(const std::string& why) const;
  /// Whether `next` can return without waiting for input.
  bool buffered() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SEQUENCE_READER_HPP
