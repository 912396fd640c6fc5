// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SEED_PASS_ARRAYS_HPP
#define KINDRED_PYTHON_SEED_PASS_ARRAYS_HPP

#include <kindred/matcher/SeedFunctions.hpp>

#include "SeedArguments.hpp"

#include <array>
#include <optional>

// The arrays of passes of seeds whose state and weights are arrays.
namespace Kindred::Python::SeedPasses {

class SeedInputs {
 public:
  SeedInputs(nanobind::handle lifecycle, nanobind::handle blueprint, nanobind::handle mode,
             nanobind::handle alpha, nanobind::handle weights, CallStream& order, Copying copying)
      : m_lifecycle(lifecycle, "lifecycle", &order, copying, Layout::dense),
        m_blueprint(blueprint, "blueprint", &order, copying, Layout::dense),
        m_mode(mode, "mode", &order, copying, Layout::dense),
        m_alpha(alpha, "alpha", &order, copying, Layout::dense),
        m_weights(weights, "weights", &order, copying) {
    for (const Input* const given : {&m_lifecycle, &m_mode})
      given->require_type({DataType::int32, DataType::int8, DataType::uint8});
    m_blueprint.require_type({DataType::int32});
    for (const Input* const given : {&m_alpha, &m_weights})
      given->require_type({DataType::float32});
    for (const Input* const given : {&m_lifecycle, &m_blueprint, &m_mode, &m_alpha})
      given->require_rank(1, 1);
    m_weights.require_rank(2, 2);
  }
  SeedArrays arrays(std::uint32_t chunk_size, SeedModeCodes codes, bool fossilized_applies) const {
    return {m_lifecycle.array(), m_blueprint.array(), m_mode.array(), m_alpha.array(),
            m_weights.array(),   chunk_size,          codes,          fossilized_applies};
  }
  std::int64_t seeds() const { return m_lifecycle.extent(0); }
  const Input& weights() const { return m_weights; }

 private:
  Input m_lifecycle;
  Input m_blueprint;
  Input m_mode;
  Input m_alpha;
  Input m_weights;
};

/// An array that a call writes if it is given.
class OptionalOutput {
 public:
  OptionalOutput(nanobind::handle given, const char* name, std::initializer_list<DataType> types,
                 CallStream& order) {
    if (given.is_none()) return;
    m_output.emplace(given, name, &order);
    for (const DataType type : types)
      if (m_output->type() == type) return;
    refuse_type(std::string(name) + " is " + m_output->text() + ", an element type it cannot have");
  }
  Array array() const { return m_output ? m_output->array() : Array(); }

 private:
  std::optional<Output> m_output;
};

class SumOutputs {
 public:
  SumOutputs(nanobind::handle telemetry, CallStream& order)
      : m_given(three_of(telemetry, "telemetry", "(sum, sum_of_squares, count)")),
        m_sum(m_given[0], "telemetry.sum", {DataType::float32, DataType::float64}, order),
        m_squares(m_given[1], "telemetry.sum_of_squares", {DataType::float32, DataType::float64},
                  order),
        m_count(m_given[2], "telemetry.count",
                {DataType::int32, DataType::int64, DataType::float32, DataType::float64}, order) {}
  SeedSums arrays() const { return {m_sum.array(), m_squares.array(), m_count.array()}; }

 private:
  std::array<nanobind::object, 3> m_given;
  OptionalOutput m_sum;
  OptionalOutput m_squares;
  OptionalOutput m_count;
};

/// `(dx, dweights, dalpha)`: \p out, where dx may be None, or new arrays.
struct GradientOutputs {
  GradientOutputs(nanobind::handle out, const PassRows& rows, const SeedInputs& inputs,
                  CallStream& order)
      : arrays(arrays_of(out, rows, inputs)),
        dx(arrays[0], "dx", &order),
        dweights(arrays[1], "dweights", {DataType::float32}, order),
        dalpha(arrays[2], "dalpha", {DataType::float32}, order) {
    rows.require_type_of_x(dx);
  }
  nanobind::tuple made() const { return nanobind::make_tuple(arrays[0], arrays[1], arrays[2]); }

  std::array<nanobind::object, 3> arrays;
  Output dx;
  OptionalOutput dweights;
  OptionalOutput dalpha;

 private:
  static std::array<nanobind::object, 3> arrays_of(nanobind::handle out, const PassRows& rows,
                                                   const SeedInputs& inputs) {
    const Input& weights = inputs.weights();
    auto found = three_of(out, "out", "(dx, dweights, dalpha)");
    if (found[0].is_none()) found[0] = rows.made_rows();
    if (!out.is_none()) return found;
    return {found[0], rows.made(DataType::float32, {weights.extent(0), weights.extent(1)}),
            rows.made(DataType::float32, {inputs.seeds()})};
  }
};

/// The workspace of a pass on a device: that of the caller, or one of `bytes()` if it is needed.
class PassWorkspace {
 public:
  template <class Bytes>
  PassWorkspace(nanobind::handle given, nanobind::handle like, const Input& x, CallStream& order,
                const Bytes& bytes)
      : m_object(nanobind::borrow(given)) {
    const std::size_t needed = given.is_none() && x.on_device() ? bytes() : 0;
    if (needed > 0) m_object = workspace_array(like, x, needed, order);
    if (!m_object.is_none()) m_output.emplace(m_object, "workspace", &order);
  }
  Array array() const { return m_output ? m_output->array() : Array(); }

 private:
  nanobind::object m_object;
  std::optional<Output> m_output;
};

}  // namespace Kindred::Python::SeedPasses

#endif  // KINDRED_PYTHON_SEED_PASS_ARRAYS_HPP
