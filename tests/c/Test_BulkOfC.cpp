// SPDX-License-Identifier: Apache-2.0
// The results of the C interface are those of the C++ interface.
#include "CSupport.hpp"

#include <kindred/matcher/Bulk.hpp>

#include <Support.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Testing {
namespace {

TEST(CBulk, OperationsAreThoseOfCpp) {
  const Bulk expected(context());
  const std::vector<float> a = random_rows("CBulk a", 12);
  const std::vector<float> b = random_rows("CBulk b", 12);
  std::vector<float> out(12);
  std::vector<float> expected_out(12);
  Tensor a_tensor(a.data(), KINDRED_FLOAT32, 3, 4);
  Tensor b_tensor(b.data(), KINDRED_FLOAT32, 3, 4);
  Tensor c_tensor(out.data(), KINDRED_FLOAT32, 3, 4);
  const DLTensor* as[] = {&a_tensor};
  const DLTensor* bs[] = {&b_tensor};
  DLTensor* cs[] = {&c_tensor};
  const std::span<const float> a_list[] = {a};
  const std::span<const float> b_list[] = {b};
  const std::span<float> out_list[] = {expected_out};
  kindred_record record = KINDRED_RECORD_INIT;
  KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, as, bs, 0, cs, 1,
                                              nullptr, nullptr, nullptr, &record));
  expected.element_wise(ElementWise::add, a_list, b_list, out_list);
  EXPECT_EQ(out, expected_out);
  EXPECT_STREQ(record.operation, "element-wise");
  KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_MULTIPLY, as, nullptr, 2.5,
                                              cs, 1, nullptr, nullptr, nullptr, nullptr));
  expected.element_wise(ElementWise::multiply, a_list, 2.5F, out_list);
  EXPECT_EQ(out, expected_out);
  KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_EXPONENTIAL, as, nullptr, 0,
                                              cs, 1, nullptr, nullptr, nullptr, nullptr));
  expected.element_wise(ElementWise::exponential, a_list, {}, out_list);
  EXPECT_EQ(out, expected_out);
  EXPECT_EQ(kindred_bulk_element_wise(c_context(), KINDRED_BULK_SQUARE, as, bs, 0, cs, 1, nullptr,
                                      nullptr, nullptr, nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_bulk_element_wise(c_context(), 5, as, bs, 0, cs, 1, nullptr, nullptr, nullptr,
                                      nullptr),
            KINDRED_INVALID);
  KINDRED_ASSERT_OK(
      kindred_bulk_normalise(c_context(), as, cs, 1, nullptr, nullptr, nullptr, nullptr));
  expected.normalise(a_list, out_list);
  EXPECT_EQ(out, expected_out);
  KINDRED_ASSERT_OK(
      kindred_bulk_random_fill(c_context(), cs, 1, 7, 3, nullptr, nullptr, nullptr, nullptr));
  expected.random_fill(out_list, 7, 3);
  EXPECT_EQ(out, expected_out);
  Tensor flat(a.data(), KINDRED_FLOAT32, 12);
  const DLTensor* flats[] = {&flat};
  float sum = 0;
  Tensor sum_tensor(&sum, KINDRED_FLOAT32, 1, 1);
  KINDRED_ASSERT_OK(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_SUM, flats, 1, &sum_tensor,
                                        nullptr, nullptr, nullptr, nullptr));
  float expected_sum = 0;
  expected.reduce(Reduction::sum, a_list, std::span<float>(&expected_sum, 1));
  EXPECT_EQ(sum, expected_sum);

  // 3 × 4 by 4 × 3
  std::vector<float> product(9);
  std::vector<float> expected_product(9);
  Tensor right(b.data(), KINDRED_FLOAT32, 4, 3);
  Tensor product_tensor(product.data(), KINDRED_FLOAT32, 3, 3);
  const DLTensor* rights[] = {&right};
  DLTensor* products[] = {&product_tensor};
  kindred_bulk_options options = KINDRED_BULK_OPTIONS_INIT;
  options.reproducible = 1;
  KINDRED_ASSERT_OK(kindred_bulk_multiply(c_context(), as, rights, products, 1, &options, nullptr,
                                          nullptr, nullptr));
  expected.multiply(matrix_array(std::span(a), 3, 4), matrix_array(std::span(b), 4, 3),
                    matrix_array(std::span(expected_product), 3, 3), {.reproducible = true});
  EXPECT_EQ(product, expected_product);
  EXPECT_EQ(
      kindred_bulk_multiply(c_context(), as, bs, products, 1, &options, nullptr, nullptr, nullptr),
      KINDRED_INVALID);

  const std::vector<std::uint8_t> bytes{1, 2, 3};
  std::vector<std::uint8_t> keys(3);
  std::vector<std::uint8_t> hidden(3);
  std::vector<std::uint8_t> shown(3);
  Tensor byte_tensor(bytes.data(), KINDRED_UINT8, 1, 3);
  Tensor key_tensor(keys.data(), KINDRED_UINT8, 1, 3);
  Tensor hidden_tensor(hidden.data(), KINDRED_UINT8, 1, 3);
  Tensor shown_tensor(shown.data(), KINDRED_UINT8, 1, 3);
  const DLTensor* byte_list[] = {&byte_tensor};
  DLTensor* key_list[] = {&key_tensor};
  const DLTensor* const_keys[] = {&key_tensor};
  DLTensor* hidden_list[] = {&hidden_tensor};
  const DLTensor* const_hidden[] = {&hidden_tensor};
  DLTensor* shown_list[] = {&shown_tensor};
  KINDRED_ASSERT_OK(kindred_bulk_xor_with_new_keys(c_context(), byte_list, key_list, hidden_list, 1,
                                                   KINDRED_UNSET, nullptr, nullptr, nullptr));
  KINDRED_ASSERT_OK(kindred_bulk_xor(c_context(), const_hidden, const_keys, shown_list, 1, nullptr,
                                     nullptr, nullptr, nullptr));
  EXPECT_EQ(shown, bytes);
  KINDRED_EXPECT_OK(kindred_bulk_xor(c_context(), nullptr, nullptr, nullptr, 0, nullptr, nullptr,
                                     nullptr, nullptr));
  EXPECT_EQ(kindred_bulk_xor(c_context(), as, const_keys, shown_list, 1, nullptr, nullptr, nullptr,
                             nullptr),
            KINDRED_INVALID);
}

