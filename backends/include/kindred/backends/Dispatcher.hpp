// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_DISPATCHER_HPP
#define KINDRED_BACKENDS_DISPATCHER_HPP

#include <kindred/backends/DispatchRecord.hpp>
#include <kindred/backends/Operation.hpp>
#include <kindred/backends/Space.hpp>
#include <kindred/backends/Workload.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief Chooses the space of a call by its predicted time: `starts × start cost + transfer +
/// overhead + work / rate`, per size class.
///
/// Size classes are powers of two of `Workload::work`. Predictions start from the priors of the
/// operations (\ref OperationPrior), which a calibration replaces. `openmp` has separate costs for
/// teams of 2, 4, 8, … and all threads; a call gets the fastest team.
///
/// Observed times correct the predictions: per operation, space and size class, by the median ratio
/// of measured to predicted time over the last calls. One outlier changes nothing; three calls that
/// agree do. First calls of a size are ignored. One exception: a call on `openmp` that takes
/// several times as long as predicted means that other programs occupy the processors; the next
/// call uses another space, and frequent probes bring `openmp` back soon.
///
/// Hysteresis prevents flipping between spaces: a switch requires a predicted time lower by a
/// tenth. Timed probes re-measure spaces that are not chosen, if they are predicted to take at most
/// four times the best time and to lose at most 5 % of the time that calls have taken since the
/// last probe. A circuit breaker avoids a space of whose calls in the window at least two, and more
/// than 5 %, failed. Thread-safe. A decision takes < 1 µs and allocates nothing.
class Dispatcher {
 public:
  struct Options {
    /// Observations behind a median cost, and outcomes behind a success rate.
    std::size_t window = 100;
    /// Between probes of a space that is not chosen, per operation and size class.
    std::chrono::milliseconds probe_interval{5000};
    /// Maximum predicted loss of a probe in seconds.
    double probe_loss_max = std::numeric_limits<double>::infinity();
    /// An open breaker lets one call through after this time.
    std::chrono::milliseconds breaker_interval{10000};
    /// Runs everything on this space; unset: the dispatcher chooses.
    std::optional<Space> forced = {};
    /// Calls of fewer items stay on the host, whatever is predicted.
    std::optional<std::uint64_t> device_items_min = {};
    std::optional<std::uint64_t> device_items_from = {};  ///< calls of at least this many items go
                                                          ///< to the device if it can run them
    /// Bytes of device memory left for calls; set by the context.
    std::function<std::uint64_t()> device_memory_left = {};
    /// For tests; empty: the steady clock.
    std::function<std::chrono::steady_clock::time_point()> clock = {};
    std::string machine = {};  ///< identifies the machine of the calibration; set by the context
  };

  /// Time lost by choices so far, Σ max(0, taken − best predicted), and the total time taken.
  struct Regret {
    double seconds = 0;
    double taken = 0;
    std::uint64_t decisions = 0;
  };

  /// \param usable the spaces of this machine
  /// \param threads number of threads of `openmp`, for the priors
  /// \param options see \ref Options
  Dispatcher(SpaceSet usable, int threads, Options options);

  /// \brief Chooses a space for \p workload; `taken` is still 0 in the result.
  /// \param workload the call to run
  /// \param forced overrides `Options::forced` for this call
  /// \throws SpaceUnavailable if the forced space is not usable or cannot access the data, or if no
  /// space can
  /// \throws InvalidArgument for a workload without an operation, or for more than \ref
  /// operations_max operations
  DispatchRecord decide(const Workload& workload, std::optional<Space> forced = {});
  /// The next best space when those in \p failed have failed; empty if there is none. \see
  /// Reason::fallback
  std::optional<DispatchRecord> decide_without(const Workload& workload, SpaceSet failed);
  /// Records the time of a successful call.
  void observe(const DispatchRecord& record) noexcept;
  /// Records a successful call without a usable time (`Workload::waits` is false).
  void observe_success(Operation operation, Space space) noexcept;
  /// Records that a call failed on a space.
  void observe_failure(Operation operation, Space space) noexcept;

  /// Predicted seconds; NaN for a space that cannot run the workload.
  std::array<double, space_count> predict(const Workload& workload) const;
  /// Whether the circuit breaker currently keeps calls of \p operation off \p space.
  bool breaker_open(Operation operation, Space space) const;
  Regret regret() const;
  /// \brief Adds operations, so that their first calls allocate nothing. Engines do so in their
  /// constructors; any other operation is added by the first call that names it.
  /// \throws InvalidArgument for an operation without a name, or beyond \ref operations_max
  void register_operations(std::initializer_list<Operation> operations);
  /// The operations named by calls and calibrations so far, in the order of their first use.
  std::vector<Operation> operations() const;
  SpaceSet usable() const noexcept;

  /// \brief Replaces the priors by a measured point.
  /// \param operation the operation that was measured
  /// \param space where it was measured
  /// \param work amount of work, in the unit of `Workload::work`
  /// \param seconds duration without transfers and start costs
  /// \param threads size of the `openmp` team that was measured (\ref team_sizes); 0: all threads
  /// \throws InvalidArgument for a space that is not usable, a team size that does not exist, or a
  /// number out of range
  void calibrate(Operation operation, Space space, double work, double seconds, int threads = 0);
  /// \brief Sets the fixed cost in seconds of one parallel region or kernel on \p space.
  /// \param space where it was measured
  /// \param seconds start cost
  /// \param threads as of \ref calibrate
  /// \throws InvalidArgument as \ref calibrate
  void calibrate_start(Space space, double seconds, int threads = 0);
  double start_seconds(Space space, int threads = 0) const noexcept;
  /// The team sizes that a call on `openmp` can get: 2, 4, 8, … and all threads.
  std::span<const int> team_sizes() const noexcept;
  /// \brief Fixes the team of calls on `openmp`, for measurements.
  /// \param threads rounded up to the size of a team; 0: the team predicted to be fastest
  /// \throws InvalidArgument if negative or greater than the number of threads
  void force_threads(int threads);
  /// \brief Sets the bandwidth (bytes per second) and latency (seconds) of copies to the device.
  /// \throws InvalidArgument for numbers out of range
  void calibrate_transfer(double bytes_per_second, double latency_seconds);
  /// Best batch size for lists of arrays on a device, in bytes: measured, otherwise 64 MiB.
  std::uint64_t batch_bytes(Operation operation) const;
  /// Sets \ref batch_bytes. \throws InvalidArgument for 0
  void calibrate_batch(Operation operation, std::uint64_t bytes);
  /// Whether a calibration was loaded or measured.
  bool calibrated() const;
  /// The smallest power of two of work from which on \p space is always predicted to be faster than
  /// every space that precedes it in `Space`; 0 if there is none.
  double crossover(Operation operation, Space space) const;
  /// The calibration of this machine as JSON text.
  std::string profile_json() const;
  /// \brief Loads the calibration of this machine (`Options::machine`) from \p text.
  ///
  /// Costs of operations that no call has named yet are kept until one does.
  /// \throws InvalidArgument with the reason, NotFound if it holds calibrations of other machines
  /// only; the dispatcher is then unchanged
  void load_profile_json(std::string_view text);

 private:
  struct State;
  Impl::HostState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_DISPATCHER_HPP
