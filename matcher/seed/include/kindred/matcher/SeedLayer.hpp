// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_LAYER_HPP
#define KINDRED_MATCHER_SEED_LAYER_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/core/seed/SeedTelemetry.hpp>
#include <kindred/core/seed/SeedUpdate.hpp>
#include <kindred/matcher/BlueprintRegistry.hpp>
#include <kindred/matcher/Residency.hpp>
#include <kindred/matcher/SeedSchedule.hpp>
#include <kindred/matcher/SeedState.hpp>
#include <kindred/matcher/SeedTransition.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace Impl {
class SeedLayerState;
}  // namespace Impl

struct SeedLayerOptions {
  std::uint32_t hidden = 0;  ///< features of a row, 1 … 2³¹
  std::uint32_t seeds = 0;  ///< ≤ 2³¹; their state must fit into the budget of the host. May exceed
                            ///< the number of features: the last seeds then own none
  std::uint32_t telemetry_epochs =
      8;  ///< epochs kept in the telemetry ring, ≤ 1048576; 0: no telemetry
  std::uint64_t blueprint_bytes =
      std::uint64_t{256}
      << 20U;  ///< device memory for weights; host memory grows with the weights in use
  Residency residency = Residency::automatic;
  TransitionRules rules = {};
  ScheduleSettings schedules = {};
  /// Called after every lifecycle change; may use any object, also the layer.
  std::function<void(std::uint32_t seed, SeedChange change)> on_transition = {};
};

/// Which telemetry a forward pass writes to the slot of the current epoch in the ring.
enum class SeedTelemetryUse : std::uint8_t {
  none,
  last,   ///< of this call only
  merged  ///< of this call and the earlier calls of the epoch; needs two more launches and waits
          ///< for the stream of the previous call if that is a different one
};

struct SeedForwardOptions {
  SeedTelemetryUse telemetry = SeedTelemetryUse::last;
  std::optional<Space> space = {};    ///< overrides the dispatcher's choice
  std::optional<Stream> stream = {};  ///< for rows on a device, must outlive the layer; none: the
                                      ///< context's stream
};

/// A lifecycle change that the layer made on its own.
struct SeedEvent {
  std::uint32_t seed = 0;
  SeedChange change;
  std::string why;
};

/// \brief A layer of seeds, each of which owns a slice of the hidden dimension and transforms it
/// according to its lifecycle. Equivalent to Kasmina's layer; docs/guide/seeds.md has the
/// definition.
///
/// The state is kept on the host, and mirrored on the device if the layer is resident there, so a
/// forward pass copies nothing. Results are bitwise identical for every space, number of threads
/// and stream. Thread-safe: calls are serialized, but `epoch`, `state`, `blueprints` and
/// `device_trouble` do not wait for a pass. Changes of the state wait for the forward passes
/// launched before. A call that throws changes nothing.
class SeedLayer {
 public:
  /// \brief Creates a layer of dormant seeds.
  /// \param context must outlive this object
  /// \throws InvalidArgument for hidden = 0 or any number or setting out of range;
  /// SpaceUnavailable; OutOfMemory
  SeedLayer(Context& context, const SeedLayerOptions& options);

  std::uint32_t hidden() const noexcept;
  std::uint32_t seeds() const noexcept;
  /// The first feature of \p seed; `hidden()` for a seed without features. \see SeedChunks
  std::uint32_t chunk_begin(std::uint32_t seed) const noexcept;
  /// Number of steps so far.
  std::uint64_t epoch() const noexcept;
  bool on_device() const noexcept;
  /// \brief Why the device cannot run a forward pass on device rows, for example because the
  /// blueprints in use exceed its cache; empty if it can.
  std::string device_trouble() const;

  /// \name Blueprints
  ///@{
  /// A copy of the registry. Complexity O(weights).
  BlueprintRegistry blueprints() const;
  /// \brief Adds a set of weights and returns its id; feature f uses weight f.
  /// \throws InvalidArgument as `BlueprintRegistry::add`, and for more weights than features
  std::int32_t add_blueprint(std::string name, std::span<const float> weights);
  /// \throws NotFound, InvalidArgument
  void replace_blueprint(std::int32_t id, std::span<const float> weights);
  /// \throws NotFound; InvalidArgument while a seed uses it
  void remove_blueprint(std::int32_t id);
  /// \brief Replaces all sets by those of a file.
  /// \throws as `BlueprintRegistry::load`; InvalidArgument if seeds use blueprints that the file
  /// does not provide
  void restore_blueprints(const std::string& path);
  ///@}

