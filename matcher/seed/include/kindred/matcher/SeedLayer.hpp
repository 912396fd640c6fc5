// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_LAYER_HPP
#define KINDRED_MATCHER_SEED_LAYER_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/seed/SeedTelemetry.hpp>
#include <kindred/core/seed/SeedUpdate.hpp>
#include <kindred/core/vector/VectorElement.hpp>
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

namespace Kindred {

struct SeedLayerOptions {
  std::uint32_t hidden = 0;            ///< features of a row, ≥ 1
  std::uint32_t seeds = 0;             ///< more than features are legal: the last ones own none
  std::uint32_t telemetry_epochs = 8;  ///< that the ring keeps, ≤ 1048576; 0: no telemetry
  std::uint64_t blueprint_bytes = std::uint64_t{256} << 20U;  ///< of a device for weights; the
                                                              ///< host's grow with those in use
  Residency residency = Residency::automatic;
  TransitionRules rules;
  ScheduleSettings schedules;
  /// Told of every change of a lifecycle after it happened; may call the layer.
  std::function<void(std::uint32_t seed, SeedChange change)> on_transition;
};

/// Where rows lie.
enum class SeedMemory : std::uint8_t { host, device };

/// Which telemetry a forward leaves in the ring, in the place of the epoch under way.
enum class SeedTelemetryUse : std::uint8_t {
  none,
  last,   ///< that of this call
  merged  ///< of this call and those of the epoch before it: two launches more; waits for the
          ///< stream of the one before, if it is another
};

/// \brief The rows of a call.
struct SeedBatch {
  std::uint64_t rows = 0;
  VectorElement input = VectorElement::float32;   ///< of x; not int8
  VectorElement output = VectorElement::float32;  ///< of y; not int8
  std::uint64_t input_stride = 0;        ///< elements from row to row, ≥ hidden; 0: hidden
  std::uint64_t output_stride = 0;       ///< the same of y
  SeedMemory memory = SeedMemory::host;  ///< of x and y
};

struct SeedForwardOptions {
  SeedTelemetryUse telemetry = SeedTelemetryUse::last;
  std::optional<Space> space;  ///< runs there instead of where the dispatcher would
  void* stream = nullptr;      ///< a cudaStream_t for rows on a device, which outlives the layer;
                               ///< null: the context's own
};

/// A change that the layer made by itself.
struct SeedEvent {
  std::uint32_t seed = 0;
  SeedChange change;
  std::string why;
};

/// \brief Seeds that each own a slice of the hidden dimension and change it as their lifecycle
/// says. Answers Kasmina's layer; docs/guide/seeds.md has the meaning.
///
/// The state is on the host, and beside it on a device where the layer is resident there, so that a
/// forward copies nothing. Every space, thread count and stream gives the same bits. Thread-safe:
/// calls enter one after the other. Changes of the state wait for the forwards that the layer
/// launched before. A call that fails changes nothing.
class SeedLayer {
 public:
  /// \brief All seeds are dormant. \param context outlives this \throws InvalidArgument for hidden
  /// = 0, numbers or settings out of range; SpaceUnavailable; OutOfMemory
  SeedLayer(Context& context, const SeedLayerOptions& options);
  ~SeedLayer();
  SeedLayer(SeedLayer&&) noexcept;
  SeedLayer& operator=(SeedLayer&&) noexcept;

  std::uint32_t hidden() const noexcept;
  std::uint32_t seeds() const noexcept;
  /// The first feature of \p seed; `hidden()` of one beyond the last. \see SeedChunks
  std::uint32_t chunk_begin(std::uint32_t seed) const noexcept;
  /// Steps so far.
  std::uint64_t epoch() const noexcept;
  bool on_device() const noexcept;
  /// \brief What a forward on rows of a device waits for: nothing, or why the device cannot run
  /// one, such as blueprints in use that its cache has no room for.
  std::string device_trouble() const;

