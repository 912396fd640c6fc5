// SPDX-License-Identifier: Apache-2.0
#include "SectionFile.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/core/common/Error.hpp>
#include "FileDescriptor.hpp"
#include "kit/Hash.hpp"

#include <algorithm>
#include <cstring>

namespace Kindred::Impl {

namespace {

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
  });
}

bool is_element(ElementType type, std::uint32_t bytes) {
  if (type == ElementType::real) return bytes == 4 || bytes == 8;
  return (type == ElementType::unsigned_integer || type == ElementType::signed_integer) &&
         (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
}

}  // namespace

SectionFile::SectionFile(const FileSource& source, std::string_view kind, int threads)
    : m_path(source.path) {
  const FileDescriptor file = source.bytes ? FileDescriptor() : open_existing(m_path, Access::read);
  const FoundHeader found = read_header(file.get(), source, kind);
  m_revision = revision_of(found.header);
  m_uncommitted = found.uncommitted;
  m_file.emplace(file.get(), m_revision.bytes, Access::write, m_path);
  if (source.bytes) std::memcpy(m_file->data(), source.bytes->data(), m_revision.bytes);
  read_tables(found.header);
  verify(threads);
}

void SectionFile::fail(std::uint64_t at, const std::string& why) const {
  throw CorruptFile(m_path, at, why);
}

void SectionFile::read_tables(const SectionHeader& header) {
  std::uint64_t offset = header.table_offset;
  std::uint64_t bytes = header.table_bytes;
  std::uint64_t checksum = header.table_checksum;
  // From the last commit back to the first: the offsets decrease, so the loop terminates whatever
  // the file contains.
  for (std::uint64_t commit = header.commits; commit-- > 0;) {
    const std::string name = "the table of commit " + std::to_string(commit);
    if (hash64(m_file->data() + offset, bytes) != checksum)
      fail(offset, name + " is damaged: its checksum does not match");
    const auto head = m_file->read<TableHead>(offset);
    const bool is_first = head.previous_offset == 0;
    const bool fits = head.commit == commit && is_first == (commit == 0) &&
                      head.begin % section_alignment == 0 && head.begin <= offset &&
                      head.sections == bytes / sizeof(TableEntry) - 1 && head.reserved[0] == 0 &&
                      head.reserved[1] == 0;
    const bool joins = is_first ? head.begin == sizeof(SectionHeader) && head.previous_bytes == 0 &&
                                      head.previous_checksum == 0
                                : head.previous_offset % section_alignment == 0 &&
                                      head.previous_offset >= sizeof(SectionHeader) &&
                                      head.previous_offset < head.begin &&
                                      head.previous_bytes == head.begin - head.previous_offset;
    if (!fits || !joins) fail(offset, name + " contradicts the header or itself");
    m_commits.push_back(read_entries(offset, head));
    offset = head.previous_offset;
    bytes = head.previous_bytes;
    checksum = head.previous_checksum;
  }
  std::reverse(m_commits.begin(), m_commits.end());
}

std::vector<SectionFile::Section> SectionFile::read_entries(std::uint64_t table,
                                                            const TableHead& head) const {
  std::vector<Section> sections;
  std::uint64_t expected = head.begin;
  for (std::uint64_t i = 0; i < head.sections; ++i) {
    const std::uint64_t at = table + sizeof(TableHead) + i * sizeof(TableEntry);
    // The names refer to the mapping, which lives as long as this object.
    const auto& entry = *reinterpret_cast<const TableEntry*>(m_file->data() + at);
    const std::string_view name = text_of(entry.name);
    const bool filled = std::string_view(entry.name.data(), entry.name.size())
                            .find_first_not_of('\0', name.size()) == std::string_view::npos;
    if (!is_name(name) || !filled) fail(at, "a section without a valid name");
    if (!is_element(entry.type, entry.element_bytes) || entry.offset != expected ||
        entry.bytes > table - expected || entry.bytes % entry.element_bytes != 0) {
      fail(at, "section '" + std::string(name) +
                   "' lies outside its commit or does not have a whole number "
                   "of elements");
    }
    sections.push_back(
        {name, entry.type, entry.element_bytes, entry.offset, entry.bytes, entry.checksum});
    expected += padded(entry.bytes);
  }
  if (expected != table) fail(table, "the sections do not end where their table begins");
  std::vector<std::string_view> names;
  names.reserve(sections.size());
  for (const Section& section : sections) names.push_back(section.name);
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    fail(table, "section '" + std::string(*twice) + "' occurs twice");
  return sections;
}

void SectionFile::verify(int threads) const {
  struct Piece {
    const std::byte* data;
    std::uint64_t bytes;
  };
  std::vector<Piece> pieces;
  for (const auto& sections : m_commits) {
    for (const Section& section : sections) {
      const std::uint64_t bytes = padded(section.bytes);
      for (std::uint64_t done = 0; done < bytes; done += section_piece)
        pieces.push_back(
            {m_file->data() + section.offset + done, std::min(section_piece, bytes - done)});
    }
  }
  std::vector<std::uint64_t> sums(pieces.size());
  for_each_task(pieces.size(), threads,
                [&](std::size_t i) { sums[i] = hash64(pieces[i].data, pieces[i].bytes); });
  std::size_t first = 0;
  for (const auto& sections : m_commits) {
    for (const Section& section : sections) {
      const std::size_t count = (padded(section.bytes) + section_piece - 1) / section_piece;
      if (checksum_of(std::span(sums).subspan(first, count)) != section.checksum) {
        fail(section.offset,
             "section '" + std::string(section.name) + "' is damaged: its checksum does not match");
      }
      first += count;
    }
  }
}

const SectionFile::Section* SectionFile::find(std::size_t commit, std::string_view name) const {
  const auto& sections = m_commits[commit];
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const Section& section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

const SectionFile::Section& SectionFile::get(std::size_t commit, std::string_view name) const {
  const Section* const section = find(commit, name);
  if (section == nullptr) {
    fail(m_revision.bytes,
         "commit " + std::to_string(commit) + " has no section '" + std::string(name) + "'");
  }
  return *section;
}

std::uint64_t SectionFile::offset(std::size_t commit, std::string_view name) const {
  return get(commit, name).offset;
}

std::pair<std::byte*, std::uint64_t> SectionFile::typed(std::size_t commit, std::string_view name,
                                                        ElementType type,
                                                        std::size_t element_bytes) const {
  const Section& section = get(commit, name);
  if (section.type != type || section.element_bytes != element_bytes) {
    fail(section.offset, "section '" + std::string(name) + "' has elements of " +
                             std::to_string(section.element_bytes) +
                             " bytes, or of another type; " + std::to_string(element_bytes) +
                             " are expected");
  }
  return {m_file->data() + section.offset, section.bytes};
}

}  // namespace Kindred::Impl
