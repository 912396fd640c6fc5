// SPDX-License-Identifier: Apache-2.0
// Calls on arrays of vectors, functions of rows and files: the results of the C interface are those
// of the C++ interface.
#include "CSupport.hpp"

#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>
#include <kindred/matcher/VectorFunctions.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <Support.hpp>
#include <TempFolder.hpp>
#include <VectorFileBytes.hpp>

#include <bit>
#include <fstream>
#include <string>
#include <vector>

namespace Kindred::Testing {
namespace {

constexpr Metric metrics[] = {Metric::cosine, Metric::ip, Metric::l2};
constexpr std::size_t top = 5;

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// \p rows of \p columns numbers with a gap after each.
struct Apart {
  Apart(const std::vector<float>& rows, std::size_t columns)
      : values((columns + 3) * (rows.size() / columns), -7),
        tensor(values.data(), KINDRED_FLOAT32, static_cast<std::int64_t>(rows.size() / columns),
               static_cast<std::int64_t>(columns)) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      values[i / columns * (columns + 3) + i % columns] = rows[i];
    strides[0] = static_cast<std::int64_t>(columns) + 3;
    tensor.tensor.strides = strides;
  }
  std::vector<float> values;
  std::int64_t strides[2] = {0, 1};
  Tensor tensor;
};

/// An index of C++ and of C with the same rows, some of which were added or removed.
struct Indices {
  static constexpr std::size_t dimension = 24;
  explicit Indices(std::size_t size)
      : rows(random_rows("CVectorArrays rows", size * dimension)),
        expected(context(), rows, dimension, Residency::host) {
    Tensor none(rows.data(), KINDRED_FLOAT32, 0, dimension);
    Apart given(rows, dimension);
    std::uint64_t first = 9;
    KINDRED_EXPECT_OK(kindred_index_create(c_context(), &none, nullptr, nullptr, &index));
    KINDRED_EXPECT_OK(kindred_index_add(index, &given.tensor, nullptr, &first));
    EXPECT_EQ(first, 0U);
    if (size < 4) return;
    const std::uint64_t removed[] = {2};
    expected.remove(removed);
    KINDRED_EXPECT_OK(kindred_index_remove(index, removed, 1));
  }
  std::vector<float> rows;
  VectorIndex expected;
  Owned<kindred_index> index;
};

TEST(CVectorArrays, ScoresAndCandidatesAreThoseOfCpp) {
  constexpr std::size_t dimension = Indices::dimension;
  for (const std::size_t size : edge_sizes) {
    Indices both(size);
    const std::size_t stored = both.expected.size();
    std::vector<std::uint64_t> ids(stored);
    std::size_t count = 0;
    KINDRED_ASSERT_OK(kindred_index_ids(both.index, ids.data(), ids.size(), &count));
    EXPECT_EQ(ids, both.expected.ids());
    EXPECT_EQ(count, stored);
    if (stored > 0) {
      EXPECT_EQ(kindred_index_ids(both.index, ids.data(), stored - 1, &count), KINDRED_INVALID);
      EXPECT_EQ(count, stored);
    }

    const std::vector<float> queries = random_rows("CVectorArrays queries", 3 * dimension);
    Apart query_rows(queries, dimension);
    std::vector<float> out(3 * stored);
    std::vector<float> expected(out.size());
    Tensor out_tensor(out.data(), KINDRED_FLOAT32, 3, static_cast<std::int64_t>(stored));
    const std::vector<std::int64_t> candidates{0, 1, 1, -1, 700, 3, 5, 2, 1, 0, 0, 0};
    std::vector<float> scores(3 * top);
    std::vector<float> expected_scores(3 * top);
    std::vector<std::int64_t> best(3 * top);
    std::vector<std::int64_t> expected_best(3 * top);
    Tensor list_tensor(candidates.data(), KINDRED_INT64, 3, 4);
    Tensor score_tensor(scores.data(), KINDRED_FLOAT32, 3, top);
    Tensor best_tensor(best.data(), KINDRED_INT64, 3, top);
    const std::int64_t shape[] = {3, top};
    const std::int64_t list_shape[] = {3, 4};
    const std::int64_t query_shape[] = {3, dimension};
    for (const Metric metric : metrics) {
      for (const std::int32_t space : {KINDRED_SPACE_SERIAL, KINDRED_SPACE_OPENMP}) {
        kindred_score_options options = KINDRED_SCORE_OPTIONS_INIT;
        options.metric = static_cast<std::int32_t>(metric);
        options.space = space;
        kindred_record record = KINDRED_RECORD_INIT;
        KINDRED_ASSERT_OK(kindred_index_score_all(both.index, &query_rows.tensor, &options,
                                                  &out_tensor, &record));
        both.expected.score_all(queries, expected, {.metric = metric});
        EXPECT_EQ(out, expected);
        if (stored > 0) {
          EXPECT_EQ(record.space, space);
        }
        kindred_search_options searching = KINDRED_SEARCH_OPTIONS_INIT;
        searching.metric = options.metric;
        searching.space = space;
        searching.top = top;
        KINDRED_ASSERT_OK(kindred_index_score_arrays(both.index, &query_rows.tensor, &list_tensor,
                                                     &searching, &score_tensor, &best_tensor,
                                                     &record));
        both.expected.score(ConstArray(queries.data(), DataType::float32, query_shape),
                            ConstArray(candidates.data(), DataType::int64, list_shape),
                            {.metric = metric},
                            {Array(expected_scores.data(), DataType::float32, shape),
                             Array(expected_best.data(), DataType::int64, shape)});
        EXPECT_EQ(scores, expected_scores);
        EXPECT_EQ(best, expected_best);
      }
    }
    // A query without the dimension of the queries.
    std::fill(out.begin(), out.end(), -1.0F);
    query_rows.tensor.tensor.ndim = out_tensor.tensor.ndim = 1;
    query_rows.tensor.shape[0] = dimension;
    query_rows.tensor.tensor.strides = nullptr;
    out_tensor.shape[0] = static_cast<std::int64_t>(stored);
    KINDRED_ASSERT_OK(
        kindred_index_score_all(both.index, &query_rows.tensor, nullptr, &out_tensor, nullptr));
    both.expected.score_all(queries, expected);
    EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(stored),
                           out.begin()));
  }
}

