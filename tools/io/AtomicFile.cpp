// SPDX-License-Identifier: Apache-2.0
#include "io/AtomicFile.hpp"

#include "io/InputError.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace Kindred::Tools {

AtomicFile::AtomicFile(std::string path) : m_path(std::move(path)) {
  struct stat status {};
  if (::stat(m_path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw UsageError(fmt::format("{}: is no regular file and is not replaced", m_path));
  m_temporary = fmt::format("{}.tmp{}", m_path, ::getpid());
  m_file = ::open(m_temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (m_file < 0) {
    throw UsageError(fmt::format("{}: cannot be written: {}", m_path, std::strerror(errno)));
  }
}

AtomicFile::~AtomicFile() {
  if (m_file >= 0) ::close(m_file);
  if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
}

void AtomicFile::fail(const char* what) const {
  throw Error(fmt::format("{}: {} failed: {}; the file was left as it was", m_path, what,
                          std::strerror(errno)));
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count = ::write(m_file, next, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("writing");
    next += count;
    bytes -= static_cast<std::size_t>(count);
  }
}

void AtomicFile::sync() {
  if (::fsync(m_file) != 0) fail("fsync");
  const int file = std::exchange(m_file, -1);
  if (::close(file) != 0) fail("closing");
}

void AtomicFile::publish(std::initializer_list<AtomicFile*> files) {
  for (AtomicFile* file : files) file->sync();
  for (AtomicFile* const* file = files.begin(); file != files.end(); ++file) {
    if (std::rename((*file)->m_temporary.c_str(), (*file)->m_path.c_str()) != 0) {
      const int why = errno;
      for (AtomicFile* const* done = files.begin(); done != file; ++done)
        ::unlink((*done)->m_path.c_str());
      errno = why;
      (*file)->fail("renaming");
    }
    (*file)->m_temporary.clear();
  }
  for (const AtomicFile* file : files) {
    const auto folder = std::filesystem::path(file->m_path).parent_path();
    const int directory = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
    if (directory < 0) continue;
    ::fsync(directory);
    ::close(directory);
  }
}

}  // namespace Kindred::Tools
