// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/matcher/SeedFunctions.hpp>

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/seed/SeedBackward.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/SeedSums.hpp>
#include <kindred/core/seed/SeedTableGradients.hpp>
#include <kindred/matcher/SeedOperationInfo.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>
#include "PassArguments.hpp"

#include <limits>
#include <string>

namespace KINDRED_PUBLIC Kindred {

namespace {

using Impl::NamedArray;
using Impl::RowLayout;
using Use = Impl::PassArguments::Use;

/// An array without elements stands for an argument that is not given.
bool is_given(const ConstArray& array) { return array.size() > 0; }

std::size_t padded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

SeedModeTable modes_of(SeedModeCodes codes) {
  if (codes == SeedModeCodes::kasmina_v2) return 0x22210;
  return codes == SeedModeCodes::kasmina_simple ? 0x33321 : seed_modes;
}

SeedCodes codes_of(const ConstArray& array) {
  if (array.type() == DataType::int32)
    return SeedCodes(static_cast<const std::int32_t*>(array.data()));
  return SeedCodes(static_cast<const std::int8_t*>(array.data()));
}

/// The elements of \p array, to the last one: rows may be further apart than they are long.
template <class ExecutionSpace, class T, class Given>
ArrayView<T, ExecutionSpace> values_of(const Given& array) {
  return ArrayView<T, ExecutionSpace>(static_cast<T*>(array.data()),
                                      Impl::checked_bytes({"seeds", array}) / sizeof(T));
}

/// A pass over rows, by seeds in arrays of the caller.
class ArrayPass {
 public:
  /// \throws InvalidArgument
  ArrayPass(const SeedArrays& seeds, const ConstArray& x) : arguments(x), m_seeds(seeds) {
    chunks.hidden = arguments.hidden();
    chunks.chunk = seeds.chunk_size;
    const auto codes = {DataType::int32, DataType::int8, DataType::uint8};
    arguments.add({"lifecycle", seeds.lifecycle}, codes, {Impl::any_extent}, Use::input);
    const std::int64_t count = seeds.lifecycle.extent(0);
    KINDRED_THROW_IF(
        count > std::numeric_limits<std::int32_t>::max(),
        "lifecycle is " + to_string(seeds.lifecycle) + "; there may be at most 2^31 − 1 seeds");
    chunks.seeds = static_cast<std::uint32_t>(count);
    arguments.add({"blueprint", seeds.blueprint}, {DataType::int32}, {count}, Use::input);
    arguments.add({"mode", seeds.mode}, codes, {count}, Use::input);
    arguments.add({"alpha", seeds.alpha}, {DataType::float32}, {count}, Use::input);
    arguments.add({"weights", seeds.weights}, {DataType::float32}, {Impl::any_extent, x.extent(1)},
                  Use::input);
    KINDRED_THROW_IF(
        seeds.weights.extent(0) > std::numeric_limits<std::int32_t>::max(),
        "weights is " + to_string(seeds.weights) + "; there may be at most 2^31 − 1 blueprints");
  }

  /// Adds an output with one number per seed, if it is given.
  void add_numbers(const NamedArray& given, std::initializer_list<DataType> types) {
    if (is_given(given.array)) arguments.add(given, types, {chunks.seeds}, Use::output);
  }
  bool has_rows() const { return arguments.rows() > 0 && chunks.hidden > 0; }
  SeedForwardShape shape(bool telemetry) const {
    return {chunks, arguments.rows(), arguments.x().element, telemetry && chunks.seeds > 0};
  }

  template <class ExecutionSpace>
  SeedLayerView<ExecutionSpace> view() const {
    SeedLayerView<ExecutionSpace> out;
    out.chunks = chunks;
    out.state.lifecycle = codes_of(m_seeds.lifecycle);
    out.state.mode = codes_of(m_seeds.mode);
    out.state.blueprint = values_of<ExecutionSpace, const std::int32_t>(m_seeds.blueprint);
    out.state.alpha = values_of<ExecutionSpace, const float>(m_seeds.alpha);
    out.state.modes = modes_of(m_seeds.mode_codes);
    out.state.fossilized_applies = m_seeds.fossilized_applies;
    out.weights.values = values_of<ExecutionSpace, const float>(m_seeds.weights);
    out.weights.blueprints = static_cast<std::uint32_t>(m_seeds.weights.extent(0));
    out.weights.stride = Impl::row_stride({"weights", m_seeds.weights});
    return out;
  }

