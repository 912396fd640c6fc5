// SPDX-License-Identifier: Apache-2.0
#include "Bulk.hpp"

namespace Kindred::C {

BulkCall::BulkCall(const kindred_bulk_options* options) {
  const kindred_bulk_options given =
      options_of(options, kindred_bulk_options KINDRED_BULK_OPTIONS_INIT, "options");
  check_reserved(given.reserved, "options");
  lists.space = space_option(given.space);
  lists.batch_bytes = static_cast<std::size_t>(given.batch_bytes);
  lists.stream = stream_option(given.has_stream, given.stream);
  products.space = lists.space;
  products.batch_bytes = lists.batch_bytes;
  products.reproducible = given.reproducible != 0;
  products.stream = lists.stream;
}

kindred_bulk_report bulk_report_of(const BulkReport& report) {
  return {sizeof(kindred_bulk_report), report.batches, report.batch_bytes, report.splits};
}

BulkOutputs::BulkOutputs(kindred_bulk_report* report, kindred_record* record)
    : m_report(report), m_record(record) {
  check_output(report, "report", true);
  check_record(record);
}

void BulkOutputs::write(const BulkReport& report) const {
  write_output(m_report, bulk_report_of(report));
  write_record(m_record, report.record);
}

void check_lists(std::initializer_list<NamedPointer> lists, std::size_t count) {
  if (count > 0) require_all(lists);
}

ArrayList<ConstArray> list_of(const DLTensor* const* tensors, std::size_t count, const char* name) {
  return {arrays_of(tensors, count, name), name};
}
ArrayList<Array> output_list_of(DLTensor* const* tensors, std::size_t count, const char* name) {
  return {output_arrays_of(tensors, count, name), name};
}
ArrayList<Array> output_list_of(DLTensor* tensor, const char* name) {
  return {{output_array_of(tensor, name)}, name};
}

ElementWise element_wise_of(std::int32_t operation) {
  return enum_of<ElementWise>(operation, 5, "operation");
}
Reduction reduction_of(std::int32_t reduction) {
  return enum_of<Reduction>(reduction, 5, "reduction");
}
bool has_operand(ElementWise operation, const void* others, const char* name) {
  const bool has = operation == ElementWise::add || operation == ElementWise::multiply;
  KINDRED_C_REFUSE_IF(!has && others != nullptr,
                      std::string(name) + " is given, but the operation has one operand");
  return has;
}

namespace {

/// The lists of a call, all in host memory.
template <class... Lists>
void require_host_lists(const Lists&... lists) {
  (lists.require_host(), ...);
}

}  // namespace

kindred_status kindred_bulk_create(kindred_context* context, kindred_bulk** bulk) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(bulk, "bulk");
    *bulk = make_handle_of<kindred_bulk>(object, Bulk(*object));
  });
}

kindred_status kindred_bulk_destroy(kindred_bulk* bulk) noexcept {
  return destroy_handle(bulk, "bulk");
}

kindred_status kindred_bulk_xor(const kindred_bulk* bulk, const DLTensor* const* arrays,
                                const DLTensor* const* keys, DLTensor* const* results,
                                std::size_t count, const kindred_bulk_options* options,
                                kindred_bulk_report* report, kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkCall call(options);
    check_lists({{arrays, "arrays"}, {keys, "keys"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto with = list_of(keys, count, "keys");
    const auto out = output_list_of(results, count, "results");
    require_host_lists(in, with, out);
    outputs.write(object.xor_bytes(in.spans<std::uint8_t>(), with.spans<std::uint8_t>(),
                                   out.spans<std::uint8_t>(), call.lists));
  });
}

kindred_status kindred_bulk_xor_with_new_keys(const kindred_bulk* bulk,
                                              const DLTensor* const* arrays, DLTensor* const* keys,
                                              DLTensor* const* results, std::size_t count,
                                              std::uint64_t seed,
                                              const kindred_bulk_options* options,
                                              kindred_bulk_report* report,
                                              kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkCall call(options);
    check_lists({{arrays, "arrays"}, {keys, "keys"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto with = output_list_of(keys, count, "keys");
    const auto out = output_list_of(results, count, "results");
    require_host_lists(in, with, out);
    outputs.write(object.xor_with_new_keys(
        in.spans<std::uint8_t>(), with.spans<std::uint8_t>(), out.spans<std::uint8_t>(),
        seed == KINDRED_UNSET ? std::optional<std::uint64_t>() : seed, call.lists));
  });
}

kindred_status kindred_bulk_element_wise(const kindred_bulk* bulk, std::int32_t operation,
                                         const DLTensor* const* arrays,
                                         const DLTensor* const* others, double number,
                                         DLTensor* const* results, std::size_t count,
                                         const kindred_bulk_options* options,
                                         kindred_bulk_report* report,
                                         kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkCall call(options);
    const ElementWise op = element_wise_of(operation);
    check_lists({{arrays, "arrays"}, {results, "results"}}, count);
    const bool is_binary = has_operand(op, others, "others");
    const auto in = list_of(arrays, count, "arrays");
    const auto with = list_of(others, others == nullptr ? 0 : count, "others");
    const auto out = output_list_of(results, count, "results");
    require_host_lists(in, with, out);
    outputs.write(with_element(in.type(), [&](auto zero) {
      using T = decltype(zero);
      const auto from = in.template spans<T>();
      const auto second = with.template spans<T>();
      const auto to = out.template spans<T>();
      if (!is_binary)
        return object.element_wise<T>(op, BulkArrays<T>(from), BulkResults<T>(to), call.lists);
      if (others == nullptr)
        return object.element_wise<T>(op, from, element_of_number<T>(number), to, call.lists);
      return object.element_wise<T>(op, from, BulkArrays<T>(second), to, call.lists);
    }));
  });
}

