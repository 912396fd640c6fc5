// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Bulk.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "BulkArguments.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "NumPy.hpp"
#include "Options.hpp"
#include "Texts.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace Bulks {

namespace {

/// Operations with the context that they need.
struct Shared {
  explicit Shared(const SharedContext& given) : context(given), bulk(*context) {}
  SharedContext context;
  Bulk bulk;
};
using Handle = EngineHandle<Shared>;

/// A new array of the shape of \p input, beside it.
nb::object array_like(nb::handle like, const Input& input) {
  return empty_array(like, input, input.type(), input.shape());
}

BulkOptions options_of(nb::handle space) {
  BulkOptions options;
  options.space = space_of(space);
  return options;
}

nb::object element_wise(const Handle& self, nb::handle operation, nb::handle array,
                        nb::handle other, nb::handle space, nb::handle out, nb::handle stream,
                        nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  const ElementWise given_operation = value_of(operation, "operation", operations);
  BulkOptions options = options_of(space);
  CallStream order(stream);
  const Copying copying = copying_of(copy);
  const Input given(array, "array", &order, copying);
  BulkArrays operand;
  std::optional<Input> second;
  if (is_number(other)) {
    operand = Number(other, given).array();
  } else if (!other.is_none()) {
    operand = second.emplace(other, "other", &order, copying).array();
  }
  const nb::object made = out.is_none() ? array_like(array, given) : nb::borrow(out);
  const Output output(made, "out", &order);
  options.stream = order.stream();
  keep_record(unlocked([&] {
                return shared->bulk.element_wise(given_operation, given.array(), operand,
                                                 output.array(), options);
              }).record);
  return made;
}

nb::object xor_elements(const Handle& self, nb::handle array, nb::handle key, nb::handle space,
                        nb::handle out, nb::handle stream, nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  BulkOptions options = options_of(space);
  CallStream order(stream);
  const Copying copying = copying_of(copy);
  const Input given(array, "array", &order, copying);
  const Input second(key, "key", &order, copying);
  const nb::object made = out.is_none() ? array_like(array, given) : nb::borrow(out);
  const Output output(made, "out", &order);
  options.stream = order.stream();
  keep_record(unlocked([&] {
                return shared->bulk.xor_elements(given.array(), second.array(), output.array(),
                                                 options);
              }).record);
  return made;
}

/// The type of results, as `Bulk::reduce` defines it.
DataType result_type(Reduction reduction, DataType type) {
  const bool is_floating = type == DataType::float32 || type == DataType::float64 ||
                           type == DataType::float16 || type == DataType::bfloat16;
  const bool is_unsigned = type == DataType::uint8 || type == DataType::uint16 ||
                           type == DataType::uint32 || type == DataType::uint64;
  if (is_floating) return type;
  if (reduction == Reduction::mean) return DataType::float64;
  if (reduction == Reduction::sum) return is_unsigned ? DataType::uint64 : DataType::int64;
  return type;
}

nb::object reduce(const Handle& self, nb::handle reduction, nb::handle array, nb::handle space,
                  nb::handle out, nb::handle stream, nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  const Reduction given_reduction = value_of(reduction, "reduction", reductions);
  BulkOptions options = options_of(space);
  CallStream order(stream);
  const Input given(array, "array", &order, copying_of(copy));
  given.require_rank(1, 2);
  const std::int64_t rows = given.rank() == 1 ? 1 : given.extent(0);
  const nb::object made =
      out.is_none() ? empty_array(array, given, result_type(given_reduction, given.type()), {rows})
                    : nb::borrow(out);
  const Output output(made, "out", &order);
  options.stream = order.stream();
  keep_record(unlocked([&] {
                return shared->bulk.reduce(given_reduction, given.array(), output.array(), options);
              }).record);
  return made;
}

nb::object multiply(const Handle& self, nb::handle a, nb::handle b, nb::handle reproducible,
                    nb::handle space, nb::handle out, nb::handle stream, nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  BulkOptions options;
  options.reproducible = flag_of(reproducible, "reproducible");
  options.space = space_of(space);
  CallStream order(stream);
  const Copying copying = copying_of(copy);
  const Input left(a, "a", &order, copying, Layout::dense);
  const Input right(b, "b", &order, copying, Layout::dense);
  left.require_type({DataType::float32, DataType::float64});
  right.require_type({left.type()});
  left.require_rank(2, 3);
  right.require_rank(left.rank(), left.rank());
  const std::size_t rank = left.rank();
  const std::int64_t rows = left.extent(rank - 2);
  const std::int64_t columns = right.extent(rank - 1);
  nb::object made = nb::borrow(out);
  if (out.is_none()) {
    const double batch = rank == 3 ? static_cast<double>(left.extent(0)) : 1;
    if (!left.on_device())
      check_free_memory(*shared->context, batch * static_cast<double>(rows) *
                                              static_cast<double>(columns) *
                                              static_cast<double>(size_of(left.type())));
    made = rank == 2 ? empty_array(a, left, left.type(), {rows, columns})
                     : empty_array(a, left, left.type(), {left.extent(0), rows, columns});
  }
  const Output output(made, "out", &order);
  if (!out.is_none()) {
    const std::array<std::int64_t, 3> shape{rank == 3 ? left.extent(0) : 1, rows, columns};
    output.require(left.type(), std::span(shape).last(rank));
  }
  options.stream = order.stream();
  keep_record(unlocked([&] {
                return shared->bulk.multiply(left.array(), right.array(), output.array(), options);
              }).record);
  return made;
}

}  // namespace

}  // namespace Bulks

void register_bulk(Module& module) {
  using namespace Bulks;
  Class<Handle>(module, "Bulk")
      .def(
          "__init__",
          [](Handle* self, nb::handle context) {
            const SharedContext given = context_of(context);
            new (self) Handle{"bulk", make_unlocked<Shared>(given)};
          },
          nb::arg("context").none())
      .def("close", &Handle::close)
      .def("is_closed", &Handle::is_closed)
      .def("element_wise", element_wise, nb::arg("operation").none(), nb::arg("array").none(),
           nb::arg("other").none(), nb::arg("space").none(), nb::arg("out").none(),
           nb::arg("stream").none(), nb::arg("copy").none())
      .def("xor_elements", xor_elements, nb::arg("array").none(), nb::arg("key").none(),
           nb::arg("space").none(), nb::arg("out").none(), nb::arg("stream").none(),
           nb::arg("copy").none())
      .def("reduce", reduce, nb::arg("reduction").none(), nb::arg("array").none(),
           nb::arg("space").none(), nb::arg("out").none(), nb::arg("stream").none(),
           nb::arg("copy").none())
      .def("multiply", multiply, nb::arg("a").none(), nb::arg("b").none(),
           nb::arg("reproducible").none(), nb::arg("space").none(), nb::arg("out").none(),
           nb::arg("stream").none(), nb::arg("copy").none());
}

}  // namespace Kindred::Python