  /// \brief Bytes of the workspace that a caller gives on a device: those of `bytes_of(exec_space)`
  /// if it \p is_needed. \throws SpaceUnavailable
  template <class BytesOf>
  std::size_t device_workspace(const Context& context, bool is_needed,
                               const BytesOf& bytes_of) const {
    if (!arguments.space(context) || !is_needed) return 0;
    return Impl::with_instance(context, Space::cuda, bytes_of);
  }
  /// \brief Calls `body(exec_space, workspace_of)` where the arrays lie; `workspace_of(bytes)`
  /// returns the caller's workspace on a device, otherwise a new one.
  /// \param bytes of the workspace on a device \throws InvalidArgument, SpaceUnavailable
  template <class Body>
  DispatchRecord run(Context& context, const SeedPassOptions& options, std::size_t bytes,
                     const Body& body) {
    const bool on_device = arguments.space(context).has_value();
    if (!on_device) Impl::require_no_stream(options.stream);
    KINDRED_THROW_IF(options.space && (*options.space == Space::cuda) != on_device,
                     "the arrays lie " + std::string(on_device ? "on a device" : "in host memory") +
                         " and the space is " + std::string(to_string(*options.space)) +
                         "; seeds run where their arrays lie");
    if (on_device && bytes > 0) add_workspace(context, options.workspace, bytes);
    Workload workload;
    workload.operation = Operations::seeds;
    workload.items = arguments.rows() * chunks.hidden;
    workload.work = static_cast<double>(workload.items);
    workload.resident = on_device ? SpaceSet::all() : SpaceSet::host();
    workload.waits = !on_device;
    const std::optional<Space> forced = on_device ? Space::cuda : options.space;
    return context.run(workload, forced, [&](Space space) {
      Impl::with_instance_on(
          context, space, options.stream,
          [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
            body(exec_space, [&](std::size_t size) {
              using buffer = Buffer<std::byte, typename ExecutionSpace::memory_space>;
              if constexpr (Arch::is_device<ExecutionSpace>)
                return buffer(static_cast<std::byte*>(options.workspace.data()), size);
              return buffer(context.memory(space), "Kindred::Seeds::workspace", size);
            });
          });
    });
  }

  Impl::PassArguments arguments;
  SeedChunks chunks;

 private:
  void add_workspace(const Context& context, const Array& given, std::size_t bytes) {
    KINDRED_THROW_IF(given.size() < bytes, "the workspace has " + std::to_string(given.size()) +
                                               " bytes; this call needs " + std::to_string(bytes) +
                                               " there");
    KINDRED_THROW_IF(!begin_at(64, given.data()), "the workspace is not aligned to 64 bytes");
    arguments.add({"the workspace", given}, {DataType::uint8, DataType::int8}, {Impl::any_extent},
                  Use::output);
    static_cast<void>(arguments.space(context));
  }

  SeedArrays m_seeds;
};

/// How the workspace of a forward pass is divided.
struct ForwardParts {
  SeedForwardPlan plan;
  std::size_t moments = 0;  ///< where they begin
  std::size_t size = 0;

