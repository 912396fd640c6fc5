// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as an index of Kindred or of hnswlib: rejected, or traversed and changed within
// its bounds.
#include "StoredTarget.hpp"
#include "hnsw/GraphChanges.hpp"
#include "hnsw/HnswlibFile.hpp"
#include "hnsw/StoredHnsw.hpp"
#include "hnsw/Walk.hpp"

#include <cstdlib>
#include <numeric>
#include <random>

using namespace Kindred;
using namespace Kindred::Impl;

namespace {

constexpr std::size_t dimension = 3;
constexpr std::size_t nodes = 9;

/// Memory from `malloc`, so that AddressSanitizer detects writes beyond its end.
class PlainMemory final : public MemoryResource {
 public:
  void* allocate(std::size_t bytes, const std::string& label) override {
    if (bytes == 0) return nullptr;
    void* const data = std::malloc(bytes);
    if (data == nullptr) throw OutOfMemory("host", bytes, label, "refused");
    return data;
  }
  void deallocate(void* data, std::size_t) noexcept override { std::free(data); }
  std::string_view space() const noexcept override { return "host"; }
};

MemoryResource& memory() {
  static PlainMemory plain;
  return plain;
}

/// A ring of nodes with some on upper levels, one of them deleted.
HnswStore good_store(HnswTraversal traversal) {
  HnswSettings settings;
  settings.metric = Metric::l2;
  settings.m = 2;
  settings.ef_construction = 8;
  HnswStore store(memory(), dimension, settings);
  store.traversal = traversal;
  store.mean.assign(dimension, 0.25F);
  store.next_id = nodes;
  store.rows.resize(nodes * store.row_stride(), 0.0F);
  if (traversal == HnswTraversal::bytes) store.codes.resize(nodes * store.code_stride(), 128);
  store.ids.resize(nodes, 0);
  store.deleted.resize(nodes, 0);
  store.levels.resize(nodes, 0);
  store.base.resize(nodes * 4, no_node);
  store.upper_first.resize(nodes, 0);
  store.upper.resize(4 * 2, no_node);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    store.ids[node] = node;
    for (std::size_t d = 0; d < dimension; ++d)
      store.rows[node * store.row_stride() + d] = static_cast<float>(node * (d + 1) % 7);
    for (std::uint32_t k = 0; k < 3; ++k) store.base[node * 4 + k] = (node + k + 1) % nodes;
  }
  store.deleted[5] = 1;
  store.dead = 1;
  store.levels[2] = 2;
  store.levels[6] = store.levels[7] = 1;
  store.upper_first[6] = 2;
  store.upper_first[7] = 3;
  store.upper[0] = 6;
  store.upper[1] = 7;
  store.upper[4] = 2;
  store.upper[6] = 6;
  store.entry = 2;
  store.top_level = 2;
  return store;
}

/// A file of Kindred, or of hnswlib.
HnswStore read(const std::string& path, bool is_ours) {
  return is_ours ? load_hnsw(memory(), path, 1)
                 : read_hnswlib(memory(), path, Metric::l2, dimension);
}

/// Traverses from every side, then makes every change that is possible without threads.
void use_all(HnswStore& store) {
  if (store.size() == 0) return;
  store.with_rows([&](const auto& rows) {
    using Rows = std::decay_t<decltype(rows)>;
    WalkBuffers buffers;
    std::vector<typename Rows::Element> element(rows.query_elements());
    const Links links = store.links();
    Walk<Rows> walk(links, rows, buffers);
    for (std::uint32_t node = 0; node < std::min<std::size_t>(store.size(), 4); ++node) {
      const auto query = rows.query_of(node, element.data());
      const Key start = walk.descend(query, 0);
      walk.search(query, 0, start, store.size(), 5);
      for (const Key key : buffers.beam.keys()) {
        if (node_of(key) >= store.size()) __builtin_trap();
      }
      walk.search_allowed(query, start, store.size(), 5,
                          [&](std::uint32_t at) { return store.deleted[at] == 0; });
    }
  });
  connect_unreached(store);
  std::size_t reached = 0;
  std::vector<std::uint32_t> order = walk_order(store, reached);
  HnswStore again = renumbered(store, memory(), order);
  if (again.size() != store.size()) __builtin_trap();
}

}  // namespace

namespace Kindred::Testing {

/// With byte elements, with float elements, of hnswlib.
const std::vector<std::string>& good_files() {
  const auto saving = [](HnswTraversal traversal) {
    return [=](const std::string& path) { save_hnsw(path, good_store(traversal)); };
  };
  static const std::vector<std::string> files{
      file_of(saving(HnswTraversal::bytes)), file_of(saving(HnswTraversal::floats)),
      file_of(
          [](const std::string& path) { write_hnswlib(good_store(HnswTraversal::floats), path); })};
  return files;
}

bool is_good(const std::string& path, std::size_t which) {
  const HnswStore store = read(path, which < 2);
  return store.live() == nodes - 1 && store.top_level == 2;
}

void use(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint8_t magic[sizeof(section_magic)] = {};
  file.read(reinterpret_cast<char*>(magic), sizeof(magic));
  HnswStore store = read(path, is_section_file(magic, static_cast<std::size_t>(file.gcount())));
  use_all(store);
}

}  // namespace Kindred::Testing
