// SPDX-License-Identifier: Apache-2.0
#include "SeedLayerState.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/matcher/SeedOperationInfo.hpp>
#include <kindred/memory/Copies.hpp>
#include "SeedSequenceCall.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/seed/SeedBackward.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <cstring>
#include <string>

namespace Kindred {

namespace Impl {

SeedBatch checked_batch(std::uint32_t hidden, std::size_t x_bytes, std::size_t y_bytes,
                        const SeedBatch& batch) {
  SeedBatch out = batch;
  const auto check = [&](const char* name, DataType element, std::uint64_t& stride,
                         std::size_t bytes) {
    KINDRED_THROW_IF(element == DataType::int8,
                     std::string(name) + " is int8; it must be float32, float16 or bfloat16");
    KINDRED_THROW_IF(stride != 0 && stride < hidden,
                     std::string(name) + " has a stride of " + std::to_string(stride) +
                         " elements; rows have " + std::to_string(hidden));
    const bool is_dense = stride == 0 || stride == hidden;
    if (stride == 0) stride = hidden;
    const auto required = checked_extent(batch.rows, hidden, stride, size_of(element));
    const bool is_right = required && (is_dense ? *required == bytes : *required <= bytes);
    KINDRED_THROW_IF(!is_right, std::string(name) + " has " + std::to_string(bytes) + " bytes; " +
                                    std::to_string(batch.rows) + " rows of " +
                                    std::to_string(hidden) + " features of " +
                                    std::string(to_string(element)) + ", " +
                                    std::to_string(stride) + " elements apart, need another size");
  };
  check("x", out.input, out.input_stride, x_bytes);
  check("y", out.output, out.output_stride, y_bytes);
  return out;
}

void check_overlap(const char* a_name, const void* a, std::uint64_t a_bytes, const char* b_name,
                   const void* b, std::uint64_t b_bytes, bool may_be_same) {
  if (a_bytes == 0 || b_bytes == 0 || (a == b && may_be_same)) return;
  const bool is_apart = are_apart({static_cast<const std::byte*>(a), a_bytes},
                                  {static_cast<const std::byte*>(b), b_bytes});
  KINDRED_THROW_IF(!is_apart, std::string(a_name) + " and " + b_name +
                                  " overlap; they must be disjoint, or the same rows with the "
                                  "same element type and stride");
}

}  // namespace Impl

namespace {

using Impl::rows_bytes;

bool same_layout(const SeedBatch& batch) {
  return batch.input == batch.output && batch.input_stride == batch.output_stride;
}

/// The number of bytes of the arrays of a call.
struct Extent {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  Extent(const SeedBatch& batch, std::uint32_t hidden)
      : in(rows_bytes(batch.rows, hidden, batch.input_stride, batch.input)),
        out(rows_bytes(batch.rows, hidden, batch.output_stride, batch.output)) {}
};

/// Identifies the queue of a call on a device, for the plans.
const void* queue_of(const std::optional<Stream>& stream) {
  static constexpr char default_stream = 0;
  if (!stream) return nullptr;
  return stream->handle() == nullptr ? &default_stream : stream->handle();
}

template <class ExecutionSpace>
using Bytes = ArrayView<std::byte, ExecutionSpace>;

/// \brief A buffer of at least \p bytes bytes in the memory of \p ExecutionSpace, for a copy of
/// host data.
template <class ExecutionSpace>
std::byte* staged(Buffer<std::byte, typename ExecutionSpace::memory_space>& buffer,
                  MemoryResource& memory, const char* label, std::uint64_t bytes) {
  if (buffer.size() < bytes)
    buffer = Buffer<std::byte, typename ExecutionSpace::memory_space>(memory, label, bytes);
  return buffer.data();
}

}  // namespace

/// One call, on any space.
class SeedCallRun {
 public:
  SeedCallRun(SeedLayer::State& state, const SeedBatch& batch, const SeedForwardOptions& options)
      : m_state(state), m_batch(batch), m_options(options), m_extent(batch, state.chunks.hidden) {}

