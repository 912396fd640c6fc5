// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ResultText.hpp"

#include <cmath>
#include <fstream>

namespace VectorCallsTest {

using namespace Kindred;
using Testing::Copies;
using Testing::expect_out_of_memory;
using Testing::host_spaces;
using Testing::Nothing;
using Testing::shared_context;
using Testing::TempFolder;
using Testing::Written;

constexpr std::size_t dimension = 12;

std::vector<float> values(std::size_t rows, float first) {
  std::vector<float> out(rows * dimension);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = std::sin(first + 0.37F * static_cast<float>(i) * static_cast<float>(i % 7 + 1));
  return out;
}

VectorIndex make_index() {
  VectorIndex index(shared_context(), values(70, 0), dimension);
  index.add(VectorSpan(values(20, 3), dimension));
  index.remove({{3, 75}});
  return index;
}

Ragged<std::uint64_t> make_candidates() {
  Ragged<std::uint64_t> candidates;
  for (std::uint64_t query = 0; query < 3; ++query) {
    for (std::uint64_t id = query; id < 40; id += 2)
      if (id != 3) candidates.values.push_back(id);
    candidates.close_row();
  }
  return candidates;
}

TEST(OutOfMemory, OfAVectorIndexThatIsMadeOrLoadedIsTyped) {
  const TempFolder folder;
  const std::string index_path = folder / "index";
  const std::vector<float> rows = values(70, 0);
  const std::vector<std::byte> bytes = make_index().to_bytes();
  make_index().save(index_path);
  expect_out_of_memory("VectorIndex(rows)",
                       [&] { return VectorIndex(shared_context(), rows, dimension); });
  expect_out_of_memory("VectorIndex(span)", [&] {
    return VectorIndex(shared_context(), VectorSpan(rows, dimension), VectorIndexOptions());
  });
  const StoredVectors stored = StoredVectors::load(index_path);
  expect_out_of_memory("VectorIndex(stored)",
                       [&] { return VectorIndex(shared_context(), stored, VectorIndexOptions()); });
  expect_out_of_memory("VectorIndex::load",
                       [&] { return VectorIndex::load(shared_context(), index_path); });
  expect_out_of_memory("VectorIndex::from_bytes",
                       [&] { return VectorIndex::load(shared_context(), bytes); });
}

TEST(OutOfMemory, OfAChangedVectorIndexLeavesItAsItWas) {
  const std::vector<float> rows = values(5, 9);
  const std::span<const float> one = std::span(rows).first(dimension);
  const std::vector<std::uint64_t> ids{1, 2, 80};
  expect_out_of_memory("add", make_index,
                       [&](VectorIndex& index) { return index.add(VectorSpan(rows, dimension)); });
  const std::vector<std::int64_t> shape{5, dimension};
  expect_out_of_memory("add(array)", make_index, [&](VectorIndex& index) {
    return index.add(ConstArray(rows.data(), DataType::float32, shape));
  });
  expect_out_of_memory("remove", make_index, [&](VectorIndex& index) { index.remove(ids); });
  expect_out_of_memory("replace", make_index,
                       [&](VectorIndex& index) { index.replace(7, VectorSpan(one, dimension)); });
}

TEST(OutOfMemory, OfTheFirstCallOfThreadsIsTypedAndLeavesThemUsable) {
  ContextOptions of_context;
  of_context.threads = 4;
  of_context.load_profile = false;
  const std::vector<float> queries = values(3, 5);
  SearchOptions options;
  options.space = Space::openmp;
  options.path = SearchPath::quantized;
  std::string right;
  for (std::size_t nth = 1;; ++nth) {
    Context context(of_context);
    context.dispatcher().force_threads(2);
    const VectorIndex index(context, values(3000, 0), dimension);
    Testing::FailingAllocations failing(nth, Testing::Failing::one);
    try {
      (void)index.search(queries, options);
    } catch (const OutOfMemory&) {
    }
    const bool has_failed = failing.end();
    const std::string found = text_of(index.search(queries, options));
    if (right.empty()) right = found;
    ASSERT_TRUE(found == right) << "allocation " << nth;
    if (!has_failed) break;
  }
}

TEST(OutOfMemory, OfAQueryOfAVectorIndexIsTyped) {
  const TempFolder folder;
  const std::string index_path = folder / "index";
  const VectorIndex index = make_index();
  const std::vector<float> queries = values(3, 5);
  const Ragged<std::uint64_t> candidates = make_candidates();
  for (const Space space : host_spaces()) {
    SCOPED_TRACE(to_string(space));
    for (const SearchPath path :
         {SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm}) {
      SCOPED_TRACE(to_string(path));
      SearchOptions options;
      options.space = space;
      options.path = path;
      expect_out_of_memory("search", [&] { return index.search(queries, options); });
      expect_out_of_memory("search of a new index", make_index,
                           [&](VectorIndex& fresh) { return fresh.search(queries, options); });
      expect_out_of_memory("search_at_least",
                           [&] { return index.search_at_least(queries, 0.1F, options); });
    }
    SearchOptions options;
    options.space = space;
    options.top = 4;
    expect_out_of_memory("score", [&] { return index.score(queries, candidates, options); });
    expect_out_of_memory("score of a new index", make_index, [&](VectorIndex& fresh) {
      return fresh.score(queries, candidates, options);
    });
    std::vector<float> out(3 * index.size());
    expect_out_of_memory("scores", [&] {
      index.score_all(queries, out, {.space = space});
      return std::span(out);
    });
    // A filter and arrays of the caller.
    const std::vector<std::uint8_t> filter(index.end_id(), 1);
    options.filter = filter;
    expect_out_of_memory("search with a filter", [&] { return index.search(queries, options); });
    options.filter = {};
    std::vector<std::int64_t> ids(3 * 4);
    std::vector<float> scores(3 * 4);
    std::vector<std::int64_t> lists(3 * 5, 1);
    const std::vector<std::int64_t> of_queries{3, dimension};
    const std::vector<std::int64_t> of_results{3, 4};
    const std::vector<std::int64_t> of_lists{3, 5};
    const std::vector<std::int64_t> of_all{3, static_cast<std::int64_t>(index.size())};
    const ConstArray given(queries.data(), DataType::float32, of_queries);
    const Array to_scores(scores.data(), DataType::float32, of_results);
    const Array to_ids(ids.data(), DataType::int64, of_results);
    expect_out_of_memory("search of arrays", [&] {
      index.search(given, options, {to_scores, to_ids});
      return std::pair(std::span(ids), std::span(scores));
    });
    expect_out_of_memory("score of arrays", [&] {
      index.score(given, ConstArray(lists.data(), DataType::int64, of_lists), options,
                  {to_scores, to_ids});
      return std::pair(std::span(ids), std::span(scores));
    });
    expect_out_of_memory("scores of arrays", [&] {
      index.score_all(given, Array(out.data(), DataType::float32, of_all), {.space = space});
      return std::span(out);
    });
  }
  expect_out_of_memory("search where the dispatcher chooses",
                       [&] { return index.search(queries); });
  expect_out_of_memory("ids", [&] { return index.ids(); });
  expect_out_of_memory("statistics", [&] { return index.statistics(); });
  expect_out_of_memory("bytes", [&] { return index.bytes(Space::serial); });
  const std::vector<std::uint64_t> some{0, 5, 82};
  std::vector<float> rows(3 * dimension);
  expect_out_of_memory("rows", [&] {
    index.rows(some, rows);
    return std::span(rows);
  });
  expect_out_of_memory("to_bytes", [&] { return index.to_bytes(); });
  index.save(index_path);
  expect_out_of_memory("save", [&] {
    index.save(index_path);
    return Written{&folder, "index"};
  });
}

TEST(OutOfMemory, OfAPreparedScoreIsTyped) {
  const VectorIndex index = make_index();
  const std::vector<float> query = values(1, 5);
  const std::vector<std::uint64_t> candidates{0, 4, 9, 82};
  for (const Space space : host_spaces()) {
    SearchOptions options;
    options.space = space;
    const auto make = [&] { return PreparedScore(index, 4, options); };
    expect_out_of_memory("PreparedScore", make);
    expect_out_of_memory("PreparedScore::score", make,
                         [&](PreparedScore& score) { return score.score(query, candidates); });
  }
}

TEST(OutOfMemory, OfFunctionsOfRowsIsTyped) {
  const std::vector<float> queries = values(3, 5);
  const std::vector<float> rows = values(40, 2);
  const VectorSpan span(rows, dimension);
  const std::vector<float> weights(40, 0.5F);
  const std::vector<std::int64_t> of_queries{3, dimension};
  const std::vector<std::int64_t> of_rows{40, dimension};
  const std::vector<std::int64_t> of_scores{3, 40};
  const std::vector<std::int64_t> of_top{3, 5};
  const ConstArray query_array(queries.data(), DataType::float32, of_queries);
  const ConstArray row_array(rows.data(), DataType::float32, of_rows);
  std::vector<const float*> pointers;
  for (std::size_t row = 0; row < 40; ++row) pointers.push_back(rows.data() + row * dimension);
  for (const Space space : host_spaces()) {
    const RowOptions options{Metric::cosine, space, 5};
    const VectorFunctionOptions function_options{space};
    std::vector<float> out(3 * 40);
    std::vector<std::int64_t> ids(3 * 5);
    expect_out_of_memory("row_scores", [&] {
      row_scores(shared_context(), queries, span, out, options);
      return std::span(out);
    });
    expect_out_of_memory("row_scores of arrays", [&] {
      row_scores(shared_context(), query_array, row_array,
                 Array(out.data(), DataType::float32, of_scores), options);
      return std::span(out);
    });
    expect_out_of_memory("top_rows",
                         [&] { return top_rows(shared_context(), queries, span, options); });
    expect_out_of_memory("top_rows of arrays", [&] {
      top_rows(shared_context(), query_array, row_array, options,
               {Array(out.data(), DataType::float32, of_top),
                Array(ids.data(), DataType::int64, of_top)});
      return std::span(ids);
    });
    expect_out_of_memory("cosine_sigmoids", [&] {
      return cosine_sigmoids(shared_context(), std::span(queries).first(dimension), span, 0.5, 10,
                             function_options);
    });
    expect_out_of_memory("weighted_average", [&] {
      return weighted_average(shared_context(), span, weights, function_options);
    });
    expect_out_of_memory("weighted_average of pointers", [&] {
      return weighted_average(shared_context(), pointers, dimension, weights, function_options);
    });
  }
}

TEST(OutOfMemory, OfVectorFilesIsTyped) {
  const TempFolder folder;
  const std::string rows_fbin_path = folder / "rows.fbin";
  const std::string stored_path = folder / "stored";
  const std::string copy_path = folder / "copy";
  const std::vector<float> rows = values(30, 1);
  {
    std::ofstream file(rows_fbin_path, std::ios::binary);
    const std::uint32_t header[] = {30, dimension};
    file.write(reinterpret_cast<const char*>(header), sizeof header);
    file.write(reinterpret_cast<const char*>(rows.data()),
               static_cast<std::streamsize>(rows.size() * sizeof(float)));
  }
  expect_out_of_memory(
      "VectorFile", [&] { return Copies<std::string>(rows_fbin_path); },
      [](Copies<std::string>& paths) { return VectorFile(paths.take()); });
  const VectorFile file(rows_fbin_path);
  std::vector<float> floats(rows.size());
  expect_out_of_memory("VectorFile::read", [&] {
    file.read(0, 30, std::span(floats));
    return std::span(floats);
  });
  for (const DataType element : {DataType::float32, DataType::int8})
    expect_out_of_memory("read_rows", [&] { return read_rows(file, element); });
  expect_out_of_memory("VectorArray",
                       [&] { return VectorArray(DataType::int8, 30, dimension).span().count(); });
  StoredVectors::build(shared_context(), file, stored_path);
  expect_out_of_memory("StoredVectors::build", [&] {
    StoredVectors::build(shared_context(), file, stored_path);
    return Written{&folder, "stored"};
  });
  expect_out_of_memory("StoredVectors::load", [&] { return StoredVectors::load(stored_path); });
  expect_out_of_memory("StoredVectors::inspect",
                       [&] { return StoredVectors::inspect(stored_path); });
  const StoredVectors stored = StoredVectors::load(stored_path);
  stored.save(copy_path);
  expect_out_of_memory("StoredVectors::save", [&] {
    stored.save(copy_path);
    return Written{&folder, "copy"};
  });
  const std::vector<std::byte> bytes = VectorIndex(shared_context(), stored, {}).to_bytes();
  expect_out_of_memory("StoredVectors::from_bytes", [&] { return StoredVectors::load(bytes); });
  expect_out_of_memory("section_file_kind",
                       [&] { return section_file_kind(stored_path).value_or(""); });
}

TEST(OutOfMemory, OfNpyFilesIsTyped) {
  const TempFolder folder;
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }";
  header.resize(117, ' ');
  header += '\n';
  const std::string file = folder.write(
      "mask.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + std::string(7, '\1'));
  expect_out_of_memory("read_npy", [&] { return read_npy(file); });
  expect_out_of_memory("read_mask", [&] { return read_mask(file); });
}

}  // namespace VectorCallsTest
