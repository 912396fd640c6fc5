// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_SEED_LAYER_STATE_HPP
#define KINDRED_MATCHER_SEED_SEED_LAYER_STATE_HPP

#include "BlueprintCache.hpp"
#include "ForwardPlans.hpp"
#include "PassArguments.hpp"
#include "StateArrays.hpp"
#include "TelemetryRing.hpp"
#include "kit/Turn.hpp"

#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

// Who may change what of a layer: the call that is in turn, through the functions of `LayerSeeds`.
// Calls queue for the one `LayerSeeds` of a layer, so that no lock is held while kernels run. Other
// threads read only what never changes and what `SeedLayerState` publishes.

namespace Kindred::Impl {

/// What a layer keeps in one memory space.
template <class ExecutionSpace>
struct SeedSide {
  using memory_space = typename ExecutionSpace::memory_space;

  StateArrays<ExecutionSpace> state;
  BlueprintCache<ExecutionSpace> blueprints;
  ForwardPlans<ExecutionSpace> plans;
  Buffer<std::uint32_t, memory_space> winners;
  Buffer<SeedUpdate, memory_space> updates;
  /// Copies on a device of arrays that are on the host, by their place in the call.
  std::array<Buffer<std::byte, memory_space>, 4> staged;
};

class LayerSeeds;

/// The seeds of a layer, for the call in turn.
using SeedTurn = Turn<LayerSeeds>;

/// \brief A layer as all of its callers share it. Thread-safe.
class KINDRED_HIDDEN SeedLayerState {
 public:
  /// \throws as the constructor of `SeedLayer`
  SeedLayerState(Context& given, const SeedLayerOptions& requested);

  // What never changes.
  Context& context;
  const SeedLayerOptions options;
  const SeedChunks chunks;
  bool on_device() const noexcept { return m_on_device; }

  // What the call in turn publishes.
  std::uint64_t epoch() const noexcept { return m_epoch; }
  /// Incremented by every change, so that recorded calls of the layer are recorded again.
  std::uint64_t revision() const noexcept { return m_revision.load(std::memory_order_relaxed); }
  SeedState seeds() const { return copy_of(m_seeds); }
  BlueprintRegistry blueprints() const { return copy_of(m_blueprints); }
  std::string device_trouble() const { return copy_of(m_trouble); }

  SeedTurn turn() { return SeedTurn(m_calls); }
  /// Calls `change(seeds)` in turn; afterwards reports the changes that it returns, and returns
  /// them.
  template <class Change>
  std::vector<SeedEvent> changed(const Change& change) {
    std::vector<SeedEvent> events = change(*turn());
    if (options.on_transition)
      for (const SeedEvent& event : events)
        call_back([&] { options.on_transition(event.seed, event.change); });
    return events;
  }

 private:
  friend class LayerSeeds;
  template <class T>
  T copy_of(const T& published) const {
    Arch::require_usable_process();
    const std::lock_guard lock(m_publishing);
    return published;
  }

  bool m_on_device = false;
  /// Held while the members below it are changed, by the call in turn, or copied: never for a pass.
  mutable Mutex m_publishing;
  SeedState m_seeds;
  BlueprintRegistry m_blueprints;
  std::string m_trouble;
  std::atomic<std::uint64_t> m_epoch{0};
  std::atomic<std::uint64_t> m_revision{1};
  Turns<LayerSeeds> m_calls;
};

/// \brief The seeds of a layer with their mirror on a device, as the call in turn uses them. \see
/// SeedLayerState::turn
class KINDRED_HIDDEN LayerSeeds {
 public:
  using Schedules = std::vector<std::unique_ptr<GraftingSchedule>>;  ///< of grafting seeds

  CallHistory history;
  TelemetryRing telemetry;

  /// \throws SpaceUnavailable, OutOfMemory
  explicit LayerSeeds(SeedLayerState& layer);
  ~LayerSeeds();

  // --- what a call reads

  const SeedState& state() const noexcept { return m_layer.m_seeds; }
  const BlueprintRegistry& blueprints() const noexcept { return m_layer.m_blueprints; }
  const Schedules& schedules() const noexcept { return m_schedules; }
  SeedSituation situation(std::uint32_t seed) const {
    return {state().lifecycle[seed], state().epochs[seed], state().blueprint[seed],
            state().errors[seed]};
  }
  bool device_is_ready() const noexcept { return m_layer.on_device() && !m_trouble; }
  /// \throws the error of the device
  void require_device() const {
    if (m_trouble) std::rethrow_exception(m_trouble);
  }
  /// New schedules for the seeds of a state that are grafting.
  Schedules new_schedules(const SeedState& state) const;

  // --- changes; one that throws changes nothing (LayerSeeds.cpp)

