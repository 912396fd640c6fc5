// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Bulk.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(bulk, WithContext<Bulk>);

namespace {

kindred_bulk_options bulk_options(const kindred_bulk_options* options) {
  const kindred_bulk_options given =
      options_of(options, kindred_bulk_options KINDRED_BULK_OPTIONS_INIT, "options");
  space_option(given.space);
  return given;
}
BulkOptions list_options(const kindred_bulk_options& given) {
  return {space_option(given.space), static_cast<std::size_t>(given.batch_bytes)};
}

/// The tensors of a list, all of one type, contiguous and on the host.
template <class Array>
struct List {
  std::vector<Array> arrays;
  std::string name;

  DataType type() const { return arrays.empty() ? DataType::float32 : arrays[0].type(); }
  template <class T>
  auto spans() const {
    using Element = std::conditional_t<std::is_same_v<Array, ConstArray>, const T, T>;
    std::vector<std::span<Element>> out;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const Array& array = arrays[i];
      const auto refuse = [&](const std::string& what) {
        C::refuse(name + "[" + std::to_string(i) + "] is " + to_string(array) + what);
      };
      if (array.type() != data_type_of<T>)
        refuse("; the arrays of the call must have elements of type " +
               std::string(to_string(data_type_of<T>)));
      if (array.on_device()) refuse("; it must be in host memory");
      if (!array.is_contiguous()) refuse(" with gaps; its elements must be contiguous");
      out.push_back({static_cast<Element*>(array.data()), static_cast<std::size_t>(array.size())});
    }
    return out;
  }
};

List<ConstArray> list_of(const DLTensor* const* tensors, std::size_t count, const char* name) {
  List<ConstArray> out{{}, name};
  const std::span<const DLTensor* const> given = span_of(tensors, count, name);
  for (std::size_t i = 0; i < count; ++i)
    out.arrays.push_back(array_of(given[i], (out.name + "[" + std::to_string(i) + "]").c_str()));
  return out;
}
List<Array> output_list_of(DLTensor* const* tensors, std::size_t count, const char* name) {
  List<Array> out{{}, name};
  const std::span<DLTensor* const> given = span_of(tensors, count, name);
  for (std::size_t i = 0; i < count; ++i)
    out.arrays.push_back(
        output_array_of(given[i], (out.name + "[" + std::to_string(i) + "]").c_str()));
  return out;
}

/// Calls \p call with a value of the type of the elements.
template <class Call>
BulkReport with_number(DataType type, const Call& call) {
  if (type == DataType::float64) return call(double{});
  return call(float{});
}

void check_lists(std::initializer_list<std::pair<const void*, const char*>> lists,
                 std::size_t count) {
  if (count == 0) return;
  for (const auto& [list, name] : lists) require(list, name);
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
                                kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = object_of(bulk, "bulk").engine;
    check_output(record, "record", true);
    const BulkOptions given = list_options(bulk_options(options));
    check_lists({{arrays, "arrays"}, {keys, "keys"}, {results, "results"}}, count);
    const BulkReport report =
        object.xor_bytes(list_of(arrays, count, "arrays").spans<std::uint8_t>(),
                         list_of(keys, count, "keys").spans<std::uint8_t>(),
                         output_list_of(results, count, "results").spans<std::uint8_t>(), given);
    write_output(record, record_of(report.record));
  });
}

kindred_status kindred_bulk_xor_with_new_keys(const kindred_bulk* bulk,
                                              const DLTensor* const* arrays, DLTensor* const* keys,
                                              DLTensor* const* results, std::size_t count,
                                              std::uint64_t seed,
                                              const kindred_bulk_options* options,
                                              kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = object_of(bulk, "bulk").engine;
    check_output(record, "record", true);
    const BulkOptions given = list_options(bulk_options(options));
    check_lists({{arrays, "arrays"}, {keys, "keys"}, {results, "results"}}, count);
    const BulkReport report = object.xor_with_new_keys(
        list_of(arrays, count, "arrays").spans<std::uint8_t>(),
        output_list_of(keys, count, "keys").spans<std::uint8_t>(),
        output_list_of(results, count, "results").spans<std::uint8_t>(),
        seed == KINDRED_UNSET ? std::optional<std::uint64_t>() : seed, given);
    write_output(record, record_of(report.record));
  });
}

kindred_status kindred_bulk_element_wise(const kindred_bulk* bulk, std::int32_t operation,
                                         const DLTensor* const* arrays,
                                         const DLTensor* const* others, double number,
                                         DLTensor* const* results, std::size_t count,
                                         const kindred_bulk_options* options,
                                         kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = object_of(bulk, "bulk").engine;
    check_output(record, "record", true);
    const BulkOptions given = list_options(bulk_options(options));
    const auto op = enum_of<ElementWise>(operation, 5, "operation");
    check_lists({{arrays, "arrays"}, {results, "results"}}, count);
    const bool has_operand = op == ElementWise::add || op == ElementWise::multiply;
    KINDRED_C_REFUSE_IF(!has_operand && others != nullptr,
                        "others are given, but the operation has one operand");
    const auto inputs = list_of(arrays, count, "arrays");
    const auto outputs = output_list_of(results, count, "results");
    const BulkReport report = with_number(inputs.type(), [&](auto type) {
      using T = decltype(type);
      const auto from = inputs.template spans<T>();
      const auto to = outputs.template spans<T>();
      const BulkArrays<T> in(from);
      const BulkResults<T> out(to);
      if (!has_operand) return object.element_wise<T>(op, in, out, given);
      if (others == nullptr)
        return object.element_wise<T>(op, in, static_cast<T>(number), out, given);
      const auto second = list_of(others, count, "others").template spans<T>();
      return object.element_wise<T>(op, in, BulkArrays<T>(second), out, given);
    });
    write_output(record, record_of(report.record));
  });
}

