// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a graph: rejected, or read within their bounds.
#include "MemoryFile.hpp"
#include "SealedMutator.hpp"
#include "StoredGraphSupport.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <unistd.h>

using namespace Kindred;

namespace {

/// A valid graph with everything that a file can contain.
std::string good_file() {
  const std::string path = "/tmp/kindred-fuzz-graph-" + std::to_string(::getpid());
  const std::vector<std::uint64_t> out_offsets{0, 2, 3, 3, 4};
  const std::vector<std::uint32_t> out_ends{1, 3, 1, 0};
  const std::vector<float> out_weights{0.5F, 1, 0.25F, 0.125F};
  const std::vector<std::uint8_t> out_kinds{1, 2, 3, 4};
  const std::vector<std::uint64_t> in_offsets{0, 1, 3, 3, 4};
  const std::vector<std::uint32_t> in_ends{3, 0, 1, 0};
  const std::vector<float> in_weights{0.125F, 0.5F, 0.25F, 1};
  const std::vector<std::uint8_t> in_kinds{4, 1, 3, 2};
  const std::vector<std::uint64_t> removed{4};
  Ragged<char> names;
  for (const std::string_view name : {"a", "bc", "", "d"})
    names.push_row({name.data(), name.size()});
  Impl::StoredGraph graph;
  graph.form.kinds = true;
  graph.nodes = 4;
  graph.edges = 4;
  graph.out = {out_offsets, {out_ends}, {out_weights}, {}, {out_kinds}};
  graph.in = {in_offsets, {in_ends}, {in_weights}, {}, {in_kinds}};
  graph.has_node_kinds = true;
  graph.node_kinds = out_kinds;
  graph.removed = removed;
  graph.names = names;
  Impl::save_graph(path, graph);
  return Testing::take_file(path);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // The valid file must be accepted, or nothing behind the first check would be tested.
  const Testing::MemoryFile memory;
  memory.set(good_file());
  if (SpreadingEngine::inspect(memory.path(), 1).edges != 4) __builtin_trap();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Testing::MemoryFile memory;
  memory.set({reinterpret_cast<const char*>(data), size});
  try {
    const volatile double sum = Testing::use(Impl::load_graph(memory.path(), 1));
    static_cast<void>(sum);
    SpreadingEngine::inspect(memory.path(), 1);
  } catch (const CorruptFile&) {
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  static const std::string good = good_file();
  return Testing::mutate_sealed(data, size, size_max, seed, good);
}
