// SPDX-License-Identifier: Apache-2.0
#include <kindred/memory/AtomicFile.hpp>

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Utf8.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

namespace Kindred {

namespace {

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

InvalidArgument cannot_be_written(const std::string& path, const std::string& why) {
  return InvalidArgument(path + ": cannot be written: " + why);
}

/// The path that a file written to \p path is moved to: \p path with symbolic links resolved.
/// \throws InvalidArgument if no file can be created there
std::string place_of(const std::string& path) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) throw cannot_be_written(path, std::strerror(errno));
  if (exists && !S_ISREG(status.st_mode))
    throw InvalidArgument(path + ": is not a regular file and is not replaced");
  const std::string name = std::filesystem::path(path).filename().string();
  if (name.empty()) throw cannot_be_written(path, "names no file");
  if (!exists && ::lstat(path.c_str(), &status) == 0)
    throw cannot_be_written(path, "is a symbolic link to a file that does not exist");
  std::error_code why;
  const auto place = exists ? std::filesystem::canonical(path, why)
                            : std::filesystem::canonical(folder_of(path), why) / name;
  if (why) throw cannot_be_written(path, why.message());
  return place.string();
}

/// Prefix of the names of temporaries of \p place. Long names are truncated, so that the suffix
/// fits into the limit of 255 bytes.
std::string temporary_prefix(const std::string& place) {
  constexpr std::size_t longest = 200;
  const std::filesystem::path path(place);
  std::string name = path.filename().string();
  name.resize(Impl::utf8_prefix(name, longest).size());
  return (path.parent_path() / (name + ".tmp")).string();
}

/// A name in the folder of \p place that no other process or thread uses.
std::string temporary_name(const std::string& place) {
  static std::atomic<unsigned> next{0};
  return temporary_prefix(place) + std::to_string(::getpid()) + "-" + std::to_string(next++);
}

/// Removes the temporaries in \p folder whose names begin with \p prefix and whose writers have
/// ended: a running writer holds a lock on its file. Files that cannot be read or removed are left.
/// Allocates nothing that throws: `std::filesystem::directory_iterator` allocates in functions that
/// must not throw, and ends the process where memory runs out.
void remove_leftovers(const char* folder, std::string_view prefix) noexcept {
  DIR* const entries = ::opendir(folder);
  if (entries == nullptr) return;
  const int at = ::dirfd(entries);
  while (const dirent* const entry = ::readdir(entries)) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(prefix) ||
        name.find_first_not_of("0123456789-", prefix.size()) != std::string_view::npos)
      continue;
    const int file = ::openat(at, entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (file < 0) continue;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlinkat(at, entry->d_name, 0);
    ::close(file);
  }
  ::closedir(entries);
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : m_path(std::move(path)), m_place(place_of(m_path)) {
  const std::string folder = folder_of(m_place);
  const std::string prefix = std::filesystem::path(temporary_prefix(m_place)).filename().string();
  // Nobody else may read a replacement before it has the permissions of the old file.
  const unsigned mode = ::access(m_place.c_str(), F_OK) == 0 ? 0600 : 0666;
  // Naming the file later requires /proc; without /proc or unnamed files it is named immediately.
  if (::access("/proc/self/fd", X_OK) == 0)
    m_file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (m_file >= 0) {
    static_cast<void>(::flock(m_file, LOCK_EX | LOCK_NB));
  } else {
    open_named(mode);
  }
  remove_leftovers(folder.c_str(), prefix);
}

AtomicFile::~AtomicFile() {
  close();
  if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
}

