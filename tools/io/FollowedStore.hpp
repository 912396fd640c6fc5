// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_FOLLOWED_STORE_HPP
#define KINDRED_TOOLS_IO_FOLLOWED_STORE_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace Kindred::Tools {

/// Settings of a pattern memory for commands: without a background thread.
PatternSettings store_settings();

/// \throws InputError, NotFound, CorruptFile
PatternMemory load_store(Context& context, const std::string& path, Level level = Level::token);

/// \brief A store of patterns to which other processes append, or which they replace, or remove and
/// create again.
class FollowedStore {
 public:
  /// \param context must outlive this object
  FollowedStore(Context& context, std::string path, Level level);

  /// \brief Loads the store as it is now.
  /// \throws as `load_store`, NotFound if there is no file; the store loaded before is then kept
  void load();
  enum class Change : std::uint8_t { none, changed, removed };
  /// How the committed state of the file differs from the loaded one; a file that cannot be read
  /// has changed. Reads the header of the file only.
  Change change() const;
  /// The store as it was loaded.
  const PatternMemory& memory() const { return *m_memory; }

 private:
  /// Identifies a committed state: the file, and its header, which contains a checksum that depends
  /// on every byte.
  struct State {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::array<char, 128> header{};

    friend bool operator==(const State&, const State&) = default;
  };

  /// The current state: nothing if there is no file, an empty one if it cannot be read.
  std::optional<State> state() const;

  Context& m_context;
  std::string m_path;
  Level m_level;
  State m_state;  // of the file when it was loaded
  std::optional<PatternMemory> m_memory;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_FOLLOWED_STORE_HPP
