// SPDX-License-Identifier: Apache-2.0
#include "HnswlibFile.hpp"

#include "storage/FileDescriptor.hpp"
#include "storage/MappedFile.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/math/Log.hpp>
#include <kindred/memory/AtomicFile.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

namespace Kindred::Impl {

namespace {

/// The first bytes as `saveIndex` writes them; all fields are aligned.
struct Header {
  std::uint64_t base_offset;
  std::uint64_t capacity;
  std::uint64_t count;
  std::uint64_t element_bytes;
  std::uint64_t label_offset;
  std::uint64_t data_offset;
  std::int32_t top_level;
  std::uint32_t entry;
  std::uint64_t upper_links;
  std::uint64_t base_links;
  std::uint64_t m;
  double level_factor;
  std::uint64_t ef_construction;
};
static_assert(sizeof(Header) == 96);

/// In the count of a list of level 0.
constexpr std::uint32_t deleted_mark = std::uint32_t{1} << 16U;

MappedFile mapped(const std::string& path) {
  const FileDescriptor file = open_existing(path, Access::read);
  return {file.get(), file_size(file.get(), path), Access::read, path};
}

class HnswlibReader {
 public:
  HnswlibReader(const std::string& path, Metric metric, std::size_t dimension)
      : m_path(path), m_file(mapped(path)), m_metric(metric), m_dimension(dimension) {}

  HnswStore read(MemoryResource& resource) {
    read_header();
    const std::vector<std::uint64_t> upper_lists = find_upper_lists();
    HnswSettings settings;
    settings.metric = m_metric;
    settings.m = m_header.m;
    settings.ef_construction =
        std::clamp<std::uint64_t>(m_header.ef_construction, m_header.m, ef_construction_max);
    HnswStore store(resource, m_dimension, settings);
    const std::size_t count = m_header.count;
    store.resize(count, m_lists);
    read_levels(store, upper_lists);
    for (std::size_t node = 0; node < count; ++node) read_element(store, node, upper_lists[node]);
    if (const auto twice = store.repeated_id())
      fail(sizeof(Header), "the label " + std::to_string(*twice) + " occurs twice");
    read_entry(store);
    return store;
  }

 private:
  [[noreturn]] void fail(std::uint64_t at, const std::string& why) const {
    throw CorruptFile(m_path, at, why);
  }
  void expect(std::size_t field, const char* name, std::uint64_t value,
              std::uint64_t expected) const {
    if (value == expected) return;
    fail(field, std::string(name) + " is " + std::to_string(value) + "; " +
                    std::to_string(expected) + " is expected");
  }

  void read_header() {
    if (m_file.bytes() < sizeof(Header)) {
      fail(m_file.bytes(), "the file has " + std::to_string(m_file.bytes()) +
                               " bytes; an index of hnswlib has " + std::to_string(sizeof(Header)) +
                               " at least");
    }
    m_header = m_file.read<Header>(0);
    const Header& h = m_header;
    expect(offsetof(Header, base_offset), "the offset of level 0", h.base_offset, 0);
    if (h.m < 2 || h.m > m_max) {
      fail(offsetof(Header, m),
           "M is " + std::to_string(h.m) + "; it must be in [2, " + std::to_string(m_max) + "]");
    }
    expect(offsetof(Header, upper_links), "the links of an upper level", h.upper_links, h.m);
    expect(offsetof(Header, base_links), "the links of level 0", h.base_links, 2 * h.m);
    expect(offsetof(Header, data_offset), "the offset of a row", h.data_offset,
           (h.base_links + 1) * sizeof(std::uint32_t));
    if (m_dimension > m_file.bytes() / sizeof(float) ||
        h.label_offset != h.data_offset + m_dimension * sizeof(float)) {
      fail(offsetof(Header, label_offset),
           "a row has " + std::to_string(h.label_offset - h.data_offset) +
               " bytes; float32 of dimension " + std::to_string(m_dimension) + " has " +
               std::to_string(m_dimension * sizeof(float)) +
               ": pass the dimension with which the index was built");
    }
    expect(offsetof(Header, element_bytes), "the size of an element", h.element_bytes,
           h.label_offset + sizeof(std::uint64_t));
    if (h.count >= node_limit || h.count > (m_file.bytes() - sizeof(Header)) / h.element_bytes) {
      fail(offsetof(Header, count), std::to_string(h.count) + " elements of " +
                                        std::to_string(h.element_bytes) + " bytes; the file has " +
                                        std::to_string(m_file.bytes()));
    }
    if (h.capacity < h.count) {
      fail(offsetof(Header, capacity), "a capacity of " + std::to_string(h.capacity) + " for " +
                                           std::to_string(h.count) + " elements");
    }
    if (h.top_level >= level_limit || (h.count > 0 ? h.top_level < 0 : h.top_level != -1))
      fail(offsetof(Header, top_level), "the highest level is " + std::to_string(h.top_level));
  }

