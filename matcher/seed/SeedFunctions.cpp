// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedFunctions.hpp>

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/seed/SeedBackward.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/SeedSums.hpp>
#include <kindred/core/seed/SeedTableGradients.hpp>
#include <kindred/matcher/SeedOperationInfo.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>
#include "kit/CallerArrays.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace {

using Impl::NamedArray;

/// An array without elements stands for an argument that is not given.
bool is_given(const ConstArray& array) { return array.size() > 0; }

std::size_t padded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// \throws InvalidArgument unless \p given has one of \p types
void require_type(const NamedArray& given, std::initializer_list<DataType> types) {
  std::string required;
  for (const DataType type : types) {
    if (given.array.type() == type) return;
    required += (required.empty() ? "" : " or ") + std::string(to_string(type));
  }
  throw InvalidArgument(std::string(given.name) + " is " + to_string(given.array) +
                        "; its elements must be " + required);
}

/// An array of one number per seed. \throws InvalidArgument
void require_per_seed(const NamedArray& given, std::initializer_list<DataType> types,
                      std::int64_t seeds) {
  require_type(given, types);
  Impl::require_array(given, given.array.type(), {seeds});
}

void require_codes(const NamedArray& given, std::int64_t seeds) {
  require_per_seed(given, {DataType::int32, DataType::int8, DataType::uint8}, seeds);
}

DataType element_of(DataType type) {
  if (type == DataType::float16) return DataType::float16;
  return type == DataType::bfloat16 ? DataType::bfloat16 : DataType::float32;
}

SeedModeTable modes_of(SeedModeCodes codes) {
  if (codes == SeedModeCodes::kasmina_v2) return 0x22210;
  return codes == SeedModeCodes::kasmina_simple ? 0x33321 : seed_modes;
}

/// Rows of [rows, hidden].
struct Rows {
  DataType element = DataType::float32;
  std::uint64_t stride = 0;
};

/// The checked arrays of a call.
class PassArrays {
 public:
  /// \throws InvalidArgument, SpaceUnavailable
  PassArrays(const Context& context, const SeedArrays& seeds, const ConstArray& x)
      : m_seeds(seeds) {
    m_x = rows_of({"x", x}, Impl::any_extent, Impl::any_extent);
    KINDRED_THROW_IF(x.extent(1) > std::numeric_limits<std::uint32_t>::max(),
                     "x is " + to_string(x) + "; rows may have at most 2^32 − 1 features");
    m_rows = static_cast<std::uint64_t>(x.extent(0));
    m_chunks.hidden = static_cast<std::uint32_t>(x.extent(1));
    m_chunks.chunk = seeds.chunk_size;
    const NamedArray lifecycle{"lifecycle", seeds.lifecycle};
    require_codes(lifecycle, Impl::any_extent);
    const std::int64_t count = seeds.lifecycle.extent(0);
    KINDRED_THROW_IF(
        count > std::numeric_limits<std::int32_t>::max(),
        "lifecycle is " + to_string(seeds.lifecycle) + "; there may be at most 2^31 − 1 seeds");
    m_chunks.seeds = static_cast<std::uint32_t>(count);
    require_per_seed({"blueprint", seeds.blueprint}, {DataType::int32}, count);
    require_codes({"mode", seeds.mode}, count);
    require_per_seed({"alpha", seeds.alpha}, {DataType::float32}, count);
    const NamedArray weights{"weights", seeds.weights};
    Impl::require_array(weights, DataType::float32, {Impl::any_extent, x.extent(1)});
    KINDRED_THROW_IF(
        seeds.weights.extent(0) > std::numeric_limits<std::int32_t>::max(),
        "weights is " + to_string(seeds.weights) + "; there may be at most 2^31 − 1 blueprints");
    m_weight_stride = Impl::row_stride(weights);
    add({"x", x}, false);
    add(lifecycle, false);
    add({"blueprint", seeds.blueprint}, false);
    add({"mode", seeds.mode}, false);
    add({"alpha", seeds.alpha}, false);
    add(weights, false);
    m_space = Impl::space_of(context, m_arrays);
  }

  const SeedChunks& chunks() const { return m_chunks; }
  std::uint64_t rows() const { return m_rows; }
  const Rows& x() const { return m_x; }
  bool on_device() const { return m_space.has_value(); }