  /// Chooses a space, calls \p on_space with it and returns the record of the choice.
  template <class OnSpace>
  DispatchRecord dispatch(const OnSpace& on_space) {
    Workload workload;
    workload.operation = Operations::seeds;
    workload.history = &m_state.history;
    workload.items = m_batch.rows * m_state.chunks.hidden;
    workload.work = static_cast<double>(workload.items);
    workload.transfer_bytes = m_extent.in + m_extent.out;
    workload.device_bytes = m_batch.memory == SeedMemory::host ? workload.transfer_bytes : 0;
    const bool device_is_ready = m_state.on_device && !m_state.trouble;
    const bool on_device_only = m_state.options.residency == Residency::device;
    if (m_options.space == Space::cuda || on_device_only) {
      // If the requested space is not available, the exception that was recorded is the reason.
      if (m_state.trouble) std::rethrow_exception(m_state.trouble);
    }
    workload.resident = reachable(m_state.options.residency, device_is_ready);
    if (m_batch.memory == SeedMemory::host)
      return m_state.context.run(workload, m_options.space, on_space);
    KINDRED_THROW_IF(!m_state.context.is_usable(Space::cuda),
                     "the rows are declared to be on a device, but there is none");
    workload.transfer_bytes = 0;
    workload.waits = false;
    const bool may_fall_back = !m_options.space && !on_device_only;
    if (device_is_ready || !may_fall_back) {
      try {
        return m_state.context.run(workload, m_options.space.value_or(Space::cuda), on_space);
      } catch (const OutOfMemory& error) {
        if (!may_fall_back) throw;
        m_state.context.log(LogLevel::warning,
                            std::string("seeds continues on the host: ") + error.what());
      } catch (const DeviceLost& error) {
        if (!may_fall_back) throw;
        m_state.context.log(LogLevel::warning,
                            std::string("seeds continues on the host: ") + error.what());
      }
    }
    workload.resident = SpaceSet::host();
    workload.waits = true;
    return m_state.context.run(workload, {}, on_space);
  }

  void forward(Space space, const std::byte* x, std::byte* y) {
    Impl::with_instance(m_state.context, space,
                        [&](const auto& exec_space) { forward_on(exec_space, space, x, y); });
  }
  void backward(Space space, const std::byte* x, const std::byte* gradient, std::byte* dx,
                float* dw) {
    Impl::with_instance(m_state.context, space, [&](const auto& exec_space) {
      backward_on(exec_space, space, x, gradient, dx, dw);
    });
  }

 private:
  template <class ExecutionSpace>
  static constexpr bool is_device = Arch::is_device<ExecutionSpace>;

  /// Whether \p ExecutionSpace can access the rows.
  template <class ExecutionSpace>
  bool reaches() const {
    return is_device<ExecutionSpace> == (m_batch.memory == SeedMemory::device);
  }

  template <class ExecutionSpace>
  void launch(const ExecutionSpace& exec_space, Space space, const std::optional<Stream>& stream,
              const std::byte* x, std::byte* y) {
    const void* queue = queue_of(stream);
    if constexpr (!is_device<ExecutionSpace>) queue = &all_spaces[space_index(space)];
    const auto& plan = m_state.sides.get<ExecutionSpace>().plans.get(
        exec_space, m_state.context.memory(space),
        m_state.shape_of(m_batch, m_state.has_telemetry(m_options.telemetry)), queue,
        space == Space::serial ? 1 : m_state.context.threads());
    m_state.launch(exec_space, stream, x, y, m_batch, m_options.telemetry, plan);
  }

