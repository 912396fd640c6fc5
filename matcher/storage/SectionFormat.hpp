// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_SECTION_FORMAT_HPP
#define KINDRED_MATCHER_STORAGE_SECTION_FORMAT_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace Kindred::Impl {

// The bytes of a section file, as docs/internals/file-format.md describes them.

static_assert(std::endian::native == std::endian::little, "the format is mapped as it lies");

inline constexpr std::array<char, 8> section_magic{'\x89', 'K', 'N', 'D', '\r', '\n', '\x1a', '\n'};
inline constexpr std::uint32_t section_format_version = 2;  ///< the newest that is read
/// A file has the first version that describes it, so that earlier programs read what they can.
inline constexpr std::uint32_t section_format_first = 1;
inline constexpr std::uint32_t section_format_gaps = 2;  ///< `pattern.index`
inline constexpr std::uint64_t section_alignment = 64;
/// A section's checksum is that of the checksums of its pieces: so it is made while it is written,
/// and checked by several threads.
inline constexpr std::uint64_t section_piece = std::uint64_t{4} << 20U;

/// The first bytes of a file: the only ones that are ever written over.
struct SectionHeader {
  std::array<char, 8> magic;
  std::uint32_t format_version;
  std::uint32_t program_version;  ///< of the writer, as KINDRED_VERSION
  std::array<char, 16> kind;
  std::uint64_t bytes;    ///< that are committed; what lies behind is no part of the file
  std::uint64_t commits;  ///< 1 or more
  std::uint64_t table_offset;
  std::uint64_t table_bytes;
  std::uint64_t table_checksum;  ///< of the last commit's table, which has those of the one before
  std::array<std::uint64_t, 6> reserved;  ///< 0
  std::uint64_t checksum;                 ///< of the bytes before
};
static_assert(sizeof(SectionHeader) == 128 && std::is_trivially_copyable_v<SectionHeader>);

/// Begins the table of a commit.
struct TableHead {
  std::uint64_t commit;           ///< its number, from 0
  std::uint64_t begin;            ///< of its first section
  std::uint64_t previous_offset;  ///< of the table of the commit before; 0 in the first
  std::uint64_t previous_bytes;
  std::uint64_t previous_checksum;
  std::uint64_t sections;
  std::array<std::uint64_t, 2> reserved;  ///< 0
};
static_assert(sizeof(TableHead) == 64 && std::is_trivially_copyable_v<TableHead>);

enum class ElementType : std::uint32_t { unsigned_integer = 0, signed_integer = 1, real = 2 };

struct TableEntry {
  std::array<char, 32> name;  ///< of letters, digits, dots and underscores; filled up with zeros
  ElementType type;
  std::uint32_t element_bytes;
  std::uint64_t offset;
  std::uint64_t bytes;     ///< without the zeros up to the next multiple of 64
  std::uint64_t checksum;  ///< with them
};
static_assert(sizeof(TableEntry) == 64 && std::is_trivially_copyable_v<TableEntry>);

template <class T>
constexpr ElementType element_type() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>,
                "A section holds integers or floating numbers.");
  return std::is_floating_point_v<T> ? ElementType::real
         : std::is_signed_v<T>       ? ElementType::signed_integer
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

/// Which state of a file: two files of the same revision hold the same bytes.
struct FileRevision {
  std::uint64_t bytes = 0;
  std::uint64_t commits = 0;
  std::uint64_t checksum = 0;  ///< of the last table, which depends on every byte before

  friend bool operator==(const FileRevision&, const FileRevision&) = default;
};
inline FileRevision revision_of(const SectionHeader& header) {
  return {header.bytes, header.commits, header.table_checksum};
}

std::uint64_t checksum_of(const SectionHeader& header) noexcept;
/// Of the checksums of the pieces.
std::uint64_t checksum_of(std::span<const std::uint64_t> pieces) noexcept;

/// \brief The header of the file that \p descriptor has open, checked in itself.
/// \throws CorruptFile; Error when it cannot be read
SectionHeader read_header(int descriptor, const std::string& path, std::string_view kind);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_SECTION_FORMAT_HPP
