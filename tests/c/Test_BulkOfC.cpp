// SPDX-License-Identifier: Apache-2.0
// Operations on lists of arrays: each call, also prepared, computes what that of C++ does.
#include "CSupport.hpp"
#include "CppArguments.hpp"
#include "Given.hpp"

#include <kindred/matcher/Bulk.hpp>

#include <Support.hpp>

#include <cmath>
#include <functional>
#include <span>
#include <vector>

namespace BulkOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// What a call of C may write besides its results.
struct Outputs {
  const kindred_bulk_options* options = nullptr;
  kindred_prepared** prepared = nullptr;
  kindred_bulk_report* report = nullptr;
  kindred_record* record = nullptr;
};

/// Arrays as lists of one.
struct One {
  One(DLTensor* given) : tensor(given) {}  // NOLINT(google-explicit-constructor): a list of it
  operator DLTensor* const*() const { return &tensor; }        // NOLINT: likewise
  operator const DLTensor* const*() const { return &tensor; }  // NOLINT: likewise
  DLTensor* tensor;
};

kindred_status element_wise(std::int32_t operation, const One& array, const DLTensor* const* other,
                            double number, const One& out, const Outputs& to = {}) {
  return kindred_bulk_element_wise(c_context(), operation, array, other, number, out, 1, to.options,
                                   to.prepared, to.report, to.record);
}

/// A call of C that writes \p out, and the same in C++.
struct Call {
  const char* operation;
  std::size_t columns;
  std::function<kindred_status(DLTensor* out, const Outputs& to)> run;
  std::function<void(std::span<float> out)> run_in_cpp;
};

TEST(CBulk, CallsAndPreparedCallsAreThoseOfCpp) {
  Floats a(random_rows("CBulk a", 12), 4);
  Floats b(random_rows("CBulk b", 12), 4);
  Floats right(b.values, 3);
  const One as(&a), bs(&b), rights(&right);
  const Bulk bulk(context());
  const std::span<const float> of_a(a.values), of_b(b.values), of_right(right.values);
  const Call calls[] = {
      {"add", 4,
       [&](DLTensor* out, const auto& to) {
         return element_wise(KINDRED_BULK_ADD, as, bs, 0, out, to);
       },
       [&](auto out) { bulk.element_wise(ElementWise::add, of_a, of_b, out); }},
      {"multiply by a number", 4,
       [&](DLTensor* out, const auto& to) {
         return element_wise(KINDRED_BULK_MULTIPLY, as, nullptr, 2.5, out, to);
       },
       [&](auto out) { bulk.element_wise(ElementWise::multiply, of_a, 2.5F, out); }},
      {"exponential", 4,
       [&](DLTensor* out, const auto& to) {
         return element_wise(KINDRED_BULK_EXPONENTIAL, as, nullptr, 0, out, to);
       },
       [&](auto out) { bulk.element_wise(ElementWise::exponential, of_a, {}, out); }},
      {"normalise", 4,
       [&](DLTensor* out, const auto& to) {
         return kindred_bulk_normalise(c_context(), as, One(out), 1, to.options, to.prepared,
                                       to.report, to.record);
       },
       [&](auto out) { bulk.normalise(of_a, out); }},
      {"random-fill", 4,
       [](DLTensor* out, const auto& to) {
         return kindred_bulk_random_fill(c_context(), One(out), 1, 7, 3, to.options, to.prepared,
                                         to.report, to.record);
       },
       [&](auto out) { bulk.random_fill(out, 7, 3); }},
      {"multiply", 3,
       [&](DLTensor* out, const auto& to) {
         return kindred_bulk_multiply(c_context(), as, rights, One(out), 1, to.options, to.prepared,
                                      to.report, to.record);
       },
       [&](auto out) {
         bulk.multiply(matrix_array(of_a, 3, 4), matrix_array(of_right, 4, 3),
                       matrix_array(out, 3, 3), {.reproducible = true});
       }}};
  for (const Call& call : calls)
    for (const std::int32_t space : c_spaces()) {
      SCOPED_TRACE(call.operation);
      const kindred_bulk_options options = Given::bulk_options{.space = space, .reproducible = 1};
      Floats out(3, call.columns), expected(3, call.columns);
      kindred_bulk_report report = KINDRED_BULK_REPORT_INIT;
      kindred_record record = KINDRED_RECORD_INIT;
      ok(call.run(&out, {&options, nullptr, &report, &record}));
      call.run_in_cpp(expected.values);
      EXPECT_EQ(out.values, expected.values);
      EXPECT_EQ(record.space, space);
      EXPECT_STRNE(record.operation, "");
      EXPECT_EQ(numbers(report.batches, report.splits), numbers(1, 0));
      if (space == KINDRED_SPACE_CUDA) continue;  // for arrays there
      Owned<kindred_prepared> prepared;
      ok(call.run(&out, {&options, &prepared}));
      a.values[0] += 1;  // it reads the current contents
      call.run_in_cpp(expected.values);
      run_prepared(prepared);
      EXPECT_EQ(out.values, expected.values);
    }
}

