// SPDX-License-Identifier: Apache-2.0
// Operations on single arrays, in host memory or in place on a device.
#include "Bulk.hpp"

namespace Kindred::C {

kindred_status kindred_bulk_array_element_wise(const kindred_bulk* bulk, std::int32_t operation,
                                               const DLTensor* array, const DLTensor* other,
                                               DLTensor* result,
                                               const kindred_bulk_options* options,
                                               kindred_bulk_report* report,
                                               kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkOptions call = bulk_options_of(options);
    const ElementWise op = element_wise_of(operation);
    require_all({{array, "array"}, {result, "result"}});
    const bool is_binary = has_operand(op, other, "other");
    const ConstArray in = array_of(array, "array");
    const Array out = output_array_of(result, "result");
    if (!is_binary) return outputs.write(object.element_wise(op, in, {}, out, call));
    KINDRED_C_REFUSE_IF(other == nullptr,
                        "other is not given; ADD and MULTIPLY need it: an array of the shape of "
                        "`array`, or a single element in host memory");
    outputs.write(object.element_wise(op, in, array_of(other, "other"), out, call));
  });
}

kindred_status kindred_bulk_array_xor(const kindred_bulk* bulk, const DLTensor* array,
                                      const DLTensor* key, DLTensor* result,
                                      const kindred_bulk_options* options,
                                      kindred_bulk_report* report,
                                      kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkOptions call = bulk_options_of(options);
    require_all({{array, "array"}, {key, "key"}, {result, "result"}});
    outputs.write(object.xor_elements(array_of(array, "array"), array_of(key, "key"),
                                      output_array_of(result, "result"), call));
  });
}

kindred_status kindred_bulk_array_reduce(const kindred_bulk* bulk, std::int32_t reduction,
                                         const DLTensor* array, DLTensor* results,
                                         const kindred_bulk_options* options,
                                         kindred_bulk_report* report,
                                         kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkOptions call = bulk_options_of(options);
    require_all({{array, "array"}, {results, "results"}});
    outputs.write(object.reduce(reduction_of(reduction), array_of(array, "array"),
                                output_array_of(results, "results"), call));
  });
}

kindred_status kindred_bulk_array_multiply(const kindred_bulk* bulk, const DLTensor* a,
                                           const DLTensor* b, DLTensor* c,
                                           const kindred_bulk_options* options,
                                           kindred_bulk_report* report,
                                           kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkOptions call = bulk_options_of(options);
    require_all({{a, "a"}, {b, "b"}, {c, "c"}});
    outputs.write(
        object.multiply(array_of(a, "a"), array_of(b, "b"), output_array_of(c, "c"), call));
  });
}

}  // namespace Kindred::C
