// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_INPUT_KIND_HPP
#define KINDRED_TOOLS_IO_INPUT_KIND_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// What a command expects in an input file.
enum class InputKind : std::uint8_t {
  rows,     ///< an array of rows: the value of --vectors
  queries,  ///< an array of rows: the value of --queries
  text,     ///< lines
  edges,    ///< text, or Matrix Market
  vectors,  ///< a store of vectors: the value of --store
  store,    ///< a store of vectors: the argument of `vectors info`
  index,
  graph,
  patterns
};

/// \brief Checks by the first bytes of a file whether it is of another kind than \p wanted.
///
/// A file that cannot be read, or that is of no known kind, is left to its reader, which says what
/// is wrong with it.
/// \param has_format the user names the format of arrays. The bytes of an array without
/// a header may begin like a file of another program.
/// \throws InputError that says what the file is and what to do with it
void check_kind(const std::string& path, InputKind wanted, bool has_format = false);

/// \brief Checks by the first bytes \p begin of an input whether it is of a known kind that is not
/// text. \param name path of the input, or a name in angle brackets
/// \throws InputError as `check_kind`
void check_text(const std::string& name, std::string_view begin);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_INPUT_KIND_HPP
