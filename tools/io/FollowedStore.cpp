// SPDX-License-Identifier: Apache-2.0
#include "io/FollowedStore.hpp"

#include "io/InputKind.hpp"
#include "program/Errors.hpp"

#include <kindred/core/common/Error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace Kindred::Tools {

PatternSettings store_settings() {
  PatternSettings settings;
  settings.background_sync = false;
  settings.log_memory_usage = false;
  return settings;
}

PatternMemory load_store(Context& context, const std::string& path, Level level) {
  const PatternSettings settings = store_settings();
  check_kind(path, InputKind::patterns);
  return reading_file([&] { return PatternMemory::load(context, path, settings, level); });
}

FollowedStore::FollowedStore(Context& context, std::string path, Level level)
    : m_context(context), m_path(std::move(path)), m_level(level) {}

std::optional<FollowedStore::State> FollowedStore::state() const {
  const int file = ::open(m_path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) return {};
  if (file < 0) return State();
  struct stat status {};
  State state;
  const bool read = ::fstat(file, &status) == 0 &&
                    ::pread(file, state.header.data(), state.header.size(), 0) >= 0;
  ::close(file);
  if (!read) return State();
  state.device = status.st_dev;
  state.inode = status.st_ino;
  return state;
}

FollowedStore::Change FollowedStore::change() const {
  const std::optional<State> now = state();
  if (!now) return Change::removed;
  return now == m_state ? Change::none : Change::changed;
}

void FollowedStore::load() {
  // A change between these two lines is found by the next call of `change`.
  constexpr int attempts = 3;
  for (int attempt = 1;; ++attempt) {
    const std::optional<State> before = state();
    try {
      m_memory.emplace(load_store(m_context, m_path, m_level));
      m_state = before.value_or(State());
      return;
    } catch (const CorruptFile&) {
      // Another process may have been writing the header.
      if (attempt == attempts || state() == before) throw;
    }
  }
}

}  // namespace Kindred::Tools
