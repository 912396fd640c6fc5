// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/HostResources.hpp>
#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/common/Error.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace Kindred::Impl {

namespace {

ThreadCount at_most(ThreadCount choice, int limit, const char* why) {
  if (choice.threads > limit) choice = {limit, why};
  return choice;
}

ThreadCount within_openmp(const ThreadCount& choice, int openmp_limit) {
  return at_most(at_most(choice, std::max(openmp_limit, 1), "OMP_THREAD_LIMIT"), threads_max,
                 "the most that Kokkos can use");
}

}  // namespace

std::optional<int> leading_number(const char* text) {
  char* end = nullptr;
  errno = 0;
  const long value = std::strtol(text, &end, 10);
  const bool fits = errno == 0 && value >= std::numeric_limits<int>::min() &&
                    value <= std::numeric_limits<int>::max();
  if (end == text || !fits) return {};
  return static_cast<int>(value);
}

ThreadCount choose_threads(const ThreadLimits& limits, const Environment& environment) {
  if (const char* const text = environment("KOKKOS_NUM_THREADS")) {
    const std::optional<int> number = leading_number(text);
    KINDRED_THROW_IF(!number || *number < 1, "KOKKOS_NUM_THREADS is '" + std::string(text) +
                                                 "'; it must be a whole number of at least 1");
    return within_openmp({*number, "KOKKOS_NUM_THREADS"}, limits.openmp_limit);
  }
  ThreadCount choice{std::max(limits.openmp, 1), "all processors"};
  const char* const text = environment("OMP_NUM_THREADS");
  if (text != nullptr && leading_number(text) == limits.openmp) {
    choice.why = "OMP_NUM_THREADS";
  } else if (limits.openmp != limits.allowed) {
    choice.why = "as OpenMP decides";
  } else if (limits.allowed < limits.online) {
    choice.why = "the processors that this process may use";
  }
  if (limits.quota > 0)
    choice = at_most(choice, limits.quota, "the CPU limit of the control group");
  return within_openmp(choice, limits.openmp_limit);
}

ThreadCount requested_threads(int requested, int openmp_limit) {
  return within_openmp({requested, "as requested"}, openmp_limit);
}

void check_kokkos_switches(const Environment& environment) {
  for (const char* name :
       {"KOKKOS_DISABLE_WARNINGS", "KOKKOS_PRINT_CONFIGURATION", "KOKKOS_TUNE_INTERNALS"}) {
    const char* const text = environment(name);
    if (text == nullptr) continue;
    std::string value = text;
    for (char& c : value) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto known = {"true", "false", "yes", "no", "1", "0"};
    KINDRED_THROW_IF(std::find(known.begin(), known.end(), value) == known.end(),
                     std::string(name) + " is '" + text + "'; it must be 'true' or 'false'");
  }
}

int openmp_thread_limit() noexcept {
#if defined(_OPENMP)
  return omp_get_thread_limit();
#else
  return 1;
#endif
}

ThreadLimits query_thread_limits() {
  ThreadLimits limits;
  limits.openmp_limit = openmp_thread_limit();
#if defined(_OPENMP)
  limits.openmp = omp_get_max_threads();
  limits.allowed = omp_get_num_procs();
  limits.online = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  limits.quota = processor_quota();
#endif
  return limits;
}

int threads_or_all(int threads) {
  if (threads > 0) return threads;
  return choose_threads(query_thread_limits(), [](const char* name) { return std::getenv(name); })
      .threads;
}

std::size_t openmp_stack_bytes(const Environment& environment) {
  for (const char* name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    const char* const text = environment(name);
    if (text == nullptr) continue;
    char* end = nullptr;
    const unsigned long long size = std::strtoull(text, &end, 10);
    while (std::isspace(static_cast<unsigned char>(*end)) != 0) ++end;
    const std::string_view units = "BKMG";
    const auto unit =
        *end == '\0'
            ? 1
            : units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(*end))));
    if (end == text || unit == std::string_view::npos) continue;
    if (size <= std::numeric_limits<std::size_t>::max() >> (10 * unit))
      return static_cast<std::size_t>(size) << (10 * unit);
  }
  return 0;
}

void start_all_threads() noexcept {
#if defined(_OPENMP)
  if (omp_get_dynamic() != 0) omp_set_dynamic(0);
#endif
}

void set_region_threads([[maybe_unused]] int threads) noexcept {
#if defined(_OPENMP)
  omp_set_num_threads(threads);
#endif
}

}  // namespace Kindred::Impl
