// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as an index of Kindred or of hnswlib: rejected, or traversed and changed within
// its bounds.
#include "StoredTarget.hpp"
#include "UpstreamMemory.hpp"
#include "hnsw/GraphChanges.hpp"
#include "hnsw/HnswlibFile.hpp"
#include "hnsw/StoredHnsw.hpp"
#include "hnsw/Walk.hpp"

#include <unistd.h>

#include <cstdio>

using namespace Kindred;
using namespace Kindred::Impl;

namespace {

constexpr std::size_t dimension = 3;

MemoryResource& memory() {
  static Testing::UpstreamMemory host;
  return host;
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
      for (const Key key : buffers.beam.keys())
        if (node_of(key) >= store.size()) __builtin_trap();
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

/// With byte elements, of hnswlib, with float elements.
std::vector<std::string> good_files() {
  std::vector<std::string> files = stored_files({"hnsw.knd"});
  const std::string path = "/tmp/kindred-fuzz-" + std::to_string(::getpid());
  HnswStore store = load_hnsw(memory(), KINDRED_TEST_STORED "/v1/hnsw.knd", 1);
  write_hnswlib(store, path);
  files.push_back(bytes_of(path));
  store.traversal = HnswTraversal::floats;
  store.codes.resize(0, 0);
  save_hnsw(path, store);
  files.push_back(bytes_of(path));
  std::remove(path.c_str());
  return files;
}

/// A file of Kindred, or of hnswlib.
void use(const std::string& path) {
  const std::string bytes = bytes_of(path);
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  HnswStore store = is_section_file(data, bytes.size())
                        ? load_hnsw(memory(), path, 1)
                        : read_hnswlib(memory(), path, Metric::l2, dimension);
  use_all(store);
}

}  // namespace Kindred::Testing
