// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/ElementWise.hpp>
#include <kindred/core/bulk/MatrixProduct.hpp>
#include <kindred/core/bulk/RandomFill.hpp>
#include <kindred/core/bulk/Reduce.hpp>
#include <kindred/core/bulk/ReduceIntegers.hpp>

#include "CheckedCalls.hpp"

namespace Kindred::Testing::BulkArgumentsTest {

/// Two arrays of three elements, without a table.
template <class T>
BulkItems<T> items_of(Arguments& a, bool reads, bool writes) {
  BulkItems<T> items;
  items.count = 2;
  items.first.count = 3;
  if (reads) items.first.input = a.pointer<T>("items.first.input", 6);
  if (writes) items.first.output = a.pointer<T>("items.first.output", 6);
  items.input_step = 3;
  items.output_step = 3;
  items.chunks_each = a.number<std::uint64_t>("items.chunks_each", 1, 0);
  return items;
}
BulkPlan plan_of(Arguments& a) { return {a.number<std::uint64_t>("plan.chunks", 2, 3), false}; }

const std::vector<CheckedCall> calls{
    {"element_wise",
     [](const HostSpace& on, Arguments& a) {
       element_wise<HostSpace, float>(on, plan_of(a), ElementWise::add, 1.0F,
                                      items_of<float>(a, true, true));
     }},
    {"combine_bytes",
     [](const HostSpace& on, Arguments& a) {
       combine_bytes<HostSpace>(on, plan_of(a), BytesOperation::conjunction, 1,
                                items_of<std::uint8_t>(a, true, true));
     }},
    {"normalise",
     [](const HostSpace& on, Arguments& a) {
       normalise<HostSpace, float>(on, plan_of(a), a.array<double>("means", 2),
                                   a.array<double>("deviations", 2),
                                   items_of<float>(a, true, true));
     }},
    {"random_fill",
     [](const HostSpace& on, Arguments& a) {
       random_fill<HostSpace, float>(on, plan_of(a), 7, a.array<std::uint64_t>("offsets", 2),
                                     items_of<float>(a, false, true));
     }},
    {"reduce",
     [](const HostSpace& on, Arguments& a) {
       reduce<HostSpace, float>(on, plan_of(a), Reduction::deviation,
                                items_of<float>(a, true, false), a.array<double>("means", 2),
                                a.array<double>("partials", 2), a.array<double>("results", 2));
     }},
    {"reduce_integers",
     [](const HostSpace& on, Arguments& a) {
       reduce_integers<HostSpace, std::int32_t>(
           on, plan_of(a), Reduction::sum, items_of<std::int32_t>(a, true, false),
           a.array<WideInteger>("partials", 2), a.array<std::uint64_t>("results", 2));
     }},
    {"store_results",
     [](const HostSpace& on, Arguments& a) {
       store_results<HostSpace>(on, a.sizing<std::uint64_t>("results", 2), DataType::int32,
                                a.pointer<std::int32_t>("to", 2));
     }},
    {"reproducible_products",
     [](const HostSpace& on, Arguments& a) {
       const auto wrong = a.number<std::size_t>("the size of products", 1, 0);
       MatrixProduct<float> product;
       product.a = a.plain<float>(1).data();
       product.b = a.plain<float>(1).data();
       product.c = a.plain<float>(1).data();
       product.m = product.n = product.k = 1;
       reproducible_products<HostSpace, float>(
           on, 1, a.sizing<MatrixProduct<float>>("products", wrong, product));
     }},
};

TEST(BulkArguments, AreCheckedBeforeALaunch) {
  for (const CheckedCall& call : calls) expect_checked(call);
}

}  // namespace Kindred::Testing::BulkArgumentsTest
