// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_SECTION_WRITER_HPP
#define KINDRED_MATCHER_STORAGE_SECTION_WRITER_HPP

#include "FileDescriptor.hpp"
#include "SectionFormat.hpp"

#include <kindred/core/common/Ragged.hpp>
#include <kindred/memory/AtomicFile.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief Where the bytes of a new file go: to a path, or to the end of an empty vector, which must
/// outlive what writes to it.
struct FileTarget {
  // NOLINTBEGIN(google-explicit-constructor)
  FileTarget(std::string file) : path(std::move(file)) {}
  FileTarget(const char* file) : path(file) {}
  FileTarget(std::vector<std::byte>& buffer) : bytes(&buffer) {}
  // NOLINTEND(google-explicit-constructor)

  std::string path;
  std::vector<std::byte>* bytes = nullptr;
};

/// \brief Writes one commit, of a new file or appended to an existing one.
///
/// The commit becomes visible atomically when `commit` returns. Data is written immediately,
/// through a buffer of one piece. The file is locked against other writers while this object lives.
class SectionWriter {
 public:
  /// \brief Writes a new file, which replaces an existing one at the path of \p target. \param kind
  /// at most 16 letters
  /// \throws InvalidArgument if the file cannot be created; Busy while another process writes it
  SectionWriter(FileTarget target, std::string_view kind);
  /// \brief Appends a commit to the file at \p path.
  /// \param expected the state that the file must have, from the last read or write
  /// \throws InvalidArgument if the file has another state; NotFound; CorruptFile; Busy
  SectionWriter(std::string path, std::string_view kind, const FileRevision& expected);

  /// States that the file can only be read by programs that know \p version of the format.
  void require_format(std::uint32_t version) noexcept {
    m_header.format_version = std::max(m_header.format_version, version);
  }

  /// Writes a section. \param name at most 32 of a–z, 0–9, dot, underscore; unique in a commit
  template <class T>
  void write(std::string_view name, std::span<const T> elements) {
    begin<T>(name);
    put(elements);
  }
  /// Begins a section that is written in parts: what is put until the next `begin`, `write` or
  /// `commit` belongs to it.
  template <class T>
  void begin(std::string_view name) {
    begin(name, element_type<T>(), sizeof(T));
  }
  template <class T>
  void put(std::span<const T> elements) {
    put(elements.data(), elements.size_bytes());
  }

  /// Writes rows as two sections: their values, and the end of each row.
  template <class T>
  void write_rows(std::string_view values, std::string_view ends, const RaggedSpan<T>& rows) {
    write<T>(values, rows.values);
    write<std::uint64_t>(ends, rows.offsets.subspan(1));
  }

  /// \brief Makes the commit durable and visible. Must be the last call. \throws Error
  FileRevision commit();

 private:
  void begin(std::string_view name, ElementType type, std::size_t element_bytes);
  void put(const void* data, std::size_t bytes);
  void end();
  void flush_piece();
  void append(const void* data, std::size_t bytes);

  std::string m_path;
  std::vector<std::byte>* m_out = nullptr;  ///< if the file is written to memory
  std::optional<AtomicFile> m_new;          ///< if a new file is written
  FileDescriptor m_locked;                  ///< the file that is appended to or replaced
  SectionHeader m_header{};
  TableHead m_head{};
  std::vector<TableEntry> m_entries;
  std::vector<std::uint64_t> m_sums;  ///< of the pieces of the current section
  std::vector<std::byte> m_piece;     ///< not yet written
  bool m_in_section = false;
  std::uint64_t m_end = 0;  ///< end of the written bytes
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_SECTION_WRITER_HPP
