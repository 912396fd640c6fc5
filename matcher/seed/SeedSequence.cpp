// SPDX-License-Identifier: Apache-2.0
#include "SeedLayerState.hpp"
#include "SeedSequenceCall.hpp"

#include <kindred/backends/impl/CudaGraph.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <string>
#include <utility>

namespace Kindred {

namespace {

/// The resources of a sequence in the space on which it runs.
template <class ExecutionSpace>
struct SequenceSide {
  Impl::KeptInstance<ExecutionSpace> instance;
  std::vector<std::unique_ptr<Impl::ForwardPlan<ExecutionSpace>>> plans;
  Impl::CudaGraph<ExecutionSpace> graph;

  /// The instance of a run: on a device, that of the sequence.
  const ExecutionSpace& on(const ExecutionSpace& exec_space) {
    if constexpr (!Arch::is_device<ExecutionSpace>) instance = exec_space;
    return *instance;
  }
  /// The place of a plan. Calls run one after the other, so calls of the same shape share one.
  std::size_t plan(MemoryResource& memory, const SeedForwardShape& shape) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (plans[i]->serves(shape, {})) return i;
    }
    plans.push_back(std::make_unique<Impl::ForwardPlan<ExecutionSpace>>(*instance, memory, shape,
                                                                        Impl::ForwardQueue{}, 0));
    return plans.size() - 1;
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
          sides.get<ExecutionSpace>().instance = Impl::instance_on(exec_space, stream);
        });
  }

  /// Waits for the last run, whose kernels use the layers and the plans.
  ~State() {
    try {
      wait();
    } catch (const std::exception& error) {
      context.log(LogLevel::warning, std::string("a sequence of seeds: ") + error.what());
    }
  }

  void wait() {
    Impl::with_instance(
        context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
          Arch::fence(sides.get<ExecutionSpace>().on(exec_space), "Kindred::SeedSequence::wait");
        });
  }

  bool is_current() const {
    for (const Call& call : calls) {
      if (call.revision != call.layer->revision()) return false;
    }
    return true;
  }

  template <class ExecutionSpace>
  void launch_all() {
    auto& side = sides.get<ExecutionSpace>();
    for (const Call& call : calls)
      call.layer->turn()->launch(*side.instance, stream,
                                 Impl::rows_at<ExecutionSpace>(call.x, call.of_x),
                                 Impl::rows_at<ExecutionSpace>(call.y, call.of_y), call.telemetry,
                                 *side.plans[call.plan], call.overlap);
  }

  void note_telemetry() {
    for (const Call& call : calls) {
      const Impl::SeedTurn seeds = call.layer->turn();
      if (seeds->telemetry.has(call.telemetry)) seeds->telemetry.fill(true, stream);
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
      const Impl::SeedTurn seeds = call.layer->turn();
      if (Arch::is_device<ExecutionSpace>) seeds->require_device();
      call.revision = call.layer->revision();
    }
    side.graph.capture(own, [this] { launch_all<ExecutionSpace>(); });
  }
};

SeedSequence::SeedSequence(Context& context, Space space, const std::optional<Stream>& stream) try {
  Impl::require_no_stream(stream, space);
  m_state = std::make_unique<State>(context, space, stream);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedSequence");
}
std::size_t SeedSequence::size() const noexcept { return m_state->calls.size(); }

void SeedSequence::add(SeedLayer& layer, const ConstArray& x, const Array& y, bool telemetry) try {
  State& state = *m_state;
  Impl::SeedLayerState& own = *layer.m_state;
  Impl::PassArguments arguments(x, layer.hidden());
  State::Call call;
  call.of_x = arguments.x();
  call.of_y = arguments.add_rows({"y", y}, Impl::PassArguments::Use::output, "x");
  const bool device = state.space == Space::cuda;
  KINDRED_THROW_IF(x.size() > 0 && x.on_device() != device,
                   "the sequence runs on " + std::string(to_string(state.space)) +
                       ", but the rows are elsewhere");
  static_cast<void>(arguments.space(state.context));
  KINDRED_THROW_IF(device && !layer.on_device(),
                   "the layer is not on the device that the sequence runs on");
  KINDRED_THROW_IF(!device && own.options.residency == Residency::device,
                   "the layer is only on a device, but the sequence runs on the host");
  call.layer = &own;
  call.x = static_cast<const std::byte*>(x.data());
  call.y = static_cast<std::byte*>(y.data());
  call.telemetry = telemetry ? SeedTelemetryUse::last : SeedTelemetryUse::none;
  call.overlap = Impl::overlap_of(state.calls, call);
  state.calls.reserve(state.calls.size() + 1);
  Impl::with_instance(
      state.context, state.space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        const Impl::SeedTurn seeds = own.turn();
        call.plan = state.sides.get<ExecutionSpace>().plan(
            state.context.memory(state.space),
            seeds->shape_of(arguments.rows(), call.of_x.element, call.telemetry));
        // So that changes of the layer wait for it.
        if (state.stream)
          call.pin = seeds->streams<ExecutionSpace>().pin(exec_space, *state.stream);
      });
  state.calls.push_back(std::move(call));
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedSequence::add");
}

void SeedSequence::run() try {
  State& state = *m_state;
  if (state.calls.empty()) return;
  Impl::CancelPoint().check();
  Impl::with_instance(state.context, state.space,
                      [&](const auto& exec_space) { state.run(exec_space); });
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedSequence::run");
}

void SeedSequence::wait() try { m_state->wait(); } catch (...) {
  Impl::rethrow_translated("Kindred::SeedSequence::wait");
}

}  // namespace Kindred
