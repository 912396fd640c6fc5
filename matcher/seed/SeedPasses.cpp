// SPDX-License-Identifier: Apache-2.0
#include "SeedLayerState.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/seed/SeedBackward.hpp>
#include <kindred/matcher/SeedOperationInfo.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "kit/Placement.hpp"

namespace Kindred {

namespace {

using Impl::ForwardQueue;
using Impl::LayerSeeds;
using Impl::PassArguments;
using Impl::RowLayout;

/// A call of a layer, on any space.
class LayerPass {
 public:
  /// \throws InvalidArgument, SpaceUnavailable
  LayerPass(Impl::SeedLayerState& layer, const PassArguments& arguments,
            const SeedForwardOptions& options)
      : m_layer(layer),
        m_arguments(arguments),
        m_options(options),
        m_is_of_device(arguments.space(layer.context).has_value()) {
    if (!m_is_of_device) Impl::require_no_stream(options.stream, "the rows");
    KINDRED_THROW_IF(m_is_of_device && options.space && *options.space != Space::cuda,
                     "rows on a device are processed there, not on " +
                         std::string(to_string(options.space.value_or(Space::serial))));
  }

  /// \brief Calls `launch(seeds, exec_space, queue, data)` in turn, on the space that the
  /// dispatcher chooses, with the addresses there of the arguments. \param label of fences
  template <class Launch>
  DispatchRecord run(const char* label, const Launch& launch) const {
    const Impl::SeedTurn turn = m_layer.turn();
    return dispatch(*turn, [&](Space space) {
      Impl::with_instance(m_layer.context, space, [&](const auto& exec_space) {
        run_on(*turn, exec_space, space, label, launch);
      });
    });
  }

 private:
  using Given = PassArguments::Given;
  using Addresses = std::array<std::byte*, 4>;  ///< of the arguments
  template <class ExecutionSpace>
  using Bytes = ArrayView<std::byte, ExecutionSpace>;

  template <class OnSpace>
  DispatchRecord dispatch(LayerSeeds& seeds, const OnSpace& on_space) const {
    Context& context = m_layer.context;
    Workload workload;
    workload.operation = Operations::seeds;
    workload.history = &seeds.history;
    workload.items = m_arguments.rows() * m_arguments.hidden();
    workload.work = static_cast<double>(workload.items);
    const bool on_device_only = m_layer.options.residency == Residency::device;
    // If the requested space is not available, the exception that was recorded is the reason.
    if (m_options.space == Space::cuda || on_device_only) seeds.require_device();
    workload.resident = Impl::reachable(m_layer.options.residency, seeds.device_is_ready());
    if (!m_is_of_device) {
      const auto arrays = m_arguments.arrays();
      workload.transfer_bytes = arrays[0].layout.bytes + arrays[1].layout.bytes;
      workload.device_bytes = workload.transfer_bytes;
      return context.run(workload, m_options.space, on_space);
    }
    workload.waits = false;
    const bool may_fall_back = !m_options.space && !on_device_only;
    if (seeds.device_is_ready() || !may_fall_back) {
      const auto fall_back = [&](const Error& error) {
        if (!may_fall_back) throw;
        context.log(LogLevel::warning, std::string("seeds continues on the host: ") + error.what());
      };
      try {
        return context.run(workload, m_options.space.value_or(Space::cuda), on_space);
      } catch (const OutOfMemory& error) {
        fall_back(error);
      } catch (const DeviceLost& error) {
        fall_back(error);
      }
    }
    workload.resident = SpaceSet::host();
    workload.waits = true;
    return context.run(workload, {}, on_space);
  }

  template <class ExecutionSpace, class Launch>
  void run_on(LayerSeeds& seeds, const ExecutionSpace& exec_space, Space space, const char* label,
              const Launch& launch) const {
    const std::span<const Given> arrays = m_arguments.arrays();
    Addresses at{};
    if (Arch::is_device<ExecutionSpace> == m_is_of_device) {
      for (std::size_t i = 0; i < arrays.size(); ++i) at[i] = arrays[i].data;
      launch(seeds, seeds.streams<ExecutionSpace>().on(exec_space, m_options.stream),
             ForwardQueue{space, m_options.stream}, at);
      if constexpr (!Arch::is_device<ExecutionSpace>) Arch::fence(exec_space, label);
    } else if constexpr (Arch::is_device<ExecutionSpace>) {
      MemoryResource& memory = m_layer.context.memory(space);
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        const Given& array = arrays[i];
        const std::uint64_t bytes = array.layout.bytes;
        auto& staged = seeds.side<ExecutionSpace>().staged[i];
        if (staged.size() < bytes) staged = {memory, "Kindred::SeedLayer::rows", bytes};
        at[i] = staged.data();
        // The bytes between the rows of an output must not change.
        const bool has_gaps = array.layout.stride > m_arguments.hidden();
        if (array.use == PassArguments::Use::input || has_gaps)
          Impl::start_upload(exec_space, Bytes<ExecutionSpace>(at[i], bytes),
                             static_cast<const std::byte*>(array.data), bytes);
      }
      launch(seeds, exec_space, ForwardQueue{space, {}}, at);
      Arch::fence(exec_space, label);
      for (std::size_t i = arrays.size(); i-- > 0;) {  // the rows last: they may be an input
        const Bytes<ExecutionSpace> from(at[i], arrays[i].layout.bytes);
        if (arrays[i].use == PassArguments::Use::output) fetch(exec_space, arrays[i], from);
      }
    } else {
      on_copies(seeds, at, [&] {
        launch(seeds, exec_space, ForwardQueue{space, {}}, at);
        Arch::fence(exec_space, label);
      });
    }
  }