  std::uint64_t list_bytes() const { return (m_header.m + 1) * sizeof(std::uint32_t); }
  std::uint64_t element(std::size_t node) const {
    return sizeof(Header) + node * m_header.element_bytes;
  }

  /// The positions of the upper lists of each node, after their size in bytes.
  std::vector<std::uint64_t> find_upper_lists() {
    std::vector<std::uint64_t> out(m_header.count);
    std::uint64_t at = element(m_header.count);
    for (std::uint64_t& begin : out) {
      if (m_file.bytes() - at < sizeof(std::uint32_t))
        fail(at, "the file ends in the upper levels");
      const auto bytes = m_file.read<std::uint32_t>(at);
      const std::uint64_t levels = bytes / list_bytes();
      if (bytes % list_bytes() != 0 || levels > static_cast<std::uint64_t>(m_header.top_level) ||
          bytes > m_file.bytes() - at - sizeof(std::uint32_t)) {
        fail(at, std::to_string(bytes) + " bytes of upper links; a level has " +
                     std::to_string(list_bytes()) + " bytes, and the highest level is " +
                     std::to_string(m_header.top_level));
      }
      begin = at + sizeof(std::uint32_t);
      at = begin + bytes;
      m_lists += levels;
    }
    if (at != m_file.bytes()) fail(at, "the file continues after its last element");
    return out;
  }

  void read_levels(HnswStore& store, const std::vector<std::uint64_t>& upper_lists) const {
    std::size_t lists = 0;
    for (std::size_t node = 0; node < store.size(); ++node) {
      const auto bytes = m_file.read<std::uint32_t>(upper_lists[node] - sizeof(std::uint32_t));
      const std::uint64_t levels = bytes / list_bytes();
      store.levels[node] = static_cast<std::uint8_t>(levels);
      if (levels > 0) store.upper_first[node] = static_cast<std::uint32_t>(lists);
      lists += levels;
    }
  }

  void read_element(HnswStore& store, std::size_t node, std::uint64_t upper_at) const {
    const std::uint64_t at = element(node);
    auto count = m_file.read<std::uint32_t>(at);
    store.deleted[node] = (count & deleted_mark) != 0 ? 1 : 0;
    store.dead += store.deleted[node];
    count &= ~deleted_mark;
    const Links links = store.links();
    read_list(store, at, count, 0, links.list(0, static_cast<std::uint32_t>(node)));
    for (int level = 1; level <= store.levels[node]; ++level, upper_at += list_bytes()) {
      read_list(store, upper_at, m_file.read<std::uint32_t>(upper_at), level,
                links.list(level, static_cast<std::uint32_t>(node)));
    }
    float* const row = store.rows.data() + node * store.row_stride();
    std::memcpy(row, m_file.data() + at + m_header.data_offset, m_dimension * sizeof(float));
    const float* const bad =
        std::find_if(row, row + m_dimension, [](float value) { return !std::isfinite(value); });
    if (bad != row + m_dimension) {
      fail(at + m_header.data_offset + static_cast<std::uint64_t>(bad - row) * sizeof(float),
           "row " + std::to_string(node) + " has a number that is not finite");
    }
    store.ids[node] = m_file.read<std::uint64_t>(at + m_header.label_offset);
    if (store.ids[node] >= hnsw_id_limit) {
      fail(at + m_header.label_offset, "the label " + std::to_string(store.ids[node]) +
                                           " is not below " + std::to_string(hnsw_id_limit));
    }
    store.next_id = std::max(store.next_id, store.ids[node] + 1);
  }

  /// \param at position of the count, which precedes the links
  void read_list(const HnswStore& store, std::uint64_t at, std::uint32_t count, int level,
                 std::uint32_t* list) const {
    const std::uint64_t capacity = level == 0 ? m_header.base_links : m_header.m;
    if (count > capacity) {
      fail(at, std::to_string(count) + " links on level " + std::to_string(level) + "; at most " +
                   std::to_string(capacity));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t place = at + (std::uint64_t{i} + 1) * sizeof(std::uint32_t);
      list[i] = m_file.read<std::uint32_t>(place);
      if (list[i] >= store.size() || store.levels[list[i]] < level) {
        fail(place, "a link to " + std::to_string(list[i]) + ", which is not an element of level " +
                        std::to_string(level));
      }
    }
  }

