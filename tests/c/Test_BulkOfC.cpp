// SPDX-License-Identifier: Apache-2.0
// Operations on lists of arrays: each call, also prepared, computes what that of C++ does.
#include "CSupport.hpp"

#include <kindred/matcher/Bulk.hpp>

#include <Support.hpp>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace BulkOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// What a call of C may write besides its results.
struct Outputs {
  const kindred_bulk_options* options;
  kindred_prepared** prepared = nullptr;
  kindred_bulk_report* report = nullptr;
  kindred_record* record = nullptr;
};

/// A call of C that writes \p out, and the same in C++.
struct Call {
  const char* operation;
  std::size_t rows;
  std::size_t columns;
  std::function<kindred_status(DLTensor* out, const Outputs& to)> run;
  std::function<void(std::span<float> out)> run_in_cpp;
};

TEST(CBulk, CallsAndPreparedCallsAreThoseOfCpp) {
  Floats a(random_rows("CBulk a", 12), 4);
  Floats b(random_rows("CBulk b", 12), 4);
  Floats right(b.values, 3);
  const DLTensor* as[] = {&a};
  const DLTensor* bs[] = {&b};
  const DLTensor* rights[] = {&right};
  const Bulk bulk(context());
  const auto in_cpp = [](const Floats& of) { return std::span<const float>(of.values); };
  const auto element_wise = [&](std::int32_t operation, const DLTensor* const* others,
                                double number) {
    return [=, &as](DLTensor* out, const Outputs& to) {
      return kindred_bulk_element_wise(c_context(), operation, as, others, number, &out, 1,
                                       to.options, to.prepared, to.report, to.record);
    };
  };
  const Call calls[] = {
      {"element-wise", 3, 4, element_wise(KINDRED_BULK_ADD, bs, 0),
       [&](auto out) { bulk.element_wise(ElementWise::add, in_cpp(a), in_cpp(b), out); }},
      {"element-wise", 3, 4, element_wise(KINDRED_BULK_MULTIPLY, nullptr, 2.5),
       [&](auto out) { bulk.element_wise(ElementWise::multiply, in_cpp(a), 2.5F, out); }},
      {"element-wise", 3, 4, element_wise(KINDRED_BULK_EXPONENTIAL, nullptr, 0),
       [&](auto out) { bulk.element_wise(ElementWise::exponential, in_cpp(a), {}, out); }},
      {"normalise", 3, 4,
       [&](DLTensor* out, const Outputs& to) {
         return kindred_bulk_normalise(c_context(), as, &out, 1, to.options, to.prepared, to.report,
                                       to.record);
       },
       [&](auto out) { bulk.normalise(in_cpp(a), out); }},
      {"random-fill", 3, 4,
       [](DLTensor* out, const Outputs& to) {
         return kindred_bulk_random_fill(c_context(), &out, 1, 7, 3, to.options, to.prepared,
                                         to.report, to.record);
       },
       [&](auto out) { bulk.random_fill(out, 7, 3); }},
      {"multiply", 3, 3,
       [&](DLTensor* out, const Outputs& to) {
         return kindred_bulk_multiply(c_context(), as, rights, &out, 1, to.options, to.prepared,
                                      to.report, to.record);
       },
       [&](auto out) {
         bulk.multiply(matrix_array(in_cpp(a), 3, 4), matrix_array(in_cpp(right), 4, 3),
                       matrix_array(out, 3, 3), {.reproducible = true});
       }}};
  for (const Call& call : calls)
    for (const std::int32_t space : c_spaces()) {
      SCOPED_TRACE(call.operation);
      kindred_bulk_options options = KINDRED_BULK_OPTIONS_INIT;
      options.space = space;
      options.reproducible = 1;
      Floats out(call.rows, call.columns);
      std::vector<float> expected(out.values.size());
      kindred_bulk_report report = KINDRED_BULK_REPORT_INIT;
      kindred_record record = KINDRED_RECORD_INIT;
      ok(call.run(&out, {&options, nullptr, &report, &record}));
      call.run_in_cpp(expected);
      EXPECT_EQ(out.values, expected);
      EXPECT_EQ(record.space, space);
      EXPECT_STRNE(record.operation, "");
      EXPECT_EQ(numbers(report.batches, report.splits), numbers(1, 0));
      if (space == KINDRED_SPACE_CUDA) continue;  // for arrays there
      kindred_prepared* prepared = nullptr;
      ok(call.run(&out, {&options, &prepared}));
      a.values[0] += 1;  // it reads the current contents
      call.run_in_cpp(expected);
      ok(kindred_run(prepared));
      ok(kindred_wait(prepared));
      EXPECT_EQ(out.values, expected);
      ok(kindred_destroy(prepared));
    }
}

