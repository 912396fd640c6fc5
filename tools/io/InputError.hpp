// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_INPUT_ERROR_HPP
#define KINDRED_TOOLS_IO_INPUT_ERROR_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>

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

/// Runs \p body, which reads the file of a flag: one that cannot be used is bad input (status 3),
/// not a wrong flag.
template <class Body>
decltype(auto) reading_file(const Body& body) {
  try {
    return body();
  } catch (const InvalidArgument& error) {
    throw InputError(error.what());
  }
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_INPUT_ERROR_HPP
