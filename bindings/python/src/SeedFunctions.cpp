// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedFunctions.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace SeedPasses {

namespace {

constexpr std::array<Choice<SeedModeCodes>, 3> codes{
    {{"kindred", SeedModeCodes::kindred},
     {"kasmina_v2", SeedModeCodes::kasmina_v2},
     {"kasmina_simple", SeedModeCodes::kasmina_simple}}};

std::uint32_t chunk_size_of(nb::handle given) {
  const std::int64_t size = integer_of(given, "chunk_size", 0);
  if (size > std::numeric_limits<std::uint32_t>::max())
    refuse("chunk_size is " + std::to_string(size) + "; it must be at most 2³² − 1");
  return static_cast<std::uint32_t>(size);
}

/// What the Python object of a pass gives: x and the arrays of the seeds.
class Pass {
 public:
  Pass(nb::handle x, nb::handle lifecycle, nb::handle blueprint, nb::handle mode, nb::handle alpha,
       nb::handle weights, nb::handle chunk_size, nb::handle mode_codes,
       nb::handle fossilized_applies, nb::handle space, nb::handle stream, nb::handle copy,
       nb::handle context)
      : m_context(context_of(context)),
        m_order(stream),
        m_copying(copying_of(copy)),
        m_like(x),
        m_x(x, "x", &m_order, m_copying),
        m_lifecycle(lifecycle, "lifecycle", &m_order, m_copying, Layout::dense),
        m_blueprint(blueprint, "blueprint", &m_order, m_copying, Layout::dense),
        m_mode(mode, "mode", &m_order, m_copying, Layout::dense),
        m_alpha(alpha, "alpha", &m_order, m_copying, Layout::dense),
        m_weights(weights, "weights", &m_order, m_copying) {
    m_options.space = space_of(space);
    m_seeds.chunk_size = chunk_size_of(chunk_size);
    m_seeds.mode_codes = value_of(mode_codes, "mode_codes", codes);
    m_seeds.fossilized_applies = flag_of(fossilized_applies, "fossilized_applies");
    require_rows(m_x);
    for (const Input* const given : {&m_lifecycle, &m_mode})
      require_numbers(*given, {DataType::int32, DataType::int8, DataType::uint8});
    require_numbers(m_blueprint, {DataType::int32});
    require_numbers(m_alpha, {DataType::float32});
    m_weights.require_type({DataType::float32});
    m_weights.require_rank(2, 2);
    m_seeds.lifecycle = m_lifecycle.array();
    m_seeds.blueprint = m_blueprint.array();
    m_seeds.mode = m_mode.array();
    m_seeds.alpha = m_alpha.array();
    m_seeds.weights = m_weights.array();
  }

  Context& context() const { return *m_context; }
  const SeedArrays& seeds() const { return m_seeds; }
  const Input& x() const { return m_x; }
  CallStream& order() { return m_order; }
  Copying copying() const { return m_copying; }
  std::int64_t seed_count() const { return m_lifecycle.extent(0); }
  const Input& weights() const { return m_weights; }
  /// The options, once all arrays are known.
  SeedPassOptions& options() {
    m_options.stream = m_order.stream();
    return m_options;
  }
  /// Takes the workspace of a call that needs \p bytes.
  void set_workspace(nb::handle given, std::size_t bytes) {
    if (!given.is_none()) {
      m_workspace_object = nb::borrow(given);
    } else if (bytes > 0) {
      m_workspace_object = workspace_array(m_like, m_x, bytes, m_order);
    } else {
      return;
    }
    m_workspace.emplace(m_workspace_object, "workspace", &m_order);
    m_options.workspace = m_workspace->array();
  }
  /// A new array beside x.
  nb::object made(DataType type, std::initializer_list<std::int64_t> shape) const {
    if (type == DataType::bfloat16 && !m_x.on_device())
      refuse("x is " + m_x.text() + ", and NumPy has no bfloat16: give out");
    if (!m_x.on_device()) {
      double bytes = static_cast<double>(size_of(type));
      for (const std::int64_t extent : shape) bytes *= static_cast<double>(extent);
      check_free_memory(*m_context, bytes);
    }
    return empty_array(m_like, m_x, type, shape);
  }

  static void require_rows(const Input& given) {
    given.require_widens_to_float32();
    given.require_rank(2, 2);
  }

 private:
  static void require_numbers(const Input& given, std::initializer_list<DataType> types) {
    given.require_type(types);
    given.require_rank(1, 1);
  }

