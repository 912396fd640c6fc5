// SPDX-License-Identifier: Apache-2.0
// The bytes of indexes and graphs.
#include "CSupport.hpp"

#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/KeyedVectorIndex.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <ChangedBytes.hpp>
#include <Generator.hpp>
#include <Support.hpp>
#include <TempFolder.hpp>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Testing {
namespace {

constexpr std::size_t row_size = 8;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::span<const std::byte> bytes_in(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// The functions of one kind of handle.
template <class Handle>
struct Functions {
  kindred_status (*from_bytes)(const std::uint8_t* bytes, std::size_t size, Handle** handle);
  const char* kind;  ///< of its file
};

constexpr Functions<kindred_index> index_functions{
    [](const std::uint8_t* bytes, std::size_t size, kindred_index** index) {
      return kindred_index_from_bytes(c_context(), bytes, size, nullptr, 0, index);
    },
    "vectors"};
constexpr Functions<kindred_hnsw> hnsw_functions{
    [](const std::uint8_t* bytes, std::size_t size, kindred_hnsw** hnsw) {
      return kindred_hnsw_from_bytes(c_context(), bytes, size, hnsw);
    },
    "hnsw"};
constexpr Functions<kindred_graph> graph_functions{
    [](const std::uint8_t* bytes, std::size_t size, kindred_graph** graph) {
      return kindred_graph_from_bytes(c_context(), bytes, size, nullptr, 0, graph);
    },
    "graph"};

constexpr Functions<kindred_keyed_index> keyed_functions{
    [](const std::uint8_t* bytes, std::size_t size, kindred_keyed_index** index) {
      return kindred_keyed_index_from_bytes(c_context(), bytes, size, nullptr, 0, index);
    },
    "vectors"};

template <class Handle>
std::string bytes_of(const Handle* handle) {
  Owned<kindred_string> bytes;
  KINDRED_EXPECT_OK(kindred_to_bytes(handle, &bytes));
  return std::string(view_of(bytes));
}

template <class Handle>
kindred_status read(const Functions<Handle>& functions, std::span<const std::byte> bytes,
                    Handle** handle) {
  return functions.from_bytes(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                              handle);
}

/// The bytes of \p handle are those of its file and of \p expected, and an object that is read from
/// them has the same.
template <class Handle>
void expect_bytes(const Functions<Handle>& functions, const Handle* handle,
                  const std::vector<std::byte>& expected) {
  const std::string bytes = bytes_of(handle);
  EXPECT_EQ(bytes, text_of(expected));
  const TempFolder folder;
  const std::string path = folder / "object.knd";
  KINDRED_ASSERT_OK(kindred_save(handle, path.c_str()));
  Owned<kindred_string> kind;
  KINDRED_ASSERT_OK(kindred_file_kind(path.c_str(), &kind));
  EXPECT_EQ(view_of(kind), functions.kind);
  std::ifstream file(path, std::ios::binary);
  EXPECT_EQ(bytes, std::string(std::istreambuf_iterator<char>(file), {}));
  Owned<Handle> copy;
  {
    std::string borrowed = bytes;  // the object copies them
    KINDRED_ASSERT_OK(read(functions, bytes_in(borrowed), &copy));
    borrowed.assign(borrowed.size(), '\0');
  }
  EXPECT_EQ(bytes_of(static_cast<const Handle*>(copy.handle)), bytes);
}

template <class Handle>
void expect_damage_refused(const Functions<Handle>& functions, const Handle* handle) {
  const std::string text = bytes_of(handle);
  const std::vector<std::byte> whole(bytes_in(text).begin(), bytes_in(text).end());
  Handle* none = nullptr;
  const auto refused = [&](const std::vector<std::byte>& damaged) {
    EXPECT_EQ(read(functions, damaged, &none), KINDRED_CORRUPT) << kindred_last_error();
    EXPECT_NE(std::string(kindred_last_error()).find("the buffer"), std::string::npos)
        << kindred_last_error();
  };
  for_each_beginning(whole, refused);
  for_each_flipped_bit(whole, 13, refused);
  EXPECT_EQ(read(functions, {}, &none), KINDRED_CORRUPT);
  EXPECT_EQ(functions.from_bytes(nullptr, 1, &none), KINDRED_INVALID);
  EXPECT_EQ(none, nullptr);
}

TEST(CBytes, OfIndexesAreThoseOfCpp) {
  for (const std::size_t size : edge_sizes) {
    const std::vector<float> rows = random_rows("CBytes index", size * row_size);
    Tensor tensor(rows.data(), KINDRED_FLOAT32, static_cast<std::int64_t>(size), row_size);
    Owned<kindred_index> index;
    KINDRED_ASSERT_OK(kindred_index_create(c_context(), &tensor, nullptr, nullptr, &index));
    VectorIndex expected(context(), VectorSpan(rows, row_size), {});
    if (size > 2) {
      const std::vector<std::uint64_t> removed{1};
      KINDRED_ASSERT_OK(kindred_index_remove(index, removed.data(), 1));
      expected.remove(removed);
    }
    expect_bytes<kindred_index>(index_functions, index, expected.to_bytes());
    if (size == 33) expect_damage_refused<kindred_index>(index_functions, index);
  }
}

TEST(CBytes, OfGraphIndexesAreThoseOfCpp) {
  for (const std::size_t size : edge_sizes) {
    const std::vector<float> rows = random_rows("CBytes hnsw", size * row_size);
    Tensor tensor(rows.data(), KINDRED_FLOAT32, static_cast<std::int64_t>(size), row_size);
    Owned<kindred_hnsw> hnsw;
    KINDRED_ASSERT_OK(kindred_hnsw_build(c_context(), &tensor, nullptr, nullptr, nullptr, &hnsw));
    expect_bytes<kindred_hnsw>(hnsw_functions, hnsw,
                               HnswIndex::build(context(), rows, row_size).to_bytes());
    if (size == 33) expect_damage_refused<kindred_hnsw>(hnsw_functions, hnsw);
  }
}

TEST(CBytes, OfGraphsAreThoseOfCpp) {
  for (const std::size_t size : edge_sizes) {
    auto generator = Testing::generator("CBytes graph");
    std::vector<kindred_edge> edges;
    std::vector<Edge> expected_edges;
    const auto nodes = static_cast<std::uint32_t>(size);
    for (std::uint32_t from = 0; from < nodes; ++from) {
      const std::uint32_t to =
          std::uniform_int_distribution<std::uint32_t>(0, nodes - 1)(generator);
      edges.push_back({from, to, 0.5F});
      expected_edges.push_back({from, to, 0.5F});
    }
    Owned<kindred_graph> graph;
    KINDRED_ASSERT_OK(kindred_graph_create(c_context(), nodes, edges.data(), edges.size(), nullptr,
                                           nullptr, nullptr, nullptr, &graph));
    expect_bytes<kindred_graph>(graph_functions, graph,
                                SpreadingEngine(context(), {nodes, expected_edges}, {}).to_bytes());
    if (size == 33) expect_damage_refused<kindred_graph>(graph_functions, graph);
  }
}

TEST(CBytes, OfKeysAreThoseOfCpp) {
  for (const std::size_t size : edge_sizes) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < size; ++i) numbers.push_back(i * 7919 % 1009);
    kindred_key_span keys = KINDRED_KEY_SPAN_INIT;
    keys.count = size;
    keys.integers = numbers.data();
    const std::span<const std::uint64_t> cpp_keys(numbers);
    const std::vector<float> rows = random_rows("CBytes keys", size * row_size);
    Tensor tensor(rows.data(), KINDRED_FLOAT32, static_cast<std::int64_t>(size), row_size);
    Owned<kindred_keyed_index> index;
    KINDRED_ASSERT_OK(
        kindred_keyed_index_create(c_context(), &keys, &tensor, nullptr, nullptr, &index));
    const KeyedVectorIndex expected_index(context(), cpp_keys, VectorSpan(rows, row_size));
    expect_bytes<kindred_keyed_index>(keyed_functions, index, expected_index.to_bytes());
    if (size != 33) continue;
    expect_damage_refused<kindred_keyed_index>(keyed_functions, index);
    // The rows are also those of an index without keys, but not the other way round.
    const std::string bytes = bytes_of<kindred_keyed_index>(index);
    Owned<kindred_index> without_keys;
    KINDRED_ASSERT_OK(read<kindred_index>(index_functions, bytes_in(bytes), &without_keys));
    const std::string plain = bytes_of<kindred_index>(without_keys);
    kindred_keyed_index* none = nullptr;
    EXPECT_EQ(read<kindred_keyed_index>(keyed_functions, bytes_in(plain), &none), KINDRED_INVALID);
    EXPECT_EQ(none, nullptr);
  }
}

