// SPDX-License-Identifier: Apache-2.0
// Functions of rows and of files of vectors: each returns what that of C++ does.
#include "CppArguments.hpp"
#include "Given.hpp"
#include "Members.hpp"

#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>
#include <kindred/matcher/VectorFunctions.hpp>

#include <Support.hpp>
#include <TempFolder.hpp>
#include <VectorFileBytes.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace RowsOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

constexpr std::size_t dimension = 20;
constexpr std::size_t size = 33;
constexpr std::size_t top = 5;

/// Rows of one of the element types, as C and C++ take them.
struct EncodedRows {
  EncodedRows(const std::vector<float>& rows, DataType element)
      : array(element, rows.size() / dimension, dimension),
        tensor(array.values().data(), types[static_cast<std::size_t>(element)],
               Floats::extent(rows.size() / dimension), dimension),
        scales(array.scales().data(), KINDRED_FLOAT32, 1, tensor.shape[0]) {
    encode_rows(rows, dimension, element, array.values(), array.scales());
  }
  DLTensor* scales_or_null() { return array.span().element == DataType::int8 ? &scales : nullptr; }
  static constexpr std::uint32_t types[] = {KINDRED_FLOAT32, KINDRED_FLOAT16, KINDRED_BFLOAT16,
                                            KINDRED_INT8};
  VectorArray array;
  Tensor tensor;
  Tensor scales;
};

TEST(CRowFunctions, OfEncodedRowsAreThoseOfCpp) {
  const std::vector<float> rows = random_rows("CRowFunctions rows", size * dimension);
  Floats queries(random_rows("CRowFunctions queries", 2 * dimension), dimension);
  Floats query({queries.values.begin(), queries.values.begin() + dimension}, dimension);
  Floats weights(random_rows("CRowFunctions weights", size), size);
  for (const DataType element : all_elements) {
    EncodedRows given(rows, element);
    DLTensor* const scales = given.scales_or_null();
    const VectorSpan span = given.array.span();
    for (const std::int32_t space : c_spaces()) {
      for (const Metric metric : all_metrics) {
        const auto which = static_cast<std::int32_t>(metric);
        Floats out(2, size), expected(2, size);
        ok(kindred_row_scores(c_context(), &queries, &given.tensor, scales, which, space, &out));
        row_scores(context(), queries.values, span, expected.values, {.metric = metric});
        EXPECT_EQ(out.values, expected.values);
        Ranked best(2, top);
        ok(kindred_top_rows(c_context(), &queries, &given.tensor, scales, which, space,
                            &best.scores, &best.ids));
        best.expect(top_rows(context(), queries.values, span, {.metric = metric, .top = top}));
      }
      Floats sigmoids(1, size);
      ok(kindred_cosine_sigmoids(c_context(), &query, &given.tensor, scales, 0.01, 0.1, space,
                                 &sigmoids));
      EXPECT_EQ(sigmoids.values, cosine_sigmoids(context(), query.values, span, 0.01, 0.1));
      expect_refused(kindred_cosine_sigmoids(c_context(), &query, &given.tensor, scales, 0.01, 0.1,
                                             space + 3, &sigmoids),
                     "space");
      Floats average(1, dimension);
      ok(kindred_weighted_average(c_context(), &given.tensor, scales, &weights, space, &average));
      EXPECT_EQ(average.values, weighted_average(context(), span, weights.values));
      expect_refused(kindred_weighted_average(c_context(), &given.tensor, scales, &weights,
                                              space + 3, &average),
                     "space");
    }
    EncodedRows made(std::vector<float>(rows.size()), element);
    Floats floats(rows, dimension);
    ok(kindred_encode_rows(&floats, &made.tensor, made.scales_or_null()));
    EXPECT_TRUE(std::ranges::equal(made.array.values(), given.array.values()));
    EXPECT_TRUE(std::ranges::equal(made.array.scales(), given.array.scales()));
    Floats decoded(size, dimension), expected(size, dimension);
    ok(kindred_decode_rows(&made.tensor, made.scales_or_null(), &decoded));
    decode_rows(span, expected.values);
    EXPECT_EQ(decoded.values, expected.values);
  }
}

TEST(CRowFunctions, OfPointersAreThoseOfCpp) {
  const std::vector<float> query = random_rows("CRowFunctions query", dimension);
  const std::vector<float> weights = random_rows("CRowFunctions weights", size);
  for (const std::size_t count : {std::size_t{0}, std::size_t{3}, size}) {
    const std::vector<float> rows = random_rows("CRowFunctions rows", count * dimension);
    const VectorSpan span(rows, dimension);
    std::vector<float> out(count), expected(count);
    ok(kindred_cosine_rows(c_context(), query.data(), rows.data(), count, dimension, out.data()));
    row_scores(context(), query, span, expected);
    EXPECT_EQ(out, expected);
    Ranked found(1, top);
    ok(kindred_top_k_rows(c_context(), KINDRED_L2, query.data(), rows.data(), count, dimension, top,
                          found.scores.values.data(), found.ids.values.data()));
    SearchResults best = top_rows(context(), query, span, {.metric = Metric::l2, .top = top});
    best.ids.resize(top, -1);  // where there are fewer rows
    best.scores.resize(top, padding_score(Metric::l2));
    found.expect(best);
    std::vector<const float*> pointers;  // of rows in the opposite order
    for (std::size_t row = count; row-- > 0;) pointers.push_back(rows.data() + row * dimension);
    const auto of_rows = std::span(weights).first(count);
    std::vector<float> average(dimension);
    ok(kindred_weighted_average_rows(c_context(), pointers.data(), count, dimension, of_rows.data(),
                                     KINDRED_SPACE_SERIAL, average.data()));
    EXPECT_EQ(average, weighted_average(context(), pointers, dimension, of_rows));
  }
}

