// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/RowFunctions.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "VectorArguments.hpp"

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace Rows {

namespace {

/// Queries and rows of the caller for the time of a call.
class RowArguments {
 public:
  RowArguments(nb::handle queries, nb::handle rows, nb::handle copy)
      : m_given(queries),
        m_queries(queries, "queries", nullptr, copying_of(copy)),
        m_rows(rows, "rows", nullptr, copying_of(copy)) {
    m_queries.require_type({DataType::float32});
    m_queries.require_rank(1, 2);
    m_rows.require_type({DataType::float32, DataType::float16, DataType::bfloat16});
    m_rows.require_rank(2, 2);
  }

  const Input& queries() const noexcept { return m_queries; }
  const Input& rows() const noexcept { return m_rows; }
  /// A new array [queries, extent] beside the queries, or [extent] for one query.
  nb::object output(const Context& context, DataType type, std::int64_t extent) const {
    return empty_rows(context, m_given, m_queries, type, extent);
  }

 private:
  nb::handle m_given;
  Input m_queries;
  Input m_rows;
};

RowOptions options_of(nb::handle metric, nb::handle space) {
  return {metric_of(metric), space_of(space)};
}

nb::object scores(nb::handle queries, nb::handle rows, nb::handle metric, nb::handle space,
                  nb::handle out, nb::handle copy, nb::handle context) {
  const RowOptions options = options_of(metric, space);
  const SharedContext shared = context_of(context);
  const RowArguments given(queries, rows, copy);
  const nb::object made = out.is_none()
                              ? given.output(*shared, DataType::float32, given.rows().extent(0))
                              : nb::borrow(out);
  const Output output(made, "out");
  unlocked([&] {
    row_scores(*shared, given.queries().array(), given.rows().array(), output.array(), options);
  });
  return made;
}

nb::object best(nb::handle queries, nb::handle rows, nb::handle top, nb::handle metric,
                nb::handle space, nb::handle out, nb::handle copy, nb::handle context) {
  const RowOptions options = options_of(metric, space);
  const std::int64_t count = integer_of(top, "top", 1);
  const SharedContext shared = context_of(context);
  const RowArguments given(queries, rows, copy);
  nb::object scores;
  nb::object ids;
  if (out.is_none()) {
    scores = given.output(*shared, DataType::float32, count);
    ids = given.output(*shared, DataType::int64, count);
  } else {
    outputs_of(out, count, scores, ids);
  }
  const Output scores_out(scores, "scores");
  const Output ids_out(ids, "ids");
  unlocked([&] {
    top_rows(*shared, given.queries().array(), given.rows().array(), options,
             {scores_out.array(), ids_out.array()});
  });
  return nb::make_tuple(scores, ids);
}

}  // namespace

}  // namespace Rows

void register_row_functions(Module& module) {
  using namespace Rows;
  module.def("row_scores", scores, nb::arg("queries").none(), nb::arg("rows").none(),
             nb::arg("metric").none(), nb::arg("space").none(), nb::arg("out").none(),
             nb::arg("copy").none(), nb::arg("context").none());
  module.def("top_rows", best, nb::arg("queries").none(), nb::arg("rows").none(),
             nb::arg("top").none(), nb::arg("metric").none(), nb::arg("space").none(),
             nb::arg("out").none(), nb::arg("copy").none(), nb::arg("context").none());
}

}  // namespace Kindred::Python
