// SPDX-License-Identifier: Apache-2.0
#include "Bulk.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace Kindred::C {

BulkOptions bulk_options_of(const kindred_bulk_options* options) {
  const kindred_bulk_options given =
      options_of(options, kindred_bulk_options KINDRED_BULK_OPTIONS_INIT, "options");
  check_reserved(given.reserved, "options");
  return {space_option(given.space), static_cast<std::size_t>(given.batch_bytes),
          stream_option(given.has_stream, given.stream), given.reproducible != 0};
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

namespace {

template <class Void>
BasicArray<Void> flat(const BasicArray<Void>& array, const std::string& name) {
  KINDRED_C_REFUSE_IF(!array.is_contiguous(), name + " is " + to_string(ConstArray(array)) +
                                                  " with gaps; its elements must be contiguous");
  const std::array size{static_cast<std::int64_t>(array.size())};
  return {array.data(), array.type(), size, {}, array.memory(), array.device()};
}
template <class Void>
std::vector<BasicArray<Void>> flat(std::vector<BasicArray<Void>> arrays, const std::string& name) {
  for (std::size_t i = 0; i < arrays.size(); ++i)
    arrays[i] = flat(arrays[i], name + "[" + std::to_string(i) + "]");
  return arrays;
}

}  // namespace

std::vector<ConstArray> list_of(const DLTensor* const* tensors, std::size_t count,
                                const char* name) {
  return flat(arrays_of(tensors, count, name), name);
}
std::optional<std::vector<ConstArray>> optional_list_of(const DLTensor* const* tensors,
                                                        std::size_t count, const char* name) {
  if (tensors == nullptr) return {};
  return list_of(tensors, count, name);
}
std::vector<Array> output_list_of(DLTensor* const* tensors, std::size_t count, const char* name) {
  return flat(output_arrays_of(tensors, count, name), name);
}
Array output_of(DLTensor* tensor, const char* name) {
  return flat(output_array_of(tensor, name), name);
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

template <class T>
BulkArrays element_of(double number) {
  if constexpr (std::is_integral_v<T>) {
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const auto least = static_cast<double>(std::numeric_limits<T>::min());
    KINDRED_C_REFUSE_IF(!(number >= least && number < end) || std::trunc(number) != number,
                        "number is " + std::to_string(number) + "; it must be a number of type " +
                            std::string(to_string(data_type_of<T>)) + ", as the arrays");
  }
  return static_cast<T>(number);
}
BulkArrays element_of(double number, DataType type) {
  switch (type) {
    case DataType::int8:
      return element_of<std::int8_t>(number);
    case DataType::int16:
      return element_of<std::int16_t>(number);
    case DataType::int32:
      return element_of<std::int32_t>(number);
    case DataType::int64:
      return element_of<std::int64_t>(number);
    case DataType::uint8:
      return element_of<std::uint8_t>(number);
    case DataType::uint16:
      return element_of<std::uint16_t>(number);
    case DataType::uint32:
      return element_of<std::uint32_t>(number);
    case DataType::uint64:
      return element_of<std::uint64_t>(number);
    case DataType::float64:
      return number;
    default:  // also those that C++ refuses
      return static_cast<float>(number);
  }
}

}  // namespace

BulkArrays operand_of(ElementWise operation, const std::optional<std::vector<ConstArray>>& others,
                      double number, const std::vector<ConstArray>& arrays) {
  const void* const given = others ? &*others : nullptr;
  if (!has_operand(operation, given, "others") || arrays.empty()) return {};
  return others ? BulkArrays(*others) : element_of(number, arrays[0].type());
}

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
    const BulkOptions call = bulk_options_of(options);
    check_lists({{arrays, "arrays"}, {keys, "keys"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto with = list_of(keys, count, "keys");
    const auto out = output_list_of(results, count, "results");
    outputs.write(object.xor_elements(in, with, out, call));
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
    const BulkOptions call = bulk_options_of(options);
    check_lists({{arrays, "arrays"}, {keys, "keys"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto with = output_list_of(keys, count, "keys");
    const auto out = output_list_of(results, count, "results");
    outputs.write(object.xor_with_new_keys(
        in, with, out, seed == KINDRED_UNSET ? std::optional<std::uint64_t>() : seed, call));
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
    const BulkOptions call = bulk_options_of(options);
    const ElementWise op = element_wise_of(operation);
    check_lists({{arrays, "arrays"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto with = optional_list_of(others, count, "others");
    const auto out = output_list_of(results, count, "results");
    outputs.write(object.element_wise(op, in, operand_of(op, with, number, in), out, call));
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
    const BulkOptions call = bulk_options_of(options);
    check_lists({{a, "a"}, {b, "b"}, {results, "results"}}, count);
    const auto left = list_of(a, count, "a");
    const auto right = list_of(b, count, "b");
    const auto out = output_list_of(results, count, "results");
    outputs.write(object.add_matrices(left, right, out, call));
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
    const BulkOptions call = bulk_options_of(options);
    check_lists({{arrays, "arrays"}, {results, "results"}}, count);
    const auto in = list_of(arrays, count, "arrays");
    const auto out = output_list_of(results, count, "results");
    outputs.write(object.normalise(in, out, call));
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
    const BulkOptions call = bulk_options_of(options);
    const auto out = output_list_of(results, count, "results");
    outputs.write(object.random_fill(out, seed, offset, call));
  });
}

kindred_status kindred_bulk_reduce(const kindred_bulk* bulk, std::int32_t reduction,
                                   const DLTensor* const* arrays, std::size_t count,
                                   DLTensor* results, const kindred_bulk_options* options,
                                   kindred_bulk_report* report, kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkOptions call = bulk_options_of(options);
    const Reduction kind = reduction_of(reduction);
    check_lists({{arrays, "arrays"}}, count);
    require(results, "results");
    const auto in = list_of(arrays, count, "arrays");
    const auto out = output_of(results, "results");
    outputs.write(object.reduce(kind, in, out, call));
  });
}

kindred_status kindred_bulk_multiply(const kindred_bulk* bulk, const DLTensor* const* a,
                                     const DLTensor* const* b, DLTensor* const* c,
                                     std::size_t count, const kindred_bulk_options* options,
                                     kindred_bulk_report* report, kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = bulk_of(bulk);
    const BulkOutputs outputs(report, record);
    const BulkOptions call = bulk_options_of(options);
    check_lists({{a, "a"}, {b, "b"}, {c, "c"}}, count);
    outputs.write(object.multiply(arrays_of(a, count, "a"), arrays_of(b, count, "b"),
                                  output_arrays_of(c, count, "c"), call));
  });
}

}  // namespace Kindred::C