TEST(CRowFunctions, RefuseSizesAndScalesThatDoNotFit) {
  Floats rows({1, 2, 3, 1e6F, 5, 6, 7, 8}, 4);
  Floats query({1, 2, 3, 4}, 4);
  Floats out(1, 2, -1);
  Numbers<std::int8_t> codes(2, 4);
  const auto scores_of = [&](auto& of, DLTensor* scales) {
    return kindred_row_scores(c_context(), &query, &of, scales, KINDRED_COSINE, KINDRED_SPACE_ANY,
                              &out);
  };
  const float* const values = rows.values.data();
  const float* const pointers[] = {values, nullptr};
  const std::size_t huge = std::size_t{1} << 62U;
  for (const auto& [count, columns] :
       {std::pair{std::size_t{2}, std::size_t{0}}, {huge, huge}, {huge, std::size_t{2}}})
    expect_refused(
        kindred_cosine_rows(c_context(), values, values, count, columns, out.values.data()));
  expect_refused(kindred_weighted_average_rows(c_context(), pointers, 2, 4, values,
                                               KINDRED_SPACE_ANY, out.values.data()));
  expect_refused(scores_of(codes, nullptr), "scale");
  expect_refused(scores_of(rows, &query), "scale");
  std::uint16_t halves[8] = {7};
  Tensor half(halves, KINDRED_FLOAT16, 2, 4);
  expect_refused(kindred_encode_rows(&rows, &half, nullptr));  // 1e6 is too large
  EXPECT_EQ(halves[0], 7);
  EXPECT_EQ(out.values, (std::vector<float>{-1, -1}));
}

TEST(CVectorFiles, AreBuiltAndInspected) {
  const TempFolder folder;
  const float infinity = std::numeric_limits<float>::infinity();
  const std::string source =
      folder.write("rows.fvecs", vecs<float>({{1, 0, 0}, {0, 1, 0}, {0, 0, infinity}}));
  const std::string path = folder / "rows.knd";
  int calls = 0;
  const auto stop = [](void* user, std::uint64_t) { return ++*static_cast<int*>(user); };
  const kindred_vectors_build_options options =
      Given::vectors_build_options{.element = KINDRED_ELEMENT_FLOAT16};
  kindred_vectors_source format = KINDRED_VECTORS_SOURCE_INIT;
  const auto build = [&](const std::string& from, kindred_progress_callback progress) {
    return kindred_vectors_build(c_context(), from.c_str(), &format, path.c_str(), &options,
                                 progress, &calls);
  };
  expect_refused(build(source, stop), "", KINDRED_CANCELLED);
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(std::filesystem::exists(path));
  ok(build(source, nullptr));
  const kindred_vectors_file_info info = result_of(kindred_vectors_inspect, path.c_str(), 1);
  expect_members(info, StoredVectors::inspect(path));
  EXPECT_EQ(numbers(info.rows, info.not_finite, info.element),
            numbers(3, 1, KINDRED_ELEMENT_FLOAT16));
  EXPECT_EQ(size_of(result_of(kindred_index_load, c_context(), path.c_str(), nullptr, 0)), 3U);
  expect_refused(build(source + "x", nullptr), "", KINDRED_NOT_FOUND);
  format.format = KINDRED_FORMAT_NPY;
  expect_refused(build(source, nullptr), "", KINDRED_CORRUPT);
  expect_no_result<KINDRED_CORRUPT>("", kindred_vectors_inspect, source.c_str(), 1);
}

TEST(CVectorFiles, AreRead) {
  const TempFolder folder;
  const std::string path =
      folder.write("rows.ivecs", vecs<std::int32_t>({{1, 2}, {3, -4}, {5, 6}}));
  const kindred_vectors_info info = result_of(kindred_vectors_describe, path.c_str(), nullptr);
  EXPECT_EQ(numbers(info.rows, info.dimension, info.row_bytes, info.format, info.type),
            numbers(3, 2, 8, KINDRED_FORMAT_IVECS, KINDRED_NUMBER_INT32));
  Floats floats(2, 2);
  Numbers<std::int64_t> integers(2, 2);
  Numbers<std::int8_t> bytes(2, 2);
  Floats scales(1, 2);
  const auto read = [&](std::uint64_t first, auto& out, DLTensor* scale) {
    return kindred_vectors_read(path.c_str(), nullptr, first, &out, scale);
  };
  ok(read(1, floats, nullptr));
  EXPECT_EQ(floats.values, (std::vector<float>{3, -4, 5, 6}));
  ok(read(0, integers, nullptr));
  EXPECT_EQ(integers.values, (std::vector<std::int64_t>{1, 2, 3, -4}));
  ok(read(1, bytes, &scales));
  EXPECT_EQ(bytes.values, (std::vector<std::int8_t>{95, -127, 106, 127}));
  EXPECT_EQ(scales.values[1], 6.0F / 127);
  Floats wide(1, 3);
  for (const std::uint64_t first : {std::uint64_t{2}, UINT64_MAX})
    expect_refused(read(first, floats, nullptr));
  expect_refused(read(0, bytes, nullptr), "scale");
  expect_refused(read(0, integers, &scales), "scale");
  expect_refused(read(0, wide, nullptr));
}

}  // namespace RowsOfCTest
