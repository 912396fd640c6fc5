// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SEQUENCES_HPP
#define KINDRED_TOOLS_IO_SEQUENCES_HPP

#include "io/Encoder.hpp"
#include "io/LineReader.hpp"
#include "io/NameTable.hpp"

#include <kindred/core/common/Ragged.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// \brief Sequences of symbols with their names, a row a line.
struct Sequences {
  Ragged<Symbol> symbols;
  NameTable names;

  std::size_t size() const noexcept { return names.size(); }
  void clear();
};

/// \brief Takes the events of records while they are read.
class EventSink {
 public:
  virtual ~EventSink() = default;
  /// A string of the event that is open. \param symbol its number as a token
  virtual void append(std::string_view text, Symbol symbol) = 0;
  virtual void end_event() = 0;
  /// \param frequency of a pattern; 1 where the record has none
  virtual void end_record(std::uint32_t frequency) = 0;
};

/// How a file holds sequences.
enum class SequenceForm : std::uint8_t {
  json,  ///< a line `{"name": "…", "events": [["a", "b"], ["c"]]}` or `{"name": "…", "tokens":
         ///< ["a", "b"]}`
  lines  ///< a line is the text itself, without a name
};

/// \brief Reads sequences line by line.
class SequenceReader {
 public:
  /// \throws InputError when \p path cannot be read
  SequenceReader(const std::string& path, SequenceForm form, Encoder& encoder, Learning learning,
                 ReadProgress progress = {});
  ~SequenceReader();
  SequenceReader(const SequenceReader&) = delete;
  SequenceReader& operator=(const SequenceReader&) = delete;

  /// \brief Tells \p sink of the events of the JSON records from here on, and takes the field
  /// "frequency" of patterns into account.
  /// \param sink outlives this
  void keep_events(EventSink& sink);
  /// Appends the sequence of the next line; false at the end. \throws InputError with file and line
  bool next(Sequences& out);
  /// Refuses the record that `next` read last. \throws InputError with file and line, always
  [[noreturn]] void fail(const std::string& why) const;
  /// Whether `next` need not wait for input.
  bool buffered() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SEQUENCES_HPP
