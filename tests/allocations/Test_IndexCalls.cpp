// SPDX-License-Identifier: Apache-2.0
// Calls of indexes with keys, and of graphs of vectors.
#include "PublicCalls.hpp"

namespace IndexCallsTest {

using namespace Kindred;
using namespace Testing;

constexpr std::size_t dimension = 8;

std::vector<float> values(std::size_t rows, float first) {
  return sine_values(rows * dimension, first);
}

std::vector<std::string> names(std::size_t first, std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back("a key that is longer than a short string " + std::to_string(first + i));
  return out;
}
const std::vector<std::string> known = names(0, 40);
const std::vector<std::string> partly_new = names(30, 20);
const std::vector<std::string> two = names(5, 2);

TEST(OutOfMemory, OfAKeyedIndexIsTypedAndLeavesItAsItWas) {
  const std::vector<std::string_view> keys = views(known);
  const std::vector<std::string_view> given = views(partly_new);
  const std::vector<std::string_view> removed = views(two);
  const std::vector<float> rows = values(known.size(), 0);
  const std::vector<float> others = values(partly_new.size(), 7);
  const std::vector<float> queries = values(2, 3);
  const auto make = [&] {
    return KeyedVectorIndex(shared_context(), std::span(keys), VectorSpan(rows, dimension));
  };
  expect_typed("KeyedVectorIndex", make);
  const TypedCalls expect(make);
  const VectorSpan written(others, dimension);
  expect("upsert", [&](auto& index) { return index.upsert(std::span(given), written); });
  expect("remove", [&](auto& index) { index.remove(std::span(removed)); });
  expect("find", [&](auto& index) { return index.find(std::span(removed)); });
  const std::vector<KeySpan> candidates{std::span(removed), std::span(keys)};
  std::vector<float> scores(2 * 10);
  std::vector<std::int64_t> ids(2 * 10);
  const ConstArray query_array = columns_of(queries, dimension);
  const SearchOutput to{columns_of(scores, 10), columns_of(ids, 10)};
  for (const Space space : host_spaces()) {
    const SearchOptions options{.space = space};
    expect("search", [&](auto& index) { return index.search(queries, options); });
    expect("search of arrays", std::tie(ids, scores),
           [&](auto& index) { index.search(query_array, options, to); });
    expect("search_at_least",
           [&](auto& index) { return index.search_at_least(queries, 0.2F, options); });
    expect("score", [&](auto& index) { return index.score(queries, candidates, options); });
  }
  expect.files([](const auto& from) { return KeyedVectorIndex::load(shared_context(), from); });
}

const HnswSettings settings{.metric = Metric::l2, .m = 4, .ef_construction = 10};

HnswIndex make_whole() {
  return HnswIndex::build(shared_context(), values(60, 0), dimension, settings);
}

TEST(OutOfMemory, OfAnHnswIndexIsTypedAndLeavesItAsItWas) {
  const TypedCalls expect([] {
    HnswIndex index = make_whole();
    index.remove({{5, 40}});
    return index;
  });
  const std::vector<float> rows = values(60, 2);
  expect_typed("HnswIndex", [] { return HnswIndex(shared_context(), dimension, settings); });
  expect_typed("build",
               [&] { return HnswIndex::build(shared_context(), rows, dimension, settings); });
  expect("add", [&](auto& index) { return index.add(rows); });
  expect("remove", [](auto& index) { index.remove({{7, 8}}); });
  expect("repair", [](auto& index) { index.repair(); });
  expect("contains", [](auto& index) { return index.contains(9); });
  std::array<float, dimension> row{};
  const std::uint64_t id = 9;
  expect("rows", std::span(row), [&](auto& index) { index.rows({&id, 1}, row); });
  expect("statistics", [](auto& index) { return index.statistics(); });
  const std::vector<float> queries = values(6, 4);
  const std::vector<std::uint8_t> filter(60, 1);
  std::vector<float> scores(6 * 10);
  std::vector<std::int64_t> ids(6 * 10);
  for (const Space space : host_spaces()) {
    const HnswSearchOptions all{.space = space};
    const HnswSearchOptions filtered{.filter = filter, .space = space};
    expect("search", [&](auto& index) { return index.search(queries, all); });
    expect("search with a filter", [&](auto& index) { return index.search(queries, filtered); });
    expect("search into arrays", std::tie(ids, scores), [&](auto& index) {
      index.search(queries, all, {scores, ids});
    });
  }
  expect_typed("recall_of", [&] { return recall_of(ids, ids, 10).found; });
  expect.files([](const auto& from) { return HnswIndex::load(shared_context(), from); });
}

TEST(OutOfMemory, OfFilesOfHnswlibIsTyped) {
  const TempFolder folder;
  const std::string path = folder / "index.bin";
  const HnswIndex whole = make_whole();
  whole.export_hnswlib(path);
  expect_written("export_hnswlib", Written{&folder, "index.bin"},
                 [&] { whole.export_hnswlib(path); });
  expect_typed("import_hnswlib", [&] {
    return HnswIndex::import_hnswlib(shared_context(), path, Metric::l2, dimension);
  });
}

}  // namespace IndexCallsTest