template <class T>
constexpr std::uint32_t type_bits() {
  return static_cast<std::uint32_t>(std::is_signed_v<T> ? kDLInt : kDLUInt) << 8U | 8 * sizeof(T);
}

template <class T>
void expect_integers_of_cpp() {
  SCOPED_TRACE(to_string(data_type_of<T>));
  const Bulk expected(context());
  const std::vector<T> a{1, 2, 3, std::numeric_limits<T>::max()};
  const std::vector<T> b{4, 5, 6, std::numeric_limits<T>::min()};
  std::vector<T> out(4);
  std::vector<T> expected_out(4);
  Tensor a_tensor(a.data(), type_bits<T>(), 4);
  Tensor b_tensor(b.data(), type_bits<T>(), 4);
  Tensor out_tensor(out.data(), type_bits<T>(), 4);
  const DLTensor* as[] = {&a_tensor};
  const DLTensor* bs[] = {&b_tensor};
  DLTensor* outs[] = {&out_tensor};
  const std::span<const T> a_list[] = {a};
  const std::span<const T> b_list[] = {b};
  const std::span<T> out_list[] = {expected_out};
  kindred_bulk_report report = KINDRED_BULK_REPORT_INIT;
  KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_MULTIPLY, as, bs, 0, outs,
                                              1, nullptr, nullptr, &report, nullptr));
  EXPECT_EQ(report.batches, 1U);
  expected.element_wise(ElementWise::multiply, a_list, b_list, out_list);
  EXPECT_EQ(out, expected_out);
  KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, as, nullptr, 3, outs,
                                              1, nullptr, nullptr, nullptr, nullptr));
  expected.element_wise(ElementWise::add, a_list, T{3}, out_list);
  EXPECT_EQ(out, expected_out);
  KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_SQUARE, as, nullptr, 0,
                                              outs, 1, nullptr, nullptr, nullptr, nullptr));
  expected.element_wise(ElementWise::square, a_list, {}, out_list);
  EXPECT_EQ(out, expected_out);
  for (const double number :
       {0.5, std::ldexp(1.0, 65), -std::ldexp(1.0, 65), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, as, nullptr, number, outs, 1,
                                        nullptr, nullptr, nullptr, nullptr),
              KINDRED_INVALID);
  EXPECT_EQ(kindred_bulk_element_wise(c_context(), KINDRED_BULK_SQUARE_ROOT, as, nullptr, 0, outs,
                                      1, nullptr, nullptr, nullptr, nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(out, expected_out);

  using result = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  for (const auto& [code, reduction] : {std::pair(KINDRED_REDUCE_SUM, Reduction::sum),
                                        std::pair(KINDRED_REDUCE_MIN, Reduction::min),
                                        std::pair(KINDRED_REDUCE_MAX, Reduction::max)}) {
    result found = 0;
    result wanted = 0;
    Tensor found_tensor(&found, type_bits<result>(), 1);
    KINDRED_ASSERT_OK(kindred_bulk_reduce(c_context(), code, as, 1, &found_tensor, nullptr, nullptr,
                                          nullptr, nullptr));
    expected.reduce(reduction, a_list, std::span(&wanted, 1));
    EXPECT_EQ(found, wanted);
  }
  double mean = 0;
  double expected_mean = 0;
  Tensor mean_tensor(&mean, KINDRED_FLOAT64, 1);
  KINDRED_ASSERT_OK(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_MEAN, as, 1, &mean_tensor,
                                        nullptr, nullptr, nullptr, nullptr));
  expected.reduce(Reduction::mean, a_list, std::span(&expected_mean, 1));
  EXPECT_EQ(mean, expected_mean);
  EXPECT_EQ(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_DEVIATION, as, 1, &mean_tensor, nullptr,
                                nullptr, nullptr, nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_SUM, as, 1, &mean_tensor, nullptr,
                                nullptr, nullptr, nullptr),
            KINDRED_INVALID);
}