TEST(CBytes, OtherFilesHaveNoKind) {
  const TempFolder folder;
  for (const std::string& path : {folder.write("text", "no file of this project"),
                                  folder.write("empty", ""), folder / "absent"}) {
    Owned<kindred_string> kind;
    KINDRED_ASSERT_OK(kindred_file_kind(path.c_str(), &kind));
    EXPECT_EQ(view_of(kind), "");
  }
}

TEST(CBytes, OptionsAndThreadsAreChecked) {
  const std::vector<float> rows = random_rows("CBytes options", 4 * row_size);
  Tensor tensor(rows.data(), KINDRED_FLOAT32, 4, row_size);
  Owned<kindred_index> index;
  KINDRED_ASSERT_OK(kindred_index_create(c_context(), &tensor, nullptr, nullptr, &index));
  const std::string bytes = bytes_of<kindred_index>(index);
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  kindred_index* none = nullptr;
  kindred_index_options options = KINDRED_INDEX_OPTIONS_INIT;
  EXPECT_EQ(kindred_index_from_bytes(c_context(), data, bytes.size(), &options, -1, &none),
            KINDRED_INVALID);
  options.residency = 4;
  EXPECT_EQ(kindred_index_from_bytes(c_context(), data, bytes.size(), &options, 1, &none),
            KINDRED_INVALID);
  kindred_graph* no_graph = nullptr;
  // The bytes of another kind of object.
  EXPECT_EQ(kindred_graph_from_bytes(c_context(), data, bytes.size(), nullptr, 1, &no_graph),
            KINDRED_CORRUPT);
  kindred_hnsw* no_hnsw = nullptr;
  EXPECT_EQ(kindred_hnsw_from_bytes(c_context(), data, bytes.size(), &no_hnsw), KINDRED_CORRUPT);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(no_graph, nullptr);
  EXPECT_EQ(no_hnsw, nullptr);
  // One thread reads what several do.
  options.residency = KINDRED_RESIDENCY_HOST;
  Owned<kindred_index> read_by_one;
  KINDRED_ASSERT_OK(
      kindred_index_from_bytes(c_context(), data, bytes.size(), &options, 1, &read_by_one));
  EXPECT_EQ(bytes_of<kindred_index>(read_by_one), bytes);
}

}  // namespace
}  // namespace Kindred::Testing
