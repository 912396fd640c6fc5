// SPDX-License-Identifier: Apache-2.0
#include "PublicCalls.hpp"
#include "VectorFileBytes.hpp"

namespace VectorCallsTest {

using namespace Kindred;
using namespace Testing;

constexpr std::size_t dimension = 12;

std::vector<float> values(std::size_t rows, float first) {
  return sine_values(rows * dimension, first);
}

VectorIndex make_index() {
  VectorIndex index(shared_context(), values(70, 0), dimension);
  index.add(VectorSpan(values(20, 3), dimension));
  index.remove({{3, 75}});
  return index;
}
const TypedCalls expect(make_index);

TEST(OutOfMemory, OfAVectorIndexThatIsMadeOrLoadedIsTyped) {
  const std::vector<float> rows = values(70, 0);
  expect_typed("VectorIndex(rows)", [&] { return VectorIndex(shared_context(), rows, dimension); });
  expect_typed("VectorIndex(span)", [&] {
    return VectorIndex(shared_context(), VectorSpan(rows, dimension), VectorIndexOptions());
  });
  const StoredVectors stored = StoredVectors::load(make_index().to_bytes());
  expect_typed("VectorIndex(stored)",
               [&] { return VectorIndex(shared_context(), stored, VectorIndexOptions()); });
  expect.files([](const auto& from) { return VectorIndex::load(shared_context(), from); });
}

TEST(OutOfMemory, OfAChangedVectorIndexLeavesItAsItWas) {
  const std::vector<float> rows = values(5, 9);
  const std::span<const float> one = std::span(rows).first(dimension);
  const std::vector<std::uint64_t> ids{1, 2, 80};
  const ConstArray array = columns_of(rows, dimension);
  expect("add", [&](auto& index) { return index.add(VectorSpan(rows, dimension)); });
  expect("add(array)", [&](auto& index) { return index.add(array); });
  expect("remove", [&](auto& index) { index.remove(ids); });
  expect("replace", [&](auto& index) { index.replace(7, VectorSpan(one, dimension)); });
}

TEST(OutOfMemory, OfTheFirstCallOfThreadsIsTypedAndLeavesThemUsable) {
  const ContextOptions of_context{.threads = 4, .load_profile = false};
  const std::vector<float> queries = values(3, 5);
  const SearchOptions options{.space = Space::openmp, .path = SearchPath::quantized};
  std::string right;
  for (std::size_t nth = 1;; ++nth) {
    Context context(of_context);
    context.dispatcher().force_threads(2);
    const VectorIndex index(context, values(3000, 0), dimension);
    FailingAllocations failing(nth, Failing::one);
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
  const VectorIndex index = make_index();
  const std::vector<float> queries = values(3, 5);
  Ragged<std::uint64_t> candidates;
  for (std::uint64_t query = 0; query < 3; ++query) {
    for (std::uint64_t id = query; id < 40; id += 2)
      if (id != 3) candidates.values.push_back(id);
    candidates.close_row();
  }
  const std::vector<std::uint8_t> filter(index.end_id(), 1);
  std::vector<float> out(3 * index.size());
  std::vector<std::int64_t> ids(3 * 4);
  std::vector<float> scores(3 * 4);
  const std::vector<std::int64_t> lists(3 * 5, 1);
  const ConstArray given = columns_of(queries, dimension);
  const ConstArray given_lists = columns_of(lists, 5);
  const SearchOutput to{columns_of(scores, 4), columns_of(ids, 4)};
  const Array to_all = columns_of(out, index.size());
  for (const Space space : host_spaces()) {
    SCOPED_TRACE(to_string(space));
    for (const SearchPath path :
         {SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm}) {
      SCOPED_TRACE(to_string(path));
      const SearchOptions options{.space = space, .path = path};
      expect_typed("search", [&] { return index.search(queries, options); });
      expect("search of a new index", [&](auto& fresh) { return fresh.search(queries, options); });
      expect_typed("search_at_least",
                   [&] { return index.search_at_least(queries, 0.1F, options); });
    }
    const SearchOptions options{.top = 4, .space = space};
    expect_typed("score", [&] { return index.score(queries, candidates, options); });
    expect("score of a new index",
           [&](auto& fresh) { return fresh.score(queries, candidates, options); });
    expect_written("scores", out, [&] { index.score_all(queries, out, {.space = space}); });
    const SearchOptions filtered{.top = 4, .filter = filter, .space = space};
    expect_typed("search with a filter", [&] { return index.search(queries, filtered); });
    const auto both = std::tie(ids, scores);
    expect_written("search of arrays", both, [&] { index.search(given, options, to); });
    expect_written("score of arrays", both, [&] { index.score(given, given_lists, options, to); });
    expect_written("scores of arrays", out,
                   [&] { index.score_all(given, to_all, {.space = space}); });
  }
  expect_typed("search where the dispatcher chooses", [&] { return index.search(queries); });
  expect_typed("ids", [&] { return index.ids(); });
  expect_typed("statistics", [&] { return index.statistics(); });
  expect_typed("bytes", [&] { return index.bytes(Space::serial); });
  const std::vector<std::uint64_t> some{0, 5, 82};
  std::vector<float> rows(3 * dimension);
  expect_written("rows", rows, [&] { index.rows(some, rows); });
}

TEST(OutOfMemory, OfAPreparedScoreIsTyped) {
  const VectorIndex index = make_index();
  const std::vector<float> query = values(1, 5);
  const std::vector<std::uint64_t> candidates{0, 4, 9, 82};
  for (const Space space : host_spaces()) {
    const auto make = [&] { return PreparedScore(index, 4, {.space = space}); };
    expect_typed("PreparedScore", make);
    expect_typed("PreparedScore::score", make,
                 [&](auto& score) { return score.score(query, candidates); });
  }
}

TEST(OutOfMemory, OfFunctionsOfRowsIsTyped) {
  Context& context = shared_context();
  const std::vector<float> queries = values(3, 5);
  const std::vector<float> rows = values(40, 2);
  const VectorSpan span(rows, dimension);
  const std::vector<float> weights(40, 0.5F);
  std::vector<float> out(3 * 40);
  std::vector<std::int64_t> ids(3 * 5);
  const ConstArray query_array = columns_of(queries, dimension);
  const ConstArray row_array = columns_of(rows, dimension);
  const Array to_scores = columns_of(out, 40);
  const Array to_ids = columns_of(ids, 5);
  std::vector<const float*> pointers;
  for (std::size_t row = 0; row < 40; ++row) pointers.push_back(rows.data() + row * dimension);
  for (const Space space : host_spaces()) {
    const RowOptions options{Metric::cosine, space, 5};
    const VectorFunctionOptions function{space};
    expect_written("row_scores", out, [&] { row_scores(context, queries, span, out, options); });
    expect_written("row_scores of arrays", out,
                   [&] { row_scores(context, query_array, row_array, to_scores, options); });
    expect_typed("top_rows", [&] { return top_rows(context, queries, span, options); });
    const std::span<float> first = std::span(out).first(3 * 5);
    expect_written("top_rows of arrays", ids, [&] {
      top_rows(context, query_array, row_array, options, {matrix_array(first, 3, 5), to_ids});
    });
    expect_typed("cosine_sigmoids", [&] {
      return cosine_sigmoids(context, std::span(queries).first(dimension), span, 0.5, 10, function);
    });
    expect_typed("weighted_average",
                 [&] { return weighted_average(context, span, weights, function); });
    expect_typed("weighted_average of pointers",
                 [&] { return weighted_average(context, pointers, dimension, weights, function); });
  }
}

TEST(OutOfMemory, OfVectorFilesIsTyped) {
  const TempFolder folder;
  const std::vector<float> rows = values(30, 1);
  const std::string rows_path = folder.write("rows.fbin", bin(30, dimension, rows));
  const std::string stored_path = folder / "stored";
  const auto paths = [&] { return Copies<std::string>(rows_path); };
  expect_typed("VectorFile", paths, [](auto& copies) { return VectorFile(copies.take()); });
  const VectorFile file(rows_path);
  std::vector<float> floats(rows.size());
  expect_written("VectorFile::read", floats, [&] { file.read(0, 30, std::span(floats)); });
  for (const DataType element : {DataType::float32, DataType::int8})
    expect_typed("read_rows", [&] { return read_rows(file, element); });
  std::vector<std::byte> bytes_of_rows(rows.size());
  std::vector<float> scales(30);
  expect_written("encode_rows", std::tie(bytes_of_rows, scales),
                 [&] { encode_rows(rows, dimension, DataType::int8, bytes_of_rows, scales); });
  expect_written("decode_rows", floats,
                 [&] { decode_rows(VectorSpan(rows, dimension), std::span(floats)); });
  expect_typed("VectorArray",
               [] { return VectorArray(DataType::int8, 30, dimension).span().count(); });
  StoredVectors::build(shared_context(), file, stored_path);
  expect_written("StoredVectors::build", Written{&folder, "stored"},
                 [&] { StoredVectors::build(shared_context(), file, stored_path); });
  expect_typed("StoredVectors::inspect", [&] { return StoredVectors::inspect(stored_path); });
  expect_typed("section_file_kind", [&] { return section_file_kind(stored_path).value_or(""); });
  const auto load = [](const auto& from) { return StoredVectors::load(from); };
  TypedCalls([&] { return load(stored_path); }).files(load);
  const StoredVectors stored = load(stored_path);
  const std::vector<std::byte> bytes = VectorIndex(shared_context(), stored, {}).to_bytes();
  expect_typed("StoredVectors::from_bytes", [&] { return load(bytes); });
}

TEST(OutOfMemory, OfNpyFilesIsTyped) {
  const TempFolder folder;
  const std::string header = npy_dictionary("'|u1'", "False", "(7,)");
  const std::string file = folder.write("mask.npy", npy(header, std::string(7, '\1')));
  expect_typed("read_npy", [&] { return read_npy(file); });
  expect_typed("read_mask", [&] { return read_mask(file); });
}

}  // namespace VectorCallsTest
