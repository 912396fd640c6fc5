// SPDX-License-Identifier: Apache-2.0
#include "SectionFormat.hpp"

#include "common/Hash.hpp"

#include <kindred/Version.hpp>
#include <kindred/core/common/Error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

/// Reads the first bytes of the file and returns how many there are, at most the size of a header.
std::size_t read_start(int descriptor, const std::string& path, SectionHeader& header) {
  std::size_t done = 0;
  auto* const out = reinterpret_cast<char*>(&header);
  while (done < sizeof(header)) {
    const ssize_t count =
        ::pread(descriptor, out + done, sizeof(header) - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(path + ": reading failed: " + std::strerror(errno));
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

/// Checks that the \p bytes bytes that were read are the header of a file of Kindred.
void check_magic(std::size_t bytes, const SectionHeader& header, const std::string& path) {
  if (bytes < sizeof(header)) {
    throw CorruptFile(
        path, bytes,
        "the file ends within the header of " + std::to_string(sizeof(header)) + " bytes");
  }
  if (header.magic != section_magic)
    throw CorruptFile(path, 0,
                      "is not a file of Kindred: it does not begin with the 8 bytes of the format");
}

[[noreturn]] void refuse_checksum(const std::string& path) {
  throw CorruptFile(path, 0,
                    "the header is damaged: its checksum does not match; restore the file");
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

SectionHeader read_header(int descriptor, const std::string& path, std::string_view kind) {
  SectionHeader header{};
  for (int attempt = 0;; ++attempt) {
    check_magic(read_start(descriptor, path, header), header, path);
    if (header.checksum == checksum_of(header)) break;
    // Another process may be replacing the header, which takes microseconds.
    if (attempt == 3) refuse_checksum(path);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  check_header(header, path, kind);
  return header;
}

SectionHeader read_header(std::span<const std::byte> bytes, const std::string& name,
                          std::string_view kind) {
  SectionHeader header{};
  const std::size_t count = std::min(bytes.size(), sizeof(header));
  if (count > 0) std::memcpy(&header, bytes.data(), count);
  check_magic(count, header, name);
  if (header.checksum != checksum_of(header)) refuse_checksum(name);
  check_header(header, name, kind);
  return header;
}

}  // namespace Kindred::Impl
