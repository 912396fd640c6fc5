// SPDX-License-Identifier: Apache-2.0
#include "SectionWriter.hpp"

#include "kit/Hash.hpp"

#include <kindred/Version.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace Kindred::Impl {

namespace {

template <std::size_t size>
std::array<char, size> field_of(std::string_view text) {
  KINDRED_THROW_IF(text.empty() || text.size() > size,
                   "'" + std::string(text) + "' must have 1 to " + std::to_string(size) + " bytes");
  std::array<char, size> field{};
  std::copy(text.begin(), text.end(), field.begin());
  return field;
}

}  // namespace

SectionWriter::SectionWriter(FileTarget target, std::string_view kind)
    : m_path(std::move(target.path)), m_out(target.bytes) {
  if (m_out == nullptr) {
    m_new.emplace(m_path);
    if (::access(m_path.c_str(), F_OK) == 0) m_locked = lock_existing(m_path, Access::read);
  }
  m_header.magic = section_magic;
  m_header.format_version = section_format_first;
  m_header.program_version = KINDRED_VERSION;
  m_header.kind = field_of<16>(kind);
  append(&m_header, sizeof(m_header));  // reserves its space; `commit` writes it again
  m_head.begin = m_end;
}

SectionWriter::SectionWriter(std::string path, std::string_view kind, const FileRevision& expected)
    : m_path(std::move(path)), m_locked(lock_existing(m_path, Access::write)) {
  const FoundHeader found = read_header(m_locked.get(), m_path, kind);
  m_header = found.header;
  if (revision_of(m_header) != expected) {
    throw InvalidArgument(
        m_path + ": has changed since it was read or written: it has " +
        std::to_string(m_header.bytes) + " bytes in " + std::to_string(m_header.commits) +
        " commits, but " + std::to_string(expected.bytes) + " bytes in " +
        std::to_string(expected.commits) + " commits were expected; load it again");
  }
  // The second slot, and the data of a writer that did not finish, make way for the new commit;
  // the first slot must be valid and durable before that.
  if (found.is_second) write_at(m_locked.get(), 0, &m_header, sizeof(m_header), m_path);
  if (file_size(m_locked.get(), m_path) > m_header.bytes) {
    sync(m_locked.get(), m_path);
    if (::ftruncate(m_locked.get(), static_cast<off_t>(m_header.bytes)) != 0)
      throw Error(m_path + ": cannot be truncated to the committed bytes: " + std::strerror(errno));
  }
  m_head.commit = m_header.commits;
  m_head.begin = m_end = m_header.bytes;
  m_head.previous_offset = m_header.table_offset;
  m_head.previous_bytes = m_header.table_bytes;
  m_head.previous_checksum = m_header.table_checksum;
}

void SectionWriter::begin(std::string_view name, ElementType type, std::size_t element_bytes) {
  end();
  m_entries.push_back(
      {field_of<32>(name), type, static_cast<std::uint32_t>(element_bytes), m_end, 0, 0});
  m_in_section = true;
}

void SectionWriter::put(const void* data, std::size_t bytes) {
  const auto* next = static_cast<const std::byte*>(data);
  m_entries.back().bytes += bytes;
  while (bytes > 0) {
    const std::size_t taken = std::min<std::size_t>(bytes, section_piece - m_piece.size());
    m_piece.insert(m_piece.end(), next, next + taken);
    if (m_piece.size() == section_piece) flush_piece();
    next += taken;
    bytes -= taken;
  }
}

void SectionWriter::flush_piece() {
  m_sums.push_back(hash64(m_piece.data(), m_piece.size()));
  append(m_piece.data(), m_piece.size());
  m_piece.clear();
}

void SectionWriter::end() {
  if (!m_in_section) return;
  m_piece.resize(padded(m_piece.size()), std::byte{0});
  if (!m_piece.empty()) flush_piece();
  m_entries.back().checksum = checksum_of(m_sums);
  m_sums.clear();
  m_in_section = false;
}

void SectionWriter::append(const void* data, std::size_t bytes) {
  if (m_out != nullptr) {
    const auto* const first = static_cast<const std::byte*>(data);
    m_out->insert(m_out->end(), first, first + bytes);
  } else if (m_new) {
    m_new->write(data, bytes);
  } else {
    write_at(m_locked.get(), m_end, data, bytes, m_path);
  }
  m_end += bytes;
}

FileRevision SectionWriter::commit() {
  end();
  m_head.sections = m_entries.size();
  std::vector<std::byte> table(sizeof(TableHead) + m_entries.size() * sizeof(TableEntry));
  std::memcpy(table.data(), &m_head, sizeof(m_head));
  if (!m_entries.empty()) {
    std::memcpy(table.data() + sizeof(m_head), m_entries.data(),
                m_entries.size() * sizeof(TableEntry));
  }
  m_header.table_offset = m_end;
  m_header.table_bytes = table.size();
  m_header.table_checksum = hash64(table.data(), table.size());
  append(table.data(), table.size());
  m_header.bytes = m_end;
  ++m_header.commits;
  m_header.checksum = checksum_of(m_header);
  if (m_out != nullptr) {
    std::memcpy(m_out->data(), &m_header, sizeof(m_header));
  } else if (m_new) {
    m_new->write_at(0, &m_header, sizeof(m_header));
    AtomicFile::publish({&*m_new});
  } else {
    // The first slot is overwritten once the data and the second slot are durable.
    append(&m_header, sizeof(m_header));
    sync(m_locked.get(), m_path);
    write_at(m_locked.get(), 0, &m_header, sizeof(m_header), m_path);
    sync(m_locked.get(), m_path);
  }
  return revision_of(m_header);
}

}  // namespace Kindred::Impl