void AtomicFile::open_named(unsigned mode) {
  while (m_file < 0) {
    m_temporary = temporary_name(m_place);
    m_file = ::open(m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (m_file < 0) {
      m_temporary.clear();
      if (errno != EEXIST) throw cannot_be_written(m_path, std::strerror(errno));
      continue;
    }
    static_cast<void>(::flock(m_file, LOCK_EX | LOCK_NB));
    struct stat status {};
    // Another writer may have removed it as a leftover before it was locked.
    if (::fstat(m_file, &status) == 0 && status.st_nlink == 0) close();
  }
}

void AtomicFile::close() noexcept {
  if (m_file >= 0) ::close(std::exchange(m_file, -1));
}

void AtomicFile::fail(const char* what) const {
  throw Error(m_path + ": " + what + " failed: " + std::strerror(errno) +
              "; the file was left as it was");
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  write_at(m_size, data, bytes);
  m_size += bytes;
}

void AtomicFile::write_at(std::uint64_t offset, const void* data, std::size_t bytes) {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count = ::pwrite(m_file, next, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("writing");
    next += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
}

void AtomicFile::take_permissions() noexcept {
  struct stat old {};
  struct stat now {};
  if (::stat(m_place.c_str(), &old) != 0 || ::fstat(m_file, &now) != 0) return;
  mode_t mode = old.st_mode & 0777U;
  if (now.st_uid != old.st_uid && ::fchown(m_file, old.st_uid, old.st_gid) == 0)
    now.st_gid = old.st_gid;
  if (now.st_gid != old.st_gid && ::fchown(m_file, static_cast<uid_t>(-1), old.st_gid) != 0)
    mode &= 0707U | (mode & 07U) << 3U;       // the new group gets only the permissions of others
  static_cast<void>(::fchmod(m_file, mode));  // on failure the file stays private
}

void AtomicFile::sync() {
  if (::fsync(m_file) != 0) fail("fsync");
}

void AtomicFile::name() {
  const std::string open_file = "/proc/self/fd/" + std::to_string(m_file);
  while (m_temporary.empty()) {
    std::string name = temporary_name(m_place);
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      m_temporary = std::move(name);
    } else if (errno != EEXIST) {
      fail("naming");
    }
  }
}

void AtomicFile::put_in_place(bool keep_old) {
  struct stat status {};
  if (keep_old && ::lstat(m_place.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) {
      errno = EISDIR;  // an exchange would move the folder away
      fail("renaming");
    }
    if (::renameat2(AT_FDCWD, m_temporary.c_str(), AT_FDCWD, m_place.c_str(), RENAME_EXCHANGE) ==
        0) {
      m_old = std::exchange(m_temporary, {});
      return;
    }
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) fail("renaming");
    // The file system cannot exchange names.
    std::string old = temporary_name(m_place);
    if (::link(m_place.c_str(), old.c_str()) != 0) fail("keeping the old file");
    m_old = std::move(old);
  }
  if (std::rename(m_temporary.c_str(), m_place.c_str()) != 0) {
    const int why = errno;
    if (!m_old.empty()) ::unlink(std::exchange(m_old, {}).c_str());
    errno = why;
    fail("renaming");
  }
  m_temporary.clear();
}

bool AtomicFile::put_back() noexcept {
  return (m_old.empty() ? ::unlink(m_place.c_str())
                        : std::rename(m_old.c_str(), m_place.c_str())) == 0;
}

void AtomicFile::sync_folder() const {
  // The file is in place, so nothing may fail for want of memory.
  std::array<char, PATH_MAX> path{};
  const std::size_t length = std::max<std::size_t>(m_place.rfind('/'), 1);  // m_place is absolute
  if (length >= path.size()) return;
  std::copy_n(m_place.begin(), length, path.begin());
  const int folder = ::open(path.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // a folder may be writable but not readable
  const int result = ::fsync(folder);
  const int why = errno;
  ::close(folder);
  // Not every file system supports syncing a folder.
  if (result != 0 && why != EINVAL && why != ENOTSUP && why != EROFS) {
    throw Error(m_path + ": was written, but its folder could not be synced: " +
                std::strerror(why) + "; the old file may reappear after a power failure");
  }
}

void AtomicFile::publish(std::initializer_list<AtomicFile*> files) {
  for (AtomicFile* const* file = files.begin(); file != files.end(); ++file) {
    for (AtomicFile* const* other = files.begin(); other != file; ++other) {
      if ((*file)->m_place == (*other)->m_place)
        throw InvalidArgument((*file)->m_path + ": is written twice");
    }
  }
  for (AtomicFile* file : files) {
    file->take_permissions();
    file->sync();
  }
  for (AtomicFile* file : files) file->name();
  std::vector<const AtomicFile*> lost;  // that could not be put back
  lost.reserve(files.size());           // putting back needs no memory
  AtomicFile* const* next = files.begin();
  try {
    for (; next != files.end(); ++next) (*next)->put_in_place(next + 1 != files.end());
  } catch (const std::exception& error) {
    while (next != files.begin()) {
      --next;
      if (!(*next)->put_back()) lost.push_back(*next);
    }
    if (lost.empty()) throw;
    std::string message = error.what();
    for (const AtomicFile* file : lost) {
      message += "; " + file->m_path + " has been replaced, and its old contents " +
                 (file->m_old.empty() ? "did not exist" : "are in " + file->m_old);
    }
    throw Error(message);
  }
  for (AtomicFile* file : files) {
    file->close();
    if (!file->m_old.empty()) ::unlink(std::exchange(file->m_old, {}).c_str());
  }
  for (const AtomicFile* file : files) file->sync_folder();
}

void AtomicFile::replace(const std::string& path, std::string_view text) {
  std::error_code ignored;  // errors show when the file is created
  std::filesystem::create_directories(folder_of(path), ignored);
  try {
    AtomicFile file(path);
    file.write(text.data(), text.size());
    publish({&file});
  } catch (const InvalidArgument& error) {
    throw Error(error.what());  // here the path is a setting, not an argument
  }
}

}  // namespace Kindred