TEST(CBulk, IntegersAreThoseOfCpp) {
  expect_integers_of_cpp<std::int8_t>();
  expect_integers_of_cpp<std::int16_t>();
  expect_integers_of_cpp<std::int32_t>();
  expect_integers_of_cpp<std::int64_t>();
  expect_integers_of_cpp<std::uint8_t>();
  expect_integers_of_cpp<std::uint16_t>();
  expect_integers_of_cpp<std::uint32_t>();
  expect_integers_of_cpp<std::uint64_t>();
}

TEST(CBulk, SingleArraysAreThoseOfCpp) {
  const Bulk expected(context());
  const std::vector<float> a = random_rows("CBulk single a", 12);
  const std::vector<float> b = random_rows("CBulk single b", 12);
  std::vector<float> out(12);
  std::vector<float> expected_out(12);
  // Rows with gaps between them.
  std::int64_t strides[] = {4, 1};
  Tensor a_tensor(a.data(), KINDRED_FLOAT32, 3, 2);
  Tensor b_tensor(b.data(), KINDRED_FLOAT32, 3, 2);
  Tensor out_tensor(out.data(), KINDRED_FLOAT32, 3, 2);
  for (DLTensor* const one : {&a_tensor, &b_tensor, &out_tensor}) one->strides = strides;
  const DLTensor* as[] = {&a_tensor};
  const DLTensor* bs[] = {&b_tensor};
  DLTensor* outs[] = {&out_tensor};
  const std::int64_t shape[] = {3, 2};
  const ConstArray a_array(a.data(), DataType::float32, shape, strides);
  const ConstArray b_array(b.data(), DataType::float32, shape, strides);
  const Array out_array(expected_out.data(), DataType::float32, shape, strides);
  kindred_bulk_report report = KINDRED_BULK_REPORT_INIT;
  kindred_record record = KINDRED_RECORD_INIT;
  KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, as, bs, 0, outs, 1,
                                              nullptr, nullptr, &report, &record));
  expected.element_wise(ElementWise::add, a_array, b_array, out_array);
  EXPECT_EQ(out, expected_out);
  EXPECT_EQ(report.batches, 1U);
  EXPECT_STREQ(record.operation, "element-wise");
  // A single element is a number.
  float number = 2.5F;
  Tensor number_tensor(&number, KINDRED_FLOAT32, 1);
  const DLTensor* numbers[] = {&number_tensor};
  KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_MULTIPLY, as, numbers, 0,
                                              outs, 1, nullptr, nullptr, nullptr, nullptr));
  expected.element_wise(ElementWise::multiply, a_array, std::span<const float>(&number, 1),
                        out_array);
  EXPECT_EQ(out, expected_out);
  // One result per row, also of the matrices of a list.
  std::vector<float> sums(6);
  std::vector<float> expected_sums(6);
  Tensor sum_tensor(sums.data(), KINDRED_FLOAT32, 6);
  const DLTensor* both[] = {&a_tensor, &b_tensor};
  const ConstArray list[] = {a_array, b_array};
  KINDRED_ASSERT_OK(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_SUM, both, 2, &sum_tensor,
                                        nullptr, nullptr, nullptr, nullptr));
  expected.reduce(Reduction::sum, list, std::span<float>(expected_sums));
  EXPECT_EQ(sums, expected_sums);
  Tensor three(sums.data(), KINDRED_FLOAT32, 3);
  KINDRED_EXPECT_OK(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_MAX, as, 1, &three, nullptr,
                                        nullptr, nullptr, nullptr));
  EXPECT_EQ(kindred_bulk_reduce(c_context(), 5, as, 1, &three, nullptr, nullptr, nullptr, nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_bulk_normalise(c_context(), as, outs, 1, nullptr, nullptr, nullptr, nullptr),
            KINDRED_INVALID);
  // bool: xor, a number, and sums
  const std::uint8_t flags[] = {1, 0, 1, 1};
  const std::uint8_t keys[] = {1, 1, 0, 1};
  std::uint8_t mixed[4] = {};
  Tensor flag_tensor(flags, KINDRED_BOOL, 4);
  Tensor key_tensor(keys, KINDRED_BOOL, 4);
  Tensor mixed_tensor(mixed, KINDRED_BOOL, 4);
  as[0] = &flag_tensor;
  bs[0] = &key_tensor;
  outs[0] = &mixed_tensor;
  KINDRED_ASSERT_OK(
      kindred_bulk_xor(c_context(), as, bs, outs, 1, nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(std::vector<std::uint8_t>(mixed, mixed + 4), (std::vector<std::uint8_t>{0, 1, 1, 0}));
  const auto multiply = [&](double factor) {
    return kindred_bulk_element_wise(c_context(), KINDRED_BULK_MULTIPLY, as, nullptr, factor, outs,
                                     1, nullptr, nullptr, nullptr, nullptr);
  };
  for (const int factor : {0, 1}) {
    KINDRED_ASSERT_OK(multiply(factor));
    EXPECT_EQ(mixed[3], factor);
  }
  EXPECT_EQ(multiply(2), KINDRED_INVALID);
  std::int64_t ones = 0;
  Tensor ones_tensor(&ones, KINDRED_INT64, 1);
  KINDRED_ASSERT_OK(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_SUM, as, 1, &ones_tensor,
                                        nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(ones, 3);
}

TEST(CBulk, PreparedCallsAreThoseOfCpp) {
  std::vector<float> a = random_rows("CBulk prepared a", 12);
  const std::vector<float> b = random_rows("CBulk prepared b", 12);
  std::vector<float> out(12);
  std::vector<float> expected_out(12);
  const Bulk expected(context());
  Tensor a_tensor(a.data(), KINDRED_FLOAT32, 3, 4);
  Tensor b_tensor(b.data(), KINDRED_FLOAT32, 3, 4);
  Tensor right(b.data(), KINDRED_FLOAT32, 4, 3);
  Tensor out_tensor(out.data(), KINDRED_FLOAT32, 3, 4);
  Tensor product_tensor(out.data(), KINDRED_FLOAT32, 3, 3);
  double sum = 0;
  Tensor sum_tensor(&sum, KINDRED_FLOAT64, 1);
  Tensor flat(a.data(), KINDRED_FLOAT32, 12);
  const DLTensor* flats[] = {&flat};
  const DLTensor* as[] = {&a_tensor};
  const DLTensor* bs[] = {&b_tensor};
  const DLTensor* rights[] = {&right};
  DLTensor* outs[] = {&out_tensor};
  DLTensor* products[] = {&product_tensor};
  const std::span<const float> a_list[] = {a};
  const std::span<const float> b_list[] = {b};
  const std::span<float> out_list[] = {expected_out};
  kindred_bulk_options options = KINDRED_BULK_OPTIONS_INIT;
  options.reproducible = 1;
  for (const std::int32_t space : {KINDRED_SPACE_SERIAL, KINDRED_SPACE_OPENMP, KINDRED_SPACE_ANY}) {
    options.space = space;
    const auto run = [](kindred_prepared* prepared) {
      KINDRED_EXPECT_OK(kindred_run(prepared));
      KINDRED_EXPECT_OK(kindred_wait(prepared));
      KINDRED_EXPECT_OK(kindred_destroy(prepared));
    };
    kindred_prepared* prepared = nullptr;
    KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, as, bs, 0, outs, 1,
                                                &options, &prepared, nullptr, nullptr));
    a[0] += 1;
    run(prepared);
    expected.element_wise(ElementWise::add, a_list, b_list, out_list);
    EXPECT_EQ(out, expected_out);
    KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_MULTIPLY, as, nullptr,
                                                2.5, outs, 1, &options, &prepared, nullptr,
                                                nullptr));
    run(prepared);
    expected.element_wise(ElementWise::multiply, a_list, 2.5F, out_list);
    EXPECT_EQ(out, expected_out);
    KINDRED_ASSERT_OK(
        kindred_bulk_normalise(c_context(), as, outs, 1, &options, &prepared, nullptr, nullptr));
    run(prepared);
    expected.normalise(a_list, out_list);
    EXPECT_EQ(out, expected_out);
    KINDRED_ASSERT_OK(kindred_bulk_random_fill(c_context(), outs, 1, 7, 3, &options, &prepared,
                                               nullptr, nullptr));
    run(prepared);
    expected.random_fill(out_list, 7, 3);
    EXPECT_EQ(out, expected_out);
    KINDRED_ASSERT_OK(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_SUM, flats, 1, &sum_tensor,
                                          &options, &prepared, nullptr, nullptr));
    run(prepared);
    float expected_sum = 0;
    expected.reduce(Reduction::sum, a_list, std::span(&expected_sum, 1));
    EXPECT_EQ(static_cast<float>(sum), expected_sum);
    KINDRED_ASSERT_OK(kindred_bulk_multiply(c_context(), as, rights, products, 1, &options,
                                            &prepared, nullptr, nullptr));
    run(prepared);
    std::vector<float> expected_product(9);
    expected.multiply(matrix_array(std::span<const float>(a), 3, 4),
                      matrix_array(std::span(b), 4, 3),
                      matrix_array(std::span(expected_product), 3, 3), {.reproducible = true});
    EXPECT_EQ(std::vector<float>(out.begin(), out.begin() + 9), expected_product);
  }
  std::vector<std::uint8_t> bytes{1, 2, 3};
  Tensor byte_tensor(bytes.data(), KINDRED_UINT8, 3);
  const DLTensor* byte_list[] = {&byte_tensor};
  DLTensor* results[] = {&byte_tensor};
  Owned<kindred_prepared> prepared;
  KINDRED_ASSERT_OK(kindred_bulk_xor(c_context(), byte_list, byte_list, results, 1, nullptr,
                                     &prepared, nullptr, nullptr));
  KINDRED_ASSERT_OK(kindred_run(prepared));
  EXPECT_EQ(bytes, std::vector<std::uint8_t>(3));
}

