// SPDX-License-Identifier: Apache-2.0
#include "SeedLayerState.hpp"
#include "SeedSequenceCall.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/backends/impl/CudaGraph.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <string>
#include <utility>

namespace Kindred {

namespace {

/// The resources of a sequence in the space on which it runs.
template <class ExecutionSpace>
struct SequenceSide {
  std::vector<ExecutionSpace> instance;  ///< empty or one instance
  std::vector<std::unique_ptr<Impl::ForwardPlan<ExecutionSpace>>> plans;
  Impl::CudaGraph<ExecutionSpace> graph;

  /// The instance of a run: on a device, that of the sequence.
  const ExecutionSpace& on(const ExecutionSpace& exec_space) {
    if constexpr (!Arch::is_device<ExecutionSpace>) instance[0] = exec_space;
    return instance[0];
  }
  /// Calls run one after the other, so calls of the same shape share a plan.
  const Impl::ForwardPlan<ExecutionSpace>& plan(MemoryResource& memory,
                                                const SeedForwardShape& shape) {
    for (const auto& plan : plans) {
      if (plan->serves(shape, nullptr)) return *plan;
    }
    plans.push_back(std::make_unique<Impl::ForwardPlan<ExecutionSpace>>(instance[0], memory, shape,
                                                                        nullptr, 0));
    return *plans.back();
  }
};

}  // namespace

struct KINDRED_HIDDEN SeedSequence::State {
  using Call = Impl::SeedSequenceCall;

  Context& context;
  Space space;
  std::optional<Stream> stream;
  std::vector<Call> calls;
  Arch::PerSpace<SequenceSide> sides;

  State(Context& given, Space where, const std::optional<Stream>& on)
      : context(given), space(where), stream(on) {
    Impl::with_instance(
        context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
          sides.get<ExecutionSpace>().instance.push_back(Impl::instance_on(exec_space, stream));
        });
  }

  /// Waits for the last run, whose kernels use the layers and the plans.
  ~State() {
    try {
      wait();
    } catch (const std::exception& error) {
      warn(error);
    }
    try {
      unpin();
    } catch (const std::exception& error) {
      warn(error);
    }
  }
  void warn(const std::exception& error) const {
    context.log(LogLevel::warning, std::string("a sequence of seeds: ") + error.what());
  }
  /// The layers no longer keep the instance on the stream.
  void unpin() {
    if (!stream) return;
    Impl::with_instance(context, space, [&]<class ExecutionSpace>(const ExecutionSpace&) {
      for (const Call& call : calls) {
        const std::lock_guard lock(call.layer->mutex);
        call.layer->sides.get<ExecutionSpace>().streams.unpin(*stream);
      }
    });
  }

  void wait() {
    Impl::with_instance(
        context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
          Arch::fence(sides.get<ExecutionSpace>().on(exec_space), "Kindred::SeedSequence::wait");
        });
  }

  bool is_current() const {
    for (const Call& call : calls) {
      if (call.revision != call.layer->revision.load(std::memory_order_relaxed)) return false;
    }
    return true;
  }

  template <class ExecutionSpace>
  void launch_all() {
    auto& side = sides.get<ExecutionSpace>();
    for (const Call& call : calls) {
      SeedLayer::State& layer = *call.layer;
      const auto lock = Impl::engine_lock(layer.mutex);
      layer.launch(side.instance[0], stream, call.x.data(), call.y.data(), call.batch,
                   call.telemetry, *side.plans[call.plan], call.overlap);
    }
  }

  void note_telemetry() {
    for (const Call& call : calls) {
      SeedLayer::State& layer = *call.layer;
      const auto lock = Impl::engine_lock(layer.mutex);
      if (layer.has_telemetry(call.telemetry)) layer.fill(true, stream);
    }
  }

  template <class ExecutionSpace>
  void run(const ExecutionSpace& exec_space) {
    auto& side = sides.get<ExecutionSpace>();
    const ExecutionSpace& own = side.on(exec_space);
    if (side.graph.is_captured() && is_current()) {
      side.graph.replay(own);
      // Replaying a graph does not record it.
      if constexpr (Arch::is_device<ExecutionSpace>) note_telemetry();
      return;
    }
    for (Call& call : calls) {
      SeedLayer::State& layer = *call.layer;
      const auto lock = Impl::engine_lock(layer.mutex);
      if (Arch::is_device<ExecutionSpace> && layer.trouble) std::rethrow_exception(layer.trouble);
      call.revision = layer.revision.load(std::memory_order_relaxed);
    }
    side.graph.capture(own, [this] { launch_all<ExecutionSpace>(); });
  }
};

SeedSequence::SeedSequence(Context& context, Space space, const std::optional<Stream>& stream) try {
  KINDRED_THROW_IF(
      stream && space != Space::cuda,
      "a stream is given for " + std::string(to_string(space)) + "; it is only for the space cuda");
  m_state = std::make_unique<State>(context, space, stream);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedSequence");
}
std::size_t SeedSequence::size() const noexcept { return m_state->calls.size(); }

void SeedSequence::add(SeedLayer& layer, std::span<const std::byte> x, std::span<std::byte> y,
                       const SeedBatch& given, bool telemetry) try {
  State& state = *m_state;
  SeedLayer::State& own = layer.internal();
  const bool device = state.space == Space::cuda;
  const SeedBatch batch = Impl::checked_batch(own.chunks.hidden, x.size(), y.size(), given);
  KINDRED_THROW_IF((batch.memory == SeedMemory::device) != device,
                   "the sequence runs on " + std::string(to_string(state.space)) +
                       ", but the rows are elsewhere");
  KINDRED_THROW_IF(device && !layer.on_device(),
                   "the layer is not on the device that the sequence runs on");
  KINDRED_THROW_IF(!device && own.options.residency == Residency::device,
                   "the layer is only on a device, but the sequence runs on the host");
  Impl::require_aligned("x", x.data(), size_of(batch.input));
  Impl::require_aligned("y", y.data(), size_of(batch.output));
  Impl::check_overlap("x", x.data(), x.size(), "y", y.data(), y.size(),
                      batch.input == batch.output && batch.input_stride == batch.output_stride);
  State::Call call;
  call.layer = &own;
  call.x = x;
  call.y = y;
  call.batch = batch;
  call.telemetry = telemetry ? SeedTelemetryUse::last : SeedTelemetryUse::none;
  call.overlap = Impl::overlap_of(state.calls, call);
  state.calls.reserve(state.calls.size() + 1);
  Impl::with_instance(
      state.context, state.space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        const auto lock = Impl::engine_lock(own.mutex);
        auto& side = state.sides.get<ExecutionSpace>();
        const auto& plan = side.plan(state.context.memory(state.space),
                                     own.shape_of(batch, own.has_telemetry(call.telemetry)));
        for (std::size_t i = 0; i < side.plans.size(); ++i) {
          if (side.plans[i].get() == &plan) call.plan = i;
        }
        // So that changes of the layer wait for it.
        if (state.stream) own.sides.get<ExecutionSpace>().streams.pin(exec_space, *state.stream);
      });
  state.calls.push_back(call);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedSequence::add");
}

void SeedSequence::run() try {
  State& state = *m_state;
  if (state.calls.empty()) return;
  Impl::with_instance(state.context, state.space,
                      [&](const auto& exec_space) { state.run(exec_space); });
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedSequence::run");
}

void SeedSequence::wait() try { m_state->wait(); } catch (...) {
  Impl::rethrow_translated("Kindred::SeedSequence::wait");
}

}  // namespace Kindred
