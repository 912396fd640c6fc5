// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_SEED_LAYER_STATE_HPP
#define KINDRED_MATCHER_SEED_SEED_LAYER_STATE_HPP

#include "BlueprintCache.hpp"
#include "ForwardPlans.hpp"
#include "MomentsRing.hpp"
#include "StateArrays.hpp"
#include "StreamInstances.hpp"

#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/matcher/SeedLayer.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The state of a layer in one memory space.
template <class ExecutionSpace>
struct SeedSide {
  using memory_space = typename ExecutionSpace::memory_space;

  StateArrays<ExecutionSpace> state;
  BlueprintCache<ExecutionSpace> blueprints;
  MomentsRing<ExecutionSpace> ring;
  ForwardPlans<ExecutionSpace> plans;
  Buffer<std::uint32_t, memory_space> winners;
  Buffer<SeedUpdate, memory_space> updates;
  Buffer<std::byte, memory_space> rows_in;   ///< device copy of input rows that are on the host
  Buffer<std::byte, memory_space> rows_out;  ///< likewise for output rows
  Buffer<float, memory_space> weight_gradient;
  StreamInstances<ExecutionSpace> streams;  ///< a change of the state waits for them
};

/// Number of bytes from the start of the first row to the end of the last.
constexpr std::uint64_t rows_bytes(std::uint64_t rows, std::uint64_t hidden, std::uint64_t stride,
                                   DataType element) {
  return rows == 0 ? 0 : ((rows - 1) * stride + hidden) * size_of(element);
}

/// \brief \p batch with its strides filled in. \throws InvalidArgument for sizes that do not match
/// the rows, for int8 and for strides below \p hidden
SeedBatch checked_batch(std::uint32_t hidden, std::size_t x_bytes, std::size_t y_bytes,
                        const SeedBatch& batch);
/// \brief Checks that two arrays do not overlap, or are the same. \throws InvalidArgument
void check_overlap(const char* a_name, const void* a, std::uint64_t a_bytes, const char* b_name,
                   const void* b, std::uint64_t b_bytes, bool may_be_same);

}  // namespace Kindred::Impl

namespace Kindred {

struct KINDRED_HIDDEN SeedLayer::State {
  State(Context& given, const SeedLayerOptions& options);
  ~State();

  Context& context;
  CallHistory history;
  SeedLayerOptions options;
  SeedChunks chunks;
  mutable Impl::TimedMutex mutex;  ///< held by a call; locked by `Impl::engine_lock`
  /// Held, after \ref mutex, while `seeds`, `blueprints` or `trouble_text` changes: those who only
  /// read them do not wait for a call.
  mutable Impl::Mutex reading;

  // The state of the layer; its first part is mirrored on a device.
  SeedState seeds;
  BlueprintRegistry blueprints;
  std::vector<std::uint32_t> uses;  ///< per blueprint: number of seeds that apply it
  std::vector<std::unique_ptr<GraftingSchedule>> schedules;  ///< of grafting seeds
  std::atomic<std::uint64_t> epoch{0};

  Arch::PerSpace<Impl::SeedSide> sides;
  bool on_device = false;
  std::exception_ptr trouble;  ///< error of the device; null: its mirror is up to date
  std::string trouble_text;
  /// Incremented by every change, so that recorded calls of the layer are recorded again.
  std::atomic<std::uint64_t> revision{1};

  /// Keeps what \ref reading protects from changing.
  std::unique_lock<Impl::Mutex> read() const {
    Arch::require_usable_process();
    return std::unique_lock(reading);
  }

  // --- the ring (SeedTelemetry.cpp)

  struct Slot {
    bool filled = false;
    bool on_device = false;             ///< whether it was filled on the device
    std::optional<Stream> stream = {};  ///< stream on which it was filled
    std::uint64_t filling = 0;          ///< sequence number of the filling
  };
  struct Transfer {
    explicit Transfer(MemoryResource& pinned)
        : moments(pinned, "Kindred::SeedLayer::telemetry_host") {}