  /// \brief Adds an input or output of the shape [rows, hidden].
  Rows add_rows(const NamedArray& given, bool is_output) {
    const Rows rows = rows_of(given, static_cast<std::int64_t>(m_rows), m_chunks.hidden);
    add(given, is_output);
    return rows;
  }
  /// Adds an output with one number per seed, if it is given.
  void add_numbers(const NamedArray& given, std::initializer_list<DataType> types) {
    if (!is_given(given.array)) return;
    require_per_seed(given, types, m_chunks.seeds);
    add(given, true);
  }
  void add(const NamedArray& given, bool is_output) {
    const ConstArray& array = given.array;
    const bool has_rows = array.rank() == 2;
    const auto bytes = Impl::checked_bytes(given);
    Impl::require_aligned(given.name, array.data(), size_of(array.type()));
    m_arrays.push_back(given);
    m_ranges.push_back({given.name, reinterpret_cast<std::uintptr_t>(array.data()), bytes,
                        has_rows ? Impl::row_stride(given) : 0, array.type(), is_output});
  }

  /// Checks what concerns all arrays together. \param first,second names of the two arrays that may
  /// be the same \throws InvalidArgument, SpaceUnavailable
  void finish(const Context& context, const SeedPassOptions& options, std::string_view first,
              std::string_view second, std::size_t workspace_bytes) {
    m_space = Impl::space_of(context, m_arrays);
    KINDRED_THROW_IF(options.stream && !on_device(),
                     "a stream is given for arrays in host memory; it is only for arrays on a "
                     "device");
    const bool fits = !options.space || (*options.space == Space::cuda) == on_device();
    KINDRED_THROW_IF(!fits, "the arrays lie " +
                                std::string(on_device() ? "on a device"
                                                        : "in host "
                                                          "memory") +
                                " and the space is " + std::string(to_string(*options.space)) +
                                "; seeds run where their arrays lie");
    for (const Range& output : m_ranges) {
      for (const Range& other : m_ranges) {
        if (&output == &other || !output.is_output || !output.overlaps(other)) continue;
        const bool may_be_same = (output.name == first && other.name == second) ||
                                 (output.name == second && other.name == first);
        KINDRED_THROW_IF(
            !(may_be_same && output.is_same(other)),
            std::string(output.name) + " and " + std::string(other.name) +
                " overlap; outputs must be apart from all other arrays" +
                (may_be_same ? ", or the same rows with the same element type and stride" : ""));
      }
    }
    if (!on_device() || workspace_bytes == 0) return;
    const NamedArray workspace{"the workspace", options.workspace};
    require_type(workspace, {DataType::uint8, DataType::int8});
    Impl::require_array(workspace, options.workspace.type(), {Impl::any_extent});
    KINDRED_THROW_IF(options.workspace.size() < workspace_bytes,
                     "the workspace has " + std::to_string(options.workspace.size()) +
                         " bytes; this call needs " + std::to_string(workspace_bytes) + " there");
    KINDRED_THROW_IF(reinterpret_cast<std::uintptr_t>(options.workspace.data()) % 64 != 0,
                     "the workspace is not aligned to 64 bytes");
    m_arrays.push_back(workspace);
    (void)Impl::space_of(context, m_arrays);
    const Range own{
        workspace.name,           reinterpret_cast<std::uintptr_t>(options.workspace.data()),
        options.workspace.size(), 0,
        DataType::uint8,          true};
    for (const Range& other : m_ranges) {
      KINDRED_THROW_IF(own.overlaps(other),
                       "the workspace and " + std::string(other.name) + " overlap");
    }
  }

