// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Bulk.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "BulkArguments.hpp"
#include "Context.hpp"
#include "DeviceArguments.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "NumPy.hpp"
#include "Options.hpp"
#include "Prepared.hpp"
#include "Texts.hpp"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace Kindred::Python {

namespace Bulks {

namespace {

/// The arrays of a prepared call, and their names in messages.
struct KeptArrays {
  BorrowedArrays borrowed;
  std::deque<std::string> names;
  std::deque<Input> inputs;
  std::deque<Output> outputs;
};

/// What an argument names: one array, or those of a list or tuple.
struct Items {
  Items(nb::handle given, const char* name_) : name(name_) {
    is_list = nb::isinstance<nb::list>(given) || nb::isinstance<nb::tuple>(given);
    if (!is_list) {
      objects.push_back(nb::borrow(given));
      return;
    }
    for (const nb::handle one : given) objects.push_back(nb::borrow(one));
    if (objects.empty()) refuse(name + " is an empty list; give at least one array");
  }
  explicit Items(std::vector<nb::object> made, bool is_list_)
      : name("out"), is_list(is_list_), objects(std::move(made)) {}

  nb::object results() const {
    if (!is_list) return objects[0];
    nb::list out;
    for (const nb::object& one : objects) out.append(one);
    return out;
  }

  std::string name;
  bool is_list = false;
  std::vector<nb::object> objects;
};

using Inputs = std::vector<const Input*>;
using Outputs = std::vector<const Output*>;
/// The arrays that a call writes, and what it returns.
struct Results {
  Outputs arrays;
  nb::object given;
};

std::size_t size_of_array(const Borrowed& given) {
  std::size_t count = 1;
  for (const std::int64_t extent : given.shape()) count *= static_cast<std::size_t>(extent);
  return count;
}

/// The arrays, as lists of C++.
std::vector<ConstArray> list_of(const Inputs& arrays) {
  std::vector<ConstArray> out;
  for (const Input* const one : arrays) out.push_back(one->array());
  return out;
}
std::vector<Array> list_of(const Outputs& arrays) {
  std::vector<Array> out;
  for (const Output* const one : arrays) out.push_back(one->array());
  return out;
}

/// What the functions have in common: where their arrays lie, and what orders them.
class Preparation {
 public:
  Preparation(nb::handle space, nb::handle stream, nb::handle context)
      : m_context(context_of(context)),
        m_space(space_of(space)),
        m_has_stream(!stream.is_none()),
        m_order(stream),
        m_arrays(std::make_unique<KeptArrays>()) {}

  /// \throws InvalidType, InvalidArgument for arrays of another type than the first
  Inputs inputs(const Items& items, std::initializer_list<DataType> types,
                Layout layout = Layout::dense) {
    Inputs out;
    const BorrowedArrays::Scope kept(m_arrays->borrowed);
    for (std::size_t i = 0; i < items.objects.size(); ++i) {
      const Input& one = m_arrays->inputs.emplace_back(items.objects[i], name_of(items, i),
                                                       &m_order, Copying::absent, layout);
      place(one);
      if (!m_type) {
        one.require_type(types);
        m_type = one.type();
      }
      one.require_type({*m_type});
      m_elements += static_cast<double>(size_of_array(one));
      out.push_back(&one);
    }
    return out;
  }
  /// Other inputs, of the shapes of \p first.
  Inputs inputs_like(const Items& items, const Inputs& first) {
    require_count(items, first.size());
    Inputs out = inputs(items, {});
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (std::equal(out[i]->shape().begin(), out[i]->shape().end(), first[i]->shape().begin(),
                     first[i]->shape().end()))
        continue;
      refuse(std::string(out[i]->name()) + " is " + out[i]->text() + " and " + first[i]->name() +
             " is " + first[i]->text() + "; they must have the same shape");
    }
    return out;
  }
  Outputs outputs(const Items& items) {
    Outputs out;
    const BorrowedArrays::Scope kept(m_arrays->borrowed);
    for (std::size_t i = 0; i < items.objects.size(); ++i) {
      const Output& one =
          m_arrays->outputs.emplace_back(items.objects[i], name_of(items, i), &m_order);
      if (!one.is_contiguous())
        refuse(std::string(one.name()) + " is " + one.text() +
               " with gaps; the results of a prepared call need arrays without gaps");
      place(one);
      m_elements += static_cast<double>(size_of_array(one));
      out.push_back(&one);
    }
    return out;
  }
  /// The arrays of \p out, or new ones, like the inputs.
  Results outputs_like(nb::handle out, const Items& items, const Inputs& first) {
    std::vector<nb::object> made;
    if (out.is_none())
      for (std::size_t i = 0; i < first.size(); ++i)
        made.push_back(
            empty_array(items.objects[i], *first[i], first[i]->type(), first[i]->shape()));
    const Items given = out.is_none() ? Items(std::move(made), items.is_list) : Items(out, "out");
    require_count(given, first.size());
    Outputs found = outputs(given);
    for (std::size_t i = 0; i < found.size(); ++i)
      found[i]->require(first[i]->type(), first[i]->shape());
    return {std::move(found), given.results()};
  }

