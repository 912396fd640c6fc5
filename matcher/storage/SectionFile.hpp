// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_SECTION_FILE_HPP
#define KINDRED_MATCHER_STORAGE_SECTION_FILE_HPP

#include "MappedFile.hpp"
#include "SectionFormat.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief A memory-mapped section file: the data of a section is read on access.
///
/// Columns may be modified; modifications are private to the process and do not change the file. A
/// file that another program makes shorter while it is mapped kills the process (SIGBUS): only
/// append to it or replace it by renaming, as `SectionWriter` does.
class SectionFile {
 public:
  struct Section {
    std::string_view name;
    ElementType type = ElementType::unsigned_integer;
    std::uint32_t element_bytes = 1;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;
  };

  /// \brief Maps a file, or copies its bytes, and validates every byte, with at most \p threads
  /// threads.
  /// \throws NotFound if the file does not exist; InvalidArgument if it is not a regular file or
  /// cannot be opened; CorruptFile with the byte offset and the reason; OutOfMemory
  SectionFile(const FileSource& source, std::string_view kind, int threads);
  SectionFile(const SectionFile&) = delete;
  SectionFile& operator=(const SectionFile&) = delete;

  const std::string& path() const noexcept { return m_path; }
  FileRevision revision() const noexcept { return m_revision; }
  /// Bytes after the committed ones and the second slot of the header, left by an interrupted
  /// writer; the next append removes them.
  std::uint64_t uncommitted_bytes() const noexcept { return m_uncommitted; }

  std::size_t commits() const noexcept { return m_commits.size(); }
  std::span<const Section> sections(std::size_t commit) const { return m_commits[commit]; }
  bool has(std::size_t commit, std::string_view name) const {
    return find(commit, name) != nullptr;
  }

  /// \brief The elements of a section. \throws CorruptFile if it is missing or has another type
  template <class T>
  std::span<T> section(std::size_t commit, std::string_view name) const {
    const auto [data, bytes] = typed(commit, name, element_type<T>(), sizeof(T));
    return {reinterpret_cast<T*>(data), bytes / sizeof(T)};
  }
  /// The offset of a section in the file, for messages. \throws CorruptFile if it is missing
  std::uint64_t offset(std::size_t commit, std::string_view name) const;
  /// \throws CorruptFile, always
  [[noreturn]] void fail(std::uint64_t at, const std::string& why) const;

 private:
  const Section* find(std::size_t commit, std::string_view name) const;
  const Section& get(std::size_t commit, std::string_view name) const;
  std::pair<std::byte*, std::uint64_t> typed(std::size_t commit, std::string_view name,
                                             ElementType type, std::size_t element_bytes) const;
  void read_tables(const SectionHeader& header);
  std::vector<Section> read_entries(std::uint64_t table, const TableHead& head) const;
  void verify(int threads) const;

  std::string m_path;
  std::optional<MappedFile> m_file;
  FileRevision m_revision;
  std::uint64_t m_uncommitted = 0;
  std::vector<std::vector<Section>> m_commits;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_SECTION_FILE_HPP