  /// \name State
  ///@{
  /// A copy of the state. Complexity O(seeds).
  SeedState state() const;
  /// \brief Replaces the state of all seeds. Schedules of grafting seeds restart.
  /// \throws InvalidArgument for arrays whose sizes differ, invalid values, another number of
  /// seeds, a blueprint that does not exist, or one too short for a chunk it is applied to;
  /// OutOfMemory
  void set_state(const SeedState& state);
  /// \brief Sets fields as `update_seeds` does: the last of several updates wins, and a change of
  /// the lifecycle resets its epochs to 0. The transition rules are not checked. Complexity
  /// O(updates).
  /// \throws InvalidArgument for an invalid seed, mask or code, alpha outside [0, 1] or NaN,
  /// negative epochs or errors, and blueprints as in `set_state`; OutOfMemory
  void update(std::span<const SeedUpdate> updates);
  /// \brief Requests the transition of \p seed to \p to; a refusal gives the reason and changes
  /// nothing. A graft starts with `alpha_min`; a seed that returns to dormant loses its blueprint,
  /// errors and alpha.
  /// \throws InvalidArgument for an invalid seed or state
  TransitionResult request(std::uint32_t seed, Lifecycle to, const SeedMetrics& metrics = {});
  /// \brief Germinates a dormant seed with a blueprint.
  /// \throws InvalidArgument, also as `update`
  TransitionResult germinate(std::uint32_t seed, std::int32_t blueprint,
                             ApplyMode mode = ApplyMode::linear,
                             AlphaSchedule schedule = AlphaSchedule::linear);
  /// \brief Counts an error of a seed's blueprint. When the count reaches `errors_max` of the
  /// rules, a seed between germinated and fossilized is culled, regardless of the transition table.
  /// Returns whether it was culled.
  bool report_error(std::uint32_t seed);
  /// \brief Ends an epoch: increments the epochs of every seed, advances the alpha of grafting
  /// seeds or rolls them back if their error rate is above the limit of the settings, and advances
  /// the telemetry ring.
  /// \param metrics apply to every seed
  /// \return the changes that the layer made, in order of the seeds
  /// \throws InvalidArgument if the number of weights differs from what a schedule has seen
  std::vector<SeedEvent> step(const SeedMetrics& metrics = {});
  /// \brief The same with separate metrics for each seed. \throws InvalidArgument for a wrong
  /// number of metrics
  std::vector<SeedEvent> step(std::span<const SeedMetrics> metrics);
  /// The internal state of a seed's schedule; no value for a seed that is not grafting.
  std::optional<std::vector<double>> schedule_state(std::uint32_t seed) const;
  /// \throws InvalidArgument for a seed that is not grafting, or numbers that are not a valid state
  /// of its schedule
  void set_schedule_state(std::uint32_t seed, std::span<const double> numbers);
  ///@}

  /// \name Calls
  ///@{
  /// \brief Forward pass: y = seeds applied to x (`seed_forward`). Of concurrent calls on several
  /// streams, only one may collect telemetry. If the rows are on the host, the call may run on any
  /// space and fences its instance. If they are on a device, the call is ordered by the stream and
  /// does not fence, unless the device fails and the host takes over. The first call of a shape
  /// allocates; later ones do not.
  /// \param x,y [rows, hidden] of float32, float16 or bfloat16, or the rows one after the other in
  /// one dimension; may be the same rows, with the same element type and stride; otherwise they
  /// must not overlap
  /// \throws InvalidArgument for other shapes or types, misaligned or overlapping rows, rows in
  /// different memories, and a stream or space that does not fit the memory; SpaceUnavailable;
  /// OutOfMemory
  DispatchRecord forward(const ConstArray& x, const Array& y,
                         const SeedForwardOptions& options = {});
  /// \brief Backward pass: the gradients with respect to x and the weights (`seed_backward`). Uses
  /// the current state, so call it before the state changes. Fences as `forward`.
  /// \param gradient the gradient with respect to y; has the shape and the element type of x
  /// \param dx likewise; may be the same rows as \p gradient
  /// \param dw float32 [hidden]: for the blueprint of the feature's seed; 0 where none is applied
  /// \throws as `forward`
  DispatchRecord backward(const ConstArray& x, const ConstArray& gradient, const Array& dx,
                          const Array& dw, const SeedForwardOptions& options = {});
  ///@}