  /// `(prepared, results)`. \param make makes the call of C++ from a context and options
  template <class Make>
  nb::object prepared(const nb::object& results, const Make& make) {
    BulkOptions options;
    options.space = space_of_arrays(*m_context, *m_first, m_space, m_elements);
    options.stream = m_order.stream();
    return nb::make_tuple(
        prepared_call("PreparedBulk", *options.space, m_context, std::move(m_arrays),
                      [&] { return make(*m_context, options); }),
        results);
  }
  DataType type() const { return *m_type; }

 private:
  const char* name_of(const Items& items, std::size_t i) {
    return m_arrays->names
        .emplace_back(items.is_list ? items.name + "[" + std::to_string(i) + "]" : items.name)
        .c_str();
  }
  void place(const Borrowed& one) {
    if (m_first == nullptr) {
      require_place(*m_context, one, m_space, m_has_stream);
      m_first = &one;
    }
    require_same_place(*m_first, one);
  }
  static void require_count(const Items& items, std::size_t count) {
    if (items.objects.size() == count) return;
    refuse(items.name + " names " + std::to_string(items.objects.size()) + " arrays; it must be " +
           std::to_string(count) + ", as many as there are inputs");
  }

  SharedContext m_context;
  std::optional<Space> m_space;
  bool m_has_stream;
  CallStream m_order;
  std::unique_ptr<KeptArrays> m_arrays;
  const Borrowed* m_first = nullptr;
  std::optional<DataType> m_type;
  double m_elements = 0;
};

constexpr std::initializer_list<DataType> numbers{DataType::float32, DataType::float64};

nb::object prepare_element_wise(nb::handle operation, nb::handle arrays, nb::handle other,
                                nb::handle space, nb::handle out, nb::handle stream,
                                nb::handle context) {
  const ElementWise op = value_of(operation, "operation", operations);
  Preparation prepare(space, stream, context);
  const Items items(arrays, "arrays");
  const Inputs in = prepare.inputs(items, numbers);
  const bool takes_two = op == ElementWise::add || op == ElementWise::multiply;
  if (other.is_none() && takes_two)
    refuse("other is None; the operation needs a number or as many arrays");
  if (is_number(other) && !takes_two)
    refuse("other is a number, and the operation has a single operand: give None");
  std::vector<ConstArray> list;
  BulkArrays second;
  if (is_number(other)) {
    second = Number(other, *in[0]).array();
  } else if (!other.is_none()) {
    list = list_of(prepare.inputs_like(Items(other, "other"), in));
    second = list;
  }
  const Results results = prepare.outputs_like(out, items, in);
  return prepare.prepared(results.given, [&](Context& given, const BulkOptions& options) {
    return Bulk::prepare_element_wise(given, op, list_of(in), second, list_of(results.arrays),
                                      options);
  });
}

nb::object prepare_xor(nb::handle arrays, nb::handle keys, nb::handle space, nb::handle out,
                       nb::handle stream, nb::handle context) {
  Preparation prepare(space, stream, context);
  const Items items(arrays, "arrays");
  const Inputs in = prepare.inputs(
      items, {DataType::boolean, DataType::int8, DataType::int16, DataType::int32, DataType::int64,
              DataType::uint8, DataType::uint16, DataType::uint32, DataType::uint64});
  const Inputs with = prepare.inputs_like(Items(keys, "keys"), in);
  const Results results = prepare.outputs_like(out, items, in);
  return prepare.prepared(results.given, [&](Context& given, const BulkOptions& options) {
    return Bulk::prepare_xor(given, list_of(in), list_of(with), list_of(results.arrays), options);
  });
}

nb::object prepare_normalise(nb::handle arrays, nb::handle space, nb::handle out, nb::handle stream,
                             nb::handle context) {
  Preparation prepare(space, stream, context);
  const Items items(arrays, "arrays");
  const Inputs in = prepare.inputs(items, numbers);
  const Results results = prepare.outputs_like(out, items, in);
  return prepare.prepared(results.given, [&](Context& given, const BulkOptions& options) {
    return Bulk::prepare_normalise(given, list_of(in), list_of(results.arrays), options);
  });
}

nb::object prepare_random_fill(nb::handle out, nb::handle seed, nb::handle offset, nb::handle space,
                               nb::handle stream, nb::handle context) {
  const auto first = static_cast<std::uint64_t>(integer_of(seed, "seed", 0));
  const auto from = static_cast<std::uint64_t>(integer_of(offset, "offset", 0));
  Preparation prepare(space, stream, context);
  const Items items(out, "out");
  const Outputs results = prepare.outputs(items);
  const DataType type = results[0]->type();
  if (type != DataType::uint8 && type != DataType::float32 && type != DataType::float64)
    refuse_type(std::string(results[0]->name()) + " is " + results[0]->text() +
                "; its elements must be uint8, float32 or float64");
  for (const Output* const one : results) one->require(type, one->shape());
  return prepare.prepared(items.results(), [&](Context& given, const BulkOptions& options) {
    return Bulk::prepare_random_fill(given, list_of(results), first, from, options);
  });
}

nb::object prepare_reduce(nb::handle reduction, nb::handle arrays, nb::handle space, nb::handle out,
                          nb::handle stream, nb::handle context) {
  const Reduction kind = value_of(reduction, "reduction", reductions);
  Preparation prepare(space, stream, context);
  const Items items(arrays, "arrays");
  const Inputs in = prepare.inputs(items, numbers, items.is_list ? Layout::dense : Layout::rows);
  const Input& first = *in[0];
  if (!items.is_list) first.require_rank(1, 2);
  const bool is_matrix = !items.is_list && first.rank() == 2;
  const std::int64_t count =
      is_matrix ? first.extent(0) : static_cast<std::int64_t>(items.objects.size());
  const nb::object made = out.is_none()
                              ? empty_array(items.objects[0], first, DataType::float64, {count})
                              : nb::borrow(out);
  const Outputs results = prepare.outputs(Items({made}, false));
  results[0]->require(DataType::float64, {&count, 1});
  return prepare.prepared(made, [&](Context& given, const BulkOptions& options) {
    // Each array of a list is reduced as a whole, whatever its shape.
    std::vector<ConstArray> arrays = list_of(in);
    for (ConstArray& array : arrays) {
      if (!items.is_list) continue;
      const std::array size{static_cast<std::int64_t>(array.size())};
      array = {array.data(), array.type(), size, {}, array.memory(), array.device()};
    }
    return Bulk::prepare_reduce(given, kind, arrays, results[0]->array(), options);
  });
}

nb::object prepare_multiply(nb::handle a, nb::handle b, nb::handle reproducible, nb::handle space,
                            nb::handle out, nb::handle stream, nb::handle context) {
  const bool is_reproducible = flag_of(reproducible, "reproducible");
  Preparation prepare(space, stream, context);
  const Items lefts(a, "a");
  const Items rights(b, "b");
  const Inputs left = prepare.inputs(lefts, numbers);
  const Inputs right = prepare.inputs(rights, numbers);
  if (left.size() != right.size())
    refuse("a names " + std::to_string(left.size()) + " arrays, and b " +
           std::to_string(right.size()) + "; there must be as many");
  std::vector<nb::object> made;
  std::vector<std::vector<std::int64_t>> shapes;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Input& x = *left[i];
    const Input& y = *right[i];
    x.require_rank(2, lefts.is_list ? 2 : 3);
    y.require_rank(x.rank(), x.rank());
    const std::size_t rank = x.rank();
    if (x.extent(rank - 1) != y.extent(rank - 2) || (rank == 3 && x.extent(0) != y.extent(0)))
      refuse(std::string(x.name()) + " is " + x.text() + " and " + y.name() + " is " + y.text() +
             "; the shapes must be [m, k] and [k, n], or [batch, m, k] and [batch, k, n]");
    shapes.emplace_back(x.shape().begin(), x.shape().end());
    shapes.back().back() = y.extent(rank - 1);
    if (out.is_none()) made.push_back(empty_array(lefts.objects[i], x, x.type(), shapes.back()));
  }
  const Items given = out.is_none() ? Items(std::move(made), lefts.is_list) : Items(out, "out");
  const Outputs results = prepare.outputs(given);
  if (results.size() != left.size())
    refuse("out names " + std::to_string(results.size()) + " arrays; it must be " +
           std::to_string(left.size()));
  for (std::size_t i = 0; i < results.size(); ++i) results[i]->require(prepare.type(), shapes[i]);
  return prepare.prepared(given.results(), [&](Context& used, BulkOptions options) {
    options.reproducible = is_reproducible;
    return Bulk::prepare_multiply(used, list_of(left), list_of(right), list_of(results), options);
  });
}

}  // namespace

}  // namespace Bulks

