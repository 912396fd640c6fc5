// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SEQUENCES_HPP
#define KINDRED_PYTHON_SEQUENCES_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Sequences.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "Arrays.hpp"

// Sequences of Python as symbols: the code points of a str, the bytes of bytes, the elements of an
// array of uint32, and numbers for the items of other sequences.
namespace Kindred::Python {

/// \brief Numbers for the hashable items of sequences, equal for equal items.
///
/// A str of one code point has that number, so that a list of characters equals their str.
class Alphabet {
 public:
  /// \throws InvalidType for an item that is not hashable
  Symbol number(nanobind::handle item, const char* name);

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(m_numbers.ptr());
    return 0;
  }
  void clear() { m_numbers = nanobind::dict(); }

 private:
  nanobind::dict m_numbers;
};

/// One sequence of the argument \p name, appended to \p out. \throws InvalidType, InvalidArgument
void append_sequence(nanobind::handle given, const char* name, Alphabet& alphabet,
                     std::vector<Symbol>& out);

/// \brief The symbols of a str, bytes or a bytearray where they lie, valid while the object lives
/// and the GIL is held; none for other objects, and in a build for several versions of Python for
/// str that is not ASCII.
std::optional<TextSpan> borrowed_text(nanobind::handle given);

/// \brief Several sequences of an argument: an object with `offsets` and `symbols`, whose arrays
/// are used in place, or a collection of sequences. A str or bytes is one sequence.
class Sequences {
 public:
  /// \throws InvalidType, InvalidArgument
  Sequences(nanobind::handle given, const char* name);
  RaggedSpan<Symbol> span() const noexcept { return m_span; }
  bool is_one() const noexcept { return m_is_one; }

 private:
  std::unique_ptr<Input> m_offsets;
  std::unique_ptr<Input> m_symbols;
  Ragged<Symbol> m_made;
  RaggedSpan<Symbol> m_span;
  bool m_is_one = false;
};

/// \brief The bytes of a text: UTF-8 of a str, in which surrogates stand for bytes as in
/// `os.fsdecode`, or bytes. \throws InvalidType
std::string bytes_of_text(nanobind::handle text, const char* name);
/// The reverse: a str.
nanobind::object text_of_bytes(std::string_view bytes);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_SEQUENCES_HPP