  void read_entry(HnswStore& store) const {
    store.top_level = m_header.top_level;
    if (store.size() == 0) return;
    if (m_header.entry >= store.size() || store.levels[m_header.entry] != m_header.top_level) {
      fail(offsetof(Header, entry), "the entry " + std::to_string(m_header.entry) +
                                        " is not an element of the highest level, " +
                                        std::to_string(m_header.top_level));
    }
    store.entry = m_header.entry;
  }

  std::string m_path;
  MappedFile m_file;
  Metric m_metric;
  std::size_t m_dimension;
  Header m_header{};
  std::uint64_t m_lists = 0;
};

class Writer {
 public:
  Writer(const HnswStore& store, const std::string& path) : m_store(store), m_file(path) {}

  void write() {
    const std::size_t m = m_store.settings.m;
    const std::size_t count = m_store.size();
    Header header{};
    header.capacity = header.count = count;
    header.data_offset = (2 * m + 1) * sizeof(std::uint32_t);
    header.label_offset = header.data_offset + m_store.dimension * sizeof(float);
    header.element_bytes = header.label_offset + sizeof(std::uint64_t);
    header.top_level = m_store.top_level;
    header.entry = m_store.entry;
    header.upper_links = header.m = m;
    header.base_links = 2 * m;
    header.level_factor = 1.0 / portable_log(static_cast<double>(m));
    header.ef_construction = m_store.settings.ef_construction;
    put(header);
    const Links links = m_store.links();
    std::vector<float> row(m_store.dimension);
    for (std::uint32_t node = 0; node < count; ++node) {
      put_list(links.list(0, node), 2 * m, m_store.deleted[node] != 0 ? deleted_mark : 0);
      put_row(node, row);
      put(m_store.ids[node]);
      flush(buffer_bytes);
    }
    for (std::uint32_t node = 0; node < count; ++node) {
      put(static_cast<std::uint32_t>(m_store.levels[node] * (m + 1) * sizeof(std::uint32_t)));
      for (int level = 1; level <= m_store.levels[node]; ++level)
        put_list(links.list(level, node), m, 0);
      flush(buffer_bytes);
    }
    flush(0);
    AtomicFile::publish({&m_file});
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 20U;

  template <class T>
  void put(const T& value) {
    put(&value, sizeof(value));
  }
  void put(const void* data, std::size_t bytes) {
    const std::size_t at = m_buffer.size();
    m_buffer.resize(at + bytes);
    if (bytes > 0) std::memcpy(m_buffer.data() + at, data, bytes);
  }
  void put_list(const std::uint32_t* list, std::size_t capacity, std::uint32_t mark) {
    const auto count = static_cast<std::uint32_t>(std::find(list, list + capacity, no_node) - list);
    put(count | mark);
    put(list, count * sizeof(std::uint32_t));
    m_buffer.resize(m_buffer.size() + (capacity - count) * sizeof(std::uint32_t));
  }
  void put_row(std::uint32_t node, std::vector<float>& row) {
    std::copy_n(m_store.row(node), row.size(), row.begin());
    if (m_store.settings.metric == Metric::cosine) {
      double squares = 0;
      for (const float value : row)
        squares += static_cast<double>(value) * static_cast<double>(value);
      const double factor = squares > 0 ? 1.0 / std::sqrt(squares) : 0.0;
      for (float& value : row) value = static_cast<float>(static_cast<double>(value) * factor);
    }
    put(row.data(), row.size() * sizeof(float));
  }
  void flush(std::size_t above) {
    if (m_buffer.size() <= above) return;
    m_file.write(m_buffer.data(), m_buffer.size());
    m_buffer.clear();
  }

  const HnswStore& m_store;
  AtomicFile m_file;
  std::vector<std::byte> m_buffer;
};

}  // namespace

HnswStore read_hnswlib(MemoryResource& resource, const std::string& path, Metric metric,
                       std::size_t dimension) {
  return HnswlibReader(path, metric, dimension).read(resource);
}

void write_hnswlib(const HnswStore& store, const std::string& path) { Writer(store, path).write(); }

}  // namespace Kindred::Impl
