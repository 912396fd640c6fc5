// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_INPUT_ERROR_HPP
#define KINDRED_TOOLS_IO_INPUT_ERROR_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>

#include <string>
#include <string_view>

namespace Kindred::Tools {

/// \brief A file or a record that cannot be used: exit status 3. The message begins with the place.
class InputError : public Error {
 public:
  using Error::Error;
};

/// \brief A flag's value that cannot be used: exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// \brief What is wrong with a record, before the reader adds the file and the line.
class RecordError : public Error {
 public:
  using Error::Error;
};

/// What \p error says, without the place in the sources that `KINDRED_THROW_IF` ends it with.
inline std::string reason_of(const InvalidArgument& error) {
  const std::string_view text = error.what();
  const std::size_t place = text.rfind(" (");
  const bool has_place = place != std::string_view::npos && text.ends_with(')') &&
                         text.find("pp:", place) != std::string_view::npos;
  return std::string(text.substr(0, has_place ? place : text.size()));
}

/// Runs \p body, which reads the file of a flag: one that cannot be used is bad input (status 3),
/// not a wrong flag.
template <class Body>
decltype(auto) reading_file(const Body& body) {
  try {
    return body();
  } catch (const InvalidArgument& error) {
    throw InputError(reason_of(error));
  }
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_INPUT_ERROR_HPP
