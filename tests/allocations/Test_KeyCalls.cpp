// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ResultText.hpp"

#include <cmath>

namespace KeyCallsTest {

using namespace Kindred;
using Testing::expect_out_of_memory;
using Testing::host_spaces;
using Testing::shared_context;
using Testing::TempFolder;
using Testing::Written;

constexpr std::size_t dimension = 6;

std::vector<float> values(std::size_t rows, float first) {
  std::vector<float> out(rows * dimension);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = std::sin(first + static_cast<float>(i) * static_cast<float>(i % 5 + 1));
  return out;
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

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

KeyedVectorIndex make_index() {
  const std::vector<std::string_view> keys = views(known);
  return {shared_context(), std::span(keys), VectorSpan(values(keys.size(), 0), dimension)};
}

TEST(OutOfMemory, OfAKeyedIndexIsTypedAndLeavesItAsItWas) {
  const TempFolder folder;
  const std::string index_path = folder / "index";
  const std::vector<std::string_view> keys = views(known);
  const std::vector<std::string_view> given = views(partly_new);
  const std::vector<std::string_view> removed = views(two);
  const std::vector<float> rows = values(known.size(), 0);
  const std::vector<float> others = values(partly_new.size(), 7);
  const std::vector<float> queries = values(2, 3);
  expect_out_of_memory("KeyedVectorIndex", [&] {
    return KeyedVectorIndex(shared_context(), std::span(keys), VectorSpan(rows, dimension));
  });
  expect_out_of_memory("upsert", make_index, [&](KeyedVectorIndex& index) {
    return index.upsert(std::span(given), VectorSpan(others, dimension));
  });
  expect_out_of_memory("remove", make_index,
                       [&](KeyedVectorIndex& index) { index.remove(std::span(removed)); });
  expect_out_of_memory("find", make_index,
                       [&](KeyedVectorIndex& index) { return index.find(std::span(removed)); });
  const std::vector<KeySpan> candidates{std::span(removed), std::span(keys)};
  for (const Space space : host_spaces()) {
    SearchOptions options;
    options.space = space;
    expect_out_of_memory("search", make_index,
                         [&](KeyedVectorIndex& index) { return index.search(queries, options); });
    expect_out_of_memory("search_at_least", make_index, [&](KeyedVectorIndex& index) {
      return index.search_at_least(queries, 0.2F, options);
    });
    expect_out_of_memory("score", make_index, [&](KeyedVectorIndex& index) {
      return index.score(queries, candidates, options);
    });
  }
  expect_out_of_memory("to_bytes", make_index,
                       [](KeyedVectorIndex& index) { return index.to_bytes(); });
  make_index().save(index_path);
  expect_out_of_memory("save", make_index, [&](KeyedVectorIndex& index) {
    index.save(index_path);
    return Written{&folder, "index"};
  });
  expect_out_of_memory("load",
                       [&] { return KeyedVectorIndex::load(shared_context(), index_path); });
  const std::vector<std::byte> bytes = make_index().to_bytes();
  expect_out_of_memory("from_bytes",
                       [&] { return KeyedVectorIndex::load(shared_context(), bytes); });
}

}  // namespace KeyCallsTest