  template <class ExecutionSpace>
  SeedLayerView<ExecutionSpace> view() const {
    SeedLayerView<ExecutionSpace> out;
    out.chunks = m_chunks;
    out.state.lifecycle = codes_of(m_seeds.lifecycle);
    out.state.mode = codes_of(m_seeds.mode);
    out.state.blueprint = values_of<const std::int32_t, ExecutionSpace>(m_seeds.blueprint);
    out.state.alpha = values_of<const float, ExecutionSpace>(m_seeds.alpha);
    out.state.modes = modes_of(m_seeds.mode_codes);
    out.state.fossilized_applies = m_seeds.fossilized_applies;
    out.weights.values = values_of<const float, ExecutionSpace>(m_seeds.weights);
    out.weights.blueprints = static_cast<std::uint32_t>(m_seeds.weights.extent(0));
    out.weights.stride = m_weight_stride;
    return out;
  }
  template <class ExecutionSpace, class Given>
  auto rows_view(const Given& array, const Rows& rows) const {
    using Byte = std::conditional_t<std::is_same_v<Given, Array>, std::byte, const std::byte>;
    SeedRows<Byte, ExecutionSpace> out;
    out.bytes = ArrayView<Byte, ExecutionSpace>(static_cast<Byte*>(array.data()),
                                                Impl::checked_bytes({"rows", array}));
    out.element = rows.element;
    out.stride = rows.stride;
    return out;
  }

  /// Calls `body(exec_space)` where the arrays lie.
  template <class Body>
  DispatchRecord run(Context& context, const SeedPassOptions& options, const Body& body) const {
    Workload workload;
    workload.operation = Operations::seeds;
    workload.items = m_rows * m_chunks.hidden;
    workload.work = static_cast<double>(workload.items);
    workload.resident = SpaceSet::host();
    workload.waits = !on_device();
    const std::optional<Space> forced = on_device() ? m_space : options.space;
    if (on_device()) workload.resident = SpaceSet::all();
    return context.run(workload, forced, [&](Space space) {
      Impl::with_instance_on(context, space, options.stream,
                             [&](const auto& exec_space) { body(exec_space, space); });
    });
  }

 private:
  /// The bytes of an array in memory.
  struct Range {
    std::string_view name;
    std::uintptr_t begin = 0;
    std::uint64_t bytes = 0;
    std::uint64_t stride = 0;
    DataType type = DataType::float32;
    bool is_output = false;

    bool overlaps(const Range& other) const {
      return bytes > 0 && other.bytes > 0 && begin < other.begin + other.bytes &&
             other.begin < begin + bytes;
    }
    bool is_same(const Range& other) const {
      return begin == other.begin && stride == other.stride && type == other.type;
    }
  };

  static Rows rows_of(const NamedArray& given, std::int64_t rows, std::int64_t hidden) {
    require_type(given, {DataType::float32, DataType::float16, DataType::bfloat16});
    Impl::require_array(given, given.array.type(), {rows, hidden});
    return {element_of(given.array.type()), Impl::row_stride(given)};
  }
  static SeedCodes codes_of(const ConstArray& array) {
    if (array.type() == DataType::int32)
      return SeedCodes(static_cast<const std::int32_t*>(array.data()));
    return SeedCodes(static_cast<const std::int8_t*>(array.data()));
  }
  template <class T, class ExecutionSpace>
  static ArrayView<T, ExecutionSpace> values_of(const ConstArray& array) {
    // To the last element: rows may be further apart than they are long.
    return ArrayView<T, ExecutionSpace>(static_cast<T*>(array.data()),
                                        Impl::checked_bytes({"seeds", array}) / sizeof(T));
  }

  SeedArrays m_seeds;
  SeedChunks m_chunks;
  std::uint64_t m_rows = 0;
  std::uint64_t m_weight_stride = 0;
  Rows m_x;
  std::vector<NamedArray> m_arrays;
  std::vector<Range> m_ranges;
  std::optional<Space> m_space;
};

SeedForwardShape shape_of(const PassArrays& arrays, bool telemetry) {
  return {arrays.chunks(), arrays.rows(), arrays.x().element,
          telemetry && arrays.chunks().seeds > 0};
}

bool has_work(const PassArrays& arrays) { return arrays.rows() > 0 && arrays.chunks().hidden > 0; }

/// The memory of a pass: of the caller on a device, otherwise its own.
template <class ExecutionSpace>
Buffer<std::byte, typename ExecutionSpace::memory_space> workspace_of(
    Context& context, Space space, const SeedPassOptions& options, std::size_t bytes) {
  using buffer = Buffer<std::byte, typename ExecutionSpace::memory_space>;
  if constexpr (Arch::is_device<ExecutionSpace>)
    return buffer(static_cast<std::byte*>(options.workspace.data()), bytes);
  return buffer(context.memory(space), "Kindred::Seeds::workspace", bytes);
}