  /// \name Blueprints
  ///@{
  /// A copy. Complexity O(weights).
  BlueprintRegistry blueprints() const;
  /// \brief A new set of weights; feature f takes weight f. Returns its id.
  /// \throws InvalidArgument as `BlueprintRegistry::add`, and for more weights than features
  std::int32_t add_blueprint(std::string name, std::span<const float> weights);
  /// \throws NotFound, InvalidArgument
  void replace_blueprint(std::int32_t id, std::span<const float> weights);
  /// \throws NotFound; InvalidArgument while a seed has it
  void remove_blueprint(std::int32_t id);
  /// \throws as `BlueprintRegistry::save`
  void save_blueprints(const std::string& path) const;
  /// \brief The sets of a file in place of those that are there. \throws as
  /// `BlueprintRegistry::load`; InvalidArgument where seeds have blueprints that it does not serve
  void load_blueprints(const std::string& path);
  ///@}

  /// \name State
  ///@{
  /// A copy. Complexity O(seeds).
  SeedState state() const;
  /// \brief Other seeds' state. Schedules of grafting seeds begin anew.
  /// \throws InvalidArgument for what `check_state` refuses, another number of seeds, a blueprint
  /// that is none, or does not reach the end of a chunk it is applied to; OutOfMemory
  void set_state(const SeedState& state);
  /// \brief Sets fields as `update_seeds` does: the last of several wins, a lifecycle that becomes
  /// another one begins with 0 epochs. Asks no table. Complexity O(updates).
  /// \throws InvalidArgument for a seed that is none, a mask or code that is none, alpha outside
  /// [0, 1] or NaN, negative epochs or errors, and blueprints as `set_state`; OutOfMemory
  void update(std::span<const SeedUpdate> updates);
  /// \brief Asks that \p seed goes to \p to; a refusal says why and changes nothing. A graft begins
  /// with the least alpha of the settings; a seed that is dormant again has no blueprint, errors or
  /// alpha. \throws InvalidArgument for what is no seed or state
  TransitionResult request(std::uint32_t seed, Lifecycle to, const SeedMetrics& metrics = {});
  /// \brief Germinates a dormant seed with a blueprint. \throws InvalidArgument, as `update` too
  TransitionResult germinate(std::uint32_t seed, std::int32_t blueprint,
                             ApplyMode mode = ApplyMode::linear,
                             AlphaSchedule schedule = AlphaSchedule::linear);
  /// \brief Counts an error of a seed's blueprint. The one that makes `errors_max` of the rules
  /// culls a seed that is germinated to fossilized, whatever the table says. Returns whether it
  /// did.
  bool report_error(std::uint32_t seed);
  /// \brief Ends an epoch: every seed is one epoch longer in its state, grafting seeds take their
  /// next alpha or, above the error rate of the settings, are rolled back, and the ring goes on.
  /// \param metrics of every seed \return what changed by itself, by seed
  /// \throws InvalidArgument for weights of another number than a schedule has seen
  std::vector<SeedEvent> step(const SeedMetrics& metrics = {});
  /// \brief The same with the metrics of each seed. \throws InvalidArgument for another number
  std::vector<SeedEvent> step(std::span<const SeedMetrics> metrics);
  /// What the schedule of a seed knows; nothing for one that is not grafting.
  std::optional<std::vector<double>> schedule_state(std::uint32_t seed) const;
  /// \throws InvalidArgument for a seed that is not grafting and numbers that no such schedule has
  void set_schedule_state(std::uint32_t seed, std::span<const double> numbers);
  ///@}

  /// \name Calls
  ///@{
  /// \brief y = what the seeds make of x (`seed_forward`). Of calls on several streams at once, one
  /// may have telemetry. Rows on the host: any space; fences the
  /// instance. Rows on a device: in the order of the stream; does not fence, unless the device
  /// fails and the host does it. The first call of a shape allocates; later ones do not.
  /// \param x,y may be the same rows, of the same element and stride; else they do not overlap
  /// \throws InvalidArgument for sizes that are not rows of `hidden` features, a stride below that,
  /// int8, data not aligned to its elements, overlapping rows; SpaceUnavailable; OutOfMemory
  DispatchRecord forward(std::span<const std::byte> x, std::span<std::byte> y,
                         const SeedBatch& batch, const SeedForwardOptions& options = {});
  /// Of float32 rows on the host.
  DispatchRecord forward(std::span<const float> x, std::span<float> y,
                         const SeedForwardOptions& options = {});
  /// \brief The gradients for x and the weights (`seed_backward`). Takes the state as it is: call
  /// it before that changes. Fences as `forward`.
  /// \param gradient of y: of the element of x, laid out as y \param dx laid out as x; may be
  /// \p gradient where that is laid out so, too
  /// \param dw one a feature: of the blueprint of the feature's seed, 0 where none is applied;
  /// where the rows lie \throws as `forward`
  DispatchRecord backward(std::span<const std::byte> x, std::span<const std::byte> gradient,
                          std::span<std::byte> dx, std::span<float> dw, const SeedBatch& batch,
                          const SeedForwardOptions& options = {});
  ///@}