  template <class ExecutionSpace>
  void forward_on(const ExecutionSpace& exec_space, Space space, const std::byte* x, std::byte* y) {
    auto& side = m_state.sides.get<ExecutionSpace>();
    if (reaches<ExecutionSpace>()) {
      launch(side.streams.on(exec_space, m_options.stream), space, m_options.stream, x, y);
      if constexpr (!is_device<ExecutionSpace>)
        Arch::fence(exec_space, "Kindred::SeedLayer::forward");
      return;
    }
    if constexpr (is_device<ExecutionSpace>) {
      MemoryResource& memory = m_state.context.memory(space);
      std::byte* in = staged<ExecutionSpace>(side.rows_in, memory, rows_label, m_extent.in);
      std::byte* out = staged<ExecutionSpace>(side.rows_out, memory, rows_label, m_extent.out);
      Impl::start_upload(exec_space, Bytes<ExecutionSpace>(in, m_extent.in), x, m_extent.in);
      if (m_batch.output_stride != m_state.chunks.hidden)  // the bytes between rows must not change
        Impl::start_upload(exec_space, Bytes<ExecutionSpace>(out, m_extent.out),
                           static_cast<const std::byte*>(y), m_extent.out);
      launch(exec_space, space, {}, in, out);
      Arch::fence(exec_space, "Kindred::SeedLayer::forward");
      fetch(exec_space, y, out, m_extent.out, x == y);
    } else {
      on_host_copies(
          [&](const HostRows& rows) {
            launch(exec_space, space, {}, rows.at(0), rows.at(1));
            Arch::fence(exec_space, "Kindred::SeedLayer::forward");
          },
          {{const_cast<std::byte*>(x), m_extent.in, false}, {y, m_extent.out, true}});
    }
  }

  template <class ExecutionSpace>
  void backward_on(const ExecutionSpace& exec_space, Space space, const std::byte* x,
                   const std::byte* gradient, std::byte* dx, float* dw) {
    auto& side = m_state.sides.get<ExecutionSpace>();
    const std::uint64_t dw_bytes = std::uint64_t{m_state.chunks.hidden} * sizeof(float);
    if (reaches<ExecutionSpace>()) {
      launch_backward(side.streams.on(exec_space, m_options.stream), space, m_options.stream, x,
                      gradient, dx, dw);
      if constexpr (!is_device<ExecutionSpace>)
        Arch::fence(exec_space, "Kindred::SeedLayer::backward");
      return;
    }
    if constexpr (is_device<ExecutionSpace>) {
      MemoryResource& memory = m_state.context.memory(space);
      const std::uint64_t in_padded = (m_extent.in + 15) / 16 * 16;
      std::byte* in = staged<ExecutionSpace>(side.rows_in, memory, rows_label, 2 * in_padded);
      std::byte* out = staged<ExecutionSpace>(side.rows_out, memory, rows_label, m_extent.out);
      if (side.weight_gradient.size() < m_state.chunks.hidden) {
        side.weight_gradient = Buffer<float, typename ExecutionSpace::memory_space>(
            memory, "Kindred::SeedLayer::weight_gradient", m_state.chunks.hidden);
      }
      std::byte* own_dx = in + in_padded;
      Impl::start_upload(exec_space, Bytes<ExecutionSpace>(in, m_extent.in), x, m_extent.in);
      Impl::start_upload(exec_space, Bytes<ExecutionSpace>(out, m_extent.out), gradient,
                         m_extent.out);
      if (m_batch.input_stride != m_state.chunks.hidden)
        Impl::start_upload(exec_space, Bytes<ExecutionSpace>(own_dx, m_extent.in),
                           static_cast<const std::byte*>(dx), m_extent.in);
      launch_backward(exec_space, space, {}, in, out, own_dx, side.weight_gradient.data());
      Impl::download(exec_space, dw, side.weight_gradient.view(), m_state.chunks.hidden);
      fetch(exec_space, dx, own_dx, m_extent.in, dx == x || dx == gradient);
    } else {
      on_host_copies(
          [&](const HostRows& rows) {
            launch_backward(exec_space, space, {}, rows.at(0), rows.at(1), rows.at(2),
                            reinterpret_cast<float*>(rows.at(3)));
            Arch::fence(exec_space, "Kindred::SeedLayer::backward");
          },
          {{const_cast<std::byte*>(x), m_extent.in, false},
           {const_cast<std::byte*>(gradient), m_extent.out, false},
           {dx, m_extent.in, true},
           {reinterpret_cast<std::byte*>(dw), dw_bytes, true}});
    }
  }

