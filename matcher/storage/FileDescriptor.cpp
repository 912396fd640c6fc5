// SPDX-License-Identifier: Apache-2.0
#include "FileDescriptor.hpp"

#include <kindred/core/common/Error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace Kindred::Impl {

FileDescriptor open_existing(const std::string& path, Access access) {
  // Nonblocking, because opening a pipe would wait for its writer.
  const int mode = (access == Access::read ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK;
  FileDescriptor file(::open(path.c_str(), mode));
  if (!file) {
    const int why = errno;
    const std::string text = path + ": cannot be opened: " + std::strerror(why);
    if (why == ENOENT || why == ENOTDIR) throw NotFound(text);
    throw InvalidArgument(text);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw InvalidArgument(path + ": is not a regular file");
  return file;
}

std::uint64_t file_size(int descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0)
    throw Error(path + ": its size cannot be read: " + std::strerror(errno));
  return static_cast<std::uint64_t>(status.st_size);
}

FileDescriptor lock_existing(const std::string& path, Access access) {
  while (true) {
    FileDescriptor file = open_existing(path, access);
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno == EWOULDBLOCK) {
        throw Busy(path + ": another program or thread is writing it; try again when it is done");
      }
      throw Error(path + ": cannot be locked: " + std::strerror(errno));
    }
    // The file may have been replaced between opening and locking.
    struct stat opened {};
    struct stat named {};
    const bool same = ::fstat(file.get(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
                      opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
    if (same) return file;
  }
}

std::size_t read_at(int descriptor, std::uint64_t offset, void* out, std::size_t bytes,
                    const std::string& path) {
  constexpr std::size_t piece = std::size_t{1} << 30U;  // Linux reads less than 2 GiB per call
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t count = ::pread(descriptor, static_cast<char*>(out) + done,
                                  std::min(piece, bytes - done), static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw Error(path + ": reading failed at byte " + std::to_string(offset + done) + ": " +
                  std::strerror(errno));
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void write_at(int descriptor, std::uint64_t offset, const void* data, std::size_t bytes,
              const std::string& path) {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count = ::pwrite(descriptor, next, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(path + ": writing failed: " + std::strerror(errno));
    next += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
}

void sync(int descriptor, const std::string& path) {
  if (::fsync(descriptor) != 0) throw Error(path + ": fsync failed: " + std::strerror(errno));
}

}  // namespace Kindred::Impl