    std::uint32_t slot = 0;
    std::uint64_t filling = 0;  ///< filling that is transferred; 0: none
    std::optional<Stream> stream;
    Impl::PinnedArray<SeedMoments> moments;
  };
  std::vector<Slot> slots;  ///< one more than epochs: the next one is the workspace of a merge
  std::uint32_t head = 0;
  std::uint64_t fillings = 0;
  std::array<Transfer, 2> transfers;
  std::size_t next_transfer = 0;

  std::uint32_t next_slot() const { return (head + 1) % static_cast<std::uint32_t>(slots.size()); }
  /// \throws NotFound
  std::uint32_t slot_of(std::uint32_t age) const;
  void fill(bool device, const std::optional<Stream>& stream) {
    slots[head] = {true, device, stream, ++fillings};
  }
  /// Moves a slot to the host or to the device. Fences.
  void move_slot(std::uint32_t slot, bool to_device);
  Transfer& start_transfer(std::uint32_t slot);
  void advance_ring();

  // --- state (SeedChanges.cpp)

  /// The seeds whose situation or schedule the updates of a call change.
  struct Touched {
    std::uint32_t seed = 0;
    SeedSituation before;
    SeedSituation after;
    AlphaSchedule schedule_before = AlphaSchedule::linear;
    AlphaSchedule schedule_after = AlphaSchedule::linear;
  };
  using TouchedSeeds = std::vector<Touched>;  ///< by seed

  SeedSituation situation(std::uint32_t seed) const;
  /// \throws InvalidArgument for an invalid seed
  void check_seed(std::uint32_t seed) const;
  /// Returns why \p seed cannot apply \p blueprint; empty if it can.
  std::string blueprint_fault(std::uint32_t seed, std::int32_t blueprint,
                              const BlueprintRegistry& registry) const;
  /// Whether \p update alone would change the situation of its seed, or its schedule.
  bool touches(const SeedUpdate& update) const;
  /// Validates updates. \throws InvalidArgument for invalid updates
  TouchedSeeds check_updates(std::span<const SeedUpdate> updates) const;
  /// \throws InvalidArgument for a seed that cannot apply its blueprint
  void check_blueprints(const SeedState& state, const BlueprintRegistry& registry) const;
  /// \brief Applies validated updates in all memory spaces and returns the lifecycle changes.
  /// \throws OutOfMemory; nothing is then changed
  std::vector<SeedEvent> apply(std::span<const SeedUpdate> updates, const TouchedSeeds& touched);
  /// Validates and applies updates. \throws as `check_updates` and `apply`
  std::vector<SeedEvent> make(std::span<const SeedUpdate> updates);
  /// The results of a step other than updates.
  struct Advance {
    std::vector<std::pair<std::uint32_t, std::unique_ptr<GraftingSchedule>>> schedules;
    std::map<std::uint32_t, std::string> reasons;
  };
  /// The update of a seed by a step.
  SeedUpdate next_of(std::uint32_t seed, const SeedMetrics& metrics, Advance& advance) const;
  std::vector<SeedEvent> step(const std::function<const SeedMetrics&(std::uint32_t)>& metrics_of);
  /// Adopts another, validated state with its blueprints. \throws OutOfMemory; nothing is then
  /// changed
  void take(SeedState state, BlueprintRegistry registry);
  /// New schedules for the seeds that are grafting.
  std::vector<std::unique_ptr<GraftingSchedule>> new_schedules(const SeedState& state) const;
  std::vector<std::uint32_t> uses_of(const SeedState& state) const;
  static std::vector<std::int32_t> needed_of(const std::vector<std::uint32_t>& uses);
  void notify(const std::vector<SeedEvent>& events) const;

  // --- the device (SeedLayer.cpp)

