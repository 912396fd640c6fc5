// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_DISPATCHER_HPP
#define KINDRED_BACKENDS_DISPATCHER_HPP

#include <kindred/backends/Space.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace Kindred {

/// What can be dispatched. The three ways of an exact search are operations of their own: they are
/// chosen by what they are predicted to take.
enum class Operation : std::uint8_t {
  lcs,
  difflib,
  search,
  search_quantized,
  search_gemm,
  score,
  spread,
  seeds,
  lattice_build,
  lattice_search,
  transform,
  element_wise,
  reduction,
  random_generation,
  matrix_multiply,
  matrix_add
};
inline constexpr std::size_t operation_count = 16;
std::string_view to_string(Operation operation) noexcept;
/// The operation of that name, or nothing.
std::optional<Operation> operation_from_string(std::string_view name) noexcept;

/// A set of spaces.
class SpaceSet {
 public:
  constexpr SpaceSet() = default;
  static constexpr SpaceSet all() noexcept { return SpaceSet(0x7); }
  static constexpr SpaceSet host() noexcept { return SpaceSet(0x3); }
  constexpr bool contains(Space space) const noexcept {
    return (m_bits >> static_cast<unsigned>(space) & 1U) != 0;
  }
  constexpr SpaceSet with(Space space) const noexcept {
    return SpaceSet(m_bits | 1U << static_cast<unsigned>(space));
  }
  constexpr SpaceSet without(Space space) const noexcept {
    return SpaceSet(m_bits & ~(1U << static_cast<unsigned>(space)));
  }
  constexpr SpaceSet operator&(SpaceSet other) const noexcept {
    return SpaceSet(m_bits & other.m_bits);
  }
  constexpr bool empty() const noexcept { return m_bits == 0; }

 private:
  explicit constexpr SpaceSet(unsigned bits) : m_bits(bits) {}
  unsigned m_bits = 0;
};

/// \brief The sizes that an engine has run, per operation and space.
///
/// A call of a size that has not run there before allocates its workspace and finds cold caches.
/// Thread-safe.
class CallHistory {
 public:
  /// Records a call. \return whether none of this size class or a larger one was recorded before
  bool add(Operation operation, Space space, double work) noexcept;

 private:
  /// The largest size class so far, plus one.
  std::array<std::array<std::atomic<std::uint8_t>, space_count>, operation_count> m_largest{};
};

/// \brief What a call is about to do, as the cost model sees it.
struct Workload {
  Operation operation = Operation::lcs;
  std::uint64_t items = 0;  ///< patterns × queries, rows × queries, candidates, or edges × queries,
                            ///< elements, nodes: what `explain` tells
  double work = 0;  ///< elementary steps: symbols × query words, multiply-adds, edges or elements
                    ///< read; sets the size class
  std::uint64_t transfer_bytes = 0;     ///< that must cross to the device and back if it is chosen
  SpaceSet resident = SpaceSet::all();  ///< spaces that can reach the data
  bool waits = true;  ///< the call ends with its work; what a launch takes says nothing of a space
  std::uint64_t device_bytes = 0;  ///< memory without which the call cannot run on a device, beside
                                   ///< what is kept there; 0: unknown, or made do with
  double starts = 1;               ///< parallel regions or kernels that run one after the other
  std::uint32_t pieces = 0;  ///< among how many threads the work can be divided; 0: any number
  CallHistory* history = nullptr;  ///< of the engine; null: that of the context
};

/// Why a space was chosen.
enum class Reason : std::uint8_t {
  predicted,   ///< least predicted time
  forced,      ///< the caller said so
  only,        ///< no other space can run it
  hysteresis,  ///< another is predicted to be better, not by enough to switch
  probe,       ///< a space not chosen for a while is measured again
  fallback,    ///< the space chosen first failed, or has failed too often of late
  memory,      ///< the device is predicted to be best and has no room for the call
  threshold    ///< `Options::device_items_min` or `device_items_from` says so
};
inline constexpr std::size_t reason_count = 8;
std::string_view to_string(Reason reason) noexcept;

/// \brief A decision, and after the call what it took.
struct DispatchRecord {
  Operation operation = Operation::lcs;
  std::uint64_t items = 0;
  double work = 0;
  std::uint64_t transfer_bytes = 0;
  std::array<double, space_count> predicted{};  ///< seconds; NaN where the space cannot run it
  Space chosen = Space::serial;
  Reason why = Reason::only;
  double taken = 0;          ///< seconds
  int threads = 1;           ///< of the host: as many as the work is worth on `openmp`, else 1
  double starts = 1;         ///< \see Workload::starts
  std::uint32_t pieces = 0;  ///< \see Workload::pieces
  bool first = false;  ///< no call of this size or more had run on \ref chosen: the time includes
                       ///< allocations and cold caches, and the dispatcher does not learn from it
};

/// One line of JSON: `{"op", "items", "predicted": {space: seconds}, "chosen", "taken", "why",
/// "threads", "starts", "first"}`.
std::string to_json(const DispatchRecord& record);