  /// The seeds whose situation or schedule the updates of a call change.
  struct Touched {
    std::uint32_t seed = 0;
    SeedSituation before;
    SeedSituation after;
    AlphaSchedule schedule_before = AlphaSchedule::linear;
    AlphaSchedule schedule_after = AlphaSchedule::linear;
  };
  /// \brief Applies validated updates in all memory spaces. \param touched by them, by seed
  /// \return the lifecycle changes \throws OutOfMemory
  std::vector<SeedEvent> apply(std::span<const SeedUpdate> updates,
                               std::span<const Touched> touched);
  /// \brief Adopts another, validated state. \throws OutOfMemory
  void adopt(SeedState state, Schedules schedules);
  /// \brief Adopts other blueprints, with which the state is valid. \throws OutOfMemory
  void adopt(BlueprintRegistry blueprints);
  std::int32_t add_blueprint(std::string name, std::span<const float> weights);
  void replace_blueprint(std::int32_t id, std::span<const float> weights);
  void remove_blueprint(std::int32_t id);
  void set_schedule(std::uint32_t seed, std::unique_ptr<GraftingSchedule> schedule) noexcept {
    m_schedules[seed] = std::move(schedule);
  }
  void set_epoch(std::uint64_t epoch) noexcept { m_layer.m_epoch = epoch; }
  /// Counts an epoch and begins another one in the ring.
  void end_epoch();

  // --- passes

  /// The side of a space, of which a pass changes neither the state nor the blueprints.
  template <class ExecutionSpace>
  SeedSide<ExecutionSpace>& side() {
    return m_sides.get<ExecutionSpace>();
  }
  /// The instances on streams of callers, for which a change of the state waits.
  template <class ExecutionSpace>
  StreamInstances<ExecutionSpace>& streams() {
    return m_streams.get<ExecutionSpace>();
  }
  template <class ExecutionSpace>
  SeedLayerView<ExecutionSpace> view() {
    SeedLayerView<ExecutionSpace> out;
    out.chunks = m_layer.chunks;
    out.state = side<ExecutionSpace>().state.view(m_layer.m_seeds);
    out.weights = side<ExecutionSpace>().blueprints.view();
    return out;
  }
  SeedForwardShape shape_of(std::uint64_t rows, DataType element, SeedTelemetryUse use) const {
    return {m_layer.chunks, rows, element, telemetry.has(use) && m_layer.chunks.seeds > 0};
  }
  /// \brief One forward pass over rows that \p exec_space can access. Does not fence. \param
  /// overlap for a call that merges no telemetry
  template <class ExecutionSpace>
  void launch(const ExecutionSpace& exec_space, const std::optional<Stream>& stream,
              const SeedRows<const std::byte, ExecutionSpace>& x,
              const SeedRows<std::byte, ExecutionSpace>& y, SeedTelemetryUse use,
              const ForwardPlan<ExecutionSpace>& plan, SeedOverlap overlap = SeedOverlap::none) {
    telemetry.write(exec_space, stream, use, plan.shape.rows > 0, [&](const auto& moments) {
      seed_forward(exec_space, plan.plan, view<ExecutionSpace>(), plan.shape.rows, x, y, moments,
                   plan.workspace.view(), overlap);
    });
  }

 private:
  using Uses = std::vector<std::uint32_t>;  ///< per blueprint: number of seeds that apply it

  static Uses uses_of(const SeedState& state, std::size_t blueprints);
  static std::vector<std::int32_t> needed_of(const Uses& uses);
  template <class ExecutionSpace>
  void bind(const ExecutionSpace& exec_space, Space space, std::uint64_t blueprint_bytes);
  void serve_host(const Uses& uses);
  /// Changes what is published.
  template <class Change>
  void publish(const Change& change) {
    const std::lock_guard lock(m_layer.m_publishing);
    change();
  }
  /// Copies the whole state and the blueprints to the device.
  void sync_device();
  /// Calls `body(instance, side)` on the device, after every forward pass that was launched on it.
  /// Notes an exception as trouble. Fences.
  template <class Body>
  void on_the_device(const Body& body) {
    if (!m_layer.on_device()) return;
    try {
      with_instance(m_layer.context, Space::cuda,
                    [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                      streams<ExecutionSpace>().wait();
                      body(exec_space, side<ExecutionSpace>());
                      Arch::fence(exec_space, "Kindred::SeedLayer::device");
                    });
    } catch (const std::exception& error) {
      note_trouble(error.what());
    }
  }
  void note_trouble(const char* what) noexcept;

  SeedLayerState& m_layer;
  Arch::PerSpace<SeedSide> m_sides;
  Arch::PerSpace<StreamInstances> m_streams;
  Uses m_uses;
  Schedules m_schedules;
  std::exception_ptr m_trouble;  ///< error of the device; null: its mirror is up to date
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_SEED_LAYER_STATE_HPP
