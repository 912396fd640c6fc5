// SPDX-License-Identifier: Apache-2.0
#include "AtomicFile.hpp"

#include <kindred/core/common/Error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace Kindred::Impl {

namespace {

/// A file descriptor that is closed, and a temporary that is removed unless it was renamed.
struct Temporary {
  Temporary(std::string name, int open_descriptor)
      : path(std::move(name)), descriptor(open_descriptor) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (descriptor >= 0) ::close(descriptor);
    if (!path.empty()) ::unlink(path.c_str());
  }

  std::string path;
  int descriptor;
};

[[noreturn]] void fail(const std::string& path, const char* step) {
  const int reason = errno;
  throw Error(path + " could not be written: " + step + ": " + std::strerror(reason));
}

/// A new file beside \p path, of a name no other process or thread uses.
Temporary make_temporary(const std::string& path) {
  static std::atomic<unsigned> next{0};
  while (true) {
    std::string name = path + ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(next++);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return Temporary(std::move(name), descriptor);
    if (errno != EEXIST) fail(path, "temporary");
  }
}

void write_all(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "write");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void write_atomically(const std::string& path, std::string_view text) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;  // what is wrong with the folder shows when the temporary is made
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);

  Temporary temporary = make_temporary(path);
  write_all(temporary.descriptor, text, path);
  if (::fsync(temporary.descriptor) != 0) fail(path, "fsync");
  if (::rename(temporary.path.c_str(), path.c_str()) != 0) fail(path, "rename");
  temporary.path.clear();

  // The rename is done; not every file system lets a folder be synced.
  const int parent = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (parent >= 0) {
    (void)::fsync(parent);
    ::close(parent);
  }
}

}  // namespace Kindred::Impl
