// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Context.hpp>

#include <kindred/backends/impl/Device.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/memory/LimitAdaptor.hpp>
#include <kindred/memory/SpaceResource.hpp>

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>

namespace Kindred {

namespace {

/// Value of the first line `key: value` of a file of /proc, or nothing.
std::string proc_value(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const auto colon = line.find(':');
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    if (colon != std::string::npos && begin != std::string::npos) return line.substr(begin);
  }
  return {};
}

std::uint64_t proc_meminfo_bytes(const std::string& key) {
  const std::string value = proc_value("/proc/meminfo", key);
  return value.empty() ? 0 : std::strtoull(value.c_str(), nullptr, 10) * 1024;
}

/// Initialises Kokkos once for all contexts unless the program has.
void initialize_kokkos(int threads) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (Kokkos::is_initialized()) return;
  if (Kokkos::is_finalized())
    throw SpaceUnavailable("Kokkos was finalised; a context cannot be made after that");
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  if (threads > 0) settings.set_num_threads(threads);
  Kokkos::initialize(settings);
  std::atexit([] {
    if (Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
  });
}

std::uint64_t budget(const SpaceInfo& info, double fraction, std::optional<std::uint64_t> bytes) {
  return bytes ? *bytes
               : static_cast<std::uint64_t>(fraction * static_cast<double>(info.memory_free));
}

/// `limit → statistics → space`
template <class MemorySpace>
struct MemoryChain {
  explicit MemoryChain(std::uint64_t limit_bytes)
      : statistics(space), limit(statistics, limit_bytes) {}
  SpaceResource<MemorySpace> space;
  StatisticsAdaptor statistics;
  LimitAdaptor limit;
};

}  // namespace

struct Context::State {
  State(const ContextOptions& given, std::vector<SpaceInfo> infos, SpaceSet usable_spaces,
        int thread_count)
      : options(given),
        spaces(std::move(infos)),
        usable(usable_spaces),
        threads(thread_count),
        serial(make_host_instance(1)),
        openmp(make_host_instance(thread_count)),
        host_memory(spaces[0].memory_budget),
        dispatcher(usable_spaces, thread_count, options.dispatcher)
#if KINDRED_HAS_DEVICE
        ,
        cuda(Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1)[0]),
        device_memory(spaces[2].memory_budget)
#endif
  {
  }

  static HostSpace make_host_instance([[maybe_unused]] int pool_size) {
#if defined(KOKKOS_ENABLE_OPENMP)
    return HostSpace(pool_size);
#else
    return HostSpace();
#endif
  }

  ContextOptions options;
  std::vector<SpaceInfo> spaces;
  SpaceSet usable;
  int threads;
  HostSpace serial;
  HostSpace openmp;
  MemoryChain<Kokkos::HostSpace> host_memory;
  Dispatcher dispatcher;
#if KINDRED_HAS_DEVICE
  DeviceSpace cuda;
  MemoryChain<DeviceSpace::memory_space> device_memory;
#endif
};

Context::Context(ContextOptions options) {
  KINDRED_THROW_IF(
      options.threads < 0 || options.threads > 512,
      "threads is " + std::to_string(options.threads) + "; it must be 1 … 512, or 0 for all");
  KINDRED_THROW_IF(
      !(options.budget_fraction > 0.0 && options.budget_fraction <= 1.0),
      "budget_fraction is " + std::to_string(options.budget_fraction) + "; it must be in (0, 1]");
  SpaceInfo device = Impl::query_device();
  if (device.compiled && !device.usable) {
    throw SpaceUnavailable(
        "this build of Kindred needs a CUDA driver and a device, and there is none (" +
        device.why_not + "); use the host build: ./run build release");
  }
  initialize_kokkos(options.threads);

  SpaceInfo serial;
  serial.space = Space::serial;
  serial.compiled = serial.usable = true;
  serial.device = proc_value("/proc/cpuinfo", "model name");
  serial.concurrency = 1;
  serial.memory_total = proc_meminfo_bytes("MemTotal");
  serial.memory_free = proc_meminfo_bytes("MemAvailable");
  serial.memory_budget = budget(serial, options.budget_fraction, options.host_budget);
  SpaceInfo openmp = serial;
  openmp.space = Space::openmp;
#if defined(KOKKOS_ENABLE_OPENMP)
  const int threads = options.threads > 0 ? options.threads : HostSpace().concurrency();
#else
  const int threads = 1;
  openmp.compiled = openmp.usable = false;
  openmp.why_not = "not compiled in: this Kokkos has no OpenMP";
#endif
  openmp.concurrency = threads;
  device.memory_budget = budget(device, options.budget_fraction, options.device_budget);

  SpaceSet usable = SpaceSet().with(Space::serial);
  if (openmp.usable) usable = usable.with(Space::openmp);
  if (device.usable) usable = usable.with(Space::cuda);
  if (options.space && !usable.contains(*options.space)) {
    const SpaceInfo& info = *options.space == Space::cuda ? device : openmp;
    throw SpaceUnavailable("space " + std::string(to_string(*options.space)) +
                           " cannot be used: " + info.why_not);
  }
  options.dispatcher.forced = options.space;
  if (options.profile.empty()) options.profile = default_profile_path();
  m_state = std::make_unique<State>(options, std::vector<SpaceInfo>{serial, openmp, device}, usable,
                                    threads);

  if (options.load_profile && !options.profile.empty() &&
      std::filesystem::exists(options.profile)) {
    std::ifstream file(options.profile);
    std::stringstream text;
    text << file.rdbuf();
    try {
      m_state->dispatcher.load_profile_json(text.str());
    } catch (const InvalidArgument& error) {
      log(LogLevel::warning, "calibration " + options.profile + " is not used: " + error.what());
    }
  }
}

