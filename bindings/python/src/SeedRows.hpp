// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SEED_ROWS_HPP
#define KINDRED_PYTHON_SEED_ROWS_HPP

#include <kindred/matcher/SeedLayer.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Context.hpp"
#include "DeviceArguments.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>

// A layer of seeds, and the rows of its passes.
namespace Kindred::Python::Seeds {

/// A layer with the context that it needs.
struct Shared {
  SharedContext context;
  SeedLayer layer;
};
using Handle = EngineHandle<Shared>;

/// The rows of a call.
class Rows {
 public:
  Rows(const Shared& shared, nanobind::handle x, nanobind::handle space, nanobind::handle stream,
       nanobind::handle copy)
      : m_shared(shared),
        m_order(stream),
        m_copying(copying_of(copy)),
        m_like(x),
        m_x(x, "x", &m_order, m_copying) {
    m_options.space = space_of(space);
    require_rows(m_x);
    require_place(*shared.context, m_x, m_options.space, !stream.is_none());
    if (m_x.on_device()) m_options.stream = m_order.stream();
  }

  const Input& x() const { return m_x; }
  CallStream& order() { return m_order; }
  Copying copying() const { return m_copying; }
  SeedForwardOptions& options() { return m_options; }

  /// Checks another array of rows.
  void require_like(const Borrowed& given) const {
    if (given.rank() != 2 || given.extent(0) != m_x.extent(0) || given.extent(1) != m_x.extent(1))
      refuse(std::string(given.name()) + " is " + given.text() + "; it must be [" +
             std::to_string(m_x.extent(0)) + ", " + std::to_string(m_x.extent(1)) + "]");
    require_same_place(m_x, given);
  }
  /// Checks the array of the results. \throws InvalidType, InvalidArgument
  void require_output(const Output& y) const {
    require_like(y);
    y.require_widens_to_float32();
  }
  nanobind::object made(DataType type, std::initializer_list<std::int64_t> shape) const {
    if (type == DataType::bfloat16 && !m_x.on_device())
      refuse("x is " + m_x.text() + ", and NumPy has no bfloat16: give out");
    return empty_array(m_like, m_x, type, shape);
  }
  /// A new array whose rows are as far apart as those of x.
  nanobind::object made_like_x() const {
    const std::int64_t stride = m_x.extent(0) > 1 ? m_x.array().stride(0) : m_x.extent(1);
    if (stride == m_x.extent(1)) return made_rows();
    const nanobind::object whole = made(m_x.type(), {m_x.extent(0), stride});
    return whole[nanobind::make_tuple(
        nanobind::slice(nanobind::none(), nanobind::none(), nanobind::none()),
        nanobind::slice(nanobind::none(), nanobind::int_(m_x.extent(1)), nanobind::none()))];
  }
  nanobind::object made_rows() const { return made(m_x.type(), {m_x.extent(0), m_x.extent(1)}); }

 private:
  void require_rows(const Input& given) const {
    given.require_widens_to_float32();
    given.require_rank(2, 2);
    given.require_columns(m_shared.layer.hidden());
  }

  const Shared& m_shared;
  CallStream m_order;
  Copying m_copying;
  nanobind::handle m_like;
  Input m_x;
  SeedForwardOptions m_options;
};

}  // namespace Kindred::Python::Seeds

#endif  // KINDRED_PYTHON_SEED_ROWS_HPP