  void serve_host(const BlueprintRegistry& registry, const std::vector<std::uint32_t>& of);
  /// Copies the whole state and the blueprints to the device.
  void sync_device();
  /// Calls `body(instance, side)` on the device, after every forward pass that was launched on it.
  /// Records an exception as `trouble`. Fences.
  template <class Body>
  void on_the_device(const Body& body) {
    if (!on_device) return;
    try {
      Impl::with_instance(context, Space::cuda,
                          [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                            auto& side = sides.get<ExecutionSpace>();
                            side.streams.wait();
                            body(exec_space, side);
                            Arch::fence(exec_space, "Kindred::SeedLayer::device");
                          });
    } catch (const std::exception& error) {
      note_trouble(error.what());
    }
  }
  void note_trouble(const char* what) noexcept;

  // --- passes (SeedPasses.cpp)

  template <class ExecutionSpace>
  SeedLayerView<ExecutionSpace> view() {
    auto& side = sides.get<ExecutionSpace>();
    SeedLayerView<ExecutionSpace> out;
    out.chunks = chunks;
    out.state = side.state.view(seeds);
    out.weights = side.blueprints.view();
    return out;
  }
  bool has_telemetry(SeedTelemetryUse use) const {
    return use != SeedTelemetryUse::none && !slots.empty();
  }
  SeedForwardShape shape_of(const SeedBatch& batch, bool telemetry) const {
    SeedForwardShape shape;
    shape.chunks = chunks;
    shape.rows = batch.rows;
    shape.input = batch.input;
    shape.telemetry = telemetry && chunks.seeds > 0;
    return shape;
  }
  /// \brief One forward pass over rows that \p exec_space can access. Does not fence. \param
  /// overlap for a call that merges no telemetry
  template <class ExecutionSpace>
  void launch(const ExecutionSpace& exec_space, const std::optional<Stream>& stream,
              const std::byte* x, std::byte* y, const SeedBatch& batch, SeedTelemetryUse telemetry,
              const Impl::ForwardPlan<ExecutionSpace>& plan,
              SeedOverlap overlap = SeedOverlap::none) {
    using Moments = ArrayView<SeedMoments, ExecutionSpace>;
    auto& side = sides.get<ExecutionSpace>();
    constexpr bool device = Arch::is_device<ExecutionSpace>;
    if (batch.rows == 0) {
      if (has_telemetry(telemetry) && telemetry == SeedTelemetryUse::last)
        side.ring.clear(exec_space, head);
      if (has_telemetry(telemetry)) fill(device, stream);
      return;
    }
    Moments moments;
    bool merges = false;
    if (plan.shape.telemetry) {
      merges = telemetry == SeedTelemetryUse::merged && slots[head].filled;
      if (merges && slots[head].on_device != device) move_slot(head, device);
      if (merges && slots[head].stream != stream)
        Arch::fence(side.streams.on(exec_space, slots[head].stream), "Kindred::SeedLayer::merge");
      moments = side.ring.slot(merges ? next_slot() : head);
    }
    SeedRows<const std::byte, ExecutionSpace> in;
    in.bytes = ArrayView<const std::byte, ExecutionSpace>(
        x, Impl::rows_bytes(batch.rows, chunks.hidden, batch.input_stride, batch.input));
    in.element = batch.input;
    in.stride = batch.input_stride;
    SeedRows<std::byte, ExecutionSpace> out;
    out.bytes = ArrayView<std::byte, ExecutionSpace>(
        y, Impl::rows_bytes(batch.rows, chunks.hidden, batch.output_stride, batch.output));
    out.element = batch.output;
    out.stride = batch.output_stride;
    seed_forward(exec_space, plan.plan, view<ExecutionSpace>(), batch.rows, in, out, moments,
                 plan.workspace.view(), overlap);
    if (merges) side.ring.reduce(exec_space, head, 2, 0, chunks.seeds, side.ring.slot(head));
    if (has_telemetry(telemetry)) fill(device, stream);
  }
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEED_SEED_LAYER_STATE_HPP
