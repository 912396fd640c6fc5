// SPDX-License-Identifier: Apache-2.0
// Prepared operations on lists in the memory of one space.
#include "Bulk.hpp"

namespace Kindred::C {

namespace {

/// Sets the space of a prepared call on arrays of the arguments that \p names lists.
template <class... Lists>
void set_space(BulkOptions& call, const Context& context,
               const std::array<const char*, sizeof...(Lists)>& names, const Lists&... lists) {
  TensorMemory memory(context);
  const auto add = [&](const char* name, const auto& arrays) {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      memory.add(arrays[i], std::string(name) + "[" + std::to_string(i) + "]");
  };
  std::size_t i = 0;
  (add(names[i++], lists), ...);
  memory.check_stream(call.stream);
  call.space = memory.space(call.space);
}

}  // namespace

kindred_status kindred_prepare_bulk_xor(kindred_context* context, const DLTensor* const* arrays,
                                        const DLTensor* const* keys, DLTensor* const* results,
                                        std::size_t count, const kindred_bulk_options* options,
                                        kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    BulkOptions call = bulk_options_of(options);
    require(prepared, "prepared");
    check_lists({{arrays, "arrays"}, {keys, "keys"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto with = list_of(keys, count, "keys");
    const auto out = output_list_of(results, count, "results");
    set_space(call, *object, {"arrays", "keys", "results"}, in, with, out);
    *prepared = make_prepared(object, Bulk::prepare_xor(*object, in, with, out, call));
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
    BulkOptions call = bulk_options_of(options);
    require(prepared, "prepared");
    const ElementWise op = element_wise_of(operation);
    check_lists({{arrays, "arrays"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto with = optional_list_of(others, count, "others");
    const auto out = output_list_of(results, count, "results");
    set_space(call, *object, {"arrays", "others", "results"}, in,
              with.value_or(std::vector<ConstArray>()), out);
    *prepared = make_prepared(
        object,
        Bulk::prepare_element_wise(*object, op, in, operand_of(op, with, number, in), out, call));
  });
}

kindred_status kindred_prepare_bulk_normalise(kindred_context* context,
                                              const DLTensor* const* arrays,
                                              DLTensor* const* results, std::size_t count,
                                              const kindred_bulk_options* options,
                                              kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    BulkOptions call = bulk_options_of(options);
    require(prepared, "prepared");
    check_lists({{arrays, "arrays"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto out = output_list_of(results, count, "results");
    set_space(call, *object, {"arrays", "results"}, in, out);
    *prepared = make_prepared(object, Bulk::prepare_normalise(*object, in, out, call));
  });
}

kindred_status kindred_prepare_bulk_random_fill(kindred_context* context, DLTensor* const* results,
                                                std::size_t count, std::uint64_t seed,
                                                std::uint64_t offset,
                                                const kindred_bulk_options* options,
                                                kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    BulkOptions call = bulk_options_of(options);
    require(prepared, "prepared");
    const auto out = output_list_of(results, count, "results");
    set_space(call, *object, {"results"}, out);
    *prepared = make_prepared(object, Bulk::prepare_random_fill(*object, out, seed, offset, call));
  });
}

kindred_status kindred_prepare_bulk_reduce(kindred_context* context, std::int32_t reduction,
                                           const DLTensor* const* arrays, std::size_t count,
                                           DLTensor* results, const kindred_bulk_options* options,
                                           kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    BulkOptions call = bulk_options_of(options);
    require(prepared, "prepared");
    const Reduction kind = reduction_of(reduction);
    check_lists({{arrays, "arrays"}}, count);
    require(results, "results");
    const auto in = list_of(arrays, count, "arrays");
    const auto out = output_of(results, "results");
    set_space(call, *object, {"arrays", "results"}, in, std::span(&out, 1));
    *prepared = make_prepared(object, Bulk::prepare_reduce(*object, kind, in, out, call));
  });
}

kindred_status kindred_prepare_bulk_multiply(kindred_context* context, const DLTensor* const* a,
                                             const DLTensor* const* b, DLTensor* const* c,
                                             std::size_t count, const kindred_bulk_options* options,
                                             kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    BulkOptions call = bulk_options_of(options);
    require(prepared, "prepared");
    check_lists({{a, "a"}, {b, "b"}, {c, "c"}}, count);
    const auto left = arrays_of(a, count, "a");
    const auto right = arrays_of(b, count, "b");
    const auto out = output_arrays_of(c, count, "c");
    set_space(call, *object, {"a", "b", "c"}, left, right, out);
    *prepared = make_prepared(object, Bulk::prepare_multiply(*object, left, right, out, call));
  });
}

}  // namespace Kindred::C
