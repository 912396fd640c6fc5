// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_SECTION_FORMAT_HPP
#define KINDRED_MATCHER_STORAGE_SECTION_FORMAT_HPP

#include <kindred/matcher/FileSource.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace Kindred::Impl {

// The bytes of a section file, as specified in docs/internals/file-format.md.

inline constexpr std::array<char, 8> section_magic{'\x89', 'K', 'N', 'D', '\r', '\n', '\x1a', '\n'};
inline constexpr std::uint32_t section_format_version = 3;  ///< the newest supported version
/// A file is written with the oldest version that can describe it, so that older programs can read
/// as many files as possible.
inline constexpr std::uint32_t section_format_first = 1;
inline constexpr std::uint32_t section_format_gaps = 2;  ///< `pattern.index`
/// A frequency in `change.frequency` may be lower than before, but not 0.
inline constexpr std::uint32_t section_format_lower = 3;
inline constexpr std::uint64_t section_alignment = 64;
/// The checksum of a section is computed from the checksums of its pieces, so that it can be
/// computed while the section is written and checked by several threads.
inline constexpr std::uint64_t section_piece = std::uint64_t{4} << 20U;

/// \brief The first bytes of a file. A file that was appended to has them twice: its second slot
/// follows the committed bytes.
///
/// An append first makes the second slot durable and then overwrites the first one, so that one of
/// them is valid at any moment. At rest both describe the same commit, the newest: damage of one
/// never selects an older state.
struct SectionHeader {
  std::array<char, 8> magic;
  std::uint32_t format_version;
  std::uint32_t program_version;  ///< of the writer, as KINDRED_VERSION
  std::array<char, 16> kind;
  std::uint64_t bytes;    ///< committed bytes; what follows is not part of the file
  std::uint64_t commits;  ///< at least 1
  std::uint64_t table_offset;
  std::uint64_t table_bytes;
  /// Checksum of the last commit's table, which contains the checksum of the previous table.
  std::uint64_t table_checksum;
  std::array<std::uint64_t, 6> reserved;  ///< 0
  std::uint64_t checksum;                 ///< of the preceding bytes
};
static_assert(sizeof(SectionHeader) == 128 && std::is_trivially_copyable_v<SectionHeader>);

/// The beginning of the table of a commit.
struct TableHead {
  std::uint64_t commit;           ///< number of the commit, from 0
  std::uint64_t begin;            ///< of its first section
  std::uint64_t previous_offset;  ///< of the table of the previous commit; 0 for the first
  std::uint64_t previous_bytes;
  std::uint64_t previous_checksum;
  std::uint64_t sections;
  std::array<std::uint64_t, 2> reserved;  ///< 0
};
static_assert(sizeof(TableHead) == 64 && std::is_trivially_copyable_v<TableHead>);

enum class ElementType : std::uint32_t { unsigned_integer = 0, signed_integer = 1, real = 2 };

struct TableEntry {
  std::array<char, 32> name;  ///< of letters, digits, dots and underscores; padded with zeros
  ElementType type;
  std::uint32_t element_bytes;
  std::uint64_t offset;
  std::uint64_t bytes;     ///< without the padding to a multiple of 64
  std::uint64_t checksum;  ///< of the bytes with padding
};
static_assert(sizeof(TableEntry) == 64 && std::is_trivially_copyable_v<TableEntry>);

template <class T>
constexpr ElementType element_type() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>,
                "A section contains integers or floating-point numbers.");
  if (std::is_floating_point_v<T>) return ElementType::real;
  // Text is unsigned bytes, whatever `char` is.
  return std::is_signed_v<T> && !std::is_same_v<T, char> ? ElementType::signed_integer
                                                         : ElementType::unsigned_integer;
}

constexpr std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + section_alignment - 1) / section_alignment * section_alignment;
}

template <std::size_t size>
std::string_view text_of(const std::array<char, size>& field) {
  const std::string_view all(field.data(), size);
  return all.substr(0, all.find('\0'));
}

/// Identifies the state of a file: two files with the same revision have the same committed bytes.
struct FileRevision {
  std::uint64_t bytes = 0;
  std::uint64_t commits = 0;
  std::uint64_t checksum = 0;  ///< of the last table, which depends on every preceding byte

  friend bool operator==(const FileRevision&, const FileRevision&) = default;
};
inline FileRevision revision_of(const SectionHeader& header) {
  return {header.bytes, header.commits, header.table_checksum};
}

std::uint64_t checksum_of(const SectionHeader& header) noexcept;
/// Combines the checksums of the pieces.
std::uint64_t checksum_of(std::span<const std::uint64_t> pieces) noexcept;

/// The header of a file, and what follows the committed bytes.
struct FoundHeader {
  SectionHeader header{};
  bool is_second = false;         ///< it was found in the second slot: the first one is damaged
  std::uint64_t uncommitted = 0;  ///< bytes that are neither committed nor the second slot
};

/// \brief Reads and validates the header of \p source. \param descriptor of the open file, unless
/// its bytes are in memory \throws CorruptFile, also if the file is shorter than its committed
/// bytes; Error if it cannot be read
FoundHeader read_header(int descriptor, const FileSource& source, std::string_view kind);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_SECTION_FORMAT_HPP