TEST(CVectorArrays, WrongTensorsAndStreamsAreRefused) {
  constexpr std::size_t dimension = Indices::dimension;
  Indices both(8);
  const std::vector<float> queries(2 * dimension, 1);
  std::vector<float> scores(2 * 8, -1);
  std::vector<std::int64_t> ids(2 * 8, -7);
  Tensor query(queries.data(), KINDRED_FLOAT32, 2, dimension);
  Tensor score(scores.data(), KINDRED_FLOAT32, 2, 7);
  Tensor id(ids.data(), KINDRED_INT64, 2, 7);
  Tensor narrow(queries.data(), KINDRED_FLOAT32, 2, dimension - 1);
  kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
  options.top = 7;
  const auto search = [&](const char* what) {
    EXPECT_EQ(kindred_index_search(both.index, &query, &options, &score, &id, nullptr, nullptr),
              KINDRED_INVALID);
    EXPECT_TRUE(contains(kindred_last_error(), what)) << kindred_last_error();
  };
  // The stream NULL is the default stream, which orders no work on the host.
  options.has_stream = 1;
  search("stream");
  options.has_stream = 2;
  search("has_stream is 2");
  options.has_stream = 0;
  options.stream = &options;
  search("has_stream is 0");
  options.stream = nullptr;
  options.top = 6;
  search("a row must have `top` elements, 6");
  options.top = 7;
  KINDRED_ASSERT_OK(
      kindred_index_search(both.index, &query, &options, &score, &id, nullptr, nullptr));
  options.has_stream = 1;
  kindred_scorer* scorer = nullptr;
  EXPECT_EQ(kindred_scorer_create(both.index, 4, &options, &scorer), KINDRED_INVALID);
  kindred_results* results = nullptr;
  EXPECT_EQ(kindred_index_search_at_least(both.index, &query, 0, &options, &results),
            KINDRED_INVALID);
  options.has_stream = 0;
  EXPECT_EQ(kindred_index_score_arrays(both.index, &query, &score, &options, &score, &id, nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_index_score_arrays(both.index, &narrow, &id, &options, &score, &id, nullptr),
            KINDRED_INVALID);
  kindred_score_options scoring = KINDRED_SCORE_OPTIONS_INIT;
  Tensor wide(scores.data(), KINDRED_FLOAT32, 2, 8);
  EXPECT_EQ(kindred_index_score_all(both.index, &query, &scoring, &wide, nullptr), KINDRED_INVALID);
  scoring.metric = 3;
  EXPECT_EQ(kindred_index_score_all(both.index, &query, &scoring, &score, nullptr),
            KINDRED_INVALID);
  scoring.metric = KINDRED_IP;
  scoring.has_stream = 1;
  EXPECT_EQ(kindred_index_score_all(both.index, &query, &scoring, &score, nullptr),
            KINDRED_INVALID);
  // Some tensors of a call on a device.
  query.tensor.device.device_type = kDLCUDA;
  scoring.has_stream = 0;
  EXPECT_EQ(kindred_index_score_all(both.index, &query, &scoring, &score, nullptr),
            KINDRED_INVALID);
  EXPECT_TRUE(contains(kindred_last_error(), "device")) << kindred_last_error();
}

/// Rows of one of the element types, as C and C++ take them.
struct EncodedRows {
  EncodedRows(const std::vector<float>& rows, std::size_t dimension, DataType element)
      : array(element, rows.size() / dimension, dimension),
        tensor(array.values().data(), type_of(element),
               static_cast<std::int64_t>(rows.size() / dimension),
               static_cast<std::int64_t>(dimension)),
        scales(array.scales().data(), KINDRED_FLOAT32, 1, tensor.shape[0]) {
    encode_rows(rows, dimension, element, array.values(), array.scales());
  }
  static std::uint32_t type_of(DataType element) {
    constexpr std::uint32_t types[] = {KINDRED_FLOAT32, KINDRED_FLOAT16, KINDRED_BFLOAT16,
                                       KINDRED_INT8};
    return types[static_cast<std::size_t>(element)];
  }
  DLTensor* scales_or_null() { return array.span().element == DataType::int8 ? &scales : nullptr; }
  VectorArray array;
  Tensor tensor;
  Tensor scales;
};

TEST(CRowFunctions, AreThoseOfCpp) {
  constexpr std::size_t dimension = 20;
  for (const std::size_t size : edge_sizes) {
    const std::vector<float> rows = random_rows("CRowFunctions rows", size * dimension);
    const std::vector<float> queries = random_rows("CRowFunctions queries", 2 * dimension);
    const auto count = static_cast<std::int64_t>(size);
    Tensor query_tensor(queries.data(), KINDRED_FLOAT32, 2, dimension);
    std::vector<float> out(2 * size);
    std::vector<float> expected(2 * size);
    Tensor out_tensor(out.data(), KINDRED_FLOAT32, 2, count);
    std::vector<float> scores(2 * top);
    std::vector<std::int64_t> ids(2 * top);
    Tensor score_tensor(scores.data(), KINDRED_FLOAT32, 2, top);
    Tensor id_tensor(ids.data(), KINDRED_INT64, 2, top);
    for (const DataType element :
         {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8}) {
      EncodedRows given(rows, dimension, element);
      for (const Metric metric : metrics)
        for (const std::int32_t space : c_spaces()) {
          const auto which = static_cast<std::int32_t>(metric);
          KINDRED_ASSERT_OK(kindred_row_scores(c_context(), &query_tensor, &given.tensor,
                                               given.scales_or_null(), which, space, &out_tensor));
          row_scores(context(), queries, given.array.span(), expected, {.metric = metric});
          EXPECT_EQ(out, expected);
          KINDRED_ASSERT_OK(kindred_top_rows(c_context(), &query_tensor, &given.tensor,
                                             given.scales_or_null(), which, space, &score_tensor,
                                             &id_tensor));
          const SearchResults best =
              top_rows(context(), queries, given.array.span(), {.metric = metric, .top = top});
          for (std::size_t i = 0; i < 2 * top; ++i) {
            const bool is_found = i % top < best.top;
            const std::size_t from = i / top * best.top + i % top;
            EXPECT_EQ(ids[i], is_found ? best.ids[from] : -1);
            EXPECT_EQ(scores[i], is_found ? best.scores[from] : padding_score(metric));
          }
        }
    }
    const VectorSpan span(rows, dimension);
    const auto query = std::span(queries).first(dimension);
    KINDRED_ASSERT_OK(
        kindred_cosine_rows(c_context(), queries.data(), rows.data(), size, dimension, out.data()));
    expected.resize(size);
    row_scores(context(), query, span, expected);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
    for (const Metric metric : metrics) {
      KINDRED_ASSERT_OK(kindred_top_k_rows(c_context(), static_cast<std::int32_t>(metric),
                                           queries.data(), rows.data(), size, dimension, top,
                                           scores.data(), ids.data()));
      const SearchResults best = top_rows(context(), query, span, {.metric = metric, .top = top});
      for (std::size_t i = 0; i < top; ++i) {
        EXPECT_EQ(ids[i], i < best.top ? best.ids[i] : -1);
        EXPECT_EQ(scores[i], i < best.top ? best.scores[i] : padding_score(metric));
      }
    }
    // Rows in the opposite order.
    std::vector<const float*> pointers;
    for (std::size_t row = size; row-- > 0;) pointers.push_back(rows.data() + row * dimension);
    const std::vector<float> weights = random_rows("CRowFunctions weights", size);
    std::vector<float> average(dimension);
    for (const std::int32_t space : c_spaces()) {
      KINDRED_ASSERT_OK(kindred_weighted_average_rows(c_context(), pointers.data(), size, dimension,
                                                      weights.data(), space, average.data()));
      EXPECT_EQ(average, weighted_average(context(), pointers, dimension, weights));
    }
  }
}

TEST(CRowFunctions, RefuseWhatCppRefuses) {
  const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  float out[4] = {-1, -1, -1, -1};
  std::int64_t ids[4] = {-7, -7, -7, -7};
  const float* const pointers[] = {values, nullptr};
  const std::size_t huge = std::size_t{1} << 62U;
  EXPECT_EQ(kindred_cosine_rows(c_context(), values, values, 2, 0, out), KINDRED_INVALID);
  EXPECT_EQ(kindred_cosine_rows(c_context(), values, values, huge, huge, out), KINDRED_INVALID);
  EXPECT_EQ(kindred_cosine_rows(c_context(), values, values, huge, 2, out), KINDRED_INVALID);
  EXPECT_EQ(kindred_top_k_rows(c_context(), KINDRED_L2, values, values, 2, 4, 0, out, ids),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_top_k_rows(c_context(), 3, values, values, 2, 4, 2, out, ids), KINDRED_INVALID);
  EXPECT_TRUE(contains(kindred_last_error(), "metric is 3")) << kindred_last_error();
  EXPECT_EQ(
      kindred_weighted_average_rows(c_context(), pointers, 2, 4, values, KINDRED_SPACE_ANY, out),
      KINDRED_INVALID);
  Tensor query(values, KINDRED_FLOAT32, 1, 4);
  Tensor rows(values, KINDRED_FLOAT32, 2, 4);
  Tensor bytes(values, KINDRED_INT8, 2, 4);
  Tensor scores(out, KINDRED_FLOAT32, 1, 2);
  Tensor wrong(out, KINDRED_FLOAT32, 1, 3);
  Tensor id_tensor(ids, KINDRED_INT64, 1, 2);
  const auto score = [&](Tensor& of, Tensor* scales, Tensor& to) {
    return kindred_row_scores(c_context(), &query, &of, scales == nullptr ? nullptr : &*scales,
                              KINDRED_COSINE, KINDRED_SPACE_ANY, &to);
  };
  EXPECT_EQ(score(rows, nullptr, wrong), KINDRED_INVALID);
  EXPECT_EQ(score(bytes, nullptr, scores), KINDRED_INVALID);
  EXPECT_TRUE(contains(kindred_last_error(), "scale")) << kindred_last_error();
  EXPECT_EQ(kindred_row_scores(c_context(), &query, &rows, &query, KINDRED_COSINE,
                               KINDRED_SPACE_ANY, &scores),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_top_rows(c_context(), &query, &rows, nullptr, KINDRED_COSINE, KINDRED_SPACE_ANY,
                             &wrong, &id_tensor),
            KINDRED_INVALID);
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(ids[0], -7);
}

TEST(CRowFunctions, EncodingsAreThoseOfCpp) {
  constexpr std::size_t dimension = 9;
  const std::vector<float> rows = random_rows("CRowFunctions encodings", 5 * dimension);
  Tensor row_tensor(rows.data(), KINDRED_FLOAT32, 5, dimension);
  for (const DataType element :
       {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8}) {
    EncodedRows expected(rows, dimension, element);
    EncodedRows made(std::vector<float>(rows.size()), dimension, element);
    KINDRED_ASSERT_OK(kindred_encode_rows(&row_tensor, &made.tensor, made.scales_or_null()));
    const auto bytes = expected.array.values();
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), made.array.values().begin()));
    const auto scales = expected.array.scales();
    EXPECT_TRUE(std::equal(scales.begin(), scales.end(), made.array.scales().begin()));
    std::vector<float> decoded(rows.size());
    std::vector<float> expected_floats(rows.size());
    Tensor decoded_tensor(decoded.data(), KINDRED_FLOAT32, 5, dimension);
    KINDRED_ASSERT_OK(kindred_decode_rows(&made.tensor, made.scales_or_null(), &decoded_tensor));
    decode_rows(expected.array.span(), expected_floats);
    EXPECT_EQ(decoded, expected_floats);
  }
  const std::vector<float> large{1, 1e6F};
  std::uint16_t halves[2] = {7, 7};
  Tensor large_tensor(large.data(), KINDRED_FLOAT32, 1, 2);
  Tensor half_tensor(halves, KINDRED_FLOAT16, 1, 2);
  EXPECT_EQ(kindred_encode_rows(&large_tensor, &half_tensor, nullptr), KINDRED_INVALID);
  EXPECT_EQ(halves[0], 7);
  EXPECT_EQ(kindred_encode_rows(&large_tensor, &half_tensor, &large_tensor), KINDRED_INVALID);
}

