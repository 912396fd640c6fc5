// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_SECTION_BYTES_HPP
#define KINDRED_TESTS_SUPPORT_SECTION_BYTES_HPP

#include "MemoryFile.hpp"
#include "kit/Hash.hpp"
#include "storage/SectionFile.hpp"
#include "storage/SectionWriter.hpp"

namespace Kindred::Testing {

/// \brief Updates every checksum of a section file to match its bytes, as a forger would: of the
/// sections, of the tables from the first to the last, and of the header. Follows only offsets that
/// lie within the bytes.
inline void reseal(std::span<char> file) {
  using namespace Impl;
  SectionHeader header{};
  if (file.size() < sizeof(header)) return;
  std::memcpy(&header, file.data(), sizeof(header));
  struct Place {
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  const auto within = [&](std::uint64_t offset, std::uint64_t bytes) {
    return offset <= file.size() && bytes <= file.size() - offset;
  };
  std::vector<Place> tables;
  Place next{header.table_offset, header.table_bytes};
  while (tables.size() < 64 && within(next.offset, next.bytes) && next.bytes >= sizeof(TableHead)) {
    tables.push_back(next);
    TableHead head;
    std::memcpy(&head, file.data() + next.offset, sizeof(head));
    if (head.previous_offset == 0) break;
    next = {head.previous_offset, head.previous_bytes};
  }
  std::reverse(tables.begin(), tables.end());
  std::uint64_t checksum = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    char* const table = file.data() + tables[i].offset;
    if (i > 0) std::memcpy(table + offsetof(TableHead, previous_checksum), &checksum, 8);
    for (std::uint64_t at = sizeof(TableHead); at + sizeof(TableEntry) <= tables[i].bytes;
         at += sizeof(TableEntry)) {
      TableEntry entry;
      std::memcpy(&entry, table + at, sizeof(entry));
      if (!within(entry.offset, entry.bytes) || !within(entry.offset, padded(entry.bytes)))
        continue;
      std::vector<std::uint64_t> sums;
      for (std::uint64_t done = 0; done < padded(entry.bytes); done += section_piece) {
        sums.push_back(hash64(file.data() + entry.offset + done,
                              std::min(section_piece, padded(entry.bytes) - done)));
      }
      entry.checksum = checksum_of(sums);
      std::memcpy(table + at, &entry, sizeof(entry));
    }
    checksum = hash64(table, tables[i].bytes);
  }
  if (!tables.empty()) header.table_checksum = checksum;
  header.checksum = checksum_of(header);
  std::memcpy(file.data(), &header, sizeof(header));
}

/// Writes \p number over element \p at of the section \p name of the last commit, and updates the
/// checksums of the file.
template <class T>
void forge(std::string& file, std::string_view name, std::size_t at, T number) {
  Impl::SectionHeader header{};
  std::memcpy(&header, file.data(), sizeof(header));
  for (std::size_t place = header.table_offset + sizeof(Impl::TableHead);
       place < header.table_offset + header.table_bytes; place += sizeof(Impl::TableEntry)) {
    Impl::TableEntry entry{};
    std::memcpy(&entry, file.data() + place, sizeof(entry));
    if (Impl::text_of(entry.name) != name || (at + 1) * sizeof(T) > entry.bytes) continue;
    std::memcpy(file.data() + entry.offset + at * sizeof(T), &number, sizeof(T));
    return reseal(file);
  }
  throw std::out_of_range("no element " + std::to_string(at) + " of " + std::string(name));
}

/// Appends a commit without sections to the file at \p path.
inline void append_commit(const std::string& path, std::string_view kind) {
  const Impl::FileRevision revision = Impl::SectionFile(path, kind, 1).revision();
  Impl::SectionWriter(path, kind, revision).commit();
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_SECTION_BYTES_HPP
