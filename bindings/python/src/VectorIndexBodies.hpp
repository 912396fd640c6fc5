// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_VECTOR_INDEX_BODIES_HPP
#define KINDRED_PYTHON_VECTOR_INDEX_BODIES_HPP

#include <kindred/matcher/VectorArray.hpp>

// What is special of VectorIndex.
namespace Kindred::Python::Vectors {

namespace {

/// \param element None, or the type to which rows of float32 are converted
Handle create(nb::handle rows, nb::handle scales, nb::handle dimension, nb::handle element,
              nb::handle residency, nb::handle quantized_copy, nb::handle context_given) {
  const SharedContext context = context_of(context_given);
  const VectorIndexOptions options = GivenIndexOptions(residency, quantized_copy).options;
  if (rows.is_none()) {
    if (dimension.is_none())
      refuse_type("rows is None; an index needs rows, or the dimension of those to be added");
    if (!scales.is_none()) refuse("scales is given, and rows is None; leave out both or none");
    const VectorSpan none(
        element.is_none() ? DataType::float32 : value_of(element, "element", element_names), {},
        static_cast<std::size_t>(integer_of(dimension, "dimension", 1)));
    return Handle("index",
                  shared_of<Shared>(context, [&] { return VectorIndex(*context, none, options); }));
  }
  if (!dimension.is_none())
    refuse("dimension is given, and rows, which have one; leave one of them out");
  const VectorRows given(rows, scales, "rows",
                         scales.is_none() && element.is_none() ? Layout::rows : Layout::dense);
  given.input().require_rank(2, 2);
  const DataType wanted =
      element.is_none() ? given.element() : value_of(element, "element", element_names);
  if (wanted != given.element() && given.element() != DataType::float32)
    refuse("element is '" + std::string(to_string(wanted)) + "', and rows is " +
           given.input().text() + "; only rows of float32 are converted");
  given.require_elements();
  const std::size_t width = given.dimension();
  return Handle("index", shared_of<Shared>(context, [&] {
                  VectorIndex index(*context, VectorSpan(wanted, {}, width), options);
                  if (wanted == given.element()) {
                    index.add(given.array());
                    return index;
                  }
                  const std::span<const float> values = given.input().host_values<float>();
                  VectorArray encoded(wanted, values.size() / width, width);
                  encode_rows(values, width, wanted, encoded.values(), encoded.scales());
                  index.add(encoded.span());
                  return index;
                }));
}

nb::object score_all(const Handle& self, nb::handle queries, nb::handle metric, nb::handle space,
                     nb::handle out, nb::handle stream, nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  ScoreOptions options = GivenScoreOptions(metric, space).options;
  CallStream order(stream);
  const Input given(queries, "queries", &order, copying_of(copy));
  given.require_type({DataType::float32});
  given.require_rank(1, 2);
  while (true) {
    const std::uint64_t changes = shared->index.changes();
    const RowsOutput to(*shared->context, queries, given, out, DataType::float32,
                        static_cast<std::int64_t>(shared->index.size()), "out", &order);
    options.stream = order.stream();
    try {
      keep_record(
          unlocked([&] { return shared->index.score_all(given.array(), to.array(), options); }));
      return to.made();
    } catch (const InvalidArgument&) {
      if (!out.is_none() || shared->index.changes() == changes) throw;
      // Another thread has changed the rows since their number was read.
    }
  }
}

}  // namespace

}  // namespace Kindred::Python::Vectors

#endif  // KINDRED_PYTHON_VECTOR_INDEX_BODIES_HPP