int stop_at_once(void* calls, std::uint64_t) { return ++*static_cast<int*>(calls); }

TEST(CVectorFiles, AreBuiltAndInspected) {
  const TempFolder folder;
  const std::string source = folder / "rows.fvecs";
  const std::string path = folder / "rows.knd";
  std::ofstream(source, std::ios::binary)
      << vecs<float>({{1, 0, 0}, {0, 1, 0}, {0, 0, std::numeric_limits<float>::infinity()}});
  int calls = 0;
  EXPECT_EQ(kindred_vectors_build(c_context(), source.c_str(), nullptr, path.c_str(), nullptr,
                                  &stop_at_once, &calls),
            KINDRED_CANCELLED);
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(std::filesystem::exists(path));
  kindred_vectors_build_options options = KINDRED_VECTORS_BUILD_OPTIONS_INIT;
  kindred_vectors_source format = KINDRED_VECTORS_SOURCE_INIT;
  const auto build = [&] {
    return kindred_vectors_build(c_context(), source.c_str(), &format, path.c_str(), &options,
                                 nullptr, nullptr);
  };
  options.element = KINDRED_ELEMENT_FLOAT16;
  KINDRED_ASSERT_OK(build());
  kindred_vectors_file_info info = KINDRED_VECTORS_FILE_INFO_INIT;
  KINDRED_ASSERT_OK(kindred_vectors_inspect(path.c_str(), 1, &info));
  const StoredVectorsFileInfo expected = StoredVectors::inspect(path);
  EXPECT_EQ(info.rows, 3U);
  EXPECT_EQ(info.dimension, 3U);
  EXPECT_EQ(info.end_id, 3U);
  EXPECT_EQ(info.not_finite, 1U);
  EXPECT_EQ(info.row_bytes, expected.row_bytes);
  EXPECT_EQ(info.quantized_bytes, expected.quantized_bytes);
  EXPECT_EQ(info.bytes, std::filesystem::file_size(path));
  EXPECT_EQ(info.element, KINDRED_ELEMENT_FLOAT16);
  Owned<kindred_index> index;
  KINDRED_ASSERT_OK(kindred_index_load(c_context(), path.c_str(), nullptr, 0, &index));
  std::size_t size = 0;
  KINDRED_ASSERT_OK(kindred_size(index, &size));
  EXPECT_EQ(size, 3U);

  options.element = 4;
  EXPECT_EQ(build(), KINDRED_INVALID);
  options.element = -1;
  format.format = 8;
  EXPECT_EQ(build(), KINDRED_INVALID);
  format.format = KINDRED_FORMAT_NPY;
  EXPECT_EQ(build(), KINDRED_CORRUPT) << kindred_last_error();
  EXPECT_EQ(kindred_vectors_build(c_context(), (source + "x").c_str(), nullptr, path.c_str(),
                                  nullptr, nullptr, nullptr),
            KINDRED_NOT_FOUND);
  EXPECT_EQ(kindred_vectors_inspect(source.c_str(), 1, &info), KINDRED_CORRUPT);
}

