// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_INPUT_ERROR_HPP
#define KINDRED_TOOLS_IO_INPUT_ERROR_HPP

#include <kindred/core/common/Error.hpp>

#include <cstddef>
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

/// \p text as a message shows it: in quotes, control bytes as \xNN, cut after some 60 bytes.
std::string in_quotes(std::string_view text);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_INPUT_ERROR_HPP