  /// \name Telemetry
  ///@{
  /// Whether an epoch of the ring had a forward with telemetry. \param age 0: the one under way
  bool has_telemetry(std::uint32_t age = 0) const;
  /// \brief Starts the transfer of one epoch's telemetry to the host, behind what was launched.
  /// Does not fence. One transfer an epoch and change of it: asked again, the same is waited for.
  /// \throws NotFound for an epoch that the ring does not have, or that had no forward
  void start_telemetry(std::uint32_t age = 0);
  /// \brief Telemetry of every seed in an epoch. Waits for the transfer, which it starts if nobody
  /// did. \throws as `start_telemetry`
  std::vector<SeedTelemetry> telemetry(std::uint32_t age = 0);
  struct Reduced {
    std::vector<SeedTelemetry> each;  ///< a seed
    SeedTelemetry whole;              ///< of all of them
  };
  /// \brief Merges the last \p epochs epochs, the one under way among them, of \p count seeds from
  /// \p first on. Fences. \throws InvalidArgument for what the ring or the layer does not have
  Reduced reduce_telemetry(std::uint32_t epochs, std::uint32_t first, std::uint32_t count);
  ///@}

  /// \name Checkpoints
  ///@{
  /// \brief Writes state, history, schedules and the names of the blueprints, not their weights or
  /// the ring. \throws InvalidArgument where no file can be written; Busy; Error
  void save(const std::string& path) const;
  /// \brief Takes the state of a checkpoint of such a layer.
  /// \throws NotFound; CorruptFile; InvalidArgument for another hidden size or number of seeds, and
  /// for blueprints that the layer does not have under their ids and names
  void restore(const std::string& path);
  ///@}

  struct State;
  /// For the library's own prepared calls.
  State& internal() const noexcept { return *m_state; }

 private:
  std::unique_ptr<State> m_state;
};

/// \brief How well a seed does, in 0 … 1: half for variance up to 0.01, half for elements that are
/// not dead; below `seed_health_min` is unhealthy. Nothing seen is 0.
double seed_health(const SeedTelemetry& telemetry) noexcept;
inline constexpr double seed_health_min = 0.7;

/// \brief Forwards of layers, prepared: calls of layers in a row, their rows where they are, made
/// with one launch each and on a device all by one call to its driver. Nothing is allocated or
/// copied. A device starts a call while the one before it ends, where their rows allow it.
///
/// The telemetry of a call is `last`. After a change of a layer the next run takes it up: it is
/// then recorded anew. One thread at a time uses a sequence, and none changes its layers meanwhile;
/// forwards and telemetry of the layers may be asked for beside it.
class SeedSequence {
 public:
  /// \param context outlives this \param space where the rows lie: cuda, serial or openmp
  /// \param stream as in `SeedForwardOptions` \throws SpaceUnavailable
  SeedSequence(Context& context, Space space, void* stream = nullptr);
  ~SeedSequence();
  SeedSequence(SeedSequence&&) noexcept;
  SeedSequence& operator=(SeedSequence&&) noexcept;

  /// \brief One more forward at the end. O(calls). \param layer outlives this, as x and y do
  /// \throws as `SeedLayer::forward`
  void add(SeedLayer& layer, std::span<const std::byte> x, std::span<std::byte> y,
           const SeedBatch& batch, bool telemetry = true);
  std::size_t size() const noexcept;

  /// \brief Runs all of it. Does not fence, but the first time and after a change of a layer.
  /// \throws OutOfMemory where a layer's blueprints have no room; DeviceLost
  void run();
  /// Waits for what was run. Fences the instance.
  void wait();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEED_LAYER_HPP