  /// \name Telemetry
  ///@{
  /// Whether an epoch in the ring had a forward pass with telemetry. \param age 0 is the current
  /// epoch
  bool has_telemetry(std::uint32_t age = 0) const;
  /// \brief Starts the transfer of one epoch's telemetry to the host, after the work launched so
  /// far. Does not fence. Repeated calls share one transfer unless the epoch's telemetry has
  /// changed.
  /// \throws NotFound for an epoch that is not in the ring or had no forward pass
  void start_telemetry(std::uint32_t age = 0);
  /// \brief Telemetry of every seed in an epoch. Waits for the transfer, starting it if necessary.
  /// \throws as `start_telemetry`
  std::vector<SeedTelemetry> telemetry(std::uint32_t age = 0);
  struct Reduced {
    std::vector<SeedTelemetry> each;  ///< per seed
    SeedTelemetry whole;              ///< merged over all seeds
  };
  /// \brief Merges the telemetry of the last \p epochs epochs, including the current one, of \p
  /// count seeds starting at \p first. Fences.
  /// \throws InvalidArgument for epochs or seeds out of range
  Reduced reduce_telemetry(std::uint32_t epochs, std::uint32_t first, std::uint32_t count);
  ///@}

  /// \name Checkpoints
  ///@{
  /// \brief Atomically writes state, history, schedules and the names of the blueprints, but not
  /// their weights or the telemetry. \throws InvalidArgument for a path that cannot be written;
  /// Busy; Error
  void save(const std::string& path) const;
  /// \brief Restores the state from a checkpoint of a layer of the same shape. The settings and
  /// weights of the layer, which a checkpoint does not contain, stay as they are.
  /// \throws NotFound; CorruptFile; InvalidArgument for a different hidden size or number of seeds,
  /// or blueprints that the layer does not have under the same ids and names
  void restore(const std::string& path);
  ///@}

 private:
  friend class SeedSequence;
  Impl::OwnedState<Impl::SeedLayerState> m_state;
};

/// \brief Health of a seed, in 0 … 1: one half for the variance (up to 0.01), one half for the
/// share of elements that are not dead. Below `seed_health_min` a seed is unhealthy. 0 without
/// data.
double seed_health(const SeedTelemetry& telemetry) noexcept;
inline constexpr double seed_health_min = 0.7;

/// \brief A prepared sequence of forward passes, which use their rows in place with one launch
/// each; on a device, the whole sequence is one driver call. A run allocates and copies nothing. On
/// a device a pass may start while the previous one finishes, if their rows allow it.
///
/// The telemetry mode is `last`. After a change of a layer, the next run records the sequence
/// again. Not thread-safe, and the layers must not change during a call; other forward passes and
/// telemetry calls on the layers may run concurrently.
class SeedSequence {
 public:
  /// \param context must outlive this object
  /// \param space where the rows are stored: cuda, serial or openmp
  /// \param stream as in `SeedForwardOptions`
  /// \throws SpaceUnavailable
  SeedSequence(Context& context, Space space, const std::optional<Stream>& stream = {});

  /// \brief Appends a forward pass. Complexity O(calls).
  /// \param layer must outlive this object, as must the elements of x and y; it may be moved, but
  /// not be assigned to \throws as `SeedLayer::forward`
  void add(SeedLayer& layer, const ConstArray& x, const Array& y, bool telemetry = true);
  std::size_t size() const noexcept;

  /// \brief Runs the sequence. Fences only the first time and after a change of a layer. \throws
  /// OutOfMemory if a layer's blueprints do not fit; DeviceLost
  void run();
  /// Waits for the last run. Fences the instance.
  void wait();

 private:
  struct State;
  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEED_LAYER_HPP
