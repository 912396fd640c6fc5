// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SEQUENCES_HPP
#define KINDRED_TOOLS_IO_SEQUENCES_HPP

#include "io/Encoder.hpp"
#include "io/LineReader.hpp"
#include "io/NameTable.hpp"

#include <kindred/core/common/Ragged.hpp>

#include <memory>
#include <string>

namespace Kindred::Tools {

/// \brief Sequences of symbols with their names, a row a line.
struct Sequences {
  Ragged<Symbol> symbols;
  NameTable names;

  std::size_t size() const noexcept { return names.size(); }
  void clear();
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

  /// Appends the sequence of the next line; false at the end. \throws InputError with file and line
  bool next(Sequences& out);
  /// Whether `next` need not wait for input.
  bool buffered() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SEQUENCES_HPP
