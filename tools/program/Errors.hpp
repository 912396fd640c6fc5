// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_ERRORS_HPP
#define KINDRED_TOOLS_PROGRAM_ERRORS_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace Kindred::Tools {

/// \brief An unusable file or record: exit status 3. The message begins with the location.
class InputError : public Error {
 public:
  using Error::Error;
};

/// \brief An unusable line of a file; the reader can continue with the next one.
class BadLine : public InputError {
 public:
  BadLine(const std::string& file, std::uint64_t line, std::string why)
      : InputError(file + ":" + std::to_string(line) + ": " + why),
        m_line(line),
        m_why(std::move(why)) {}

  /// Number of the line, from 1.
  std::uint64_t line() const noexcept { return m_line; }
  /// The message without the location.
  const std::string& why() const noexcept { return m_why; }

 private:
  std::uint64_t m_line;
  std::string m_why;
};

/// \brief An unusable value of a flag: exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// \brief An error in a record, to which the reader adds the file and the line.
class RecordError : public Error {
 public:
  using Error::Error;
};

/// \brief An error in a text file, whose offset is the line.
class CorruptText : public CorruptFile {
 public:
  using CorruptFile::CorruptFile;
};

/// The message of \p error without the source location appended by `KINDRED_THROW_IF`.
inline std::string reason_of(const InvalidArgument& error) {
  const std::string_view text = error.what();
  const std::size_t place = text.rfind(" (");
  const bool has_place = place != std::string_view::npos && text.ends_with(')') &&
                         text.find("pp:", place) != std::string_view::npos;
  return std::string(text.substr(0, has_place ? place : text.size()));
}

/// Runs \p body; an `InvalidArgument` becomes an `Other` with its reason after \p before.
template <class Other, class Body>
decltype(auto) with_errors_as(const std::string& before, const Body& body) {
  try {
    return body();
  } catch (const InvalidArgument& error) {
    throw Other(before + reason_of(error));
  }
}

/// Runs \p body, which reads a file named by a flag. Errors are reported as bad input (status 3),
/// not as a wrong flag.
template <class Body>
decltype(auto) reading_file(const Body& body) {
  return with_errors_as<InputError>({}, body);
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_ERRORS_HPP