void register_prepared_bulk(Module& module) {
  using namespace Bulks;
  module.def("prepare_element_wise", prepare_element_wise, nb::arg("operation").none(),
             nb::arg("arrays").none(), nb::arg("other").none(), nb::arg("space").none(),
             nb::arg("out").none(), nb::arg("stream").none(), nb::arg("context").none());
  module.def("prepare_xor", prepare_xor, nb::arg("arrays").none(), nb::arg("keys").none(),
             nb::arg("space").none(), nb::arg("out").none(), nb::arg("stream").none(),
             nb::arg("context").none());
  module.def("prepare_normalise", prepare_normalise, nb::arg("arrays").none(),
             nb::arg("space").none(), nb::arg("out").none(), nb::arg("stream").none(),
             nb::arg("context").none());
  module.def("prepare_random_fill", prepare_random_fill, nb::arg("out").none(),
             nb::arg("seed").none(), nb::arg("offset").none(), nb::arg("space").none(),
             nb::arg("stream").none(), nb::arg("context").none());
  module.def("prepare_reduce", prepare_reduce, nb::arg("reduction").none(),
             nb::arg("arrays").none(), nb::arg("space").none(), nb::arg("out").none(),
             nb::arg("stream").none(), nb::arg("context").none());
  module.def("prepare_multiply", prepare_multiply, nb::arg("a").none(), nb::arg("b").none(),
             nb::arg("reproducible").none(), nb::arg("space").none(), nb::arg("out").none(),
             nb::arg("stream").none(), nb::arg("context").none());
}

}  // namespace Kindred::Python
