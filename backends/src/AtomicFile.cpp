// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/AtomicFile.hpp>

#include <kindred/core/common/Error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace Kindred {

namespace {

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

/// A name beside \p path that no other process or thread takes.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> next{0};
  return path + ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(next++);
}

/// Removes temporaries of \p path whose writers are gone: a writer holds a lock on its own.
void remove_leftovers(const std::string& path) {
  const std::string prefix = std::filesystem::path(path).filename().string() + ".tmp";
  std::error_code ignored;  // what cannot be read or removed stays
  for (std::filesystem::directory_iterator entry(folder_of(path), ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) ||
        name.find_first_not_of("0123456789-", prefix.size()) != std::string::npos)
      continue;
    const int file = ::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) continue;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
    ::close(file);
  }
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : m_path(std::move(path)) {
  struct stat status {};
  if (::stat(m_path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw InvalidArgument(m_path + ": is no regular file and is not replaced");
  // Naming a file later goes by /proc; without it, or files without a name, it has one at once.
  if (::access("/proc/self/fd", X_OK) == 0)
    m_file = ::open(folder_of(m_path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  while (m_file < 0) {
    std::string name = temporary_name(m_path);
    m_file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (m_file >= 0) m_temporary = std::move(name);
    if (m_file < 0 && errno != EEXIST)
      throw InvalidArgument(m_path + ": cannot be written: " + std::strerror(errno));
  }
  static_cast<void>(::flock(m_file, LOCK_EX | LOCK_NB));
  remove_leftovers(m_path);
}

AtomicFile::~AtomicFile() {
  close();
  if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
}

void AtomicFile::close() noexcept {
  if (m_file >= 0) ::close(std::exchange(m_file, -1));
}

void AtomicFile::fail(const char* what) const {
  throw Error(m_path + ": " + what + " failed: " + std::strerror(errno) +
              "; the file was left as it was");
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

void AtomicFile::write_at(std::uint64_t offset, const void* data, std::size_t bytes) {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count = ::pwrite(m_file, next, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("writing");
    next += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
}

void AtomicFile::sync() {
  if (::fsync(m_file) != 0) fail("fsync");
}

void AtomicFile::name() {
  const std::string open_file = "/proc/self/fd/" + std::to_string(m_file);
  while (m_temporary.empty()) {
    std::string name = temporary_name(m_path);
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      m_temporary = std::move(name);
    } else if (errno != EEXIST) {
      fail("naming");
    }
  }
}

void AtomicFile::publish(std::initializer_list<AtomicFile*> files) {
  for (AtomicFile* file : files) file->sync();
  for (AtomicFile* file : files) file->name();
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
  for (AtomicFile* file : files) {
    file->close();
    // The rename is done; not every file system lets a folder be synced.
    const int folder = ::open(folder_of(file->m_path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) continue;
    ::fsync(folder);
    ::close(folder);
  }
}

void AtomicFile::replace(const std::string& path, std::string_view text) {
  std::error_code ignored;  // what is wrong with the folder shows when the file is made
  std::filesystem::create_directories(folder_of(path), ignored);
  try {
    AtomicFile file(path);
    file.write(text.data(), text.size());
    publish({&file});
  } catch (const InvalidArgument& error) {
    throw Error(error.what());  // the place is a setting here, not an argument
  }
}

}  // namespace Kindred