  SharedContext m_context;
  CallStream m_order;
  Copying m_copying;
  nb::handle m_like;
  Input m_x;
  Input m_lifecycle;
  Input m_blueprint;
  Input m_mode;
  Input m_alpha;
  Input m_weights;
  SeedArrays m_seeds;
  SeedPassOptions m_options;
  nb::object m_workspace_object;
  std::optional<Output> m_workspace;
};

/// An array that a call writes if it is given.
class OptionalOutput {
 public:
  OptionalOutput(nb::handle given, const char* name, std::initializer_list<DataType> types,
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

nb::object forward(nb::handle x, nb::handle lifecycle, nb::handle blueprint, nb::handle mode,
                   nb::handle alpha, nb::handle weights, nb::handle chunk_size,
                   nb::handle mode_codes, nb::handle fossilized_applies, nb::handle telemetry,
                   nb::handle space, nb::handle out, nb::handle workspace, nb::handle stream,
                   nb::handle copy, nb::handle context) {
  Pass pass(x, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes,
            fossilized_applies, space, stream, copy, context);
  const auto sums = three_of(telemetry, "telemetry", "(sum, sum_of_squares, count)");
  const OptionalOutput sum(sums[0], "telemetry.sum", {DataType::float32, DataType::float64},
                           pass.order());
  const OptionalOutput squares(sums[1], "telemetry.sum_of_squares",
                               {DataType::float32, DataType::float64}, pass.order());
  const OptionalOutput count(
      sums[2], "telemetry.count",
      {DataType::int32, DataType::int64, DataType::float32, DataType::float64}, pass.order());
  const SeedSums written{sum.array(), squares.array(), count.array()};
  const nb::object made = out.is_none()
                              ? pass.made(pass.x().type(), {pass.x().extent(0), pass.x().extent(1)})
                              : nb::borrow(out);
  const Output y(made, "out", &pass.order());
  pass.set_workspace(workspace, pass.x().on_device() && workspace.is_none()
                                    ? forward_seeds_workspace(pass.context(), pass.seeds(),
                                                              pass.x().array(), written)
                                    : 0);
  const SeedPassOptions& options = pass.options();
  keep_record(unlocked([&] {
    return forward_seeds(pass.context(), pass.seeds(), pass.x().array(), y.array(), written,
                         options);
  }));
  return made;
}

/// `(dx, dweights, dalpha)`
nb::object backward(nb::handle x, nb::handle gradient, nb::handle lifecycle, nb::handle blueprint,
                    nb::handle mode, nb::handle alpha, nb::handle weights, nb::handle chunk_size,
                    nb::handle mode_codes, nb::handle fossilized_applies, nb::handle space,
                    nb::handle out, nb::handle workspace, nb::handle stream, nb::handle copy,
                    nb::handle context) {
  Pass pass(x, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes,
            fossilized_applies, space, stream, copy, context);
  const Input of_y(gradient, "gradient", &pass.order(), pass.copying());
  of_y.require_type({pass.x().type()});
  of_y.require_rank(2, 2);
  auto results = three_of(out, "out", "(dx, dweights, dalpha)");
  if (results[0].is_none())
    results[0] = pass.made(pass.x().type(), {pass.x().extent(0), pass.x().extent(1)});
  if (out.is_none()) {
    results[1] = pass.made(DataType::float32, {pass.weights().extent(0), pass.weights().extent(1)});
    results[2] = pass.made(DataType::float32, {pass.seed_count()});
  }
  const Output dx(results[0], "dx", &pass.order());
  const OptionalOutput dweights(results[1], "dweights", {DataType::float32}, pass.order());
  const OptionalOutput dalpha(results[2], "dalpha", {DataType::float32}, pass.order());
  if (dx.type() != pass.x().type())
    refuse_type("dx is " + dx.text() + "; it must have the element type of x, which is " +
                pass.x().text());
  pass.set_workspace(workspace,
                     pass.x().on_device() && workspace.is_none()
                         ? backward_seeds_workspace(pass.context(), pass.seeds(), pass.x().array())
                         : 0);
  const SeedPassOptions& options = pass.options();
  keep_record(unlocked([&] {
    return backward_seeds(pass.context(), pass.seeds(), pass.x().array(), of_y.array(), dx.array(),
                          dweights.array(), dalpha.array(), options);
  }));
  return nb::make_tuple(results[0], results[1], results[2]);
}

}  // namespace

}  // namespace SeedPasses

void register_seed_functions(Module& module) {
  using namespace SeedPasses;
  module.def("forward_seeds", forward, nb::arg("x").none(), nb::arg("lifecycle").none(),
             nb::arg("blueprint").none(), nb::arg("mode").none(), nb::arg("alpha").none(),
             nb::arg("weights").none(), nb::arg("chunk_size").none(), nb::arg("mode_codes").none(),
             nb::arg("fossilized_applies").none(), nb::arg("telemetry").none(),
             nb::arg("space").none(), nb::arg("out").none(), nb::arg("workspace").none(),
             nb::arg("stream").none(), nb::arg("copy").none(), nb::arg("context").none());
  module.def("backward_seeds", backward, nb::arg("x").none(), nb::arg("gradient").none(),
             nb::arg("lifecycle").none(), nb::arg("blueprint").none(), nb::arg("mode").none(),
             nb::arg("alpha").none(), nb::arg("weights").none(), nb::arg("chunk_size").none(),
             nb::arg("mode_codes").none(), nb::arg("fossilized_applies").none(),
             nb::arg("space").none(), nb::arg("out").none(), nb::arg("workspace").none(),
             nb::arg("stream").none(), nb::arg("copy").none(), nb::arg("context").none());
}

}  // namespace Kindred::Python
