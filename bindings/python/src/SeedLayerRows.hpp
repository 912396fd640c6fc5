// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SEED_LAYER_ROWS_HPP
#define KINDRED_PYTHON_SEED_LAYER_ROWS_HPP

#include <kindred/matcher/SeedLayer.hpp>

#include "Engines.hpp"
#include "SeedArguments.hpp"

#include <optional>

// A layer of seeds, and the rows of its passes.
namespace Kindred::Python::Seeds {

/// A layer with the context that it needs.
struct Shared {
  SharedContext context;
  SeedLayer seeds;
};
using Handle = EngineHandle<Shared>;

class LayerRows : public PassRows {
 public:
  LayerRows(const Shared& shared, nanobind::handle like, const Input& given,
            const std::optional<Space>& space, bool has_stream)
      : PassRows(*shared.context, like, given) {
    given.require_columns(shared.seeds.hidden());
    require_place(*shared.context, given, space, has_stream);
  }

  /// `(dx, dw)`: \p out, or new arrays, where the rows of dx are as far apart as those of x
  nanobind::tuple gradients_of(nanobind::handle out) const {
    if (!out.is_none()) return tuple_of(out, "out", 2);
    const std::int64_t hidden = x().extent(1);
    const std::int64_t stride = x().extent(0) > 1 ? x().array().stride(0) : hidden;
    nanobind::object dx = made(x().type(), {x().extent(0), stride});
    if (stride != hidden) {
      const auto part = [](auto end) {
        return nanobind::slice(nanobind::none(), end, nanobind::none());
      };
      dx = dx[nanobind::make_tuple(part(nanobind::none()), part(nanobind::int_(hidden)))];
    }
    return nanobind::make_tuple(dx, made(DataType::float32, {hidden}));
  }
  void require_gradients(const Output& dx, const Output& dw) const {
    require_like(dx);
    require_same_place(x(), dw);
    require_type_of_x(dx);
    if (dw.type() != DataType::float32)
      refuse_type("dw is " + dw.text() + "; its elements must be float32");
  }
};

}  // namespace Kindred::Python::Seeds

#endif  // KINDRED_PYTHON_SEED_LAYER_ROWS_HPP