TEST(CBulk, NumbersAndReductionsHaveTheTypeOfTheArrays) {
  Numbers<std::int8_t> a({1, 2, 3, 127});
  Numbers<std::int8_t> out(std::vector<std::int8_t>(4));
  const DLTensor* as[] = {&a};
  DLTensor* outs[] = {&out};
  const auto add = [&](double number) {
    return kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, as, nullptr, number, outs, 1,
                                     nullptr, nullptr, nullptr, nullptr);
  };
  ok(add(3));
  const std::vector<std::int8_t> sums{4, 5, 6, -126};
  EXPECT_EQ(out.values, sums);
  for (const double number : {0.5, 128.0, -129.0, std::ldexp(1.0, 65), std::nan("")})
    expect_refused(add(number), "number");
  EXPECT_EQ(out.values, sums);
  Numbers<std::int64_t> sum({0});
  Numbers<double> mean({0});
  const auto reduce = [&](std::int32_t reduction, DLTensor* to, kindred_prepared** prepared) {
    return kindred_bulk_reduce(c_context(), reduction, as, 1, to, nullptr, prepared, nullptr,
                               nullptr);
  };
  ok(reduce(KINDRED_REDUCE_SUM, &sum, nullptr));
  ok(reduce(KINDRED_REDUCE_MEAN, &mean, nullptr));
  EXPECT_EQ(numbers(sum.values[0], mean.values[0]), numbers(133, 33.25));
  expect_refused(reduce(KINDRED_REDUCE_SUM, &mean, nullptr));
  expect_refused(reduce(5, &sum, nullptr), "reduction");
  Owned<kindred_prepared> prepared;
  ok(reduce(KINDRED_REDUCE_MAX, &sum, &prepared));
  a.values[0] = 100;
  a.values[3] = 2;
  ok(kindred_run(prepared));
  ok(kindred_wait(prepared));
  EXPECT_EQ(sum.values[0], 100);
}

TEST(CBulk, ListsAndRowsWithGapsAreThoseOfCpp) {
  Floats a(random_rows("CBulk single a", 12), 4);
  Floats b(random_rows("CBulk single b", 12), 4);
  Floats out(3, 4);
  std::vector<float> expected(12);
  std::int64_t strides[] = {4, 1};
  for (DLTensor* const one : {&a, &b, &out}) {
    one->shape[1] = 2;
    one->strides = strides;
  }
  const std::int64_t shape[] = {3, 2};
  const auto array = [&](const Floats& of) {
    return ConstArray(of.values.data(), DataType::float32, shape, strides);
  };
  const DLTensor* both[] = {&a, &b};
  const DLTensor* others[] = {&b, &a};
  Floats second(3, 2);
  DLTensor* outs[] = {&out, &second};
  const Bulk bulk(context());
  ok(kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, both, others, 0, outs, 2, nullptr,
                               nullptr, nullptr, nullptr));
  bulk.element_wise(ElementWise::add, array(a), array(b),
                    Array(expected.data(), DataType::float32, shape, strides));
  EXPECT_EQ(out.values, expected);
  EXPECT_EQ(second.values[2], expected[4]);
  Floats number({2.5F});  // a single element is a number
  const DLTensor* numbers_of[] = {&number};
  ok(kindred_bulk_element_wise(c_context(), KINDRED_BULK_MULTIPLY, both, numbers_of, 0, outs, 1,
                               nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(out.values[5], a.values[5] * 2.5F);
  Floats sums(std::vector<float>(6));  // of each row of each matrix
  std::vector<float> expected_sums(6);
  const ConstArray list[] = {array(a), array(b)};
  ok(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_SUM, both, 2, &sums, nullptr, nullptr, nullptr,
                         nullptr));
  bulk.reduce(Reduction::sum, list, std::span<float>(expected_sums));
  EXPECT_EQ(sums.values, expected_sums);
}