/// \brief Chooses the space of a call by predicted time: `starts × start cost + transfer + overhead
/// + work / rate`, per size class.
///
/// Size classes are powers of two of `Workload::work`. The priors are the thresholds of the systems
/// Kindred serves (Engram: batch 64, 512 nodes, 1024 candidates). `openmp` has a cost for teams of
/// 2, 4, 8, … and all threads, and a call gets the team with the least. A calibration replaces the
/// priors and
/// observed times keep them true: per operation, space and size class, the median of what the last
/// calls took to what their work was predicted to take, so that a cold or disturbed call changes
/// nothing and three that agree do. One exception: a call on `openmp` that takes several times as
/// long as predicted means that other programs hold its processors; the next call leaves it, and
/// probes bring it back soon. First calls of a size are not learnt from. Hysteresis keeps it from
/// flipping, a timed probe re-measures the space not chosen, and a space that fails too often is
/// left for a while (circuit breaker). Thread-safe. A decision takes < 1 µs and allocates nothing.
class Dispatcher {
 public:
  struct Options {
    std::size_t window =
        100;  ///< observations a cost is the median of, and outcomes a success rate is taken over
    double hysteresis = 0.10;  ///< a switch needs this much less predicted time
    std::chrono::milliseconds probe_interval{
        5000};  ///< between probes of a space not chosen, per operation and size class
    double probe_cost_max = 4.0;  ///< a probe that takes more than this many times the best, by the
                                  ///< calibration and by the observations, is not made
    double probe_share = 0.05;    ///< what a probe is predicted to lose, at most, of the seconds
                                  ///< calls have taken since the last one
    double probe_loss_max = std::numeric_limits<double>::infinity();  ///< and this many seconds
    double success_rate_min = 0.95;  ///< below it, over the window, the breaker opens
    std::size_t failures_min = 2;    ///< failures in the window before the breaker may open
    std::chrono::milliseconds breaker_interval{
        10000};                   ///< an open breaker lets one call through after this
    std::optional<Space> forced;  ///< mode `force(space)`; nothing is mode `automatic`
    std::optional<std::uint64_t>
        device_items_min;  ///< calls of fewer items stay on the host, whatever is predicted
    std::optional<std::uint64_t>
        device_items_from;  ///< calls of so many go to the device where it can run them
    std::function<std::uint64_t()>
        device_memory_left;  ///< bytes that a device has left for calls; the context sets it
    std::function<std::chrono::steady_clock::time_point()>
        clock;            ///< for tests; empty is the steady clock
    std::string machine;  ///< who the calibration is of; the context sets it
  };

  /// Time lost to choices so far: Σ max(0, taken − best predicted), and what it is of all time.
  struct Regret {
    double seconds = 0;
    double taken = 0;
    std::uint64_t decisions = 0;
  };

  /// \param usable the spaces of this machine \param threads of `openmp`, for the priors
  Dispatcher(SpaceSet usable, int threads, Options options);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// \brief The space for \p workload; `taken` is still 0.
  /// \param forced overrides the mode for this call
  /// \throws SpaceUnavailable when the forced space is not usable or cannot reach the data, or no
  /// space can; InvalidArgument for an operation that there is not
  DispatchRecord decide(const Workload& workload, std::optional<Space> forced = {});
  /// The next best space after \p failed ones, or nothing. \see Reason::fallback
  std::optional<DispatchRecord> decide_without(const Workload& workload, SpaceSet failed);
  /// Takes in what a call took, and that it succeeded.
  void observe(const DispatchRecord& record) noexcept;
  /// Takes in that a call succeeded of which no time is known (`Workload::waits`).
  void observe_success(Operation operation, Space space) noexcept;
  /// Takes in that a space failed.
  void observe_failure(Operation operation, Space space) noexcept;

  /// Predicted seconds, NaN where the space cannot run it.
  std::array<double, space_count> predict(const Workload& workload) const;
  /// True while the breaker keeps calls of \p operation from \p space.
  bool breaker_open(Operation operation, Space space) const;
  Regret regret() const;
  SpaceSet usable() const noexcept;

  /// \brief Replaces priors: \p seconds is what \p work took on \p space, without transfer and
  /// without the cost of starts.
  /// \param threads of the team of `openmp` that was measured (\ref team_sizes); 0: all
  /// \throws InvalidArgument for a space that is not usable, a team that there is not, a number out
  /// of range
  void calibrate(Operation operation, Space space, double work, double seconds, int threads = 0);
  /// Seconds that one parallel region or kernel costs on \p space, whatever it does.
  /// \param threads, \throws as of \ref calibrate
  void calibrate_start(Space space, double seconds, int threads = 0);
  double start_seconds(Space space, int threads = 0) const noexcept;
  /// How many threads a call on `openmp` may be given: 2, 4, 8, … and all.
  std::span<const int> team_sizes() const noexcept;
  /// \brief Calls on `openmp` get \p threads, rounded up to a team, or with 0 as many as are
  /// predicted to be fastest. For measurements.
  /// \throws InvalidArgument for less than 0 or more than all
  void force_threads(int threads);
  /// Bytes a second and seconds of a copy to the device.
  void calibrate_transfer(double bytes_per_second, double latency_seconds);
  /// \brief Bytes of arrays that a device best takes at a time in lists of \p operation: measured,
  /// else 64 MiB.
  std::uint64_t batch_bytes(Operation operation) const noexcept;
  /// Replaces it. \throws InvalidArgument for 0
  void calibrate_batch(Operation operation, std::uint64_t bytes);
  /// Whether a calibration was loaded or made.
  bool calibrated() const;
  /// The smallest work, a power of two, from which \p space is predicted to beat all spaces before
  /// it for good; 0 never.
  double crossover(Operation operation, Space space) const;
  /// The calibration of this machine as JSON text.
  std::string profile_json() const;
  /// Takes in what \p text holds of this machine (`Options::machine`).
  /// \throws InvalidArgument saying what is wrong with it, NotFound when it is of other machines
  /// only; the dispatcher is then unchanged
  void load_profile_json(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_DISPATCHER_HPP
