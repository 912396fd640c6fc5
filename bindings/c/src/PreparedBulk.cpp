// SPDX-License-Identifier: Apache-2.0
// Prepared operations on lists in the memory of one space.
#include "Bulk.hpp"

namespace Kindred::C {

namespace {

/// The space of a prepared call on \p lists.
template <class... Lists>
Space space_of_lists(const Context& context, const BulkCall& call, const Lists&... lists) {
  TensorMemory memory(context);
  (lists.add_to(memory), ...);
  memory.check_stream(call.lists.stream);
  return memory.space(call.lists.space);
}

}  // namespace

kindred_status kindred_prepare_bulk_xor(kindred_context* context, const DLTensor* const* arrays,
                                        const DLTensor* const* keys, DLTensor* const* results,
                                        std::size_t count, const kindred_bulk_options* options,
                                        kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    const BulkCall call(options);
    require(prepared, "prepared");
    check_lists({{arrays, "arrays"}, {keys, "keys"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto with = list_of(keys, count, "keys");
    const auto out = output_list_of(results, count, "results");
    const Space space = space_of_lists(*object, call, in, with, out);
    *prepared = make_prepared(
        object,
        PreparedBulk::xor_bytes(*object, in.spans<std::uint8_t>(), with.spans<std::uint8_t>(),
                                out.spans<std::uint8_t>(), space, call.lists.stream));
  });
}

kindred_status kindred_prepare_bulk_element_wise(kindred_context* context, std::int32_t operation,
                                                 const DLTensor* const* arrays,
                                                 const DLTensor* const* others, double number,
                                                 DLTensor* const* results, std::size_t count,
                                                 const kindred_bulk_options* options,
                                                 kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    const BulkCall call(options);
    require(prepared, "prepared");
    const ElementWise op = element_wise_of(operation);
    check_lists({{arrays, "arrays"}, {results, "results"}}, count);
    (void)has_operand(op, others, "others");
    const auto in = list_of(arrays, count, "arrays");
    const auto with = list_of(others, others == nullptr ? 0 : count, "others");
    const auto out = output_list_of(results, count, "results");
    const Space space = space_of_lists(*object, call, in, with, out);
    *prepared = with_number(in.type(), [&](auto zero) {
      using T = decltype(zero);
      return make_prepared(
          object, PreparedBulk::element_wise<T>(*object, op, in.template spans<T>(),
                                                with.template spans<T>(), static_cast<T>(number),
                                                out.template spans<T>(), space, call.lists.stream));
    });
  });
}

kindred_status kindred_prepare_bulk_normalise(kindred_context* context,
                                              const DLTensor* const* arrays,
                                              DLTensor* const* results, std::size_t count,
                                              const kindred_bulk_options* options,
                                              kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    const BulkCall call(options);
    require(prepared, "prepared");
    check_lists({{arrays, "arrays"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto out = output_list_of(results, count, "results");
    const Space space = space_of_lists(*object, call, in, out);
    *prepared = with_number(in.type(), [&](auto zero) {
      using T = decltype(zero);
      return make_prepared(
          object, PreparedBulk::normalise<T>(*object, in.template spans<T>(),
                                             out.template spans<T>(), space, call.lists.stream));
    });
  });
}

kindred_status kindred_prepare_bulk_random_fill(kindred_context* context, DLTensor* const* results,
                                                std::size_t count, std::uint64_t seed,
                                                std::uint64_t offset,
                                                const kindred_bulk_options* options,
                                                kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    const BulkCall call(options);
    require(prepared, "prepared");
    const auto out = output_list_of(results, count, "results");
    const Space space = space_of_lists(*object, call, out);
    *prepared = with_random(out.type(), [&](auto zero) {
      using T = decltype(zero);
      return make_prepared(
          object, PreparedBulk::random_fill<T>(*object, out.template spans<T>(), seed, offset,
                                               space, call.lists.stream));
    });
  });
}

kindred_status kindred_prepare_bulk_reduce(kindred_context* context, std::int32_t reduction,
                                           const DLTensor* const* arrays, std::size_t count,
                                           DLTensor* results, const kindred_bulk_options* options,
                                           kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    const BulkCall call(options);
    require(prepared, "prepared");
    const Reduction kind = reduction_of(reduction);
    check_lists({{arrays, "arrays"}}, count);
    require(results, "results");
    const auto in = list_of(arrays, count, "arrays");
    const auto out = output_list_of(results, "results");
    const Space space = space_of_lists(*object, call, in, out);
    *prepared = with_number(in.type(), [&](auto zero) {
      using T = decltype(zero);
      return make_prepared(object, PreparedBulk::reduce<T>(*object, kind, in.template spans<T>(),
                                                           out.template spans<double>()[0], space,
                                                           call.lists.stream));
    });
  });
}

kindred_status kindred_prepare_bulk_multiply(kindred_context* context, const DLTensor* const* a,
                                             const DLTensor* const* b, DLTensor* const* c,
                                             std::size_t count, const kindred_bulk_options* options,
                                             kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    const BulkCall call(options);
    require(prepared, "prepared");
    check_lists({{a, "a"}, {b, "b"}, {c, "c"}}, count);
    const auto left = list_of(a, count, "a");
    const auto right = list_of(b, count, "b");
    const auto out = output_list_of(c, count, "c");
    const Space space = space_of_lists(*object, call, left, right, out);
    *prepared = with_number(left.type(), [&](auto zero) {
      using T = decltype(zero);
      return make_prepared(
          object, PreparedBulk::multiply<T>(*object, pairs_of<T>(left, right, out),
                                            call.products.reproducible, space, call.lists.stream));
    });
  });
}

}  // namespace Kindred::C