kindred_status kindred_bulk_normalise(const kindred_bulk* bulk, const DLTensor* const* arrays,
                                      DLTensor* const* results, std::size_t count,
                                      const kindred_bulk_options* options,
                                      kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = object_of(bulk, "bulk").engine;
    check_output(record, "record", true);
    const BulkOptions given = list_options(bulk_options(options));
    check_lists({{arrays, "arrays"}, {results, "results"}}, count);
    const auto inputs = list_of(arrays, count, "arrays");
    const auto outputs = output_list_of(results, count, "results");
    const BulkReport report = with_number(inputs.type(), [&](auto type) {
      using T = decltype(type);
      return object.normalise<T>(inputs.template spans<T>(), outputs.template spans<T>(), given);
    });
    write_output(record, record_of(report.record));
  });
}

kindred_status kindred_bulk_random_fill(const kindred_bulk* bulk, DLTensor* const* results,
                                        std::size_t count, std::uint64_t seed, std::uint64_t offset,
                                        const kindred_bulk_options* options,
                                        kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = object_of(bulk, "bulk").engine;
    check_output(record, "record", true);
    const BulkOptions given = list_options(bulk_options(options));
    const auto outputs = output_list_of(results, count, "results");
    const BulkReport report =
        outputs.type() == DataType::uint8
            ? object.random_fill<std::uint8_t>(outputs.spans<std::uint8_t>(), seed, offset, given)
            : with_number(outputs.type(), [&](auto type) {
                using T = decltype(type);
                return object.random_fill<T>(outputs.template spans<T>(), seed, offset, given);
              });
    write_output(record, record_of(report.record));
  });
}

kindred_status kindred_bulk_reduce(const kindred_bulk* bulk, std::int32_t reduction,
                                   const DLTensor* const* arrays, std::size_t count,
                                   DLTensor* results, const kindred_bulk_options* options,
                                   kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = object_of(bulk, "bulk").engine;
    check_output(record, "record", true);
    const BulkOptions given = list_options(bulk_options(options));
    const auto kind = enum_of<Reduction>(reduction, 5, "reduction");
    check_lists({{arrays, "arrays"}, {results, "results"}}, count);
    const auto inputs = list_of(arrays, count, "arrays");
    DLTensor* const one[] = {results};
    const auto outputs = output_list_of(one, 1, "results");
    const BulkReport report = with_number(inputs.type(), [&](auto type) {
      using T = decltype(type);
      return object.reduce<T>(kind, inputs.template spans<T>(), outputs.template spans<T>()[0],
                              given);
    });
    write_output(record, record_of(report.record));
  });
}

kindred_status kindred_bulk_multiply(const kindred_bulk* bulk, const DLTensor* const* a,
                                     const DLTensor* const* b, DLTensor* const* c,
                                     std::size_t count, const kindred_bulk_options* options,
                                     kindred_record* record) noexcept {
  return guarded([&] {
    const Bulk& object = object_of(bulk, "bulk").engine;
    check_output(record, "record", true);
    const kindred_bulk_options given = bulk_options(options);
    check_lists({{a, "a"}, {b, "b"}, {c, "c"}}, count);
    const auto left = list_of(a, count, "a");
    const auto right = list_of(b, count, "b");
    const auto out = output_list_of(c, count, "c");
    ProductOptions product;
    product.space = space_option(given.space);
    product.batch_bytes = given.batch_bytes;
    product.reproducible = given.reproducible != 0;
    const BulkReport report = with_number(left.type(), [&](auto type) {
      using T = decltype(type);
      const auto a_spans = left.template spans<T>();
      const auto b_spans = right.template spans<T>();
      const auto c_spans = out.template spans<T>();
      std::vector<MatrixPair<T>> pairs;
      for (std::size_t i = 0; i < count; ++i) {
        const ConstArray& x = left.arrays[i];
        const ConstArray& y = right.arrays[i];
        const Array& z = out.arrays[i];
        KINDRED_C_REFUSE_IF(
            x.rank() != 2 || y.rank() != 2 || z.rank() != 2 || x.extent(1) != y.extent(0) ||
                z.extent(0) != x.extent(0) || z.extent(1) != y.extent(1),
            "pair " + std::to_string(i) + " is " + to_string(x) + ", " + to_string(y) +
                " with the result " + to_string(z) + "; the shapes must be m × k, k × n and m × n");
        pairs.push_back({a_spans[i], b_spans[i], c_spans[i], static_cast<std::size_t>(x.extent(0)),
                         static_cast<std::size_t>(y.extent(1)),
                         static_cast<std::size_t>(x.extent(1))});
      }
      return object.multiply<T>(pairs, product);
    });
    write_output(record, record_of(report.record));
  });
}

}  // namespace Kindred::C