  template <class ExecutionSpace>
  void launch_backward(const ExecutionSpace& exec_space, Space space,
                       const std::optional<Stream>& stream, const std::byte* x,
                       const std::byte* gradient, std::byte* dx, float* dw) {
    auto& side = m_state.sides.get<ExecutionSpace>();
    const std::size_t bytes = seed_backward_workspace(exec_space, m_state.chunks, m_batch.rows);
    auto& workspace = side.streams.workspace(exec_space, stream);
    if (workspace.size() < bytes) {
      workspace = Buffer<std::byte, typename ExecutionSpace::memory_space>(
          m_state.context.memory(space), "Kindred::SeedLayer::gradient_workspace", bytes);
    }
    SeedRows<const std::byte, ExecutionSpace> in;
    in.bytes = ArrayView<const std::byte, ExecutionSpace>(x, m_extent.in);
    in.element = m_batch.input;
    in.stride = m_batch.input_stride;
    SeedRows<const std::byte, ExecutionSpace> of_y;
    of_y.bytes = ArrayView<const std::byte, ExecutionSpace>(gradient, m_extent.out);
    of_y.element = m_batch.output;
    of_y.stride = m_batch.output_stride;
    SeedRows<std::byte, ExecutionSpace> of_x;
    of_x.bytes = Bytes<ExecutionSpace>(dx, m_extent.in);
    of_x.element = m_batch.input;
    of_x.stride = m_batch.input_stride;
    seed_backward(exec_space, m_state.template view<ExecutionSpace>(), m_batch.rows, in, of_y, of_x,
                  ArrayView<float, ExecutionSpace>(dw, m_state.chunks.hidden), workspace.view());
  }

  /// Copies from \p from on the device. If \p to is also an input, it is overwritten only when the
  /// whole result has arrived.
  template <class ExecutionSpace>
  static void fetch(const ExecutionSpace& exec_space, std::byte* to, std::byte* from,
                    std::uint64_t bytes, bool is_input) {
    const Bytes<ExecutionSpace> view(from, bytes);
    if (!is_input) return Impl::download(exec_space, to, view, bytes);
    std::vector<std::byte> whole(bytes);
    Impl::download(exec_space, whole.data(), view, bytes);
    std::memcpy(to, whole.data(), bytes);
  }

  /// Rows in the memory of a device that a call processes on the host.
  struct HostRow {
    std::byte* data = nullptr;  ///< on the device
    std::uint64_t bytes = 0;
    bool is_result = false;
  };
  class HostRows {
   public:
    explicit HostRows(std::size_t count) : m_rows(count) {}
    std::byte* at(std::size_t i) const { return const_cast<std::byte*>(m_rows[i].data()); }
    std::vector<std::byte>& operator[](std::size_t i) { return m_rows[i]; }

   private:
    std::vector<std::vector<std::byte>> m_rows;
  };
  /// Calls \p body with copies of \p rows on the host and copies the results back. Fences the
  /// stream.
  template <class Body>
  void on_host_copies(const Body& body, const std::vector<HostRow>& rows) {
    Impl::with_instance(
        m_state.context, Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& own) {
          const ExecutionSpace exec_space =
              m_state.sides.get<ExecutionSpace>().streams.on(own, m_options.stream);
          HostRows copies(rows.size());
          for (std::size_t i = 0; i < rows.size(); ++i) {
            copies[i].resize(rows[i].bytes);
            Impl::download(exec_space, copies[i].data(),
                           Bytes<ExecutionSpace>(rows[i].data, rows[i].bytes), rows[i].bytes);
          }
          body(copies);
          for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].is_result)
              Impl::upload(exec_space, Bytes<ExecutionSpace>(rows[i].data, rows[i].bytes),
                           copies[i].data(), rows[i].bytes);
          }
        });
  }

  static constexpr const char* rows_label = "Kindred::SeedLayer::rows";

  SeedLayer::State& m_state;
  SeedBatch m_batch;
  const SeedForwardOptions& m_options;
  Extent m_extent;
};

