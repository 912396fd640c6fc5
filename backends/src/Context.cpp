// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Context.hpp>

#include "CalibrationProfile.hpp"
#include "ContextState.hpp"

#include <kindred/Version.hpp>
#include <kindred/backends/InstructionSet.hpp>
#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/backends/impl/Device.hpp>
#include <kindred/backends/impl/DeviceChoice.hpp>
#include <kindred/backends/impl/HostResources.hpp>
#include <kindred/backends/impl/ProveSpace.hpp>
#include <kindred/backends/impl/StartThreads.hpp>
#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/HostLevel.hpp>
#include <kindred/core/arch/Process.hpp>
#include <kindred/core/arch/SpecialForms.hpp>
#include <kindred/core/arch/launch/CurrentDevice.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/memory/AtomicFile.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace Kindred {

namespace {

/// Of this process; they are still there at its end if they belong to static objects.
std::atomic<int> live_contexts{0};

void check_kernels_run_on(int device) {
  const std::string why_not = Impl::why_kernels_cannot_run(device);
  if (!why_not.empty()) {
    throw SpaceUnavailable("this build of Kindred cannot use device " + std::to_string(device) +
                           ": " + why_not +
                           "; build it for the device, or use the host build: ./run build release");
  }
}

void check_space(Space space) {
  KINDRED_THROW_IF(space_index(space) >= space_count,
                   "the space is " + std::to_string(space_index(space)) +
                       "; it must be serial (0), openmp (1) or cuda (2)");
}

void check_processor() {
  if (const char* why_not = why_processor_is_unusable()) throw SpaceUnavailable(why_not);
  std::string problem = Impl::problem_of_max_level(Arch::max_level_text(), instruction_set());
  if (problem.empty()) problem = Special::problem_of_without(Special::without_text());
  KINDRED_THROW_IF(!problem.empty(), problem);
}

/// Whether a parallel region of the calling thread can have \p threads threads.
bool can_start_team(int threads) noexcept {
  try {
    Impl::start_team(threads);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// Initialises Kokkos once for all contexts unless the program has done so, on device \p requested
/// or the one of \p devices that Kokkos would select. Returns the default number of threads.
Impl::ThreadCount initialize_kokkos(const SpaceInfo& devices, std::optional<int> requested) {
  static std::mutex mutex;
  static Impl::ThreadCount threads{0, {}};
  static int kokkos_threads = 1;
  Arch::watch_forks();  // before the lock, which no thread of a child would unlock
  const std::lock_guard lock(mutex);
  if (Kokkos::is_finalized())
    throw SpaceUnavailable("Kokkos was finalised; no context can be created after that");
  if (Kokkos::is_initialized()) {
    if (devices.usable) check_kernels_run_on(Impl::device_of_kokkos());
    if (threads.threads > 0) return threads;
    return {Arch::concurrency(HostSpace()), "as the program initialised Kokkos"};
  }
  const Impl::Environment environment = [](const char* name) { return std::getenv(name); };
  Impl::check_kokkos_switches(environment);
  const Impl::ThreadCount chosen = Impl::choose_threads(Impl::query_thread_limits(), environment);
  if (can_start_team(chosen.threads)) kokkos_threads = chosen.threads;
  Impl::start_all_threads();
  Impl::set_region_threads(kokkos_threads);
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  settings.set_print_configuration(false);
  settings.set_num_threads(kokkos_threads);
  if (devices.usable) {
    const Impl::DeviceChoice choice = Impl::choose_device(
        devices.device_count, requested, environment, static_cast<unsigned>(::getpid()));
    check_kernels_run_on(choice.device);  // Kokkos would abort
    settings.set_device_id(choice.kokkos_id);
  }
  Kokkos::initialize(settings);
  std::atexit([] {
    if (!Kokkos::is_initialized() || Kokkos::is_finalized()) return;
    // Kokkos aborts where CUDA does not work; the process is ending anyway.
    if (Arch::is_forked()) return Arch::abandon_kokkos();
    const bool is_used = live_contexts.load() > 0;
    if (is_used) Arch::start_ending();
    // Threads of a context that is still used may run kernels on the host, or begin to use the
    // device.
    if (is_used || Arch::device_is_lost()) return Arch::abandon_kokkos();
    // Like its initialisation, this runs a parallel region.
    if (!can_start_team(kokkos_threads)) return Arch::abandon_kokkos();
    Kokkos::finalize();
  });
  threads = chosen;
  return threads;
}

std::string shown(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string machine_of(const SpaceInfo& host, const SpaceInfo& device, int threads) {
  std::string gpu = device.usable ? device.device : "no GPU";
  if (device.kernels_from_ptx) gpu += " (kernels for " + shown(device.kernels_for, 1) + ")";
  return host.device + ", " + gpu + ", " + std::to_string(threads) +
         (threads == 1 ? " thread" : " threads") + ", Kindred " + KINDRED_VERSION_STRING;
}

/// The contents of a file; empty if it does not exist or is too long for a profile.
std::string file_text(const std::string& path) {
  constexpr std::uintmax_t size_max = 16 << 20;
  std::error_code status;
  const std::uintmax_t size = std::filesystem::file_size(path, status);
  if (status || size > size_max) return {};
  std::string text(size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::uint64_t budget(const SpaceInfo& info, double fraction, std::optional<std::uint64_t> bytes) {
  return bytes ? *bytes
               : static_cast<std::uint64_t>(fraction * static_cast<double>(info.memory_free));
}

}  // namespace

Context::Context(ContextOptions options) try {
  check_processor();
  Arch::require_usable_process();
  KINDRED_THROW_IF(
      options.threads < 0 || options.threads > Impl::threads_max,
      "threads is " + std::to_string(options.threads) + "; it must be 1 … 512, or 0 for all");
  if (options.space) check_space(*options.space);
  KINDRED_THROW_IF(
      !(options.budget_fraction > 0.0 && options.budget_fraction <= 1.0),
      "budget_fraction is " + std::to_string(options.budget_fraction) + "; it must be in (0, 1]");
  KINDRED_THROW_IF(options.device && *options.device < 0,
                   "device is " + std::to_string(*options.device) + "; it must be at least 0");
  SpaceInfo device = Impl::query_devices();
  if (options.device && !device.compiled)
    throw SpaceUnavailable("device " + std::to_string(*options.device) +
                           " cannot be used: " + device.why_not);
  if (Arch::device_is_lost()) {
    device.usable = false;
    device.why_not = "this process has lost it; restart the program";
  } else if (device.compiled && !device.usable) {
    throw SpaceUnavailable(
        "this build of Kindred needs a CUDA driver and a device, and there is none (" +
        device.why_not +
        "); use the host build: ./run build release, or, of packages, the library "
        "for hosts: KINDRED_LIBRARY=host");
  }
  KINDRED_THROW_IF(device.usable && options.device && *options.device >= device.device_count,
                   "device is " + std::to_string(*options.device) + "; this process sees " +
                       std::to_string(device.device_count) + ", counted from 0");
  const auto start = std::chrono::steady_clock::now();
  const Arch::KeepCurrentDevice keep;
  Impl::ThreadCount choice = initialize_kokkos(device, options.device);
  if (device.usable) {
    // Without a request, the one on which the first context or the program initialised Kokkos.
    const int index = options.device.value_or(Impl::device_of_kokkos());
    check_kernels_run_on(index);
    device = Impl::query_device(index);
  }
  if (device.usable && device.memory_total < options.device_memory_min) {
    device.usable = false;
    device.why_not = "it has " + std::to_string(device.memory_total) +
                     " bytes of memory, and device_memory_min is " +
                     std::to_string(options.device_memory_min);
  }
  std::vector<std::string> failures;
  const auto prove = [&failures](SpaceInfo& info) {
    info.why_not = Impl::why_space_fails(info);
    info.usable = info.why_not.empty();
    if (!info.usable) failures.push_back(cannot_be_used(info));
  };
  if (device.usable) prove(device);

  SpaceInfo serial;
  serial.space = Space::serial;
  serial.compiled = serial.usable = true;
  serial.device = Impl::processor_name();
  serial.concurrency = 1;
  const Impl::HostMemory memory = Impl::query_host_memory();
  serial.memory_total = memory.total;
  serial.memory_free = memory.free;
  serial.memory_budget = budget(serial, options.budget_fraction, options.host_budget);
  SpaceInfo openmp = serial;
  prove(serial);
  if (!serial.usable) throw SpaceUnavailable(failures.back());
  openmp.space = Space::openmp;
#if defined(KOKKOS_ENABLE_OPENMP)
  if (options.threads > 0)
    choice = Impl::requested_threads(options.threads, Impl::openmp_thread_limit());
  openmp.concurrency = choice.threads;
  prove(openmp);
  if (!openmp.usable) choice = {1, "openmp cannot be used"};
#else
  openmp.compiled = openmp.usable = false;
  openmp.why_not = "not compiled in: this Kokkos has no OpenMP";
  choice = {};
#endif
  const int threads = choice.threads;
  openmp.concurrency = threads;
  openmp.concurrency_why = choice.why;
  device.memory_budget = std::min(budget(device, options.budget_fraction, options.device_budget),
                                  options.device_budget_max);

  const std::vector<SpaceInfo> spaces{serial, openmp, device};
  SpaceSet usable;
  for (const SpaceInfo& info : spaces)
    if (info.usable) usable = usable.with(info.space);
  if (options.space && !usable.contains(*options.space))
    throw SpaceUnavailable(cannot_be_used(spaces[space_index(*options.space)]));
  options.dispatcher.forced = options.space;
  options.dispatcher.machine = machine_of(serial, device, threads);
  if (options.profile.empty()) options.profile = default_profile_path();
  m_state = std::make_unique<State>(options, spaces, usable, threads);

  std::error_code why_not_read;
  const bool has_profile = options.load_profile && !options.profile.empty() &&
                           std::filesystem::exists(options.profile, why_not_read);
  if (why_not_read)
    log(LogLevel::info, options.profile + ": cannot be read: " + why_not_read.message());
  if (has_profile) {
    try {
      m_state->dispatcher.load_profile_json(file_text(options.profile));
    } catch (const NotFound& error) {
      log(LogLevel::info, options.profile + ": " + error.what());
    } catch (const InvalidArgument& error) {
      log(LogLevel::warning, options.profile + " is not used: " + error.what());
    }
  }
  for (const std::string& failure : failures) log(LogLevel::warning, failure);
  if (device.kernels_from_ptx) {
    log(LogLevel::info, "kernels are compiled for this GPU (compute capability " +
                            shown(device.compute_capability, 1) + ") from PTX for " +
                            shown(device.kernels_for, 1) +
                            " at their first use; the driver caches them for later runs. "
                            "Start-up took " +
                            shown(seconds_since(start), 1) + " s");
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::Context");
}

Context::Count::Count() noexcept { live_contexts.fetch_add(1); }
Context::Count::~Count() { live_contexts.fetch_sub(1); }

Context::~Context() {
#if KINDRED_HAS_DEVICE
  // Kokkos aborts when it destroys a stream of a broken CUDA context, so these are kept.
  if (Impl::can_release() && Arch::device_is_lost()) {
    Impl::keep_until_exit(new (std::nothrow) DeviceSpace(m_state->cuda));
    Impl::keep_until_exit(new (std::nothrow) auto(std::move(m_state->streams)));
  }
#endif
}

const std::vector<SpaceInfo>& Context::spaces() const noexcept { return m_state->spaces; }
const SpaceInfo& Context::info(Space space) const {
  check_space(space);
  return m_state->spaces[space_index(space)];
}
SpaceSet Context::usable() const noexcept { return m_state->usable; }
int Context::threads() const noexcept { return m_state->threads; }
Dispatcher& Context::dispatcher() noexcept { return m_state->dispatcher; }
const Dispatcher& Context::dispatcher() const noexcept { return m_state->dispatcher; }
const std::string& Context::profile_path() const noexcept { return m_state->options.profile; }

MemoryResource& Context::memory([[maybe_unused]] Space space) {
#if KINDRED_HAS_DEVICE
  if (space == Space::cuda) return m_state->device_memory.limit;
#endif
  return m_state->host_memory.limit;
}

MemoryResource& Context::pinned_memory() {
#if KINDRED_HAS_DEVICE
  if (is_usable(Space::cuda)) return m_state->pinned_memory.limit;
#endif
  return m_state->host_memory.limit;
}

MemoryStatistics Context::memory_statistics([[maybe_unused]] Space space) const {
#if KINDRED_HAS_DEVICE
  if (space == Space::cuda) return m_state->device_memory.statistics.statistics();
#endif
  return m_state->host_memory.statistics.statistics();
}

std::uint64_t Context::free_memory(Space space) const {
  if (space != Space::cuda) return Impl::query_host_memory().free;
  return is_usable(space) ? Impl::query_device(info(space).device_index).memory_free : 0;
}

void Context::log(LogLevel level, std::string_view message) const {
  const auto& log = m_state->options.log;
  if (!log) return;
  if (Impl::CallbackDelay* const delay = Impl::CallbackDelay::present())
    return delay->add([&log, level, text = std::string(message)] { log(level, text); });
  Impl::call_back([&] { log(level, message); });
}

bool Context::is_first(const Workload& workload, Space space) const noexcept {
  CallHistory& history = workload.history != nullptr ? *workload.history : m_state->history;
  return history.add(workload.operation, space, workload.work);
}

void Context::State::report_compilation(const Context& context, const DispatchRecord& record) {
  constexpr double least = 0.5;  // seconds; kernels from the driver's cache take less
  if (!ran_on_device.add(record.operation, Space::cuda, 0) || record.taken < least) return;
  context.log(LogLevel::info, "the first " + std::string(to_string(record.operation)) + " took " +
                                  shown(record.taken, 1) +
                                  " s, because its kernels were compiled for this GPU");
}

DispatchRecord Context::decide(const Workload& workload, std::optional<Space> forced) {
  Arch::require_usable_process();
  Impl::CancelPoint().check();
  if (forced && !is_usable(*forced)) {
    throw SpaceUnavailable("space " + std::string(to_string(*forced)) + " cannot run " +
                           std::string(to_string(workload.operation)) + ": " +
                           info(*forced).why_not);
  }
  return dispatcher().decide(workload, forced);
}

void Context::report(const DispatchRecord& record) const {
  if (record.chosen == Space::cuda && info(Space::cuda).kernels_from_ptx)
    m_state->report_compilation(*this, record);
  const auto& on_dispatch = m_state->options.on_dispatch;
  if (!on_dispatch) return;
  if (Impl::CallbackDelay* const delay = Impl::CallbackDelay::present())
    return delay->add([&on_dispatch, record] { on_dispatch(record); });
  Impl::call_back([&] { on_dispatch(record); });
}

DispatchRecord Context::recover(const Workload& workload, const DispatchRecord& failed,
                                SpaceSet& tried) {
  const auto next = [&](const char* why) {
    dispatcher().observe_failure(failed.operation, failed.chosen);
    tried = tried.with(failed.chosen);
    std::optional<DispatchRecord> record;
    if (failed.why != Reason::forced) record = dispatcher().decide_without(workload, tried);
    if (record) {
      log(LogLevel::warning, std::string(to_string(failed.operation)) + " failed on " +
                                 std::string(to_string(failed.chosen)) + ", runs on " +
                                 std::string(to_string(record->chosen)) + " instead: " + why);
    }
    return record;
  };
  const auto out_of_memory = [&](const std::string& detail) {
    return OutOfMemory(std::string(memory(failed.chosen).space()), 0,
                       std::string(to_string(failed.operation)), detail);
  };
  try {
    throw;
  } catch (const OutOfMemory& error) {
    if (const auto record = next(error.what())) return *record;
    throw;
  } catch (const Impl::LostAmidResults&) {
    dispatcher().observe_failure(failed.operation, failed.chosen);
    throw;
  } catch (const DeviceLost& error) {
    if (const auto record = next(error.what())) return *record;
    throw;
  } catch (const SpaceUnavailable& error) {
    if (const auto record = next(error.what())) return *record;
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    if (const auto record = next("out of host memory")) return *record;
    throw out_of_memory("out of host memory; use smaller batches");
  } catch (const std::runtime_error& error) {
    const Arch::DeviceFailure failure = Arch::device_failure_in(error.what());
    if (failure == Arch::DeviceFailure::none) throw;
    Arch::record_device_failure(error.what());
    if (const auto record = next(error.what())) return *record;
    if (failure == Arch::DeviceFailure::memory) throw out_of_memory(error.what());
    Arch::throw_device_failure(failure, std::string(to_string(failed.operation)) + " on " +
                                            std::string(to_string(failed.chosen)) + ": " +
                                            error.what());
  }
}

std::string Context::default_profile_path() try {
  if (const char* path = std::getenv("KINDRED_PROFILE")) return path;
  for (const auto& [variable, file] : {std::pair("XDG_CACHE_HOME", "/kindred/profile.json"),
                                       std::pair("HOME", "/.cache/kindred/profile.json")}) {
    const char* const folder = std::getenv(variable);
    // Like a variable that is not set, an empty one names no folder.
    if (folder != nullptr && *folder != '\0') return std::string(folder) + file;
  }
  return {};
} catch (...) {
  Impl::rethrow_translated("Kindred::Context::default_profile_path");
}

void Context::save_profile() const try {
  const std::string& path = m_state->options.profile;
  if (path.empty()) throw Error("no path for the calibration file: set KINDRED_PROFILE or HOME");
  AtomicFile::replace(
      path, Impl::merged_profile_json(m_state->dispatcher.profile_json(), file_text(path)) + '\n');
} catch (...) {
  Impl::rethrow_translated("Kindred::Context::save_profile");
}

}  // namespace Kindred