TEST(CBulk, KeysHideBytesAndBools) {
  Numbers<std::uint8_t> bytes({1, 0, 1, 1});
  Numbers<std::uint8_t> keys({1, 1, 0, 1});
  Numbers<std::uint8_t> hidden(std::vector<std::uint8_t>(4));
  Numbers<std::uint8_t> shown(std::vector<std::uint8_t>(4));
  const DLTensor* given[] = {&bytes};
  DLTensor* key_list[] = {&keys};
  const DLTensor* const_keys[] = {&keys};
  DLTensor* hidden_list[] = {&hidden};
  const DLTensor* const_hidden[] = {&hidden};
  DLTensor* shown_list[] = {&shown};
  const auto mix = [&](const auto& arrays, const auto& results) {
    return kindred_bulk_xor(c_context(), arrays, const_keys, results, 1, nullptr, nullptr, nullptr,
                            nullptr);
  };
  ok(kindred_bulk_xor_with_new_keys(c_context(), given, key_list, hidden_list, 1, 5, nullptr,
                                    nullptr, nullptr));
  std::vector<std::uint8_t> expected_keys(4);
  std::vector<std::uint8_t> expected(4);
  Bulk(context()).xor_with_new_keys(std::span<const std::uint8_t>(bytes.values),
                                    std::span(expected_keys), std::span(expected), 5);
  EXPECT_EQ(keys.values, expected_keys);
  EXPECT_EQ(hidden.values, expected);
  ok(mix(const_hidden, shown_list));
  EXPECT_EQ(shown.values, bytes.values);
  keys.values = {1, 1, 0, 1};
  for (DLTensor* const one : {&bytes, &keys, &hidden})
    one->dtype.code = static_cast<std::uint8_t>(kDLBool);
  keys.tensor.tensor.data = keys.values.data();
  ok(mix(given, hidden_list));
  EXPECT_EQ(hidden.values, (std::vector<std::uint8_t>{0, 1, 1, 0}));
  for (const int factor : {0, 1, 2}) {
    const kindred_status status =
        kindred_bulk_element_wise(c_context(), KINDRED_BULK_MULTIPLY, given, nullptr, factor,
                                  hidden_list, 1, nullptr, nullptr, nullptr, nullptr);
    EXPECT_EQ(status, factor == 2 ? KINDRED_INVALID : KINDRED_OK);
    if (factor < 2) {
      EXPECT_EQ(hidden.values[3], factor);
    }
  }
  ok(kindred_bulk_xor(c_context(), nullptr, nullptr, nullptr, 0, nullptr, nullptr, nullptr,
                      nullptr));
}

TEST(CBulk, ListsOfOtherTypesAndMemoriesAreRefused) {
  std::vector<float> values(4);
  Tensor floats(values.data(), KINDRED_FLOAT32, 2, 2);
  Tensor halves(values.data(), KINDRED_FLOAT16, 2, 2);
  Tensor bools(values.data(), KINDRED_BOOL, 2, 2);
  Tensor device(values.data(), KINDRED_FLOAT32, 2, 2);
  device.tensor.device.device_type = kDLCUDA;
  kindred_bulk_options options = KINDRED_BULK_OPTIONS_INIT;
  kindred_prepared* prepared = nullptr;
  const auto square = [&](Tensor& from, Tensor& to, const DLTensor* other = nullptr) {
    const DLTensor* arrays[] = {&from};
    DLTensor* results[] = {&to};
    return kindred_bulk_element_wise(c_context(), KINDRED_BULK_SQUARE, arrays,
                                     other == nullptr ? nullptr : &other, 0, results, 1, &options,
                                     &prepared, nullptr, nullptr);
  };
  expect_refused(square(halves, halves));
  expect_refused(square(bools, bools));
  expect_refused(square(floats, halves));
  expect_refused(square(floats, floats, &floats));  // it has one operand
  EXPECT_NE(square(device, device), KINDRED_OK);
  EXPECT_NE(square(floats, device), KINDRED_OK);
  options.has_stream = 1;
  expect_refused(square(floats, floats), "stream");
  EXPECT_EQ(prepared, nullptr);
}

}  // namespace BulkOfCTest
