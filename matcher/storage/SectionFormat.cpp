// SPDX-License-Identifier: Apache-2.0
#include "SectionFormat.hpp"

#include "FileDescriptor.hpp"
#include "kit/Hash.hpp"

#include <kindred/Version.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>

namespace Kindred::Impl {

namespace {

std::string version_text(std::uint32_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

/// The bytes of a file, on disk or in memory.
struct FileBytes {
  int descriptor;
  const FileSource& source;

  std::string path() const { return std::string(source.path); }
  std::uint64_t size() const {
    return source.bytes ? source.bytes->size() : file_size(descriptor, path());
  }
  /// Reads the header at \p offset and returns how many of its bytes the file has.
  std::size_t read(std::uint64_t offset, SectionHeader& header) const {
    if (source.bytes) {
      if (offset >= source.bytes->size()) return 0;
      const std::size_t count = std::min(source.bytes->size() - offset, sizeof(header));
      std::memcpy(&header, source.bytes->data() + offset, count);
      return count;
    }
    return read_at(descriptor, offset, &header, sizeof(header), path());
  }
};

bool is_whole(const SectionHeader& header) {
  return header.magic == section_magic && header.checksum == checksum_of(header);
}

/// \brief Reads the first slot, or the second one if that is damaged. Returns whether one is valid.
/// \throws CorruptFile if the file is not one of Kindred
bool find_header(const FileBytes& file, FoundHeader& found) {
  SectionHeader& header = found.header;
  const std::size_t bytes = file.read(0, header);
  if (bytes < sizeof(header)) {
    throw CorruptFile(
        file.path(), bytes,
        "the file ends within the header of " + std::to_string(sizeof(header)) + " bytes");
  }
  if (is_whole(header)) return true;
  const bool is_ours = header.magic == section_magic;
  const std::uint64_t size = file.size();
  const std::uint64_t second = size - std::min<std::uint64_t>(size, sizeof(header));
  found.is_second =
      file.read(second, header) == sizeof(header) && is_whole(header) && header.bytes == second;
  if (!found.is_second && !is_ours)
    throw CorruptFile(file.path(), 0,
                      "is not a file of Kindred: it does not begin with the 8 bytes of the format");
  return found.is_second;
}

/// Checks a header whose checksum is right.
void check_header(const SectionHeader& header, const std::string& path, std::string_view kind) {
  const auto damaged = [&path](std::uint64_t offset, const std::string& why) {
    return CorruptFile(path, offset, why);
  };
  if (header.format_version < section_format_first ||
      header.format_version > section_format_version) {
    throw damaged(8, "format version " + std::to_string(header.format_version) +
                         ", written by Kindred " + version_text(header.program_version) +
                         "; this is Kindred " + KINDRED_VERSION_STRING + ", which reads versions " +
                         std::to_string(section_format_first) + " to " +
                         std::to_string(section_format_version) + ": use Kindred " +
                         version_text(header.program_version) + " or newer");
  }
  if (text_of(header.kind) != kind) {
    throw damaged(
        16, "holds '" + std::string(text_of(header.kind)) + "', not '" + std::string(kind) + "'");
  }
  if (header.bytes < sizeof(header) + sizeof(TableHead) || header.bytes % section_alignment != 0 ||
      header.commits == 0 || header.table_bytes < sizeof(TableHead) ||
      header.table_bytes > header.bytes - sizeof(header) ||
      header.table_offset != header.bytes - header.table_bytes ||
      header.table_bytes % section_alignment != 0 ||
      std::any_of(header.reserved.begin(), header.reserved.end(), [](auto x) { return x != 0; }) ||
      std::string_view(header.kind.data(), header.kind.size()).find_last_not_of('\0') + 1 !=
          kind.size()) {
    throw damaged(32, "the header contradicts itself");
  }
}

}  // namespace

std::uint64_t checksum_of(const SectionHeader& header) noexcept {
  return hash64(&header, offsetof(SectionHeader, checksum));
}

std::uint64_t checksum_of(std::span<const std::uint64_t> pieces) noexcept {
  return hash64(pieces.data(), pieces.size_bytes());
}

FoundHeader read_header(int descriptor, const FileSource& source, std::string_view kind) {
  const FileBytes file{descriptor, source};
  FoundHeader found;
  for (int attempt = 0; !find_header(file, found); ++attempt) {
    // Another process may be replacing the header, which takes microseconds.
    if (source.bytes || attempt == 3)
      throw CorruptFile(file.path(), 0,
                        "the header is damaged: its checksum does not match; restore the file");
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  check_header(found.header, file.path(), kind);
  const std::uint64_t size = file.size();
  const std::uint64_t committed = found.header.bytes;
  if (size < committed) {
    throw CorruptFile(file.path(), size,
                      "the file ends after " + std::to_string(size) + " of " +
                          std::to_string(committed) +
                          " bytes: it was cut; restore it or save it again");
  }
  SectionHeader second{};
  const bool has_second = file.read(committed, second) == sizeof(second) &&
                          std::memcmp(&second, &found.header, sizeof(second)) == 0;
  found.uncommitted = size - committed - (has_second ? sizeof(second) : 0);
  return found;
}

}  // namespace Kindred::Impl