TEST(CBulk, ListsOfOtherTypesAndMemoriesAreRefused) {
  std::vector<float> values(4);
  Tensor numbers(values.data(), KINDRED_FLOAT32, 2, 2);
  Tensor halves(values.data(), KINDRED_FLOAT16, 2, 2);
  Tensor bools(values.data(), KINDRED_BOOL, 2, 2);
  Tensor device(values.data(), KINDRED_FLOAT32, 2, 2);
  device.tensor.device.device_type = kDLCUDA;
  Tensor gaps(values.data(), KINDRED_FLOAT32, 1, 2);
  std::int64_t strides[] = {4, 2};
  gaps.tensor.strides = strides;
  const auto status = [&](Tensor& from, Tensor& to) {
    const DLTensor* arrays[] = {&from};
    DLTensor* results[] = {&to};
    return kindred_bulk_element_wise(c_context(), KINDRED_BULK_SQUARE, arrays, nullptr, 0, results,
                                     1, nullptr, nullptr, nullptr, nullptr);
  };
  KINDRED_EXPECT_OK(status(numbers, numbers));
  EXPECT_EQ(status(halves, halves), KINDRED_INVALID);
  EXPECT_EQ(status(bools, bools), KINDRED_INVALID);
  EXPECT_EQ(status(numbers, halves), KINDRED_INVALID);
  EXPECT_NE(status(device, device), KINDRED_OK);
  EXPECT_EQ(status(gaps, gaps), KINDRED_INVALID);
  // Prepared calls take arrays of one memory.
  const DLTensor* arrays[] = {&numbers};
  DLTensor* results[] = {&device};
  kindred_prepared* prepared = nullptr;
  EXPECT_NE(
      kindred_bulk_normalise(c_context(), arrays, results, 1, nullptr, &prepared, nullptr, nullptr),
      KINDRED_OK);
  kindred_bulk_options options = KINDRED_BULK_OPTIONS_INIT;
  options.has_stream = 1;
  results[0] = &numbers;
  EXPECT_EQ(kindred_bulk_normalise(c_context(), arrays, results, 1, &options, &prepared, nullptr,
                                   nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(prepared, nullptr);
}

}  // namespace
}  // namespace Kindred::Testing