/// How the workspace of a forward pass is divided.
struct ForwardParts {
  std::size_t moments = 0;  ///< where they begin
  std::size_t size = 0;

  ForwardParts(const SeedForwardPlan& plan, const SeedForwardShape& shape)
      : moments(padded(plan.workspace)),
        size(moments +
             (shape.telemetry ? shape.chunks.covering().seeds * sizeof(SeedMoments) : 0)) {}
};
/// Likewise for a backward pass: the sums of the features are behind its own workspace.
template <class ExecutionSpace>
std::size_t backward_sums(const ExecutionSpace& exec_space, const PassArrays& arrays) {
  return padded(seed_backward_workspace(exec_space, arrays.chunks(), arrays.rows()));
}

bool is_wanted(const SeedSums& sums) {
  return is_given(sums.sum) || is_given(sums.sum_of_squares) || is_given(sums.count);
}
SeedNumbers numbers_of(const Array& array) {
  return {is_given(array) ? array.data() : nullptr, array.type()};
}

std::size_t forward_bytes(const Context& context, const PassArrays& arrays, bool telemetry) {
  if (!arrays.on_device() || !telemetry || !has_work(arrays)) return 0;
  const SeedForwardShape shape = shape_of(arrays, telemetry);
  return Impl::with_instance(context, Space::cuda, [&](const auto& exec_space) {
    return ForwardParts(seed_forward_plan(exec_space, shape), shape).size;
  });
}
std::size_t backward_bytes(const Context& context, const PassArrays& arrays) {
  if (!arrays.on_device() || arrays.chunks().hidden == 0) return 0;
  return Impl::with_instance(context, Space::cuda, [&](const auto& exec_space) {
    return backward_sums(exec_space, arrays) + arrays.chunks().hidden * sizeof(double);
  });
}

template <class ExecutionSpace>
void run_forward(const ExecutionSpace& exec_space, Context& context, Space space,
                 const PassArrays& arrays, const ConstArray& x, const Array& y, const Rows& of_y,
                 const SeedSums& sums, const SeedPassOptions& options) {
  using Moments = ArrayView<SeedMoments, ExecutionSpace>;
  const SeedForwardShape shape = shape_of(arrays, is_wanted(sums));
  Moments moments;
  Buffer<std::byte, typename ExecutionSpace::memory_space> workspace;
  if (has_work(arrays)) {
    const SeedForwardPlan plan = seed_forward_plan(exec_space, shape);
    const ForwardParts parts(plan, shape);
    workspace = workspace_of<ExecutionSpace>(context, space, options, parts.size);
    if (plan.counters > 0)
      Kokkos::deep_copy(exec_space,
                        ArrayView<std::byte, ExecutionSpace>(workspace.data(), plan.counters),
                        std::byte{0});
    if (shape.telemetry)
      moments = Moments(reinterpret_cast<SeedMoments*>(workspace.data() + parts.moments),
                        shape.chunks.covering().seeds);
    seed_forward(exec_space, plan, arrays.view<ExecutionSpace>(), arrays.rows(),
                 arrays.rows_view<ExecutionSpace>(x, arrays.x()),
                 arrays.rows_view<ExecutionSpace>(y, of_y), moments,
                 ArrayView<std::byte, ExecutionSpace>(workspace.data(), plan.workspace));
  }
  if (is_wanted(sums))
    seed_sums<ExecutionSpace>(
        exec_space, arrays.chunks().seeds, moments,
        {numbers_of(sums.sum), numbers_of(sums.sum_of_squares), numbers_of(sums.count)});
  // The workspace on the host is released on return.
  if constexpr (!Arch::is_device<ExecutionSpace>)
    Arch::fence(exec_space, "Kindred::Seeds::forward");
}

