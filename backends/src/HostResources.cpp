// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/HostResources.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <utility>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif

namespace Kindred::Impl {

namespace {

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr == text.data()) return {};
  return value;
}

/// First line of a file; empty if it cannot be read.
std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The text after \p key and its separators on the first line of \p path that starts with \p key.
std::string value_of(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const auto begin = line.find_first_not_of(" \t:", key.size());
    if (begin != std::string::npos) return line.substr(begin);
  }
  return {};
}

/// Calls `visit(folder, version)` for the control group of \p controller and all its ancestors.
/// Inside a container the path is that of the host; the reader skips folders that do not exist.
void for_each_group(const std::string& root, const std::string& controller,
                    const std::function<void(const std::string&, int)>& visit) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && ("," + controllers + ",").find("," + controller + ",") == std::string::npos)
      continue;
    const std::string mount = root + "/sys/fs/cgroup" + (unified ? "" : "/" + controller);
    for (std::string path = line.substr(second + 1);;) {
      while (!path.empty() && path.back() == '/') path.pop_back();
      visit(mount + path, unified ? 2 : 1);
      if (path.empty()) break;
      path.erase(path.rfind('/'));
    }
  }
}

#if defined(__linux__)

#if defined(_OPENMP)
/// Adds the processors of place \p place of OpenMP to \p set.
void add_place(int place, cpu_set_t& set) {
  std::array<int, CPU_SETSIZE> processors{};
  const int count = omp_get_place_num_procs(place);
  if (count > CPU_SETSIZE) return;
  omp_get_place_proc_ids(place, processors.data());
  for (int i = 0; i < count; ++i)
    if (processors[i] < CPU_SETSIZE) CPU_SET(processors[i], &set);
}
#endif

/// The processors that the threads of this process may use. Returns false if they are not known.
bool allowed_processors(cpu_set_t& allowed) {
  // Threads that a program starts inherit the affinity of their parent, so that of the main thread
  // is the process's, unless OpenMP has bound the main thread to its first place, which happens
  // before `main` (OMP_PROC_BIND, OMP_PLACES). All places together are then the processors that the
  // process had before, or those that the variables name.
  if (::sched_getaffinity(::getpid(), sizeof(allowed), &allowed) != 0) return false;
#if defined(_OPENMP)
  const int places = omp_get_num_places();
  if (places == 0) return true;
  cpu_set_t all;
  CPU_ZERO(&all);
  add_place(0, all);
  if (CPU_EQUAL(&allowed, &all) == 0) return true;  // the program has changed it since
  for (int place = 1; place < places; ++place) add_place(place, all);
  allowed = all;
#endif
  return true;
}

#endif

}  // namespace

HostMemory query_host_memory(const std::string& root) {
  const std::string meminfo = root + "/proc/meminfo";
  HostMemory memory{number(value_of(meminfo, "MemTotal")).value_or(0) * 1024,
                    number(value_of(meminfo, "MemAvailable")).value_or(0) * 1024};
  for_each_group(root, "memory", [&](const std::string& folder, int version) {
    const auto limit =
        number(first_line(folder + (version == 2 ? "/memory.max" : "/memory.limit_in_bytes")));
    if (!limit || *limit >= memory.total) return;  // "max", or the huge number of version 1
    const auto used =
        number(first_line(folder + (version == 2 ? "/memory.current" : "/memory.usage_in_bytes")))
            .value_or(0);
    // The kernel reclaims inactive file pages when memory is needed.
    const auto files = number(value_of(folder + "/memory.stat",
                                       version == 2 ? "inactive_file" : "total_inactive_file"))
                           .value_or(0);
    const std::uint64_t held = used - std::min(used, files);
    memory.total = *limit;
    memory.free = std::min(memory.free, *limit - std::min(*limit, held));
  });
  // Limits of the process (`ulimit -v`, `ulimit -d`) and what counts against them.
  for (const auto& [name, size] :
       {std::pair("Max address space", "VmSize"), std::pair("Max data size", "VmData")}) {
    const auto limit = number(value_of(root + "/proc/self/limits", name));
    if (!limit) continue;  // "unlimited"
    const std::uint64_t used =
        number(value_of(root + "/proc/self/status", size)).value_or(0) * 1024;
    memory.total = std::min(memory.total, *limit);
    memory.free = std::min(memory.free, *limit - std::min(*limit, used));
  }
  return memory;
}

int processor_quota(const std::string& root) {
  std::uint64_t least = 0;
  for_each_group(root, "cpu", [&](const std::string& folder, int version) {
    std::string quota_text;
    std::string period_text;
    if (version == 2) {
      std::istringstream(first_line(folder + "/cpu.max")) >> quota_text >> period_text;
    } else {
      quota_text = first_line(folder + "/cpu.cfs_quota_us");
      period_text = first_line(folder + "/cpu.cfs_period_us");
    }
    const auto quota = number(quota_text);
    const auto period = number(period_text);
    if (!quota || !period || *period == 0 || *quota == 0) return;
    const std::uint64_t processors = (*quota + *period - 1) / *period;
    least = least == 0 ? processors : std::min(least, processors);
  });
  return static_cast<int>(std::min<std::uint64_t>(least, 1 << 20));
}

std::string processor_name() { return value_of("/proc/cpuinfo", "model name"); }

void keep_thread_to_part([[maybe_unused]] int part, [[maybe_unused]] int parts) noexcept {
#if defined(__linux__)
  cpu_set_t allowed;
  if (!allowed_processors(allowed)) return;
  const int processors = CPU_COUNT(&allowed);
  if (processors < parts) return;
  cpu_set_t own;
  CPU_ZERO(&own);
  int rank = 0;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    if (rank * parts / processors == part) CPU_SET(processor, &own);
    ++rank;
  }
  (void)::sched_setaffinity(0, sizeof(own), &own);
#endif
}

}  // namespace Kindred::Impl