TEST(CBulk, NumbersAndReductionsHaveTheTypeOfTheArrays) {
  Numbers<std::int8_t> a({1, 2, 3, 127});
  Numbers<std::int8_t> out(std::vector<std::int8_t>(4));
  const auto add = [&](double number) {
    return element_wise(KINDRED_BULK_ADD, &a, nullptr, number, &out);
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
    return kindred_bulk_reduce(c_context(), reduction, One(&a), 1, to, nullptr, prepared, nullptr,
                               nullptr);
  };
  ok(reduce(KINDRED_REDUCE_SUM, &sum, nullptr));
  ok(reduce(KINDRED_REDUCE_MEAN, &mean, nullptr));
  EXPECT_EQ(numbers(sum.values[0], mean.values[0]), numbers(133, 33.25));
  expect_refused(reduce(KINDRED_REDUCE_SUM, &mean, nullptr));
  Owned<kindred_prepared> prepared;
  ok(reduce(KINDRED_REDUCE_MAX, &sum, &prepared));
  a.values[0] = 100;
  a.values[3] = 2;
  run_prepared(prepared);
  EXPECT_EQ(sum.values[0], 100);
}

TEST(CBulk, ListsAndRowsWithGapsAreThoseOfCpp) {
  Floats a(random_rows("CBulk single a", 12), 4);
  Floats b(random_rows("CBulk single b", 12), 4);
  Floats out(3, 4), expected(3, 4), second(3, 2);
  std::int64_t strides[] = {4, 1};
  for (DLTensor* const one : {&a, &b, &out, &expected}) {
    one->shape[1] = 2;
    one->strides = strides;
  }
  const DLTensor* both[] = {&a, &b};
  const DLTensor* others[] = {&b, &a};
  DLTensor* outs[] = {&out, &second};
  const Bulk bulk(context());
  ok(kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, both, others, 0, outs, 2, nullptr,
                               nullptr, nullptr, nullptr));
  bulk.element_wise(ElementWise::add, array_of(&a), array_of(&b), array_of(&expected));
  EXPECT_EQ(out.values, expected.values);
  EXPECT_EQ(second.values[2], expected.values[4]);
  Floats number({2.5F});  // a single element is a number
  ok(element_wise(KINDRED_BULK_MULTIPLY, &a, One(&number), 0, &out));
  EXPECT_EQ(out.values[5], a.values[5] * 2.5F);
  Floats sums(std::vector<float>(6));  // of each row of each matrix
  std::vector<float> expected_sums(6);
  const ConstArray list[] = {array_of(&a), array_of(&b)};
  ok(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_SUM, both, 2, &sums, nullptr, nullptr, nullptr,
                         nullptr));
  bulk.reduce(Reduction::sum, list, std::span<float>(expected_sums));
  EXPECT_EQ(sums.values, expected_sums);
}

TEST(CBulk, KeysHideBytesAndBools) {
  using Bytes = std::vector<std::uint8_t>;
  Numbers<std::uint8_t> bytes({1, 0, 1, 1}), keys({1, 1, 0, 1}), hidden(Bytes(4)), shown(Bytes(4));
  const auto mix = [&](const One& array, const One& result) {
    return kindred_bulk_xor(c_context(), array, One(&keys), result, 1, nullptr, nullptr, nullptr,
                            nullptr);
  };
  ok(kindred_bulk_xor_with_new_keys(c_context(), One(&bytes), One(&keys), One(&hidden), 1, 5,
                                    nullptr, nullptr, nullptr));
  Bytes expected_keys(4), expected(4);
  Bulk(context()).xor_with_new_keys(std::span<const std::uint8_t>(bytes.values),
                                    std::span(expected_keys), std::span(expected), 5);
  EXPECT_EQ(keys.values, expected_keys);
  EXPECT_EQ(hidden.values, expected);
  ok(mix(&hidden, &shown));
  EXPECT_EQ(shown.values, bytes.values);
  std::ranges::copy(Bytes{1, 1, 0, 1}, keys.values.begin());
  for (DLTensor* const one : {&bytes, &keys, &hidden})
    one->dtype.code = static_cast<std::uint8_t>(kDLBool);
  ok(mix(&bytes, &hidden));
  EXPECT_EQ(hidden.values, (Bytes{0, 1, 1, 0}));
  for (const int factor : {0, 1}) {
    ok(element_wise(KINDRED_BULK_MULTIPLY, &bytes, nullptr, factor, &hidden));
    EXPECT_EQ(hidden.values[3], factor);
  }
  expect_refused(element_wise(KINDRED_BULK_MULTIPLY, &bytes, nullptr, 2, &hidden));
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
  const auto square = [&](Tensor& from, Tensor& to, const DLTensor* const* other = nullptr) {
    return element_wise(KINDRED_BULK_SQUARE, &from, other, 0, &to, {&options, &prepared});
  };
  expect_refused(square(halves, halves));
  expect_refused(square(bools, bools));
  expect_refused(square(floats, halves));
  expect_refused(square(floats, floats, One(&floats)));  // it has one operand
  EXPECT_NE(square(device, device), KINDRED_OK);
  EXPECT_NE(square(floats, device), KINDRED_OK);
  options.has_stream = 1;
  expect_refused(square(floats, floats), "stream");
  EXPECT_EQ(prepared, nullptr);
}

}  // namespace BulkOfCTest