namespace {

void check_stream(const SeedBatch& batch, const SeedForwardOptions& options) {
  KINDRED_THROW_IF(options.stream && batch.memory == SeedMemory::host,
                   "a stream is given for rows on the host; it is only for rows on a device");
  KINDRED_THROW_IF(
      batch.memory == SeedMemory::device && options.space && *options.space != Space::cuda,
      "rows on a device are processed there, not on " +
          std::string(to_string(options.space.value_or(Space::serial))));
}

}  // namespace

DispatchRecord SeedLayer::forward(std::span<const std::byte> x, std::span<std::byte> y,
                                  const SeedBatch& given, const SeedForwardOptions& options) try {
  State& state = *m_state;
  const SeedBatch batch = Impl::checked_batch(state.chunks.hidden, x.size(), y.size(), given);
  Impl::require_aligned("x", x.data(), size_of(batch.input));
  Impl::require_aligned("y", y.data(), size_of(batch.output));
  Impl::check_overlap("x", x.data(), x.size(), "y", y.data(), y.size(), same_layout(batch));
  check_stream(batch, options);
  const auto lock = Impl::engine_lock(state.mutex);
  SeedCallRun run(state, batch, options);
  return run.dispatch([&](Space space) { run.forward(space, x.data(), y.data()); });
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::forward");
}

DispatchRecord SeedLayer::forward(std::span<const float> x, std::span<float> y,
                                  const SeedForwardOptions& options) try {
  KINDRED_THROW_IF(x.size() % hidden() != 0, "x has " + std::to_string(x.size()) +
                                                 " elements, which is not a multiple of " +
                                                 std::to_string(hidden()));
  SeedBatch batch;
  batch.rows = x.size() / hidden();
  return forward(std::as_bytes(x), std::as_writable_bytes(y), batch, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::forward");
}

DispatchRecord SeedLayer::backward(std::span<const std::byte> x,
                                   std::span<const std::byte> gradient, std::span<std::byte> dx,
                                   std::span<float> dw, const SeedBatch& given,
                                   const SeedForwardOptions& options) try {
  State& state = *m_state;
  const SeedBatch batch =
      Impl::checked_batch(state.chunks.hidden, x.size(), gradient.size(), given);
  KINDRED_THROW_IF(batch.output != batch.input,
                   "the gradient is " + std::string(to_string(batch.output)) + " and x " +
                       std::string(to_string(batch.input)) + "; the element types must be equal");
  KINDRED_THROW_IF(dx.size() != x.size(), "dx has " + std::to_string(dx.size()) + " bytes; x has " +
                                              std::to_string(x.size()));
  KINDRED_THROW_IF(dw.size() != state.chunks.hidden,
                   "dw has " + std::to_string(dw.size()) + " elements; there are " +
                       std::to_string(state.chunks.hidden) + " features");
  Impl::require_aligned("x", x.data(), size_of(batch.input));
  Impl::require_aligned("the gradient", gradient.data(), size_of(batch.output));
  Impl::require_aligned("dx", dx.data(), size_of(batch.input));
  Impl::require_aligned("dw", dw.data(), sizeof(float));
  Impl::check_overlap("x", x.data(), x.size(), "dx", dx.data(), dx.size(), false);
  Impl::check_overlap("the gradient", gradient.data(), gradient.size(), "dx", dx.data(), dx.size(),
                      same_layout(batch));
  for (const auto& [data, bytes] : {std::pair<const void*, std::size_t>(x.data(), x.size()),
                                    {gradient.data(), gradient.size()},
                                    {dx.data(), dx.size()}})
    Impl::check_overlap("dw", dw.data(), dw.size_bytes(), "rows", data, bytes, false);
  check_stream(batch, options);
  const auto lock = Impl::engine_lock(state.mutex);
  SeedCallRun run(state, batch, options);
  return run.dispatch(
      [&](Space space) { run.backward(space, x.data(), gradient.data(), dx.data(), dw.data()); });
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::backward");
}

}  // namespace Kindred