template <class ExecutionSpace>
void run_backward(const ExecutionSpace& exec_space, Context& context, Space space,
                  const PassArrays& arrays, const ConstArray& x, const ConstArray& gradient,
                  const Rows& of_gradient, const Array& dx, const Rows& of_dx,
                  const Array& dweights, const Array& dalpha, const SeedPassOptions& options) {
  const std::uint32_t hidden = arrays.chunks().hidden;
  const std::size_t own_bytes = backward_sums(exec_space, arrays);
  const auto workspace =
      workspace_of<ExecutionSpace>(context, space, options, own_bytes + hidden * sizeof(double));
  const ArrayView<double, ExecutionSpace> sums(
      reinterpret_cast<double*>(workspace.data() + own_bytes), hidden);
  const auto view = arrays.view<ExecutionSpace>();
  seed_backward(exec_space, view, arrays.rows(), arrays.rows_view<ExecutionSpace>(x, arrays.x()),
                arrays.rows_view<ExecutionSpace>(gradient, of_gradient),
                arrays.rows_view<ExecutionSpace>(dx, of_dx), ArrayView<float, ExecutionSpace>(),
                ArrayView<std::byte, ExecutionSpace>(workspace.data(), own_bytes), sums);
  seed_table_gradients<ExecutionSpace>(
      exec_space, view, sums,
      ArrayView<float, ExecutionSpace>(static_cast<float*>(dweights.data()),
                                       Impl::checked_bytes({"dweights", dweights}) / sizeof(float)),
      dweights.rank() == 2 ? Impl::row_stride({"dweights", dweights}) : 0,
      ArrayView<float, ExecutionSpace>(static_cast<float*>(dalpha.data()), dalpha.size()));
  if constexpr (!Arch::is_device<ExecutionSpace>)
    Arch::fence(exec_space, "Kindred::Seeds::backward");
}

}  // namespace

std::size_t forward_seeds_workspace(const Context& context, const SeedArrays& seeds,
                                    const ConstArray& x, const SeedSums& telemetry) try {
  return forward_bytes(context, PassArrays(context, seeds, x), is_wanted(telemetry));
} catch (...) {
  Impl::rethrow_translated("Kindred::forward_seeds_workspace");
}
std::size_t backward_seeds_workspace(const Context& context, const SeedArrays& seeds,
                                     const ConstArray& x) try {
  return backward_bytes(context, PassArrays(context, seeds, x));
} catch (...) {
  Impl::rethrow_translated("Kindred::backward_seeds_workspace");
}

DispatchRecord forward_seeds(Context& context, const SeedArrays& seeds, const ConstArray& x,
                             const Array& y, const SeedSums& telemetry,
                             const SeedPassOptions& options) try {
  PassArrays arrays(context, seeds, x);
  const Rows of_y = arrays.add_rows({"y", y}, true);
  arrays.add_numbers({"the telemetry's sum", telemetry.sum},
                     {DataType::float32, DataType::float64});
  arrays.add_numbers({"the telemetry's sum of squares", telemetry.sum_of_squares},
                     {DataType::float32, DataType::float64});
  arrays.add_numbers({"the telemetry's count", telemetry.count},
                     {DataType::int32, DataType::int64, DataType::float32, DataType::float64});
  arrays.finish(context, options, "x", "y", forward_bytes(context, arrays, is_wanted(telemetry)));
  return arrays.run(context, options, [&](const auto& exec_space, Space space) {
    run_forward(exec_space, context, space, arrays, x, y, of_y, telemetry, options);
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::forward_seeds");
}

DispatchRecord backward_seeds(Context& context, const SeedArrays& seeds, const ConstArray& x,
                              const ConstArray& gradient, const Array& dx, const Array& dweights,
                              const Array& dalpha, const SeedPassOptions& options) try {
  PassArrays arrays(context, seeds, x);
  require_type({"the gradient", gradient}, {x.type()});
  require_type({"dx", dx}, {x.type()});
  const Rows of_gradient = arrays.add_rows({"the gradient", gradient}, false);
  const Rows of_dx = arrays.add_rows({"dx", dx}, true);
  if (is_given(dweights)) {
    Impl::require_array({"dweights", dweights}, DataType::float32,
                        {seeds.weights.extent(0), x.extent(1)});
    arrays.add({"dweights", dweights}, true);
  }
  arrays.add_numbers({"dalpha", dalpha}, {DataType::float32});
  arrays.finish(context, options, "the gradient", "dx", backward_bytes(context, arrays));
  return arrays.run(context, options, [&](const auto& exec_space, Space space) {
    run_backward(exec_space, context, space, arrays, x, gradient, of_gradient, dx, of_dx, dweights,
                 dalpha, options);
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::backward_seeds");
}

}  // namespace Kindred