  template <class ExecutionSpace>
  ForwardParts(const ExecutionSpace& exec_space, const SeedForwardShape& shape)
      : plan(seed_forward_plan(exec_space, shape)),
        moments(padded(plan.workspace)),
        size(moments +
             (shape.telemetry ? shape.chunks.covering().seeds * sizeof(SeedMoments) : 0)) {}
};
/// Likewise for a backward pass: the sums of the features are behind its own workspace.
template <class ExecutionSpace>
std::size_t backward_sums(const ExecutionSpace& exec_space, const ArrayPass& pass) {
  return padded(seed_backward_workspace(exec_space, pass.chunks, pass.arguments.rows()));
}

bool is_wanted(const SeedSums& sums) {
  return is_given(sums.sum) || is_given(sums.sum_of_squares) || is_given(sums.count);
}
SeedNumbers numbers_of(const Array& array) {
  return {is_given(array) ? array.data() : nullptr, array.type()};
}

std::size_t forward_bytes(const Context& context, const ArrayPass& pass, bool telemetry) {
  return pass.device_workspace(context, telemetry && pass.has_rows(), [&](const auto& exec_space) {
    return ForwardParts(exec_space, pass.shape(telemetry)).size;
  });
}
std::size_t backward_bytes(const Context& context, const ArrayPass& pass) {
  return pass.device_workspace(context, pass.chunks.hidden > 0, [&](const auto& exec_space) {
    return backward_sums(exec_space, pass) + pass.chunks.hidden * sizeof(double);
  });
}

/// A workspace on the host is released when the pass returns. \param label of the fence
template <class ExecutionSpace>
void end_on_host(const ExecutionSpace& exec_space, const char* label) {
  if constexpr (!Arch::is_device<ExecutionSpace>) Arch::fence(exec_space, label);
}

std::byte* bytes_at(const Array& array) { return static_cast<std::byte*>(array.data()); }
const std::byte* bytes_at(const ConstArray& array) {
  return static_cast<const std::byte*>(array.data());
}

}  // namespace

std::size_t forward_seeds_workspace(const Context& context, const SeedArrays& seeds,
                                    const ConstArray& x, const SeedSums& telemetry) try {
  return forward_bytes(context, ArrayPass(seeds, x), is_wanted(telemetry));
} catch (...) {
  Impl::rethrow_translated("Kindred::forward_seeds_workspace");
}
std::size_t backward_seeds_workspace(const Context& context, const SeedArrays& seeds,
                                     const ConstArray& x) try {
  return backward_bytes(context, ArrayPass(seeds, x));
} catch (...) {
  Impl::rethrow_translated("Kindred::backward_seeds_workspace");
}

DispatchRecord forward_seeds(Context& context, const SeedArrays& seeds, const ConstArray& x,
                             const Array& y, const SeedSums& telemetry,
                             const SeedPassOptions& options) try {
  ArrayPass pass(seeds, x);
  const RowLayout of_y = pass.arguments.add_rows({"y", y}, Use::output, "x");
  pass.add_numbers({"the telemetry's sum", telemetry.sum}, {DataType::float32, DataType::float64});
  pass.add_numbers({"the telemetry's sum of squares", telemetry.sum_of_squares},
                   {DataType::float32, DataType::float64});
  pass.add_numbers({"the telemetry's count", telemetry.count},
                   {DataType::int32, DataType::int64, DataType::float32, DataType::float64});
  const bool sums = is_wanted(telemetry);
  const auto launch = [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                                const auto& workspace_of) {
    using Moments = ArrayView<SeedMoments, ExecutionSpace>;
    Moments moments;
    decltype(workspace_of(0)) workspace;
    if (pass.has_rows()) {
      const SeedForwardShape shape = pass.shape(sums);
      const ForwardParts parts(exec_space, shape);
      workspace = workspace_of(parts.size);
      using Bytes = ArrayView<std::byte, ExecutionSpace>;
      if (parts.plan.counters > 0)
        Arch::start_fill(exec_space, Bytes(workspace.data(), parts.plan.counters), std::byte{0});
      if (shape.telemetry)
        moments = Moments(reinterpret_cast<SeedMoments*>(workspace.data() + parts.moments),
                          shape.chunks.covering().seeds);
      seed_forward(exec_space, parts.plan, pass.view<ExecutionSpace>(), shape.rows,
                   Impl::rows_at<ExecutionSpace>(bytes_at(x), pass.arguments.x()),
                   Impl::rows_at<ExecutionSpace>(bytes_at(y), of_y), moments,
                   Bytes(workspace.data(), parts.plan.workspace));
    }
    if (sums)
      seed_sums<ExecutionSpace>(exec_space, pass.chunks.seeds, moments,
                                {numbers_of(telemetry.sum), numbers_of(telemetry.sum_of_squares),
                                 numbers_of(telemetry.count)});
    end_on_host(exec_space, "Kindred::Seeds::forward");
  };
  return pass.run(context, options, forward_bytes(context, pass, sums), launch);
} catch (...) {
  Impl::rethrow_translated("Kindred::forward_seeds");
}

DispatchRecord backward_seeds(Context& context, const SeedArrays& seeds, const ConstArray& x,
                              const ConstArray& gradient, const Array& dx, const Array& dweights,
                              const Array& dalpha, const SeedPassOptions& options) try {
  ArrayPass pass(seeds, x);
  Impl::require_type({"the gradient", gradient}, {x.type()});
  Impl::require_type({"dx", dx}, {x.type()});
  const RowLayout of_gradient = pass.arguments.add_rows({"the gradient", gradient}, Use::input);
  const RowLayout of_dx = pass.arguments.add_rows({"dx", dx}, Use::output, "the gradient");
  if (is_given(dweights))
    pass.arguments.add({"dweights", dweights}, {DataType::float32},
                       {seeds.weights.extent(0), x.extent(1)}, Use::output);
  pass.add_numbers({"dalpha", dalpha}, {DataType::float32});
  const auto launch = [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                                const auto& workspace_of) {
    const std::uint32_t hidden = pass.chunks.hidden;
    const std::size_t own_bytes = backward_sums(exec_space, pass);
    const auto workspace = workspace_of(own_bytes + hidden * sizeof(double));
    const ArrayView<double, ExecutionSpace> sums(
        reinterpret_cast<double*>(workspace.data() + own_bytes), hidden);
    const auto view = pass.view<ExecutionSpace>();
    seed_backward(exec_space, view, pass.arguments.rows(),
                  Impl::rows_at<ExecutionSpace>(bytes_at(x), pass.arguments.x()),
                  Impl::rows_at<ExecutionSpace>(bytes_at(gradient), of_gradient),
                  Impl::rows_at<ExecutionSpace>(bytes_at(dx), of_dx),
                  ArrayView<float, ExecutionSpace>(),
                  ArrayView<std::byte, ExecutionSpace>(workspace.data(), own_bytes), sums);
    seed_table_gradients<ExecutionSpace>(
        exec_space, view, sums, values_of<ExecutionSpace, float>(dweights),
        dweights.rank() == 2 ? Impl::row_stride({"dweights", dweights}) : 0,
        values_of<ExecutionSpace, float>(dalpha));
    end_on_host(exec_space, "Kindred::Seeds::backward");
  };
  return pass.run(context, options, backward_bytes(context, pass), launch);
} catch (...) {
  Impl::rethrow_translated("Kindred::backward_seeds");
}

}  // namespace Kindred
