// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_BULK_BODIES_HPP
#define KINDRED_PYTHON_BULK_BODIES_HPP

#include <kindred/core/common/ElementType.hpp>

#include "NumPy.hpp"
#include "Texts.hpp"

// What is special of bulk operations.
namespace Kindred::Python::Bulks {

namespace {

struct Shared {
  SharedContext context;
  Bulk bulk;
};
using Handle = EngineHandle<Shared>;

/// The arrays of an argument: one, or those of a list or tuple. \tparam One Input or Output
template <class One>
struct Given {
  using array_type = decltype(std::declval<const One&>().array());
  using arrays_type = std::conditional_t<std::is_same_v<One, Input>, BulkArrays, BulkResults>;

  const One& operator[](std::size_t i) const { return is_list ? *items[i] : *one; }
  std::size_t size() const { return arrays.size(); }

  arrays_type arrays;
  const One* one = nullptr;
  bool is_list = false;
  std::vector<const One*> items = {};
  std::vector<array_type> list = {};  ///< that of `arrays`
};

bool is_list_or_tuple(nb::handle given) {
  constexpr unsigned long flags = Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS;
  return (PyType_GetFlags(Py_TYPE(given.ptr())) & flags) != 0;
}

/// \param borrow `borrow(object, name)` returns an array of the caller
template <class One, class Borrow>
Given<One> given_of(ArrayCall& call, nb::handle given, const char* name, const Borrow& borrow) {
  if (!is_list_or_tuple(given)) {
    const One& one = borrow(given, name);
    return {one.array(), &one};
  }
  Given<One> out{{}, nullptr, true};
  for (const nb::handle one : given) {
    out.items.push_back(&borrow(one, call.name_of_item(name, out.items.size())));
    out.list.push_back(out.items.back()->array());
  }
  if (out.list.empty()) refuse(std::string(name) + " is an empty list; give at least one array");
  out.arrays = out.list;
  return out;
}

using Types = std::initializer_list<DataType>;
constexpr Types floats{DataType::float32, DataType::float64};
constexpr Types integers{DataType::boolean, DataType::int8,   DataType::int16,
                         DataType::int32,   DataType::int64,  DataType::uint8,
                         DataType::uint16,  DataType::uint32, DataType::uint64};
constexpr Types numbers{DataType::float32, DataType::float64, DataType::boolean, DataType::int8,
                        DataType::int16,   DataType::int32,   DataType::int64,   DataType::uint8,
                        DataType::uint16,  DataType::uint32,  DataType::uint64};

/// Arrays that the call reads. \throws InvalidType for another type than one of \p types
Given<Input> read(ArrayCall& call, nb::handle given, const char* name, Types types,
                  Layout layout = Layout::rows) {
  std::optional<DataType> type;
  return given_of<Input>(call, given, name,
                         [&](nb::handle one, const char* its_name) -> const Input& {
                           const Input& input = call.input(one, its_name, layout);
                           type ? input.require_type({*type}) : input.require_type(types);
                           type = input.type();
                           return input;
                         });
}

/// \brief The arrays of `out`, or new ones, one per array of \p in and of its type.
/// \param shape_of `shape_of(i)` of the results
template <class Shape>
Given<Output> results(ArrayCall& call, nb::handle out, const Given<Input>& in,
                      const Shape& shape_of) {
  const DataType type = in[0].type();
  if (out.is_none() && !in.is_list) {
    call.results = call.made(type, shape_of(0));
    const Output& one = call.output(call.results, "out");
    return {one.array(), &one};
  }
  call.results = nb::borrow(out);
  if (out.is_none()) {
    nb::list made;
    for (std::size_t i = 0; i < in.size(); ++i) made.append(call.made(type, shape_of(i)));
    call.results = made;
  }
  std::size_t i = 0;
  return given_of<Output>(call, call.results, "out",
                          [&](nb::handle one, const char* name) -> const Output& {
                            const Output& output = call.output(one, name);
                            if (i < in.size()) output.require(type, shape_of(i++));
                            return output;
                          });
}
Given<Output> results_like(ArrayCall& call, nb::handle out, const Given<Input>& in) {
  return results(call, out, in, [&](std::size_t i) { return in[i].shape(); });
}

BulkOptions options_of(const ArrayCall& call, bool reproducible = false) {
  return {call.space(), 0, call.stream(), reproducible};
}

/// Calls \p run, or \p prepare, of the same arguments.
template <class... Arguments>
std::optional<Prepared> finish(ArrayCall& call, const Bulk& bulk,
                               BulkReport (Bulk::*run)(Arguments...) const,
                               Prepared (*prepare)(Context&, Arguments...),
                               std::type_identity_t<Arguments>... arguments) {
  if (call.prepares()) return unlocked([&] { return prepare(call.context(), arguments...); });
  keep_record(unlocked([&] { return (bulk.*run)(arguments...); }).record);
  return {};
}

/// Runs or prepares `body(call, bulk)`. \see finish
template <class Body>
nb::object on_arrays(const Handle& self, nb::handle space, nb::handle stream, nb::handle copy,
                     const Body& body) {
  const std::shared_ptr<Shared> shared = self.open();
  return run_or_prepare("PreparedBulk", shared->context, space, stream, copy,
                        [&](ArrayCall& call) { return body(call, shared->bulk); });
}

/// A number of Python as one element of \p type. \throws InvalidType, InvalidArgument
BulkArrays number_as(nb::handle given, DataType type) {
  return with_element_type(type, [&]<class T>(T) -> BulkArrays {
    if constexpr (std::is_same_v<T, bool>) {
      return flag_of(given, "other");
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(number_of(given, "other"));
    } else {
      const nb::object index = nb::steal(PyNumber_Index(given.ptr()));
      if (!index.is_valid()) {
        PyErr_Clear();
        refuse_type("other is of type " + type_text(given) +
                    ", and the arrays have integers; give an int");
      }
      T value{};
      if (!nb::try_cast(index, value))
        refuse("other is " + nb::cast<std::string>(nb::str(index)) + ", which " +
               std::string(to_string(type)) + " cannot represent");
      return value;
    }
  });
}

nb::object element_wise(const Handle& self, nb::handle operation, nb::handle arrays,
                        nb::handle other, nb::handle space, nb::handle out, nb::handle stream,
                        nb::handle copy) {
  return on_arrays(self, space, stream, copy, [&](ArrayCall& call, const Bulk& bulk) {
    const ElementWise op = value_of(operation, "operation", element_wise_names);
    const auto in = read(call, arrays, "arrays", numbers);
    const auto with = [&](const BulkArrays& second) {
      const auto to = results_like(call, out, in);
      return finish(call, bulk, &Bulk::element_wise, &Bulk::prepare_element_wise, op, in.arrays,
                    second, to.arrays, options_of(call));
    };
    const DataType type = in[0].type();
    if (is_number(other)) return with(number_as(other, type));
    return with(other.is_none() ? BulkArrays() : read(call, other, "other", {type}).arrays);
  });
}

nb::object xor_elements(const Handle& self, nb::handle arrays, nb::handle keys, nb::handle space,
                        nb::handle out, nb::handle stream, nb::handle copy) {
  return on_arrays(self, space, stream, copy, [&](ArrayCall& call, const Bulk& bulk) {
    const auto in = read(call, arrays, "arrays", integers);
    const auto with = read(call, keys, "keys", {in[0].type()});
    const auto to = results_like(call, out, in);
    return finish(call, bulk, &Bulk::xor_elements, &Bulk::prepare_xor, in.arrays, with.arrays,
                  to.arrays, options_of(call));
  });
}

nb::object normalise(const Handle& self, nb::handle arrays, nb::handle space, nb::handle out,
                     nb::handle stream, nb::handle copy) {
  return on_arrays(self, space, stream, copy, [&](ArrayCall& call, const Bulk& bulk) {
    const auto in = read(call, arrays, "arrays", floats, Layout::dense);
    const auto to = results_like(call, out, in);
    return finish(call, bulk, &Bulk::normalise, &Bulk::prepare_normalise, in.arrays, to.arrays,
                  options_of(call));
  });
}

nb::object random_fill(const Handle& self, nb::handle out, nb::handle seed, nb::handle offset,
                       nb::handle space, nb::handle stream, nb::handle copy) {
  const auto first = static_cast<std::uint64_t>(integer_of(seed, "seed", 0));
  const auto from = static_cast<std::uint64_t>(integer_of(offset, "offset", 0));
  return on_arrays(self, space, stream, copy, [&](ArrayCall& call, const Bulk& bulk) {
    call.results = nb::borrow(out);
    const auto to =
        given_of<Output>(call, out, "out", [&](nb::handle one, const char* name) -> const Output& {
          const Output& output = call.output(one, name);
          output.require_type({DataType::uint8, DataType::float32, DataType::float64});
          return output;
        });
    return finish(call, bulk, &Bulk::random_fill, &Bulk::prepare_random_fill, to.arrays, first,
                  from, options_of(call));
  });
}

/// The type of results, as `Bulk::reduce` defines it. \param prepared those have 64 bits
DataType result_type(Reduction reduction, DataType type, bool prepared) {
  const bool is_unsigned = type >= DataType::uint8 && type <= DataType::uint64;
  if (type == DataType::float32 || type == DataType::float64)
    return prepared ? DataType::float64 : type;
  if (reduction == Reduction::mean) return DataType::float64;
  if (!prepared && reduction != Reduction::sum) return type;
  return is_unsigned ? DataType::uint64 : DataType::int64;
}

nb::object reduce(const Handle& self, nb::handle reduction, nb::handle arrays, nb::handle space,
                  nb::handle out, nb::handle stream, nb::handle copy) {
  return on_arrays(self, space, stream, copy, [&](ArrayCall& call, const Bulk& bulk) {
    const Reduction kind = value_of(reduction, "reduction", reduction_names);
    const bool is_list = is_list_or_tuple(arrays);
    auto in = read(call, arrays, "arrays", numbers, is_list ? Layout::dense : Layout::rows);
    // Each array of a list is reduced as a whole, whatever its shape.
    for (ConstArray& one : in.list) {
      const std::array size{static_cast<std::int64_t>(one.size())};
      one = {one.data(), one.type(), size, {}, one.memory(), one.device()};
    }
    const std::int64_t count = is_list               ? static_cast<std::int64_t>(in.size())
                               : in.one->rank() == 2 ? in.one->extent(0)
                                                     : 1;
    call.results = out.is_none()
                       ? call.made(result_type(kind, in[0].type(), call.prepares()), {count})
                       : nb::borrow(out);
    return finish(call, bulk, &Bulk::reduce, &Bulk::prepare_reduce, kind, in.arrays,
                  call.output(call.results, "out").array(), options_of(call));
  });
}

nb::object multiply(const Handle& self, nb::handle a, nb::handle b, nb::handle space,
                    nb::handle reproducible, nb::handle out, nb::handle stream, nb::handle copy) {
  const bool is_reproducible = flag_of(reproducible, "reproducible");
  return on_arrays(self, space, stream, copy, [&](ArrayCall& call, const Bulk& bulk) {
    const auto left = read(call, a, "a", floats, Layout::dense);
    const auto right = read(call, b, "b", {left[0].type()}, Layout::dense);
    if (left.size() != right.size())
      refuse("a has " + std::to_string(left.size()) + " arrays, and b " +
             std::to_string(right.size()) + "; there must be as many");
    std::array<std::int64_t, ConstArray::rank_max> shape{};
    const auto to = results(call, out, left, [&](std::size_t i) {
      const auto& [x, y] = std::tie(left[i], right[i]);
      if (x.rank() < 2 || x.rank() > 3 || y.rank() != x.rank())
        refuse(std::string(x.name()) + " is " + x.text() + " and " + y.name() + " is " + y.text() +
               "; their shapes must be [m, k] and [k, n], or [batch, m, k] and [batch, k, n]");
      std::copy(x.shape().begin(), x.shape().end(), shape.begin());
      shape[x.rank() - 1] = y.extent(y.rank() - 1);
      return std::span<const std::int64_t>(shape).first(x.rank());
    });
    return finish(call, bulk, &Bulk::multiply, &Bulk::prepare_multiply, left.arrays, right.arrays,
                  to.arrays, options_of(call, is_reproducible));
  });
}

}  // namespace

}  // namespace Kindred::Python::Bulks

#endif  // KINDRED_PYTHON_BULK_BODIES_HPP