kindred_status kindred_bulk_add_matrices(const kindred_bulk* bulk, const DLTensor* const* a,
                                         const DLTensor* const* b, DLTensor* const* results,
                                         std::size_t count, const kindred_bulk_options* options,
                                         kindred_bulk_report* report,
                                         kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkCall call(options);
    check_lists({{a, "a"}, {b, "b"}, {results, "results"}}, count);
    const auto left = list_of(a, count, "a");
    const auto right = list_of(b, count, "b");
    const auto out = output_list_of(results, count, "results");
    require_host_lists(left, right, out);
    outputs.write(with_number(left.type(), [&](auto zero) {
      using T = decltype(zero);
      return object.add_matrices<T>(left.template spans<T>(), right.template spans<T>(),
                                    out.template spans<T>(), call.lists);
    }));
  });
}

kindred_status kindred_bulk_normalise(const kindred_bulk* bulk, const DLTensor* const* arrays,
                                      DLTensor* const* results, std::size_t count,
                                      const kindred_bulk_options* options,
                                      kindred_bulk_report* report,
                                      kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkCall call(options);
    check_lists({{arrays, "arrays"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto out = output_list_of(results, count, "results");
    require_host_lists(in, out);
    outputs.write(with_number(in.type(), [&](auto zero) {
      using T = decltype(zero);
      return object.normalise<T>(in.template spans<T>(), out.template spans<T>(), call.lists);
    }));
  });
}

kindred_status kindred_bulk_random_fill(const kindred_bulk* bulk, DLTensor* const* results,
                                        std::size_t count, std::uint64_t seed, std::uint64_t offset,
                                        const kindred_bulk_options* options,
                                        kindred_bulk_report* report,
                                        kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkCall call(options);
    const auto out = output_list_of(results, count, "results");
    require_host_lists(out);
    outputs.write(with_random(out.type(), [&](auto zero) {
      using T = decltype(zero);
      return object.random_fill<T>(out.template spans<T>(), seed, offset, call.lists);
    }));
  });
}

kindred_status kindred_bulk_reduce(const kindred_bulk* bulk, std::int32_t reduction,
                                   const DLTensor* const* arrays, std::size_t count,
                                   DLTensor* results, const kindred_bulk_options* options,
                                   kindred_bulk_report* report, kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkCall call(options);
    const Reduction kind = reduction_of(reduction);
    check_lists({{arrays, "arrays"}}, count);
    require(results, "results");
    const auto in = list_of(arrays, count, "arrays");
    const auto out = output_list_of(results, "results");
    require_host_lists(in, out);
    outputs.write(with_element(in.type(), [&](auto zero) {
      using T = decltype(zero);
      const auto from = in.template spans<T>();
      if constexpr (BulkInteger<T>) {
        if (kind == Reduction::mean)
          return object.reduce<T>(kind, from, out.template spans<double>()[0], call.lists);
        return object.reduce<T>(kind, from, out.template spans<BulkIntegerResult<T>>()[0],
                                call.lists);
      } else {
        return object.reduce<T>(kind, from, out.template spans<T>()[0], call.lists);
      }
    }));
  });
}

kindred_status kindred_bulk_multiply(const kindred_bulk* bulk, const DLTensor* const* a,
                                     const DLTensor* const* b, DLTensor* const* c,
                                     std::size_t count, const kindred_bulk_options* options,
                                     kindred_bulk_report* report, kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkCall call(options);
    check_lists({{a, "a"}, {b, "b"}, {c, "c"}}, count);
    const auto left = list_of(a, count, "a");
    const auto right = list_of(b, count, "b");
    const auto out = output_list_of(c, count, "c");
    require_host_lists(left, right, out);
    outputs.write(with_number(left.type(), [&](auto zero) {
      using T = decltype(zero);
      return object.multiply<T>(pairs_of<T>(left, right, out), call.products);
    }));
  });
}

}  // namespace Kindred::C
