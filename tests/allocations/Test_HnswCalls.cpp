// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ResultText.hpp"

#include <array>
#include <cmath>

namespace HnswCallsTest {

using namespace Kindred;
using Testing::expect_out_of_memory;
using Testing::host_spaces;
using Testing::shared_context;
using Testing::TempFolder;
using Testing::Written;

constexpr std::size_t dimension = 8;

std::vector<float> values(std::size_t rows, float first) {
  std::vector<float> out(rows * dimension);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = std::sin(first + 0.37F * static_cast<float>(i) * static_cast<float>(i % 7 + 1));
  return out;
}

HnswSettings settings() {
  HnswSettings settings;
  settings.m = 4;
  settings.ef_construction = 10;
  settings.metric = Metric::l2;
  return settings;
}

HnswIndex make_index() {
  HnswIndex index = HnswIndex::build(shared_context(), values(60, 0), dimension, settings());
  index.remove({{5, 40}});
  return index;
}

TEST(OutOfMemory, OfAnHnswIndexIsTypedAndLeavesItAsItWas) {
  const std::vector<float> rows = values(60, 2);
  expect_out_of_memory("HnswIndex",
                       [&] { return HnswIndex(shared_context(), dimension, settings()); });
  expect_out_of_memory(
      "build", [&] { return HnswIndex::build(shared_context(), rows, dimension, settings()); });
  expect_out_of_memory("add", make_index, [&](HnswIndex& index) { return index.add(rows); });
  expect_out_of_memory("remove", make_index, [](HnswIndex& index) { index.remove({{7, 8}}); });
  expect_out_of_memory("repair", make_index, [](HnswIndex& index) { index.repair(); });
  expect_out_of_memory("contains", make_index, [](HnswIndex& index) { return index.contains(9); });
  expect_out_of_memory("rows", make_index, [](HnswIndex& index) {
    const std::uint64_t id = 9;
    std::array<float, dimension> row{};
    index.rows({&id, 1}, row);
  });
  expect_out_of_memory("statistics", make_index,
                       [](HnswIndex& index) { return index.statistics(); });
  const std::vector<float> queries = values(6, 4);
  const std::vector<std::uint8_t> filter(60, 1);
  for (const Space space : host_spaces()) {
    HnswSearchOptions options;
    options.space = space;
    expect_out_of_memory("search", make_index,
                         [&](HnswIndex& index) { return index.search(queries, options); });
    options.filter = filter;
    expect_out_of_memory("search with a filter", make_index,
                         [&](HnswIndex& index) { return index.search(queries, options); });
  }
}

TEST(OutOfMemory, OfFilesOfAnHnswIndexIsTyped) {
  const TempFolder folder;
  const std::string index_path = folder / "index";
  const std::string index_bin_path = folder / "index.bin";
  const HnswIndex index = make_index();
  index.save(index_path);
  HnswIndex whole = HnswIndex::build(shared_context(), values(60, 0), dimension, settings());
  whole.export_hnswlib(index_bin_path);
  expect_out_of_memory("to_bytes", [&] { return index.to_bytes(); });
  const std::vector<std::byte> bytes = index.to_bytes();
  expect_out_of_memory("from_bytes", [&] { return HnswIndex::load(shared_context(), bytes); });
  expect_out_of_memory("load", [&] { return HnswIndex::load(shared_context(), index_path); });
  expect_out_of_memory("save", [&] {
    index.save(index_path);
    return Written{&folder, "index"};
  });
  expect_out_of_memory("export_hnswlib", [&] {
    whole.export_hnswlib(index_bin_path);
    return Written{&folder, "index.bin"};
  });
  expect_out_of_memory("import_hnswlib", [&] {
    return HnswIndex::import_hnswlib(shared_context(), index_bin_path, Metric::l2, dimension);
  });
}

}  // namespace HnswCallsTest