  /// Copies an output from the device. If it is also an input, it is overwritten only when it has
  /// arrived as a whole.
  template <class ExecutionSpace>
  void fetch(const ExecutionSpace& exec_space, const Given& to,
             const Bytes<ExecutionSpace>& from) const {
    const bool is_input = std::ranges::any_of(m_arguments.arrays(), [&](const Given& other) {
      return other.use == PassArguments::Use::input && other.data == to.data;
    });
    if (!is_input) return Impl::download(exec_space, to.data, from, from.size());
    std::vector<std::byte> whole(from.size());
    Impl::download(exec_space, whole.data(), from, whole.size());
    std::memcpy(to.data, whole.data(), whole.size());
  }

  /// Calls \p body with the addresses of copies on the host of arrays on a device, and copies the
  /// outputs back. Fences the stream.
  template <class Body>
  void on_copies(LayerSeeds& seeds, Addresses& at, const Body& body) const {
    Impl::with_instance(
        m_layer.context, Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& own) {
          const ExecutionSpace device = seeds.streams<ExecutionSpace>().on(own, m_options.stream);
          const std::span<const Given> arrays = m_arguments.arrays();
          std::vector<std::vector<std::byte>> copies;
          for (std::size_t i = 0; i < arrays.size(); ++i) {
            const std::uint64_t bytes = arrays[i].layout.bytes;
            at[i] = copies.emplace_back(bytes).data();
            Impl::download(device, at[i], Bytes<ExecutionSpace>(arrays[i].data, bytes), bytes);
          }
          body();
          for (std::size_t i = 0; i < arrays.size(); ++i) {
            const std::uint64_t bytes = arrays[i].layout.bytes;
            if (arrays[i].use == PassArguments::Use::output)
              Impl::upload(device, Bytes<ExecutionSpace>(arrays[i].data, bytes), at[i], bytes);
          }
        });
  }

  Impl::SeedLayerState& m_layer;
  const PassArguments& m_arguments;
  const SeedForwardOptions& m_options;
  bool m_is_of_device;
};

/// The rows at \p data that a pass reads.
template <class ExecutionSpace>
SeedRows<const std::byte, ExecutionSpace> rows_read(const std::byte* data,
                                                    const RowLayout& layout) {
  return Impl::rows_at<ExecutionSpace>(data, layout);
}

}  // namespace

DispatchRecord SeedLayer::forward(const ConstArray& x, const Array& y,
                                  const SeedForwardOptions& options) try {
  PassArguments arguments(x, hidden());
  const RowLayout of_y = arguments.add_rows({"y", y}, PassArguments::Use::output, "x");
  const auto launch = [&]<class ExecutionSpace>(LayerSeeds& seeds, const ExecutionSpace& exec_space,
                                                const ForwardQueue& queue, const auto& at) {
    const auto& plan = seeds.side<ExecutionSpace>().plans.get(
        exec_space, m_state->context.memory(queue.space),
        seeds.shape_of(arguments.rows(), arguments.x().element, options.telemetry), queue,
        Impl::threads_of(m_state->context, queue.space));
    seeds.launch(exec_space, queue.stream, rows_read<ExecutionSpace>(at[0], arguments.x()),
                 Impl::rows_at<ExecutionSpace>(at[1], of_y), options.telemetry, plan);
  };
  return LayerPass(*m_state, arguments, options).run("Kindred::SeedLayer::forward", launch);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::forward");
}

DispatchRecord SeedLayer::backward(const ConstArray& x, const ConstArray& gradient, const Array& dx,
                                   const Array& dw, const SeedForwardOptions& options) try {
  using Use = PassArguments::Use;
  const Impl::NamedArray of_y{"the gradient", gradient};
  const Impl::NamedArray of_x{"dx", dx};
  PassArguments arguments(x, hidden());
  Impl::require_type(of_y, {x.type()});
  Impl::require_type(of_x, {x.type()});
  const RowLayout of_gradient = arguments.add_rows(of_y, Use::input);
  const RowLayout of_dx = arguments.add_rows(of_x, Use::output, "the gradient");
  arguments.add({"dw", dw}, {DataType::float32}, {hidden()}, Use::output);
  const auto launch = [&]<class ExecutionSpace>(LayerSeeds& seeds, const ExecutionSpace& exec_space,
                                                const ForwardQueue& queue, const auto& at) {
    const std::size_t bytes =
        seed_backward_workspace(exec_space, m_state->chunks, arguments.rows());
    auto& workspace = seeds.streams<ExecutionSpace>().workspace(exec_space, queue.stream);
    if (workspace.size() < bytes)
      workspace = {m_state->context.memory(queue.space), "Kindred::SeedLayer::gradient_workspace",
                   bytes};
    seed_backward(exec_space, seeds.view<ExecutionSpace>(), arguments.rows(),
                  rows_read<ExecutionSpace>(at[0], arguments.x()),
                  rows_read<ExecutionSpace>(at[1], of_gradient),
                  Impl::rows_at<ExecutionSpace>(at[2], of_dx),
                  ArrayView<float, ExecutionSpace>(reinterpret_cast<float*>(at[3]), hidden()),
                  workspace.view());
  };
  return LayerPass(*m_state, arguments, options).run("Kindred::SeedLayer::backward", launch);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::backward");
}

}  // namespace Kindred
