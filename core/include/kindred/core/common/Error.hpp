// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_ERROR_HPP
#define KINDRED_CORE_COMMON_ERROR_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

/// \brief Base of every exception that Kindred throws. The message says what failed, the values
/// seen, the limit and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \brief An argument, or a record of the input, is invalid. Thrown before anything is launched or
/// changed.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// \brief Memory could not be reserved or allocated. Nothing was changed; the operation may be
/// retried with a smaller size.
class OutOfMemory : public Error {
 public:
  OutOfMemory(std::string space, std::uint64_t bytes, std::string label, const std::string& detail);

  /// Name of the memory that ran out: `host` or `cuda`.
  const std::string& space() const noexcept { return m_space; }
  /// Bytes that were requested.
  std::uint64_t bytes() const noexcept { return m_bytes; }
  /// Label of the allocation that failed.
  const std::string& label() const noexcept { return m_label; }

 private:
  std::string m_space;
  std::uint64_t m_bytes;
  std::string m_label;
};

/// \brief The requested execution space is not compiled in or cannot be used on this machine.
class SpaceUnavailable : public Error {
 public:
  using Error::Error;
};

/// \brief CUDA reported an error of the device; data that only it held is lost.
class DeviceLost : public Error {
 public:
  using Error::Error;
};

namespace Impl {

/// \brief The device was lost while results were written over their inputs, so no other space can
/// repeat the call.
class LostAmidResults : public DeviceLost {
 public:
  using DeviceLost::DeviceLost;
};

}  // namespace Impl

/// \brief The contents of a file are invalid or damaged.
class CorruptFile : public Error {
 public:
  /// \param path the file \param offset byte offset (for text, the line) of the first error
  /// \param why what is wrong there
  CorruptFile(std::string path, std::uint64_t offset, std::string why);

  const std::string& path() const noexcept { return m_path; }
  std::uint64_t offset() const noexcept { return m_offset; }
  const std::string& why() const noexcept { return m_why; }

 private:
  std::string m_path;
  std::uint64_t m_offset;
  std::string m_why;
};

/// \brief A name or id that was looked up does not exist.
class NotFound : public Error {
 public:
  using Error::Error;
};

/// \brief Another program, thread or call holds the requested resource; the request may be retried
/// later.
class Busy : public Error {
 public:
  using Error::Error;
};

/// \brief The caller cancelled the operation.
class Cancelled : public Error {
 public:
  using Error::Error;
};

namespace Impl {
/// Formats `message (Foo.cpp:12, function)`.
std::string located(const std::string& message, const char* file, int line, const char* function);
}  // namespace Impl

}  // namespace Kindred

/// The name of the source file without its folder, where the compiler has it: binaries then contain
/// no path of the machine that compiled them.
#if defined(__FILE_NAME__)
#define KINDRED_FILE_NAME __FILE_NAME__
#else
#define KINDRED_FILE_NAME __FILE__
#endif

/// Throws `Kindred::InvalidArgument`, with the source location in the message, if \p condition
/// holds.
#define KINDRED_THROW_IF(condition, message)                                            \
  do {                                                                                  \
    if (condition) {                                                                    \
      throw ::Kindred::InvalidArgument(::Kindred::Impl::located(                        \
          (message), KINDRED_FILE_NAME, __LINE__, static_cast<const char*>(__func__))); \
    }                                                                                   \
  } while (false)

#endif  // KINDRED_CORE_COMMON_ERROR_HPP