Context::~Context() = default;

const std::vector<SpaceInfo>& Context::spaces() const noexcept { return m_state->spaces; }
const SpaceInfo& Context::info(Space space) const noexcept {
  return m_state->spaces[static_cast<std::size_t>(space)];
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

MemoryStatistics Context::memory_statistics([[maybe_unused]] Space space) const {
#if KINDRED_HAS_DEVICE
  if (space == Space::cuda) return m_state->device_memory.statistics.statistics();
#endif
  return m_state->host_memory.statistics.statistics();
}

void Context::log(LogLevel level, std::string_view message) const {
  if (m_state->options.log) m_state->options.log(level, message);
}

void Context::report(const DispatchRecord& record) const {
  if (m_state->options.on_dispatch) m_state->options.on_dispatch(record);
}

std::optional<DispatchRecord> Context::fall_back(const Workload& workload,
                                                 const DispatchRecord& failed, SpaceSet& tried,
                                                 const char* why) {
  dispatcher().observe_failure(failed.operation, failed.chosen);
  tried = tried.with(failed.chosen);
  if (failed.why == Reason::forced) return {};
  const auto next = dispatcher().decide_without(workload, tried);
  if (next) {
    log(LogLevel::warning, std::string(to_string(failed.operation)) + " failed on " +
                               std::string(to_string(failed.chosen)) + ", runs on " +
                               std::string(to_string(next->chosen)) + " instead: " + why);
  }
  return next;
}

std::string Context::default_profile_path() {
  if (const char* path = std::getenv("KINDRED_PROFILE")) return path;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"))
    return std::string(cache) + "/kindred/profile.json";
  if (const char* home = std::getenv("HOME"))
    return std::string(home) + "/.cache/kindred/profile.json";
  return {};
}

void Context::save_profile() const {
  const std::filesystem::path path(m_state->options.profile);
  if (path.empty()) throw Error("no place to save the calibration: set KINDRED_PROFILE or HOME");
  std::error_code status;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), status);
  const std::filesystem::path temporary(path.string() + ".tmp" + std::to_string(::getpid()));
  std::ofstream file(temporary);
  file << m_state->dispatcher.profile_json() << '\n';
  file.close();
  if (file) std::filesystem::rename(temporary, path, status);
  if (!file || status) {
    std::filesystem::remove(temporary, status);
    throw Error("the calibration could not be written to " + path.string() +
                "; set KINDRED_PROFILE to a writable file");
  }
}

namespace Impl {

const HostSpace& host_instance(const Context& context, Space space) {
  if (!context.is_usable(space) || space == Space::cuda) {
    throw SpaceUnavailable("space " + std::string(to_string(space)) +
                           " cannot be used: " + context.info(space).why_not);
  }
  return space == Space::serial ? context.state().serial : context.state().openmp;
}

#if KINDRED_HAS_DEVICE
const DeviceSpace& device_instance(const Context& context) { return context.state().cuda; }
#endif

}  // namespace Impl
}  // namespace Kindred