TEST(CVectorFiles, AreRead) {
  const TempFolder folder;
  const std::string path = folder / "rows.ivecs";
  std::ofstream(path, std::ios::binary) << vecs<std::int32_t>({{1, 2}, {3, -4}, {5, 6}});
  kindred_vectors_info info = KINDRED_VECTORS_INFO_INIT;
  KINDRED_ASSERT_OK(kindred_vectors_describe(path.c_str(), nullptr, &info));
  EXPECT_EQ(info.rows, 3U);
  EXPECT_EQ(info.dimension, 2U);
  EXPECT_EQ(info.row_bytes, 8U);
  EXPECT_EQ(info.format, KINDRED_FORMAT_IVECS);
  EXPECT_EQ(info.type, KINDRED_NUMBER_INT32);
  std::vector<float> floats(4);
  std::vector<std::int64_t> numbers(4);
  std::vector<std::int8_t> bytes(4);
  std::vector<float> scales(2);
  Tensor float_tensor(floats.data(), KINDRED_FLOAT32, 2, 2);
  Tensor number_tensor(numbers.data(), KINDRED_INT64, 2, 2);
  Tensor byte_tensor(bytes.data(), KINDRED_INT8, 2, 2);
  Tensor scale_tensor(scales.data(), KINDRED_FLOAT32, 1, 2);
  KINDRED_ASSERT_OK(kindred_vectors_read(path.c_str(), nullptr, 1, &float_tensor, nullptr));
  EXPECT_EQ(floats, (std::vector<float>{3, -4, 5, 6}));
  KINDRED_ASSERT_OK(kindred_vectors_read(path.c_str(), nullptr, 0, &number_tensor, nullptr));
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 2, 3, -4}));
  KINDRED_ASSERT_OK(kindred_vectors_read(path.c_str(), nullptr, 1, &byte_tensor, &scale_tensor));
  EXPECT_EQ(bytes, (std::vector<std::int8_t>{95, -127, 106, 127}));
  EXPECT_EQ(scales[1], 6.0F / 127);

  EXPECT_EQ(kindred_vectors_read(path.c_str(), nullptr, 2, &float_tensor, nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_vectors_read(path.c_str(), nullptr, UINT64_MAX, &float_tensor, nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_vectors_read(path.c_str(), nullptr, 0, &byte_tensor, nullptr), KINDRED_INVALID);
  EXPECT_EQ(kindred_vectors_read(path.c_str(), nullptr, 0, &number_tensor, &scale_tensor),
            KINDRED_INVALID);
  Tensor wide(floats.data(), KINDRED_FLOAT32, 1, 3);
  EXPECT_EQ(kindred_vectors_read(path.c_str(), nullptr, 0, &wide, nullptr), KINDRED_INVALID);
}

}  // namespace
}  // namespace Kindred::Testing
